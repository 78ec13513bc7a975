import { InputError, NOTHING_SENT } from '../core/errors';
import { MAX_PAUSE_MILLISECONDS } from '../core/limits';
import { clockSeconds, timestamp } from '../core/timestamp';
import { firstIndex, type Span } from './characters';
import { type Edit, type MappedText, rewrite, unchanged } from './mapped';

/** Silence at a place of a text (UTF-16 offset). */
export interface Pause {
	at: number;
	milliseconds: number;
	/** What follows is heard at this second of the file. */
	heardAt?: number;
}

/** `[pause 1.5s]`; `[at 1:02.5]` and `[at 62.5s]`, whose silence lasts until then. */
const PAUSE_MARK =
	/\[[ \t]{0,3}(?:at[ \t:=]{1,3}(\d{1,3}(?::\d{1,2}){1,2}(?:[.,]\d{1,6})?)|(pause|at)[ \t:=]{1,3}(\d{0,6}(?:[.,]\d{1,6})?)[ \t]{0,3}(ms|msecs?|milliseconds?|s|secs?|seconds?))[ \t]{0,3}\]/gi;
/** SSML's duration of a break: `500ms`, `1.5s`. */
const TIME = /^\+?(\d{0,9}(?:\.\d{1,9})?)(ms|s)$/i;

/** Whether a text in brackets is a pause mark. */
export const isPauseMark = (text: string): boolean => text.search(PAUSE_MARK) === 0;

/** Later times are typing errors, and a WAV file may have no room for them. */
const LATEST_SECONDS = 10 * 60 * 60;

/** What speech engines take a `<break>` without a time for. */
const BREAK_MILLISECONDS = 750;

function milliseconds(amount: string, unit: string): number {
	const value = Number(amount.replace(',', '.'));
	return Math.round(unit.toLowerCase().startsWith('m') ? value : value * 1000);
}

const shortened = (length: number): number => Math.min(MAX_PAUSE_MILLISECONDS, length);

/** A pause mark as `takePauses` reads it; milliseconds. */
export const pauseMark = (length: number): string =>
	length % 1000 === 0 ? `[pause ${length / 1000}s]` : `[pause ${length}ms]`;

/** A mark such as `[at 1:02.5]` as `takePauses` reads it. */
export const timeMark = (seconds: number): string => `[at ${clock(seconds)}]`;

/** Seconds as people write them, exact to the millisecond: `0:35`, `1:02.5` or `1:02:03`. */
export function clock(seconds: number): string {
	const [whole, fraction] = timestamp(Math.round(seconds * 1000)).split('.');
	const [hours, minutes, secondsWithin] = whole.split(':');
	const most = Number(hours) > 0 ? `${Number(hours)}:${minutes}` : String(Number(minutes));
	const rest = fraction.replace(/0+$/, '');
	return `${most}:${secondsWithin}${rest && `.${rest}`}`;
}

/** Writes an SSML `<break>` as a pause mark. `time`: its attribute; without one that can be read, 750 ms. */
export function breakMark(time = ''): string {
	const match = TIME.exec(time.trim());
	return pauseMark(match ? shortened(milliseconds(match[1], match[2])) : BREAK_MILLISECONDS);
}

const isBlank = (character: string) => character === '' || /\s/.test(character);

/** What a mark asks for. Throws InputError for a time that no file has room for. */
function readMark([mark, time, word, amount, unit]: RegExpMatchArray): Omit<Pause, 'at'> {
	if (word?.toLowerCase() === 'pause')
		return { milliseconds: shortened(milliseconds(amount, unit)) };
	const heardAt =
		(time ? Math.round(1000 * clockSeconds(time)) : milliseconds(amount, unit)) / 1000;
	if (heardAt <= LATEST_SECONDS) return { milliseconds: 0, heardAt };
	throw new InputError(
		`The text has a time that is too late for an audio file: ${mark}`,
		`The latest is ${timeMark(LATEST_SECONDS)}. ${NOTHING_SENT}`,
	);
}

/**
 * Takes pause marks such as `[pause 1.5s]` out of a text. Marks with only white space between them make one
 * pause; of several times, the last one counts. Pauses are at offsets of the remaining text, `written`, which
 * is mapped to the text. Words stay apart: `a[pause 1s]b` becomes `a b`, and `a [pause 1s] b` does, too.
 * Throws InputError for a time beyond ten hours.
 */
export function takePauses(text: string): { written: MappedText; pauses: Pause[] } {
	const edits: Edit[] = [];
	const pauses: Pause[] = [];
	let isAfterText = true;
	/** Where the last mark ends, and how much shorter the text has become. */
	let last = 0;
	let removed = 0;
	for (const match of text.matchAll(PAUSE_MARK)) {
		const { 0: mark, 3: amount, index: start } = match;
		if (amount !== undefined && !/\d/.test(amount)) continue;
		const pause = readMark(match);
		isAfterText ||= text.slice(last, start).trim() !== '';
		if (!isAfterText) {
			const previous = pauses[pauses.length - 1];
			previous.milliseconds = shortened(previous.milliseconds + pause.milliseconds);
			previous.heardAt = pause.heardAt ?? previous.heardAt;
		} else if (pause.milliseconds > 0 || pause.heardAt !== undefined) {
			pauses.push({ at: start - removed, ...pause });
			isAfterText = false;
		}
		last = start + mark.length;
		const afterBlank = isBlank(text.charAt(start - 1));
		if (afterBlank) while (/[ \t]/.test(text.charAt(last))) last++;
		const space = afterBlank || isBlank(text.charAt(last)) ? '' : ' ';
		edits.push({ start, end: last, text: space });
		removed += last - start - space.length;
	}
	return { written: rewrite(unchanged(text), edits), pauses };
}

const WORDS = /[\p{L}\p{N}]+/gu;
const BLANK_LINES = /\r?\n[^\S\n]*\n\s*|\u2029\s*/g;
const SENTENCE_AND_BREAK = /(?<=[.!?…。．！？।؟][\p{Pe}\p{Pf}"']{0,2})[^\S\n]*\n\s*/gu;

/**
 * Where the white space between two paragraphs starts and ends. Paragraphs end at blank lines or, in a text
 * without any, at line breaks after a full sentence.
 */
function paragraphBreaks(text: string): Span[] {
	const start = text.search(WORDS);
	let end = 0;
	for (const { 0: words, index } of text.matchAll(WORDS)) end = index + words.length;
	const body = text.slice(0, end);
	const hasBlankLines = body.slice(start).search(BLANK_LINES) >= 0;
	return [...body.matchAll(hasBlankLines ? BLANK_LINES : SENTENCE_AND_BREAK)]
		.filter((match) => match.index > start)
		.map((match) => ({ start: match.index, end: match.index + match[0].length }));
}

/** Adds a pause after every paragraph but the last. If the text has a pause of its own there, the longer one counts. */
export function addParagraphPauses(text: string, pauses: Pause[], length: number): Pause[] {
	if (length <= 0) return pauses;
	const all = [...pauses];
	for (const { start, end } of paragraphBreaks(text)) {
		const k = firstIndex(pauses, ({ at }) => at >= start);
		if (k < pauses.length && pauses[k].at <= end) {
			all[k] = { ...pauses[k], milliseconds: Math.max(pauses[k].milliseconds, length) };
		} else {
			all.push({ at: end, milliseconds: length });
		}
	}
	return all.sort((a, b) => a.at - b.at);
}
