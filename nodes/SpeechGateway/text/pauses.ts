import { MAX_PAUSE_MILLISECONDS } from '../core/limits';
import { firstIndex, type Span } from './characters';
import { type Edit, type MappedText, rewrite, unchanged } from './mapped';

/** Silence at a place of a text (UTF-16 offset). */
export interface Pause {
	at: number;
	milliseconds: number;
}

const PAUSE_MARK =
	/\[[ \t]{0,3}pause[ \t:=]{1,3}(\d{0,6}(?:[.,]\d{1,6})?)[ \t]{0,3}(ms|msecs?|milliseconds?|s|secs?|seconds?)[ \t]{0,3}\]/gi;
const TIME = /^\+?(\d{0,9}(?:\.\d{1,9})?)(ms|s)$/i;

/** Whether a text in brackets is a pause mark. */
export const isPauseMark = (text: string): boolean => text.search(PAUSE_MARK) === 0;

/** What speech engines take a `<break>` without a time for. */
const BREAK_MILLISECONDS = 750;

function milliseconds(amount: string, unit: string): number {
	const value = Number(amount.replace(',', '.'));
	const isMilliseconds = unit.toLowerCase().startsWith('m');
	return Math.min(MAX_PAUSE_MILLISECONDS, Math.round(isMilliseconds ? value : value * 1000));
}

/** A pause mark as `takePauses` reads it. */
export const pauseMark = (length: number): string =>
	length % 1000 === 0 ? `[pause ${length / 1000}s]` : `[pause ${length}ms]`;

/** Writes an SSML `<break>` as a pause mark. */
export function breakMark(time = ''): string {
	const match = TIME.exec(time.trim());
	return pauseMark(match ? milliseconds(match[1], match[2]) : BREAK_MILLISECONDS);
}

const isBlank = (character: string) => character === '' || /\s/.test(character);

/**
 * Takes pause marks such as `[pause 1.5s]` out of a text. Marks with only white space between them make one pause. Pauses are at
 * offsets of the remaining text, `written`, which is mapped to the text.
 */
export function takePauses(text: string): { written: MappedText; pauses: Pause[] } {
	const edits: Edit[] = [];
	const pauses: Pause[] = [];
	let isAfterText = true;
	/** Where the last mark ends, and how much shorter the text has become. */
	let last = 0;
	let removed = 0;
	for (const { 0: mark, 1: amount, 2: unit, index: start } of text.matchAll(PAUSE_MARK)) {
		if (!/\d/.test(amount)) continue;
		const length = milliseconds(amount, unit);
		isAfterText ||= text.slice(last, start).trim() !== '';
		if (!isAfterText) {
			const previous = pauses[pauses.length - 1];
			previous.milliseconds = Math.min(MAX_PAUSE_MILLISECONDS, previous.milliseconds + length);
		} else if (length > 0) {
			pauses.push({ at: start - removed, milliseconds: length });
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
 * Where the white space between two paragraphs starts and ends. Paragraphs end at blank lines or, in a text without any, at line
 * breaks after a full sentence.
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
