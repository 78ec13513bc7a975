import type { WaitSettings } from '../flows/tasks';
import type { Parameters } from '../run/fields/parameters';

/** Of the wait options when nothing is set: 2 s, 15 s, half an hour. */
export const DEFAULT_WAIT: WaitSettings = {
	pollIntervalMs: 2_000,
	maxPollIntervalMs: 15_000,
	maxWaitMs: 1_800_000,
	whenMaxWaitReached: 'fail',
};

export function readWait(parameters: Parameters): WaitSettings {
	const ms = (name: string, label: string, min: number, fallback: number) =>
		1000 * parameters.numberOption(name, label, { min }, fallback / 1000);
	return {
		pollIntervalMs: ms('pollInterval', 'Poll Interval', 1, DEFAULT_WAIT.pollIntervalMs),
		maxPollIntervalMs: ms(
			'maxPollInterval',
			'Max Poll Interval',
			1,
			DEFAULT_WAIT.maxPollIntervalMs,
		),
		maxWaitMs: ms('maxWait', 'Max Wait', 0, DEFAULT_WAIT.maxWaitMs),
		whenMaxWaitReached: parameters.choiceOption(
			'whenMaxWaitReached',
			'When Max Wait Is Reached',
			['fail', 'stillProcessing'] as const,
			'fail',
		),
	};
}
