import type { InputOf } from '../../fields/field';
import { describeOperation } from '../../fields/form';
import { choiceOption } from '../../fields/kinds';
import { fileFields } from '../../fields/files';
import { speechModelField } from '../../fields/model';
import { podcastFields } from '../../fields/podcast';
import { scriptField, speakersField, voicesByName } from '../../fields/script';
import { segmentFields, splitChoices } from '../../fields/segments';
import { speakingFields } from '../../fields/speech';
import { speakingEndpoints, speakingPrice } from './speaking.form';

const fields = {
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

export type DialogueValues = InputOf<typeof fields>;

export const speechDialogue = describeOperation({
	resource: 'speech',
	operation: 'dialogue',
	name: 'Dialogue',
	action: 'Generate dialogue from script',
	description:
		'Turn a script with several speakers into one audio file, each with their own voice. Charged per minute of audio.',
	sends: speakingEndpoints,
	price: speakingPrice,
	input: fields,
});
