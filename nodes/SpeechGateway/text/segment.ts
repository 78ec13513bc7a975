/**
 * A long text as segments of at most so many characters. Places to cut are collected from the best kind down
 * (paragraphs, sentences, … single characters), a finer kind only where a segment would still be too long;
 * then dynamic programming takes those that cost least. The best place nearest to the limit would be
 * simpler, but leaves a last segment of three words.
 */
import {
	clauses,
	type CutFinder,
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
import { isPair, isSpace, type Span } from './characters';
import { maskTags } from './toneTags';

/** One segment of a longer text, and its place in the source. */
export interface TextSegment extends Span {
	text: string;
}

/** The protection of an offset, from nothing up. A level cuts where the protection is at most its `mayCut`. */
const FREE = 0;
/** Between a tag and the words it applies to. */
const AFTER_TAG = 1;
const INSIDE_TAG = 2;
/** Within a grapheme cluster, or within a code point if the cluster is too long for a segment. */
const INSIDE_CHARACTER = 3;

/**
 * The kinds of places to cut at, best first. Ends of paragraphs and sentences are always candidates, finer
 * kinds only within a segment that is still too long. `price` is weighed against uneven lengths, with 1 for an
 * empty segment: a sentence end replaces a paragraph end only if that avoids a nearly empty segment. With
 * `mayBeMute`, a segment may have nothing to speak.
 */
const LEVELS: Array<{ find: CutFinder; price: number; mayCut: number; mayBeMute?: true }> = [
	{ find: paragraphs, price: 0, mayCut: FREE },
	{ find: sentences, price: 0.45, mayCut: FREE },
	{ find: lines, price: 0.5, mayCut: FREE },
	{ find: clauses, price: 0.6, mayCut: FREE },
	{ find: numbers, price: 0.75, mayCut: FREE },
	{ find: words, price: 1, mayCut: FREE },
	{ find: wordParts, price: 1.5, mayCut: FREE },
	// A word with too many marks around it loses the marks before it is cut, or loses its tag.
	{ find: wordEdges, price: 1.75, mayCut: FREE, mayBeMute: true },
	{ find: tagEnds, price: 2, mayCut: AFTER_TAG },
	{ find: wordEdges, price: 2.5, mayCut: AFTER_TAG },
	{ find: everywhere, price: 3, mayCut: AFTER_TAG, mayBeMute: true },
	// Only for a tag that is too long because of combining marks on its brackets.
	{ find: everywhere, price: 3.5, mayCut: INSIDE_TAG, mayBeMute: true },
];
const SENTENCE_LEVEL = 1;

/**
 * Letters, digits and emoji, whose names many voices say. Includes symbols that are shown as emoji only on request (`🎙`, `™`),
 * but not the four that are punctuation.
 */
const SPEAKABLE =
	/(?:(?![‼⁉〰〽])[\p{L}\p{N}\p{Emoji_Presentation}\p{Extended_Pictographic}\u20E3])+/gu;

/** Whether there is a letter, digit or emoji in a text: without any, there is nothing to speak. */
export function isSpeakable(text: string): boolean {
	return text.search(SPEAKABLE) >= 0;
}

/** The price of a segment with nothing to speak: higher than that of any cut. */
const MUTE_PRICE = 10;

/**
 * Cuts closer together than this share of the limit are thinned out, so that a segment has
 * about a hundred places to end, not thousands.
 */
const FINEST_PART = 1 / 64;

/** Characters that may join a neighbour. Between two others (Latin, Greek, Cyrillic, CJK, Hangul …), clusters always end. */
const NOT_SELF_CONTAINED =
	/[^\p{ASCII}\u0080-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u3000-\u3029\u3030-\u3098\u309b-\u9fff\uac00-\ud7a3\uff01-\uff9d]/gu;
/** After so many UTF-16 units without a joined character, Intl.Segmenter is no longer asked. */
const FAST_PATH_AFTER = 32;

/** A possible cut: where the segment before it ends, where the next one starts, and its price. */
interface Cut {
	end: number;
	start: number;
	price: number;
}

/** Whether the text from start to end fits in one segment. Clusters and tags that do not are cut like ordinary text. */
type Fits = (start: number, end: number) => boolean;

/** No cut may fall within a letter and its accents, an emoji of several code points or a Hangul syllable. */
function protectClusters(text: string, protection: Uint8Array, fits: Fits): void {
	let offset = 0;
	while (offset < text.length) {
		NOT_SELF_CONTAINED.lastIndex = offset;
		const match = NOT_SELF_CONTAINED.exec(text);
		if (!match) return;
		// A character may join the one before it.
		const start = Math.max(offset, match.index - 1);
		let joined = match.index;
		for (const { segment, index: at } of segmentsOf('grapheme', text.slice(start))) {
			const index = start + at;
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

/**
 * No cut may fall within a tone tag or between it and its words: a tag sets the tone of what is behind it in the same
 * request.
 */
function protectTags(text: string, tags: Span[], protection: Uint8Array): void {
	for (const { start, end } of tags) {
		protection.fill(INSIDE_TAG, start + 1, end);
		let next = end;
		while (isSpace(text.charCodeAt(next))) next++;
		protection.fill(AFTER_TAG, end, next + 1);
	}
}

/** Whether a text may be cut at an offset: not within a tag or a grapheme cluster, nor between a tag and its words. */
export function cutsOf(text: string, tags: Span[]): (offset: number) => boolean {
	const protection = new Uint8Array(text.length + 1);
	protectTags(text, tags, protection);
	protectClusters(text, protection, () => true);
	return (offset) => protection[offset] === FREE;
}

/** For every offset, the width of all before it; within a surrogate pair, with the whole pair. */
function widthsBefore(text: string, widthOf: (character: string) => number): Uint32Array {
	const widths = new Uint32Array(text.length + 1);
	let offset = 0;
	let width = 0;
	for (const character of text) {
		width += widthOf(character);
		if (character.length > 1) widths[++offset] = width;
		widths[++offset] = width;
	}
	return widths;
}

/** The cut at an offset, without the white space around it. White space that a mark combines with is text. */
const trimmedCuts =
	(text: string, protection: Uint8Array) =>
	(offset: number): Omit<Cut, 'price'> => {
		let end = offset;
		while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
		while (end < offset && protection[end] >= INSIDE_CHARACTER) end++;
		let start = offset;
		while (start < text.length && isSpace(text.charCodeAt(start))) start++;
		while (start > offset && protection[start] >= INSIDE_CHARACTER) start--;
		return { end, start };
	};

/** For every offset, where the next speakable character stands; the text's length if there is none. */
function nextSpeakable(text: string): Uint32Array {
	const next = new Uint32Array(text.length + 1);
	let from = 0;
	for (const { 0: characters, index } of text.matchAll(SPEAKABLE)) {
		next.fill(index, from, index);
		from = index + characters.length;
		for (let offset = index; offset < from; offset++) next[offset] = offset;
	}
	return next.fill(text.length, from);
}

/**
 * Cuts text into segments of at most `limit` at ends of paragraphs, else of sentences, clauses or words. Of all ways to
 * cut, it takes the one with the lowest sum of prices: those of its cuts, and for each segment the cube of the share
 * that is left empty, so that one nearly empty segment costs more than several partly empty ones. Leaves out white
 * space at the cuts and at both ends, and nothing else. Never cuts inside a tone tag or grapheme cluster that fits in a
 * segment, nor between a tag and its word if both fit. Text with nothing to speak (`* * *`) joins a neighbour, unless
 * both are longer than a segment or there is none. `widthOf`: of a code point, an integer.
 */
export function cutText(
	text: string,
	limit: number,
	{ tags = [], widthOf = () => 1 }: { tags?: Span[]; widthOf?: (character: string) => number } = {},
): TextSegment[] {
	const widths = widthsBefore(text, widthOf);
	const measure = (start: number, end: number) => widths[end] - widths[start];
	const fits: Fits = (start, end) => measure(start, end) <= limit;

	const protection = new Uint8Array(text.length + 1);
	const fitting = tags.filter(({ start, end }) => fits(start, end));
	const masked = maskTags(text, fitting);
	protectTags(text, fitting, protection);
	protectClusters(text, protection, fits);

	const cutAt = trimmedCuts(text, protection);
	const next = nextSpeakable(text);
	/** Whether nothing between start and end can be spoken: a scene separator, a row of dots. */
	const isMute = (start: number, end: number) => next[start] >= end;

	const first = cutAt(0).start;
	const last = cutAt(text.length).end;
	if (first >= last) return [];

	const cuts: Cut[] = [{ end: first, start: first, price: 0 }];
	/** Adds a cut. Of two that are close together, the dearer one goes unless a segment would then be too long. */
	const keep = (end: number, start: number, price: number) => {
		const [before, previous] = cuts.slice(-2);
		const isTooClose =
			cuts.length > 2 &&
			previous.price >= before.price &&
			measure(before.start, previous.end) < limit * FINEST_PART &&
			fits(before.start, end);
		if (isTooClose) cuts.pop();
		cuts.push({ end, start, price });
	};
	/** Collects the cuts between two offsets, from front to back: those of a level, and between them those of the finer ones. */
	const refine = (start: number, end: number, level: number) => {
		if (level === LEVELS.length) return;
		if (level > SENTENCE_LEVEL && fits(start, end)) return;
		// All cuts within would be thinned out.
		if (cuts.length > 1 && measure(start, end) < limit * FINEST_PART) return;
		const { find, price, mayCut, mayBeMute } = LEVELS[level];
		// Text without words (`* * *`) joins the next segment, or at the end the one before it, if there is room.
		let from = start;
		let seen = start;
		for (const at of find(masked.slice(start, end))) {
			const offset = start + at;
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
	return cheapestSegments(cuts, fillOf, isMute).map(({ start, end }) => ({
		text: text.slice(start, end),
		start,
		end,
	}));
}

/**
 * Chooses the cuts with the lowest total price, by dynamic programming; the first and last cut are the ends of the
 * text. `fillOf` says how full a segment is (1 = at the limit). A segment over the limit is taken only if there is no
 * cut within it. The time is linear in the cuts, since a segment holds only about a hundred of them.
 */
function cheapestSegments(
	cuts: Cut[],
	fillOf: (start: number, end: number) => number,
	isMute: (start: number, end: number) => boolean,
): Span[] {
	// costs[k] is the cost of the best way up to cut k, and origins[k] the cut before it.
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
	const segments: Span[] = [];
	for (let k = cuts.length - 1; k > 0; k = origins[k])
		segments.push({ start: cuts[origins[k]].start, end: cuts[k].end });
	return segments.reverse();
}
