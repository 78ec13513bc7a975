import {
	clauses,
	type CutFinder,
	EMOTION_TAG,
	everywhere,
	lines,
	numbers,
	paragraphs,
	segmentsOf,
	sentences,
	tagEnds,
	wordEdges,
	wordParts,
	words,
} from './boundaries';
import { isPair, isSpace } from './characters';

export { countCharacters } from './characters';

/** One piece of a longer text. `start` and `end` are UTF-16 offsets of `text` in the source. */
export interface TextSegment {
	text: string;
	start: number;
	end: number;
}

// How an offset is protected. A level may cut where the protection is at most its own.
const FREE = 0;
/** Between a tag and the words it is for. */
const AFTER_TAG = 1;
const INSIDE_TAG = 2;
/** Within a grapheme cluster or, where the cluster is longer than a piece, a code point. */
const INSIDE_CHARACTER = 3;

/**
 * Where a text may be cut, best first. Paragraph and sentence ends are always offered; each finer kind only within a
 * piece that is still too long. `price` is weighed against uneven lengths, in units of one wholly empty segment: a
 * sentence end is taken instead of a paragraph end only where that spares a nearly empty segment.
 */
const LEVELS: Array<{ find: CutFinder; price: number; mayCut: number; mayBeMute?: true }> = [
	{ find: paragraphs, price: 0, mayCut: FREE },
	{ find: sentences, price: 0.45, mayCut: FREE },
	{ find: lines, price: 0.5, mayCut: FREE },
	{ find: clauses, price: 0.6, mayCut: FREE },
	{ find: numbers, price: 0.75, mayCut: FREE },
	{ find: words, price: 1, mayCut: FREE },
	{ find: wordParts, price: 1.5, mayCut: FREE },
	// One word, and too many marks around it: they go before the word is cut, or its tag taken from it.
	{ find: wordEdges, price: 1.75, mayCut: FREE, mayBeMute: true },
	{ find: tagEnds, price: 2, mayCut: AFTER_TAG },
	{ find: wordEdges, price: 2.5, mayCut: AFTER_TAG },
	{ find: everywhere, price: 3, mayCut: AFTER_TAG, mayBeMute: true },
	// Only where marks on its brackets make a tag too long.
	{ find: everywhere, price: 3.5, mayCut: INSIDE_TAG, mayBeMute: true },
];
const SENTENCE_LEVEL = 1;

/**
 * Letters, digits, and emoji, of which many voices say the name; also symbols that are shown as emoji only on demand (`🎙`, `™`).
 * The four emoji that are punctuation are not among them.
 */
const SPEAKABLE =
	/(?:(?![‼⁉〰〽])[\p{L}\p{N}\p{Emoji_Presentation}\p{Extended_Pictographic}\u20E3])+/gu;

/** Whether there is a letter, digit or emoji in a text: without any, there is nothing to speak. */
export function isSpeakable(text: string): boolean {
	return text.search(SPEAKABLE) >= 0;
}

/** Price of a piece without a letter or digit: more than that of any cut. */
const MUTE_PRICE = 10;

/** Cuts closer together than this part of the limit are thinned out: it keeps the work linear and changes little. */
const FINEST_PART = 1 / 64;

/** Characters that are a cluster by themselves among their like (Latin, Greek, Cyrillic, CJK, Hangul …): a fast path. */
const NOT_SELF_CONTAINED =
	/[^\p{ASCII}\u0080-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u3000-\u3029\u3030-\u3098\u309b-\u9fff\uac00-\ud7a3\uff01-\uff9d]/gu;
/** UTF-16 units without a joined character after which the fast path is tried again. */
const FAST_PATH_AFTER = 32;

/** A place where a text may be cut: where the piece before it ends, where the next one starts, and what it costs. */
interface Cut {
	end: number;
	start: number;
	price: number;
}

/** Whether the text from start to end fits in one piece. What does not is cut as ordinary text. */
type Fits = (start: number, end: number) => boolean;

function protectClusters(text: string, protection: Uint8Array, fits: Fits): void {
	let offset = 0;
	while (offset < text.length) {
		NOT_SELF_CONTAINED.lastIndex = offset;
		const match = NOT_SELF_CONTAINED.exec(text);
		if (!match) return;
		// What follows can join the character before it.
		const start = Math.max(offset, match.index - 1);
		let joined = match.index;
		for (const { segment, index } of segmentsOf('grapheme', text, start, text.length)) {
			offset = index + segment.length;
			if (fits(index, offset)) {
				protection.fill(INSIDE_CHARACTER, index + 1, offset);
			} else {
				for (let i = index; i < offset; i++) {
					if (isPair(text, i)) protection[i + 1] = INSIDE_CHARACTER;
				}
			}
			if (segment.length > 1) joined = offset;
			else if (offset - joined > FAST_PATH_AFTER) break;
		}
	}
}

function protectTags(text: string, protection: Uint8Array, fits: Fits): void {
	for (const match of text.matchAll(EMOTION_TAG)) {
		const end = match.index + match[0].length;
		if (!fits(match.index, end)) continue;
		protection.fill(INSIDE_TAG, match.index + 1, end);
		let next = end;
		while (isSpace(text.charCodeAt(next))) next++;
		protection.fill(AFTER_TAG, end, next + 1);
	}
}

/** For every offset that of the next letter or digit, the text's length after the last one. */
function nextWords(text: string): Uint32Array {
	const next = new Uint32Array(text.length + 1);
	let from = 0;
	for (const { 0: word, index } of text.matchAll(SPEAKABLE)) {
		next.fill(index, from, index);
		from = index + word.length;
		for (let offset = index; offset < from; offset++) next[offset] = offset;
	}
	return next.fill(text.length, from);
}

/**
 * Cuts text into pieces of at most `limit`, measured by `widthOf` (the width of a code point, an integer), at the best
 * places and as evenly as they allow: of all ways to cut, the one with the least sum of the prices of its cuts and the
 * cubes of the parts left empty, so that one nearly empty piece weighs more than several that are partly so. White space
 * at the cuts and at both ends is left out of the pieces, nothing else.
 */
export function cutText(
	text: string,
	limit: number,
	widthOf: (codePoint: number) => number,
): TextSegment[] {
	const widths = new Uint32Array(text.length + 1);
	for (let offset = 0, sum = 0; offset < text.length; ) {
		sum += widthOf(text.codePointAt(offset)!);
		if (isPair(text, offset)) widths[++offset] = sum;
		widths[++offset] = sum;
	}
	const measure = (start: number, end: number) => widths[end] - widths[start];
	const fits: Fits = (start, end) => measure(start, end) <= limit;

	const protection = new Uint8Array(text.length + 1);
	protectTags(text, protection, fits);
	protectClusters(text, protection, fits);

	/** The cut around an offset, without the white space there; white space that a mark combines with is text. */
	const cutAt = (offset: number) => {
		let end = offset;
		while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
		while (end < offset && protection[end] >= INSIDE_CHARACTER) end++;
		let start = offset;
		while (start < text.length && isSpace(text.charCodeAt(start))) start++;
		while (start > offset && protection[start] >= INSIDE_CHARACTER) start--;
		return { end, start };
	};

	const nextWord = nextWords(text);
	/** Whether nothing between start and end can be spoken: a scene separator, a row of dots. */
	const isMute = (start: number, end: number) => nextWord[start] >= end;

	const first = cutAt(0).start;
	const last = cutAt(text.length).end;
	if (first >= last) return [];

	const cuts: Cut[] = [{ end: first, start: first, price: 0 }];
	const keep = (end: number, start: number, price: number) => {
		const [before, previous] = cuts.slice(-2);
		const thin =
			cuts.length > 2 &&
			previous.price >= before.price &&
			measure(before.start, previous.end) < limit * FINEST_PART &&
			fits(before.start, end);
		if (thin) cuts.pop();
		cuts.push({ end, start, price });
	};
	const refine = (start: number, end: number, level: number) => {
		if (level === LEVELS.length) return;
		if (level > SENTENCE_LEVEL && fits(start, end)) return;
		// Cuts so close to each other would all be thinned out.
		if (cuts.length > 1 && measure(start, end) < limit * FINEST_PART) return;
		const { find, price, mayCut, mayBeMute } = LEVELS[level];
		// What cannot be spoken stays with what follows, at the end with what stands before, unless it is too long.
		let from = start;
		let seen = start;
		for (const offset of find(text, start, end)) {
			if (offset <= seen) continue;
			const cut = cutAt(offset);
			seen = Math.max(offset, cut.start);
			if (cut.end <= from || cut.start >= end) continue;
			if (!mayBeMute && isMute(from, cut.end)) continue;
			if (!mayBeMute && isMute(cut.start, end)) break;
			if (protection[cut.end] > mayCut || protection[cut.start] > mayCut) continue;
			refine(from, cut.end, level + 1);
			keep(cut.end, cut.start, price);
			from = cut.start;
		}
		refine(from, end, level + 1);
	};
	refine(first, last, 0);
	keep(last, last, 0);

	const fillOf = (start: number, end: number) => measure(start, end) / limit;
	return cheapestPieces(cuts, fillOf, isMute).map(({ start, end }) => ({
		text: text.slice(start, end),
		start,
		end,
	}));
}

/**
 * Of all ways to cut a text at some of the cuts, that which `cutText` wants; the first cut and the last are the ends of the
 * text. `fillOf`: how full a piece is, 1 at the limit; what is longer is only taken where there is no cut within it.
 */
function cheapestPieces(
	cuts: Cut[],
	fillOf: (start: number, end: number) => number,
	isMute: (start: number, end: number) => boolean,
): Array<{ start: number; end: number }> {
	// costs[k]: of the best way to cut the text up to cut k; origins[k]: the cut before it.
	const costs = [0];
	const origins = [0];
	for (let k = 1; k < cuts.length; k++) {
		costs[k] = Infinity;
		for (let i = k - 1; i >= 0; i--) {
			const fill = fillOf(cuts[i].start, cuts[k].end);
			if (fill > 1 && i < k - 1) break;
			const mute = isMute(cuts[i].start, cuts[k].end) ? MUTE_PRICE : 0;
			const cost = costs[i] + cuts[i].price + (1 - fill) ** 3 + mute;
			if (cost < costs[k]) {
				costs[k] = cost;
				origins[k] = i;
			}
		}
	}
	const pieces: Array<{ start: number; end: number }> = [];
	for (let k = cuts.length - 1; k > 0; k = origins[k])
		pieces.push({ start: cuts[origins[k]].start, end: cuts[k].end });
	return pieces.reverse();
}

/**
 * Cuts text into segments of at most maxCharacters code points, at paragraph, else sentence, clause or word ends, of even
 * length where those allow. Between segments lies only white space; text of nothing else gives []. Never inside an
 * emotion tag or a grapheme cluster that fits in a segment by itself, nor between a tag and its word where both fit. What
 * has no letter or digit (`* * *`) stands with a neighbour, unless they are longer than a segment or it is all there is.
 */
export function segmentText(text: string, options: { maxCharacters: number }): TextSegment[] {
	const { maxCharacters } = options;
	if (!Number.isInteger(maxCharacters) || maxCharacters < 1) {
		throw new RangeError(`maxCharacters must be a whole number from 1, got ${maxCharacters}`);
	}
	return cutText(text, maxCharacters, () => 1);
}
