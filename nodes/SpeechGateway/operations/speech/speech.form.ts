import type { InputOf } from '../../fields/field';
import { fileFields } from '../../fields/files';
import { describeResource } from '../../fields/form';
import { choiceOption } from '../../fields/kinds';
import { estimateFields, longTextFields } from '../../fields/longText';
import { speechModelField } from '../../fields/model';
import { podcastFields } from '../../fields/podcast';
import { scriptField, speakersField, voicesByName } from '../../fields/script';
import { segmentFields, splitChoices } from '../../fields/segments';
import { speakingFields } from '../../fields/speech';
import { whileWaitingForJobs } from '../../fields/wait';
import { endpoints } from '../../gateway/endpoints';

const generateFields = { ...longTextFields, whileWaiting: whileWaitingForJobs };

export type GenerateValues = InputOf<typeof generateFields>;

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
	...fileFields('speech'),
};

export type DialogueValues = InputOf<typeof dialogueFields>;

/** What speaking in parts has in common. */
const speaking = {
	sends: [
		endpoints.voices,
		endpoints.speech,
		endpoints.createJob,
		endpoints.job,
		endpoints.jobContent,
	],
	price:
		'about 1,000 tokens per minute of audio. Speech → Estimate calculates the number for free.',
};

export const speech = describeResource('speech', {
	generate: {
		name: 'Generate',
		action: 'Generate speech from text',
		description: 'Turn text of any length into an audio file. Charged per minute of audio.',
		...speaking,
		input: generateFields,
	},
	dialogue: {
		name: 'Dialogue',
		action: 'Generate dialogue from script',
		description:
			'Turn a script with several speakers into one audio file, each with their own voice. Charged per minute of audio.',
		...speaking,
		input: dialogueFields,
	},
	estimate: {
		name: 'Estimate',
		action: 'Estimate speech tokens',
		description: 'Calculate how many tokens and minutes a text will take. Free: nothing is sent.',
		sends: [],
		asksForPrices: true,
		input: estimateFields,
	},
});
