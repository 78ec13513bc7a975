import { InputError } from '../../core/errors';
import { isRecord } from '../../core/json';
import type { Parentheses, TextFormat } from '../../core/text/prepare';
import type { Pronunciation } from '../../core/text/pronunciations';
import { isEmpty, requiredText } from '../../run/fields/checks';
import { type InputOf, option } from '../../run/fields/field';
import { choiceOption, isFlagSet } from '../../run/fields/kinds';
import { pauseOption } from './pause';

/** How a text is made ready to be spoken. */
export const textFields = {
	textFormat: choiceOption<TextFormat>({
		displayName: 'Text Format',
		name: 'textFormat',
		default: 'plain',
		description: 'What the text is written in. Markup is not read out, and counts for nothing.',
		choices: {
			plain: { name: 'Plain Text' },
			markdown: { name: 'Markdown', description: 'As AI models and wikis write it' },
			html: { name: 'HTML', description: 'As feeds and websites have it' },
		},
	}),
	parentheses: choiceOption<Parentheses>({
		displayName: 'Parentheses',
		name: 'parentheses',
		default: 'tags',
		description: 'What words in parentheses are, such as (happy) or (see page 3)',
		choices: {
			tags: { name: 'Tone Tags', description: 'Sent as they are: the model decides' },
			readAloud: {
				name: 'Read Aloud',
				description: 'Only known tone words stay tags; everything else is spoken',
			},
		},
	}),
	pronunciations: option<Pronunciation[]>(
		{
			displayName: 'Pronunciations',
			name: 'pronunciations',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, sortable: true },
			placeholder: 'Add Pronunciation',
			default: {},
			description: 'Words that are to be spoken differently from how they are written',
			options: [
				{
					displayName: 'Pronunciation',
					name: 'values',
					values: [
						{
							displayName: 'Find',
							name: 'find',
							type: 'string',
							default: '',
							placeholder: 'e.g. SQL',
							description: 'The word or phrase in the text',
						},
						{
							displayName: 'Say',
							name: 'say',
							type: 'string',
							default: '',
							placeholder: 'e.g. sequel',
							description: 'What is spoken in its place. Subtitles keep the word in the text.',
						},
						{
							displayName: 'Whole Word',
							name: 'wholeWord',
							type: 'boolean',
							default: true,
							description: 'Whether it is left alone where it is part of a longer word',
						},
						{
							displayName: 'Match Case',
							name: 'matchCase',
							type: 'boolean',
							default: false,
							description: 'Whether capital and small letters must be as in "Find"',
						},
					],
				},
			],
		},
		[],
		(given, label) => (isEmpty(given) ? undefined : readPronunciations(given, label)),
	),
	pauseAfterParagraphs: pauseOption({
		displayName: 'Pause After Paragraphs',
		name: 'pauseAfterParagraphs',
		description:
			'Silence after each paragraph. In the text itself, [pause 1.5s] makes a pause anywhere. Silence costs nothing.',
	}),
};

/** The rows of the table, or a list of them from an expression. */
function readPronunciations(given: unknown, label: string): Pronunciation[] {
	const rows: unknown = isRecord(given) ? (given.values ?? []) : given;
	if (!Array.isArray(rows)) throw new InputError(`"${label}" must be a list`);
	return rows.map((row: unknown, index) => {
		const { find, say, wholeWord, matchCase } = isRecord(row) ? row : {};
		return {
			find: requiredText(find, `Find of pronunciation ${index + 1}`),
			say: isEmpty(say) ? '' : requiredText(say, `Say of pronunciation ${index + 1}`),
			wholeWord: wholeWord === undefined || isFlagSet(wholeWord),
			matchCase: isFlagSet(matchCase),
		};
	});
}

export type TextInput = InputOf<typeof textFields>;
