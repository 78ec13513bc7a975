/** A run of `*`, `_` or `~` in a paragraph. */
export interface Delimiter {
	mark: string;
	start: number;
	length: number;
	canOpen: boolean;
	canClose: boolean;
}

const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Judges a run by what stands around it, by the rules of CommonMark. */
export function delimiterAt(text: string, start: number, length: number): Delimiter {
	const mark = text.charAt(start);
	const code = text.charCodeAt(start - 1);
	const before =
		start === 0
			? ' '
			: (code & 0xfc00) === 0xdc00
				? text.slice(start - 2, start)
				: text.charAt(start - 1);
	const next = text.codePointAt(start + length);
	const after = next === undefined ? ' ' : String.fromCodePoint(next);
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
		length,
		canOpen: left && (!isUnderscore || !right || PUNCTUATION.test(before)),
		canClose: right && (!isUnderscore || !left || PUNCTUATION.test(after)),
	};
}

/**
 * Matches the delimiters from `bottom` on, and takes them off the list. What belongs to emphasis is given to `drop`, as
 * offsets; what is left over is text.
 */
export function matchDelimiters(
	delimiters: Delimiter[],
	bottom: number,
	drop: (start: number, end: number) => void,
): void {
	const list = delimiters.splice(bottom).map((delimiter) => ({
		...delimiter,
		first: delimiter.start,
		last: delimiter.start + delimiter.length,
	}));
	/** Open ones before the current one, and for each kind of closer how many of these it is of no use to look at. */
	const open: typeof list = [];
	const floors = new Map<string, number>();
	for (const closer of list) {
		const key = () => `${closer.mark}${closer.canOpen}${closer.length % 3}`;
		while (closer.canClose && closer.last > closer.first) {
			let k = open.length - 1;
			const floor = floors.get(key()) ?? 0;
			const fits = (one: (typeof list)[number]) =>
				one.mark === closer.mark &&
				one.canOpen &&
				(closer.mark === '~'
					? one.length === closer.length
					: !(
							(one.canClose || closer.canOpen) &&
							(one.length + closer.length) % 3 === 0 &&
							(one.length % 3 !== 0 || closer.length % 3 !== 0)
						));
			while (k >= floor && !fits(open[k])) k--;
			if (k < floor) {
				floors.set(key(), open.length);
				break;
			}
			const opener = open[k];
			open.length = k + 1;
			for (const [kind, floorOf] of floors) if (floorOf > k + 1) floors.set(kind, k + 1);
			const both = Math.min(opener.last - opener.first, closer.last - closer.first);
			const count = closer.mark === '~' ? both : Math.min(2, both);
			drop(opener.last - count, opener.last);
			drop(closer.first, closer.first + count);
			opener.last -= count;
			closer.first += count;
			if (opener.last === opener.first) open.pop();
		}
		if (closer.canOpen && closer.last > closer.first) open.push(closer);
	}
}
