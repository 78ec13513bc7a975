/**
 * Finds segments of an earlier text in a new one by their hashes alone: a file records no words of its text. As Rabin
 * and Karp do, the hash of any span follows from those of two beginnings of the text. The first 16 units of a segment
 * find candidates, its length and the hash of all of it confirm them, so a book is searched for thousands of segments
 * in one pass. Should two hashes be equal by chance, the text is only cut in another place: what is used again is
 * decided by the key of the whole request (`speech/plan`).
 */
import { firstIndex, isSpace, type Span, UNSPACED } from './characters';

/** What is known of a segment's words. Plain JSON. */
export interface Fingerprint {
	/** Length in UTF-16 units, as `evenlySpaced`. */
	units: number;
	/** Polynomial hashes (32 bits) of its first units, and of all. */
	opening: number;
	sum: number;
}

/** A segment, and where it began in its text. */
export type KnownSegment = Fingerprint & { at: number };

/** What is to be found in one text: segments that may be anywhere in it, and those that are looked for in their place alone. */
export interface EarlierSegments {
	moved: KnownSegments;
	placed: KnownSegment[];
}

/** White space other than one space. */
const UNEVEN_SPACE = /\s{2,}|[^\S ]/g;
/** UTF-16 units whose hash finds candidates; shorter segments are found by all of theirs. */
const OPENING_UNITS = 16;
/** Any odd number: with an even one, hashes modulo 2^32 would forget the first characters. */
const BASE = 0x01000193;

const EAST_ASIAN_MARK = /[\u3000-\u303f\uff00-\uff65…]/;
const CLOSING = /[\p{Po}\p{Pe}\p{Pf}]/u;

/** The hashes of any span of a text, each in constant time. */
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

/** The fingerprint of the words of a text, however their lines are broken. */
export function fingerprintOf(text: string): Fingerprint {
	const words = evenlySpaced(text);
	const hashes = new Hashes(words);
	const units = words.length;
	return { units, opening: hashes.of(0, Math.min(OPENING_UNITS, units)), sum: hashes.of(0, units) };
}

/**
 * Comparisons for all texts together, so that a record that was made to be slow does not keep n8n busy: a tenth of a
 * second.
 */
const MOST_COMPARISONS = 2_000_000;

/** Segments of an earlier text, to be found in others. */
export class KnownSegments {
	/** By the length of the opening, its hash, the length of all, and the hash of all: the first that is so. */
	private readonly openings = new Map<number, Map<number, Map<number, Map<number, number>>>>();
	private comparisonsLeft = MOST_COMPARISONS;
	/** The one behind the one found last. */
	private next = 0;

	/** `moved`: each may be anywhere, or occur twice. */
	constructor(private readonly moved: Fingerprint[]) {
		for (const [index, { units, opening, sum }] of moved.entries()) {
			const length = Math.min(OPENING_UNITS, units);
			const byHash = inMap(
				this.openings,
				length,
				() => new Map<number, Map<number, Map<number, number>>>(),
			);
			const byUnits = inMap(byHash, opening, () => new Map<number, Map<number, number>>());
			const bySum = inMap(byUnits, units, () => new Map<number, number>());
			inMap(bySum, sum, () => index);
		}
	}

	/**
	 * Finds them in a text from front to back. Where several begin, it takes the one that followed before, since a text that
	 * repeats its sentences would else be cut in other places, else the longest. Those that are `placed` go first, and none
	 * of the others reaches into them. `mayCut`: whether the text may be cut at an offset; `isCut`: whether it is anyway. The
	 * time is linear in the length of the text.
	 */
	in(
		text: string,
		placed: KnownSegment[],
		mayCut: (offset: number) => boolean,
		isCut: (offset: number) => boolean,
	): Span[] {
		const even = text.replace(UNEVEN_SPACE, ' ');
		/** The offset in the text of each unit of `even`. */
		const origins: number[] = [];
		for (let i = 0; i < text.length; i++)
			if (!isSpace(text.charCodeAt(i)) || !isSpace(text.charCodeAt(i - 1))) origins.push(i);
		const hashes = new Hashes(even);
		/** The lengths of segments in their place, by where they begin in `even`. */
		const places = new Map<number, number>();
		for (const { at, units, sum } of placed) {
			let place = firstIndex(origins, (origin) => origin >= at);
			if (even[place] === ' ') place++;
			if (place + units <= even.length && hashes.of(place, place + units) === sum)
				places.set(place, units);
		}
		const isEdge = (offset: number) =>
			isCut(offset) || (isFreeEdge(text, offset) && mayCut(offset));
		const found: Span[] = [];
		const ascending = [...places.keys()].sort((a, b) => a - b);
		let next = 0;
		for (let at = 0; at < even.length; at++) {
			const units = places.get(at);
			const limit = ascending[next] ?? even.length;
			const end =
				units === undefined && even[at] !== ' '
					? this.endAt(
							at,
							limit,
							hashes,
							(to) => isEdge(origins[at]) && isEdge(origins[to - 1] + 1),
						)
					: at + (units ?? 0);
			if (end === at) continue;
			found.push({ start: origins[at], end: origins[end - 1] + 1 });
			while (ascending[next] < end) next++;
			at = end - 1;
		}
		return found;
	}

	/** The end of the segment to be taken of those that begin at an offset; the offset itself if there is none. */
	private endAt(
		at: number,
		limit: number,
		hashes: Hashes,
		mayBe: (end: number) => boolean,
	): number {
		const follower = this.moved[this.next];
		if (follower) {
			const end = at + follower.units;
			if (end <= limit && hashes.of(at, end) === follower.sum && mayBe(end)) {
				this.next++;
				return end;
			}
		}
		let longest = at;
		let index = 0;
		for (const [length, byHash] of this.openings) {
			if (at + length > limit || this.comparisonsLeft <= 0) continue;
			const byUnits = byHash.get(hashes.of(at, at + length));
			if (!byUnits) continue;
			this.comparisonsLeft -= byUnits.size;
			for (const [units, sums] of byUnits) {
				const end = at + units;
				const first = sums.get(hashes.of(at, end));
				if (end > longest && end <= limit && first !== undefined && mayBe(end)) {
					longest = end;
					index = first;
				}
			}
		}
		if (longest > at) this.next = index + 1;
		return longest;
	}
}

function inMap<K, V>(map: Map<K, V>, key: K, make: () => V): V {
	const value = map.get(key) ?? make();
	map.set(key, value);
	return value;
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
