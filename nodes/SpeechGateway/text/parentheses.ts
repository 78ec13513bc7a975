import type { Edit } from './mapped';
import { isTone } from './tones';

const SENTENCE_PUNCTUATION = /[.!?…。！？]/;
/** Characters that need no comma before them. */
const CLOSES = /[\p{Pe}\p{Pf}\p{Pd}.,;:!?…。，、；：！？"'”’]/u;
/** Characters that need no comma after them. */
const OPENS = /[\p{Ps}\p{Pi}\p{Pd}.,;:!?…。，、；：！？"'“‘¿¡]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
/** A suffix, as in `item(s)` or `Lehrer(innen)`. */
const SUFFIX = /^[\p{Ll}\p{M}]{1,8}$/u;

const isInlineSpace = (character: string) =>
	character === ' ' || character === '\t' || character === '\u00a0';
const isLineEnd = (character: string) =>
	character === '' || character === '\n' || character === '\r';

/** Pairs of parentheses, half- or full-width, in the order in which they close. */
function* pairs(text: string): Generator<{ open: number; close: number }> {
	const open: number[] = [];
	for (const { 0: bracket, index } of text.matchAll(/[()（）]/g)) {
		if (bracket === '(' || bracket === '（') {
			open.push(index);
			continue;
		}
		const start = open.pop();
		if (start !== undefined) yield { open: start, close: index };
	}
}

/** Replaces all parentheses with commas, except those around known tone words. */
export function readParenthesesAloud(text: string): Edit[] {
	const edits: Edit[] = [];
	for (const { open, close } of pairs(text)) {
		const content = text.slice(open + 1, Math.min(close, open + 100)).trim();
		if (isTone(content)) continue;
		const isEmpty = !LETTER.test(content);
		const wide = text.charAt(open) === '（';
		const before = text.charAt(open - 1);
		const after = text.charAt(close + 1);

		if (isEmpty && close - open < 100) {
			edits.push(
				{ start: open, end: open + 1, text: '' },
				{ start: close, end: close + 1, text: '' },
			);
			continue;
		}
		if (!wide && LETTER.test(before)) {
			const isSuffix = SUFFIX.test(content) && LETTER.test(text.charAt(open - 2));
			edits.push(
				{ start: open, end: open + 1, text: isSuffix ? '' : ' ' },
				{ start: close, end: close + 1, text: LETTER.test(after) && !isSuffix ? ' ' : '' },
			);
			continue;
		}
		let start = open;
		while (isInlineSpace(text.charAt(start - 1))) start--;
		const previous = text.charAt(start - 1);
		const opensClause = isLineEnd(previous) || OPENS.test(previous);
		edits.push({
			start: opensClause ? open : start,
			end: open + 1,
			text: opensClause ? '' : wide ? '，' : ', ',
		});

		let end = close + 1;
		while (isInlineSpace(text.charAt(end))) end++;
		const next = text.charAt(end);
		let last = close;
		while (isInlineSpace(text.charAt(last - 1))) last--;
		const endsClause =
			isLineEnd(next) ||
			CLOSES.test(next) ||
			next === '(' ||
			next === '（' ||
			SENTENCE_PUNCTUATION.test(text.charAt(last - 1));
		const comma = wide ? '，' : isInlineSpace(after) ? ',' : ', ';
		edits.push({ start: last, end: close + 1, text: endsClause ? '' : comma });
	}
	return edits.sort((a, b) => a.start - b.start);
}
