import { type InputOf, unsetOf } from './field';
import { choiceOption, secondsOption } from './kinds';

/** In this process or asleep. Asleep is no faster than n8n, which looks once a minute for executions to wake up. */
const whileWaiting = choiceOption({
	displayName: 'While Waiting',
	name: 'whileWaiting',
	default: 'stay',
	choices: {
		stay: {
			name: 'Stay Awake',
			description:
				'The execution stays in memory and gets the result within seconds, but a restart of n8n ends the wait',
		},
		sleep: {
			name: 'Sleep',
			description:
				"The execution is kept in n8n's database, survives restarts, and checks every one to five minutes",
		},
	},
	description:
		'How the execution waits: asleep, it gets the result after a minute at the earliest, whatever the poll intervals',
});

/** For Speech → Generate, which waits only where every segment is a job. */
export const whileWaitingForJobs = {
	...whileWaiting,
	options: whileWaiting.options.map((property) => ({
		...property,
		displayOptions: { show: { longText: ['job'] } },
	})),
};

/** How long, and how often, to look for a result. The intervals hold awake only; Max Wait holds over sleeps, too. */
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
	whileWaiting,
	whenMaxWaitReached: choiceOption({
		displayName: 'When Max Wait Is Reached',
		name: 'whenMaxWaitReached',
		noDataExpression: true,
		hint: 'Adds a branch in front of "Error". Check the connections: n8n keeps them by position and removes those left over.',
		default: 'fail',
		choices: {
			fail: { name: 'Fail', description: 'The item fails, with the ID in the error' },
			stillProcessing: {
				name: 'Still Processing',
				description: 'The item goes to a separate branch, "Waiting", with the ID',
			},
		},
		description:
			'What to do with an item whose result is not ready in time, which "Wait" can fetch later',
	}),
};

/** The values of `waitFields`; times in ms. */
export type WaitSettings = InputOf<typeof waitFields>;

/** How a job is waited for where the user has no say. */
export const DEFAULT_WAIT: WaitSettings = unsetOf(waitFields);
