import { endAt } from './characters';
import type { Edit } from './mapped';
import { isTone } from './tones';

/** Needs no comma before it: punctuation, the end of a line, another parenthesis. */
const CLOSES = /^$|[\n\r(（\p{Pe}\p{Pf}\p{Pd}.,;:!?…。，、；：！？"'”’]/u;
/** Needs no comma after it. */
const OPENS = /^$|[\n\r\p{Ps}\p{Pi}\p{Pd}.,;:!?…。，、；：！？"'“‘¿¡]/u;
const SENTENCE_PUNCTUATION = /[.!?…。！？]/;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
/** A suffix, as in `item(s)` or `Lehrer(innen)`. */
const SUFFIX = /^[\p{Ll}\p{M}]{1,8}$/u;
const SPACES = /[ \t\u00a0]*/y;
/** How much of the content is looked at, UTF-16 units. */
const REACH = 100;

/** Pairs of parentheses, half- or full-width, in the order in which they close. */
function pairs(text: string): Array<[open: number, close: number]> {
	const opened: number[] = [];
	return [...text.matchAll(/[()（）]/g)].flatMap(({ 0: bracket, index }) => {
		if (bracket === '(' || bracket === '（') {
			opened.push(index);
			return [];
		}
		const open = opened.pop();
		return open === undefined ? [] : [[open, index]];
	});
}

/** Replaces all parentheses with commas, except those around known tone words. */
export function readParenthesesAloud(text: string): Edit[] {
	const beforeSpaces = (at: number) => {
		while (/[ \t\u00a0]/.test(text.charAt(at - 1))) at--;
		return at;
	};
	const edits = pairs(text).flatMap(([open, close]): Edit[] => {
		const content = text.slice(open + 1, Math.min(close, open + REACH)).trim();
		if (isTone(content)) return [];
		const wide = text.charAt(open) === '（';
		const after = text.charAt(close + 1);
		const replaced = (opening: string, closing: string, start = open, last = close) => [
			{ start, end: open + 1, text: opening },
			{ start: last, end: close + 1, text: closing },
		];
		if (!LETTER.test(content) && close - open < REACH) return replaced('', '');
		if (!wide && LETTER.test(text.charAt(open - 1))) {
			const isSuffix = SUFFIX.test(content) && LETTER.test(text.charAt(open - 2));
			return isSuffix ? replaced('', '') : replaced(' ', LETTER.test(after) ? ' ' : '');
		}
		const start = beforeSpaces(open);
		const last = beforeSpaces(close);
		const opensClause = OPENS.test(text.charAt(start - 1));
		const endsClause =
			CLOSES.test(text.charAt(endAt(SPACES, text, close + 1))) ||
			SENTENCE_PUNCTUATION.test(text.charAt(last - 1));
		const comma = wide ? '，' : ', ';
		return replaced(
			opensClause ? '' : comma,
			endsClause ? '' : /[ \t\u00a0]/.test(after) ? comma.trim() : comma,
			opensClause ? open : start,
			last,
		);
	});
	return edits.sort((a, b) => a.start - b.start);
}
