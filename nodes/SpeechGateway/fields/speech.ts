import { type InputOf, optional } from './field';
import { choiceOption, numberOption, textField } from './kinds';
import { fileFields, responseFormatField } from './files';
import { speechModelField } from './model';
import { chaptersOption, podcastFields } from './podcast';
import { cutFields, segmentFields, splitChoices } from './segments';
import { textFields } from './text';
import { voiceField } from './voice';

export const speakingFields = {
	responseFormat: responseFormatField('The format of the audio file'),
	speed: optional(
		numberOption({
			displayName: 'Speed',
			name: 'speed',
			min: 0.5,
			max: 2,
			decimals: 2,
			default: 1,
			description: 'Speaking speed, from 0.5 (half as fast) to 2 (twice as fast)',
		}),
	),
	...textFields,
	modelMultiplier: numberOption({
		displayName: 'Price Factor',
		name: 'modelMultiplier',
		min: 0,
		decimals: 4,
		default: 1,
		description:
			'The price factor of the model, for estimates and the spending limit; 0 reads it from the price list of the gateway',
	}),
	maxEstimatedTokens: numberOption({
		displayName: 'Spending Limit (Tokens)',
		name: 'maxEstimatedTokens',
		hint: 'A minute of speech is about 1,000 tokens',
		min: 0,
		default: 0,
		description:
			'Nothing is sent if the estimate for all items, with what this execution has spent, is higher; 0 means no limit',
	}),
};

/** What Speech and Speech Job have in common. `textHint`: how much text this way of speaking takes. */
export const speechFields = (textHint: string) => ({
	model: speechModelField,
	text: textField({
		displayName: 'Text',
		name: 'text',
		hint: textHint,
		typeOptions: { rows: 4 },
		placeholder: 'e.g. (happy) Good morning! Here is the news.',
		description:
			'The text to speak; a word in parentheses, such as (happy) or (whispering), sets the tone and is not spoken',
	}),
	voice: voiceField,
	...speakingFields,
});

export type SpeakingValues = InputOf<typeof speakingFields>;

export type SpeechValues = InputOf<ReturnType<typeof speechFields>>;

const headings = {
	name: 'Headings',
	description:
		'Headings of Markdown and HTML; in plain text, lines such as "# Weather" or "Chapter 3" and short lines that stand alone',
};

const generateFields = {
	...speechFields(
		'Any length, in one file. 1,000 characters cost about 1,430 tokens (Chinese: 5,000); Estimate counts them for free.',
	),
	longText: choiceOption({
		displayName: 'Long Text',
		name: 'longText',
		default: 'auto',
		description:
			'What to do with a text that is too long for one request, which the gateway stops after about 1,300 characters',
		choices: {
			...splitChoices,
			job: {
				name: 'Job',
				description:
					'One job per 10,000 characters, charged up front by their number; asleep, the wait survives a restart of n8n',
			},
			single: {
				name: 'Single Request',
				description:
					'Never split (at most 10,000 characters); the gateway is likely to stop long texts',
			},
		},
	}),
};

/** Options that affect the characters, the cuts and the price of a text. */
export const estimateFields = {
	...generateFields,
	...cutFields,
	chapters: chaptersOption({ headings }),
};

export type EstimateValues = InputOf<typeof estimateFields>;

/** The same, and the options of the audio. */
export const longTextFields = {
	...generateFields,
	...segmentFields,
	...podcastFields(headings),
	...fileFields('speech'),
};
