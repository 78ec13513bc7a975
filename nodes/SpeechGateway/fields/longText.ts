import type { InputOf } from './field';
import { choiceOption } from './kinds';
import { fileFields } from './files';
import { chaptersOption, podcastFields } from './podcast';
import { cutFields, segmentFields, splitChoices } from './segments';
import { speechFields } from './speech';

const headings = {
	name: 'Headings',
	description:
		'Headings of Markdown and HTML; in plain text, lines such as "# Weather" or "Chapter 3" and short lines that stand alone',
};

const fields = {
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
export const estimateFields = { ...fields, ...cutFields, chapters: chaptersOption(headings) };

export type EstimateValues = InputOf<typeof estimateFields>;

/** The same, and the options of the audio. */
export const longTextFields = {
	...fields,
	...segmentFields,
	...podcastFields(headings),
	...fileFields('speech'),
};
