import type { WaitSettings } from '../../flows/wait';
import { unsetOf } from '../../run/fields/field';
import { choiceOption, secondsOption } from '../../run/fields/kinds';

const whileWaiting = choiceOption({
	displayName: 'While Waiting',
	name: 'whileWaiting',
	default: 'stay',
	choices: {
		stay: {
			name: 'Stay Awake',
			description:
				'The execution stays in memory and notices the result within seconds. If n8n stops, the wait is lost.',
		},
		sleep: {
			name: 'Sleep',
			description:
				"The execution waits in n8n's database and looks every one to five minutes. It survives a restart of n8n and holds no memory meanwhile.",
		},
	},
	description:
		'Where the execution is while it waits. Asleep, a result comes a minute after submission at the earliest, and intervals of polls do not apply. As a tool, in a sub-workflow and where the trigger answers when the last node finishes, the execution stays awake.',
});

/** For speech that is made by jobs. */
export const whileWaitingForJobs = {
	...whileWaiting,
	options: whileWaiting.options.map((property) => ({
		...property,
		description: `Of "Long Text: Job". ${property.description}`,
	})),
};

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
	whileWaiting,
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
