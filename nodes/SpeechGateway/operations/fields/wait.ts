import type { WaitSettings } from '../../flows/tasks';
import { unsetOf } from '../../run/fields/field';
import { choiceOption, secondsOption } from '../../run/fields/kinds';

/** How long, and how often, to look for a result. */
export const waitFields = {
	pollIntervalMs: secondsOption({
		displayName: 'Poll Interval',
		name: 'pollInterval',
		min: 1,
		max: 3_600,
		default: 2,
		description:
			'Pause before the first look whether the result is there. The pauses grow from then on; looking is free.',
	}),
	maxPollIntervalMs: secondsOption({
		displayName: 'Max Poll Interval',
		name: 'maxPollInterval',
		min: 1,
		max: 3_600,
		default: 15,
		description: 'Longest pause between two looks, once the work has been going on for long',
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
		default: 'fail',
		choices: {
			fail: { name: 'Fail', description: 'The item fails with an error that names the ID' },
			stillProcessing: {
				name: 'Still Processing',
				description: 'The item goes to a branch of its own, "Waiting", with the ID',
			},
		},
		description:
			'What happens to an item whose result is not there in time. Nothing is lost: the work goes on at the gateway, and the result can be fetched later.',
	}),
};

export const DEFAULT_WAIT: WaitSettings = unsetOf(waitFields);
