/** Whether a UTF-16 unit is white space; false for the NaN that `charCodeAt` gives outside of a text. */
export function isSpace(code: number): boolean {
	return (
		code === 0x20 ||
		(code >= 0x09 && code <= 0x0d) ||
		(code >= 0xa0 && /\s/.test(String.fromCharCode(code)))
	);
}

/** Whether a surrogate pair starts at an offset. */
export const isPair = (text: string, offset: number): boolean =>
	(text.codePointAt(offset) ?? 0) > 0xffff;

/** The code point before an offset; empty at the start. */
export const characterBefore = (text: string, offset: number): string =>
	text.slice(isPair(text, offset - 2) ? offset - 2 : Math.max(0, offset - 1), offset);

/** The code point at an offset; empty at the end. */
export const characterAt = (text: string, offset: number): string =>
	text.slice(offset, offset + (isPair(text, offset) ? 2 : 1));

/** Counts Unicode code points, the gateway's unit for text limits. A lone surrogate counts as one. */
export function countCharacters(text: string): number {
	return text.length - (text.match(PAIRS)?.length ?? 0);
}

/** Counts the letters of a text. */
export const letters = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0;

/** The first `most` code points of a text, with `…` behind them if there are more. */
export function beginningOf(text: string, most: number): string {
	const characters = Array.from(text);
	if (characters.length <= most) return text;
	return `${characters.slice(0, most).join('').trimEnd()}…`;
}

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Matches text with a letter of a script that is written without spaces between words. */
export const UNSPACED =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

/** A range of a text, in UTF-16 units; `end` is exclusive. */
export interface Span {
	start: number;
	end: number;
}

/**
 * Binary search: the index of the first element for which `isBehind` holds, as it must for all after it; the length if
 * there is none.
 */
export function firstIndex<T>(sorted: T[], isBehind: (one: T) => boolean): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isBehind(sorted[middle])) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** Where the match of a sticky pattern at an offset ends; -1 if there is none. */
export function endAt(pattern: RegExp, text: string, offset: number): number {
	pattern.lastIndex = offset;
	return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Matches a sticky pattern at an offset. */
export function matchAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
	pattern.lastIndex = offset;
	return pattern.exec(text);
}

/** Words as a set, written with a space between them. */
export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
