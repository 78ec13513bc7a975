/** Finds parts of an earlier text in a new one by their hashes. */
import { firstIndex, isSpace, type Span, UNSPACED } from './characters';

/** What is known of a part's words. Plain JSON. */
export interface Fingerprint {
	/** Length in UTF-16 units, as `evenlySpaced`. */
	units: number;
	/** Polynomial hashes (32 bits) of its first units, and of all. */
	opening: number;
	sum: number;
}

/** A part to be found: where it begins in the text, if that is known. */
export type KnownPart = Fingerprint & { at?: number };

/** White space other than one space. */
const UNEVEN_SPACE = /\s{2,}|[^\S ]/g;
const OPENING_UNITS = 16;
/** Any odd number: with an even one, hashes modulo 2^32 would forget the first characters. */
const BASE = 0x01000193;

const EAST_ASIAN_MARK = /[\u3000-\u303f\uff00-\uff65…]/;
const CLOSING = /[\p{Po}\p{Pe}\p{Pf}]/u;

/** The hashes of all stretches of a text, each in constant time. */
class Hashes {
	private readonly sums: Int32Array;
	private readonly powers: Int32Array;

	constructor(text: string) {
		this.sums = new Int32Array(text.length + 1);
		this.powers = new Int32Array(text.length + 1).fill(1);
		for (let i = 0; i < text.length; i++) {
			this.sums[i + 1] = Math.imul(this.sums[i], BASE) + text.charCodeAt(i);
			this.powers[i + 1] = Math.imul(this.powers[i], BASE);
		}
	}

	of(start: number, end: number): number {
		return (this.sums[end] - Math.imul(this.sums[start], this.powers[end - start])) | 0;
	}
}

/** The words of a text with one space between them: how lines are broken does not change what is said. */
export const evenlySpaced = (text: string): string => text.replace(UNEVEN_SPACE, ' ').trim();

export function fingerprintOf(text: string): Fingerprint {
	const words = evenlySpaced(text);
	const hashes = new Hashes(words);
	const units = words.length;
	return { units, opening: hashes.of(0, Math.min(OPENING_UNITS, units)), sum: hashes.of(0, units) };
}

/**
 * Finds known parts in a text: those that are still in their place there, the others from front to back; where several begin, the
 * longest. One that is not in its place may have been moved, or occur twice. `mayCut`: whether the text may be cut at an offset; `isCut`: whether it is anyway. The time is linear in the length of the text.
 */
export function knownPartsIn(
	text: string,
	known: KnownPart[],
	mayCut: (offset: number) => boolean,
	isCut: (offset: number) => boolean,
): Span[] {
	const even = text.replace(UNEVEN_SPACE, ' ');
	/** Where its units stand in the text. */
	const origins: number[] = [];
	for (let i = 0; i < text.length; i++)
		if (!isSpace(text.charCodeAt(i)) || !isSpace(text.charCodeAt(i - 1))) origins.push(i);
	const hashes = new Hashes(even);
	/** By the length of the opening, then by its hash. */
	const openings = new Map<number, Map<number, Fingerprint[]>>();
	/** By where they begin in `even`. */
	const places = new Map<number, Fingerprint>();
	for (const part of known) {
		if (part.at !== undefined) {
			const { at, units, sum } = part;
			let place = firstIndex(origins, (origin) => origin >= at);
			if (even[place] === ' ') place++;
			if (place + units <= even.length && hashes.of(place, place + units) === sum) {
				places.set(place, part);
				continue;
			}
		}
		const length = Math.min(OPENING_UNITS, part.units);
		const byHash = openings.get(length) ?? new Map<number, Fingerprint[]>();
		openings.set(length, byHash.set(part.opening, [...(byHash.get(part.opening) ?? []), part]));
	}
	const isEdge = (offset: number) => isCut(offset) || (isFreeEdge(text, offset) && mayCut(offset));
	const found: Span[] = [];
	const ascending = [...places.keys()].sort((a, b) => a - b);
	let next = 0;
	for (let at = 0; at < even.length; at++) {
		const placed = places.get(at);
		if (placed) {
			const end = at + placed.units;
			found.push({ start: origins[at], end: origins[end - 1] + 1 });
			while (ascending[next] < end) next++;
			at = end - 1;
			continue;
		}
		if (even[at] === ' ') continue;
		const limit = ascending[next] ?? even.length;
		let longest: Span | undefined;
		let last = at;
		for (const [length, byHash] of openings) {
			if (at + length > even.length) continue;
			for (const { units, sum } of byHash.get(hashes.of(at, at + length)) ?? []) {
				const end = at + units;
				if (end <= last || end > limit || hashes.of(at, end) !== sum) continue;
				const span = { start: origins[at], end: origins[end - 1] + 1 };
				if (!isEdge(span.start) || !isEdge(span.end)) continue;
				longest = span;
				last = end;
			}
		}
		if (!longest) continue;
		found.push(longest);
		at = last - 1;
	}
	return found;
}

/** Whether words end at an offset: at white space, or in scripts without any, where no mark that ends something follows. */
function isFreeEdge(text: string, offset: number): boolean {
	if (offset === 0 || offset === text.length) return true;
	const [before, after] = [text.charAt(offset - 1), text.charAt(offset)];
	if (isSpace(before.charCodeAt(0)) || isSpace(after.charCodeAt(0))) return true;
	const isUnspaced = (character: string) =>
		UNSPACED.test(character) || EAST_ASIAN_MARK.test(character);
	return (isUnspaced(before) || isUnspaced(after)) && !CLOSING.test(after);
}
