import { characterAt, characterBefore } from './characters';

/** A run of `*`, `_` or `~`, which may open or close emphasis. */
export interface Delimiter {
	mark: string;
	/** The marks that are not matched yet. */
	start: number;
	end: number;
	/** The length of the whole run. */
	length: number;
	canOpen: boolean;
	canClose: boolean;
}

const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Whether a run can open or close emphasis depends on the characters around it, by the rules of CommonMark. */
export function delimiterAt(text: string, start: number, end: number): Delimiter {
	const mark = text.charAt(start);
	const before = characterBefore(text, start) || ' ';
	const after = characterAt(text, end) || ' ';
	const left =
		!SPACE.test(after) &&
		(!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
	const right =
		!SPACE.test(before) &&
		(!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
	const isUnderscore = mark === '_';
	return {
		mark,
		start,
		end,
		length: end - start,
		canOpen: left && (!isUnderscore || !right || PUNCTUATION.test(before)),
		canClose: right && (!isUnderscore || !left || PUNCTUATION.test(after)),
	};
}

/** Matches the delimiters from `bottom` on and removes them from the list. Calls `drop` with the offsets of matched marks. */
export function matchDelimiters(
	delimiters: Delimiter[],
	bottom: number,
	drop: (start: number, end: number) => void,
): void {
	const open: Delimiter[] = [];
	/** CommonMark's `openers_bottom`, by kind of closer. */
	const floors = new Map<string, number>();
	for (const closer of delimiters.splice(bottom)) {
		const key = `${closer.mark}${closer.canOpen}${closer.length % 3}`;
		while (closer.canClose && closer.end > closer.start) {
			let k = open.length - 1;
			const floor = floors.get(key) ?? 0;
			while (k >= floor && !fits(open[k], closer)) k--;
			if (k < floor) {
				floors.set(key, open.length);
				break;
			}
			const opener = open[k];
			open.length = k + 1;
			for (const [kind, floorOf] of floors) if (floorOf > k + 1) floors.set(kind, k + 1);
			const both = Math.min(opener.end - opener.start, closer.end - closer.start);
			const count = closer.mark === '~' ? both : Math.min(2, both);
			drop(opener.end - count, opener.end);
			drop(closer.start, closer.start + count);
			opener.end -= count;
			closer.start += count;
			if (opener.end === opener.start) open.pop();
		}
		if (closer.canOpen && closer.end > closer.start) open.push(closer);
	}
}

/** Whether two delimiters match, by CommonMark's "multiple of 3" rule. */
function fits(opener: Delimiter, closer: Delimiter): boolean {
	if (opener.mark !== closer.mark || !opener.canOpen) return false;
	if (closer.mark === '~') return opener.length === closer.length;
	const isEither = opener.canClose || closer.canOpen;
	const sum = opener.length + closer.length;
	return !isEither || sum % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}
