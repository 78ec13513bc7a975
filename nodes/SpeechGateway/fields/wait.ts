import type { InputOf } from './field';
import { choiceOption, secondsOption } from './kinds';

/** How long, and how often, to look for a result. */
export const waitFields = {
	pollIntervalMs: secondsOption({
		displayName: 'Poll Interval',
		name: 'pollInterval',
		min: 1,
		max: 3_600,
		// Short jobs are done in seconds, and a look is free.
		default: 2,
		description:
			'Time before the first check for the result; checks are free and become less frequent',
	}),
	maxPollIntervalMs: secondsOption({
		displayName: 'Max Poll Interval',
		name: 'maxPollInterval',
		min: 1,
		max: 3_600,
		default: 15,
		description: 'Longest time between two checks',
	}),
	maxWaitMs: secondsOption({
		displayName: 'Max Wait',
		name: 'maxWait',
		hint: 'Seconds; 1800 is half an hour',
		min: 0,
		// A month.
		max: 2_592_000,
		default: 1800,
		description: 'Longest time to wait for the result',
	}),
	whenMaxWaitReached: choiceOption({
		displayName: 'When Max Wait Is Reached',
		name: 'whenMaxWaitReached',
		noDataExpression: true,
		hint: 'Adds an output in front of "Error". Check the connections: n8n keeps them by position and removes those left over.',
		default: 'fail',
		choices: {
			fail: { name: 'Fail', description: 'The item fails, with the ID in the error' },
			stillProcessing: {
				name: 'Still Processing',
				description: 'The item ends as "Waiting", with the ID',
			},
		},
		description:
			'What to do with an item whose result is not ready in time, which "Wait" can fetch later',
	}),
};

/** The values of `waitFields`; times in ms. */
export type WaitSettings = InputOf<typeof waitFields>;
