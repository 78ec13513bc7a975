import { endpoints } from '../gateway/endpoints';
import { describeOperation } from '../run/description';
import type { InputOf } from '../run/fields/field';
import { choiceOption } from '../run/fields/kinds';
import { speechModelField } from './fields/model';
import { podcastFields } from './fields/podcast';
import { scriptField, speakersField, voicesByName } from './fields/script';
import { segmentFields, splitChoices } from './fields/segments';
import { speakingFields, speechFields } from './fields/speech';
import { whileWaitingForJobs } from './fields/wait';

/** Every endpoint that speaking in parts may send to. */
const sends = [
	endpoints.voices,
	endpoints.speech,
	endpoints.createJob,
	endpoints.job,
	endpoints.jobContent,
];

const price =
	'about 1,000 tokens per minute of audio. Speech → Estimate calculates the number for free.';

/** What Generate and Estimate take. */
const longTextFields = {
	...speechFields(
		'Any length: long texts are split at sentence ends and joined into one file. About 1,000 tokens per minute of audio.',
	),
	longText: choiceOption({
		displayName: 'Long Text',
		name: 'longText',
		default: 'auto',
		description:
			'What to do with a text that is too long for one request. The gateway stops requests after about 100 seconds, enough for about 1,300 characters.',
		choices: {
			...splitChoices,
			job: {
				name: 'Job',
				description: 'One job per 10,000 characters, charged up front by the number of characters',
			},
			single: {
				name: 'Single Request',
				description:
					'Never split (at most 10,000 characters). The gateway is likely to stop long texts.',
			},
		},
	}),
	...segmentFields,
	...podcastFields({
		name: 'Headings',
		description:
			'Headings of Markdown and HTML; in plain text, lines such as "# Weather" or "Chapter 3" and short lines that stand alone',
	}),
};

export type LongTextValues = InputOf<typeof longTextFields>;

const generateFields = { ...longTextFields, whileWaiting: whileWaitingForJobs };

export type GenerateValues = InputOf<typeof generateFields>;

export const speechGenerate = describeOperation({
	resource: 'speech',
	operation: 'generate',
	name: 'Generate',
	action: 'Generate speech from text',
	description: 'Turn text of any length into an audio file. Charged per minute of audio.',
	sends,
	price,
	input: generateFields,
});

export const speechEstimate = describeOperation({
	resource: 'speech',
	operation: 'estimate',
	name: 'Estimate',
	action: 'Estimate speech tokens',
	description: 'Calculate how many tokens and minutes a text will take. Free: nothing is sent.',
	sends: [],
	input: longTextFields,
});

const dialogueFields = {
	model: speechModelField,
	script: scriptField,
	speakers: speakersField,
	voicesByName,
	...speakingFields,
	longText: choiceOption({
		displayName: 'Long Text',
		name: 'longText',
		default: 'auto',
		description: 'What to do with a speech that is too long for one request',
		choices: splitChoices,
	}),
	...segmentFields,
	...podcastFields({
		name: 'Headings',
		description: 'Lines such as "# Weather" between the speeches; they are not read out',
	}),
};

export type DialogueValues = InputOf<typeof dialogueFields>;

export const speechDialogue = describeOperation({
	resource: 'speech',
	operation: 'dialogue',
	name: 'Dialogue',
	action: 'Generate dialogue from script',
	description:
		'Turn a script with several speakers into one audio file, each with their own voice. Charged per minute of audio.',
	sends,
	price,
	input: dialogueFields,
});
