import { type InputOf, saidToTools } from './field';
import { choiceOption, secondsOption, shownChoices } from './kinds';

const FAIL = { name: 'Fail', description: 'The item fails, with the ID in the error' };

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
	whenMaxWaitReached: saidToTools(
		choiceOption({
			displayName: 'When Max Wait Is Reached',
			name: 'whenMaxWaitReached',
			noDataExpression: true,
			hint: 'Adds a branch in front of "Error". Check the connections: n8n keeps them by position and removes those left over.',
			default: 'fail',
			choices: {
				fail: FAIL,
				stillProcessing: {
					name: 'Still Processing',
					description: 'The item goes to a separate branch, "Waiting", with the ID',
				},
			},
			description:
				'What to do with an item whose result is not ready in time, which "Wait" can fetch later',
		}),
		{
			hint: undefined,
			options: shownChoices({
				fail: FAIL,
				stillProcessing: {
					name: 'Still Processing',
					description: 'The agent gets the ID instead of the result',
				},
			}),
		},
	),
};

/** The values of `waitFields`; times in ms. */
export type WaitSettings = InputOf<typeof waitFields>;
