import { InputError, NOTHING_SENT } from '../core/errors';
import type { TextFormatOption } from '../text/format';
import type { Pronunciation } from '../text/pronunciations';
import type { Parentheses } from '../text/toneTags';
import { isBlankCell, isEmpty, requiredText, spokenText } from './checks';
import { besideOption, type InputOf, mapped } from './field';
import { choiceOption, flag, jsonObjectOption, rowsOf, tableOption, textColumn } from './kinds';
import { pauseOption } from './shared';

/** How a text is read before it is spoken: its markup, its brackets, its pronunciations and pauses. */
export const textFields = {
	textFormat: choiceOption<TextFormatOption>({
		displayName: 'Text Format',
		name: 'textFormat',
		default: 'automatic',
		description: 'How the text is written; markup is neither spoken nor charged',
		choices: {
			automatic: { name: 'Automatic', description: 'Detected from the text' },
			plain: { name: 'Plain Text' },
			markdown: { name: 'Markdown', description: 'From AI models, chats and GitHub' },
			html: { name: 'HTML', description: 'From feeds, emails and websites' },
			subtitles: {
				name: 'Subtitles (SRT, WebVTT)',
				description: 'Each sentence is heard at its time',
			},
		},
	}),
	parentheses: besideOption(
		'textFormat',
		choiceOption<Parentheses>({
			displayName: 'Words in Parentheses',
			name: 'parentheses',
			default: 'readAloud',
			description:
				'What to do with words in round or square brackets that are no known tone words, such as (see page 3)',
			choices: {
				readAloud: {
					name: 'Read Aloud',
					description:
						'Speak them; only known tone words such as (happy) or [whispering] set the tone',
				},
				tags: {
					name: 'Tone Tags',
					description: 'Send them as written: the model takes them for the tone of voice',
				},
			},
		}),
	),
	pronunciations: tableOption<Pronunciation[]>(
		{
			displayName: 'Pronunciations',
			name: 'pronunciations',
			description: 'Words to speak differently from how they are written',
			row: 'Pronunciation',
			columns: [
				textColumn({
					displayName: 'Find',
					name: 'find',
					placeholder: 'e.g. SQL',
					description: 'The word or phrase in the text',
				}),
				textColumn({
					displayName: 'Say',
					name: 'say',
					placeholder: 'e.g. sequel',
					description: 'What to say instead; subtitles show the original word',
				}),
				{
					displayName: 'Whole Word',
					name: 'wholeWord',
					type: 'boolean',
					default: true,
					description: 'Whether to leave longer words that contain it unchanged',
				},
				{
					displayName: 'Match Case',
					name: 'matchCase',
					type: 'boolean',
					default: false,
					description: 'Whether uppercase and lowercase letters must match',
				},
			],
		},
		[],
		readPronunciations,
	),
	pronunciationsByWord: mapped(
		jsonObjectOption({
			displayName: 'Pronunciations by Word',
			name: 'pronunciationsByWord',
			description:
				'More pronunciations of whole words, for example from an expression: a JSON object such as {"SQL": "sequel"}',
			example: '{"SQL": "sequel"}',
		}),
		(words) => Object.entries(words).map(([find, say]) => ofWord(find, say)),
	),
	pauseAfterParagraphs: pauseOption({
		displayName: 'Pause After Paragraphs',
		name: 'pauseAfterParagraphs',
		description:
			'Silence after each paragraph, for free; in the text itself, you can write [pause 1.5s] for a pause, or [at 0:35] before words that must start at that time',
	}),
};

const PRONUNCIATION_ROWS = 'such as [{ "find": "SQL", "say": "sequel" }]';

/**
 * The rows of the table, or a list of them from an expression. An empty `say` leaves the word out; a row with nothing in it
 * is none. Throws InputError, which counts rows from 1.
 */
function readPronunciations(value: unknown, label: string): Pronunciation[] {
	const rows = rowsOf(value);
	if (!rows) throw new InputError(`"${label}" must be a list, ${PRONUNCIATION_ROWS}`);
	return rows.flatMap((row, index) => {
		const { find, say, wholeWord, matchCase, ...others } = row;
		const of = `of pronunciation ${index + 1}`;
		if (isBlankCell(find) && isBlankCell(say)) {
			if (Object.keys(others).length === 0) return [];
			throw new InputError(
				`"${label}" has a row of other fields, ${JSON.stringify(row).slice(0, 80)}`,
				`It must be a list, ${PRONUNCIATION_ROWS}. ${NOTHING_SENT}`,
			);
		}
		return {
			find: requiredText(find, `Find ${of}`),
			say: isEmpty(say) ? '' : spokenText(say, `Say ${of}`),
			wholeWord: flag(wholeWord, `Whole Word ${of}`) ?? true,
			matchCase: flag(matchCase, `Match Case ${of}`) ?? false,
		};
	});
}

/** An entry of "Pronunciations by Word": the whole word, in any case. Throws InputError. */
function ofWord(find: string, say: unknown): Pronunciation {
	if (find.trim() !== '' && (typeof say === 'string' || typeof say === 'number'))
		return { find, say: String(say).replaceAll('\0', ''), wholeWord: true, matchCase: false };
	throw new InputError(
		`"Pronunciations by Word" has no text for ${JSON.stringify(find)}`,
		`Write it like this: {"SQL": "sequel"}. ${NOTHING_SENT}`,
	);
}

/** The values of `textFields`; pauses in ms. */
export type TextInput = InputOf<typeof textFields>;
