import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../core/errors';
import { defined } from '../core/json';
import { MAX_INPUT_CHARACTERS } from '../core/limits';
import { prepareText, type PreparedText, type TextOptions } from '../text/prepare';
import { countCharacters } from '../text/characters';
import { LEFT_OUT } from '../text/reading';
import { isSpeakable } from '../text/segment';
import {
	type Manner,
	mannerOf,
	SENT_AS,
	type SpeakingValues,
	type SpeechValues,
} from '../fields/speech';
import type { TextInput } from '../fields/text';
import { DEFAULT_VOICE } from '../fields/voice';
import type { Run } from '../requests/session';

/** What decides about a request besides its text. Plain JSON, since the ledger may keep it. */
export type SpeakingInput = SpeakingValues & Manner;

/** Whether a model takes directions in words of one's own in square brackets, by its name behind the last `/`. */
export const takesDirections = (model: string): boolean => /^(?:.*\/)?s2[^/]*$/i.test(model);

/**
 * Makes a text ready to be spoken. Where two pronunciations are of the same word, a row of the table goes before the
 * JSON object.
 */
export const prepared = (
	text: string,
	{ model, ...options }: TextInput & Pick<TextOptions, 'isSpeech'> & { model: string },
): PreparedText =>
	prepareText(text, {
		...options,
		takesDirections: takesDirections(model),
		pronunciations: [...options.pronunciations, ...options.pronunciationsByWord],
	});

/** Throws InputError when there is nothing to speak in a text. `isCode`: code was left out of it. */
export function mustBeSpeakable(spoken: string, label: string, isCode = false): void {
	if (isSpeakable(spoken)) return;
	if (isCode) {
		throw new InputError(
			`"${label}" is nothing but code, such as JSON, and code is not spoken`,
			'If a model has answered in JSON, take the field with the words out of it. To have the code spoken, set "Text Format" to "Plain Text". Nothing was sent.',
		);
	}
	throw new InputError(
		`"${label}" has no letter, digit or emoji, so there is nothing to speak`,
		'Nothing was sent. If it consists of markup only, check the option "Text Format".',
	);
}

/**
 * The text of an input, ready to be spoken. Throws InputError when there is nothing to speak in it or,
 * `isWhole`, when it is too long for one request.
 */
export function preparedText(input: SpeechValues, isWhole: boolean): PreparedText {
	const text = prepared(input.text, input);
	mustBeSpeakable(text.spoken.text, 'Text', text.changed.includes(LEFT_OUT.code));
	if (isWhole) checkLength(text.spoken.text);
	return text;
}

function checkLength(spoken: string): void {
	const characters = countCharacters(spoken);
	if (characters <= MAX_INPUT_CHARACTERS) return;
	throw new InputError(
		`"Text" may have at most ${MAX_INPUT_CHARACTERS} characters here, but has ${characters}`,
		'Use Speech → Generate with "Long Text" set to "Automatic": it splits and joins texts of any length. Nothing was sent.',
	);
}

/** Hints on how a text was read; `isWhole`: in one request, which no pause can cut. */
export const hintsOn = ({ notes, pauses }: PreparedText, isWhole: boolean): string[] => [
	...notes,
	...(isWhole && pauses.length > 0 ? [NO_PAUSE_IN_ONE_REQUEST] : []),
];

const NO_PAUSE_IN_ONE_REQUEST =
	'Pauses and times were left out: a single request or job cannot be cut. Speech → Generate with "Long Text" set to "Automatic" makes them.';

/** The request body of a text; only what the user set is sent. `voice`: an id; the gateway's default one is left out. */
export function speechBody(manner: Manner, text: string, voice: string): IDataObject {
	const { additionalBody, ...own } = mannerOf(manner);
	const fields = Object.entries(SENT_AS) as Array<[keyof typeof own, string]>;
	return {
		...additionalBody,
		...defined(Object.fromEntries(fields.map(([field, name]) => [name, own[field]]))),
		input: text,
		...(voice !== DEFAULT_VOICE && { voice }),
	};
}

/** What messages about a request name. */
export const subjectOf = ({ model, voice }: IDataObject) => ({
	model: String(model),
	voice: typeof voice === 'string' ? voice : undefined,
});

/**
 * Refuses the whole run when the estimates of all items, with what is `spent` in this execution and set aside by other calls,
 * exceed the lowest limit of any item; else sets them aside. `tokens`: the estimate of an item.
 */
export function checkBudget(
	all: Array<Pick<SpeakingInput, 'maxEstimatedTokens'> & { tokens: number }>,
	spent: number,
	run: Run,
): void {
	const limits = all.flatMap((item) => item.maxEstimatedTokens ?? []);
	if (limits.length === 0) return;
	const limit = Math.min(...limits);
	const total = all.reduce((sum, { tokens }) => sum + tokens, 0);
	const { setAside } = run.lasting;
	const left = Math.max(0, limit - spent - setAside);
	if (total > left) {
		const items = `${all.length} ${all.length === 1 ? 'item' : 'items'}`;
		const used = [
			...(spent > 0 ? [`spent ${spent} before`] : []),
			...(setAside > 0 ? [`set aside ${setAside} for requests under way`] : []),
		].join(' and ');
		const before = used && `: this execution has ${used}, so ${left} are left`;
		throw new InputError(
			`The estimate of ${total} tokens for ${items} is above "Spending Limit (Tokens)" (${limit})${before}`,
			'Nothing was sent. Shorten the texts, send fewer items, or raise the limit.',
		);
	}
	run.lasting.reserve(total);
}
