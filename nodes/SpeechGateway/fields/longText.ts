import type { InputOf } from './field';
import { choiceOption } from './kinds';
import { podcastFields } from './podcast';
import { segmentFields, splitChoices } from './segments';
import { speechFields } from './speech';

/** What Generate and Estimate take. */
export const longTextFields = {
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
