/** One piece of a longer text. `start` and `end` are UTF-16 offsets of `text` in the source. */
export interface TextSegment {
	text: string;
	start: number;
	end: number;
}

/**
 * An emotion or tone tag: one to four words in parentheses, ASCII or full-width. The gateway reads it as an instruction
 * for the words that follow. Shape only: which words are emotions differs by language and model.
 */
export const EMOTION_TAG =
	/[(（]\s?[\p{L}\p{M}\p{N}\p{Join_Control}'’-]+(?:[,，、]?\s[\p{L}\p{M}\p{N}\p{Join_Control}'’-]+){0,3}\s?[)）]/gu;

type Granularity = 'grapheme' | 'word' | 'sentence';

const segmenters = new Map<Granularity, Intl.Segmenter>();

/**
 * Made when first used: the first one takes 10 ms, which every n8n process would pay at its start. A fixed locale, so
 * that a text is cut alike on every machine; the rules and dictionaries for all scripts are the same.
 */
function segmenterOf(granularity: Granularity): Intl.Segmenter {
	const made = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity });
	segmenters.set(granularity, made);
	return made;
}

/**
 * UTF-16 units given to Intl.Segmenter at once. In V8 each step costs time in proportion to the whole string: minutes
 * for a book in one piece, half a microsecond a step at this size.
 */
const WINDOW = 256;

/**
 * Full stops that end no sentence, which Unicode's rules do not know: initials and one-letter parts (`U.S.`, `z. B.`),
 * ordinals and list numbers (`3. Mai`, `1. First`), and common abbreviations. Too many here costs little (one place less
 * to cut), too few cuts `Dr.` from its name.
 */
const ABBREVIATION =
	/(?<![\p{L}\p{M}\p{N}])(?:\p{L}|\d{1,2}|Dr|Mr|Mrs|Ms|Mx|Prof|St|Sr|Jr|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Gov|Sen|Rep|Pres|Messrs|Mt|Ft|vs|cf|viz|approx|ca|Nr|vol|pp|ed|eds|fig|Inc|Ltd|Co|Corp|Bros|dept|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Abs|Abt|Anm|Aufl|Bd|bzgl|bzw|dgl|Dipl|Ing|evtl|geb|gest|ggf|Hr|Fr|Hrsg|inkl|Jh|Kap|Mio|Mrd|Nov|Okt|Dez|sog|Std|Str|Tel|usw|vgl|zzgl|Mme|Mlle|av|env|Sra|Srta|Dra|Ud|Uds|pág|núm|Sig|Dott|ул|гг|им|руб|тыс|млн|млрд)\.$/iu;
/** The longest abbreviation above with its full stop and a few spaces. */
const ABBREVIATION_REACH = 16;
/** The end of a sentence, its closing quotes and brackets included, at the end of a string. */
export const SENTENCE_END = /[.!?…。．！？｡।॥؟۔።។။][\p{Pe}\p{Pf}\p{Pi}"']*$/u;
const LINE_BREAKS = /\r\n|[\r\n\u2028\u2029]/g;

/** Clause ends: Latin punctuation only before a space (`1,000`, `10:30`); East Asian anywhere; spaces in Thai, Lao, Khmer, Burmese. */
const CLAUSE_END =
	/(?:[,;:،؛…]|(?<!\.)\.{2,}|--|[–—])[\p{Pe}\p{Pf}"'“]*(?=\s)|(?<![、，；：…—])[、，；：…—]+[\p{Pe}\p{Pf}]*(?![\p{Po}\p{Pe}\p{Pf}])|(?<=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\s(?=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/gu;

/** A number in the middle of a line and a capital: `is number 12. The next` ends a sentence, `im 19. Jahrhundert` does not. */
const AFTER_NUMBER = /(?<=\p{L}\s)\d{1,2}\.[\p{Pe}\p{Pf}"']*\s+(?=\p{Lu})/gu;

const CLOSING_THEN_SPACE = /[\p{Pe}\p{Pf}"']+(?=\s|$)/uy;
const PUNCTUATION_THEN_SPACE = /[\p{Po}\p{Pe}\p{Pf}]+(?=\s|$)/uy;
const OPENING_AFTER_SPACE = /(?:^|\s)[\p{Ps}\p{Pi}¿¡]$/u;
const STARTS_WITH_CLOSING = /^[\p{Po}\p{Pe}\p{Pf}\p{Pc}\p{Pd}]/u;
const ENDS_WITH_OPENING = /[\p{Ps}\p{Pi}]$/u;
const OPENING = /[\p{Ps}\p{Pi}]/u;
const LOWER_CASE = /\p{Ll}/uy;

function matchesAt(pattern: RegExp, text: string, offset: number): boolean {
	pattern.lastIndex = offset;
	return pattern.test(text);
}

function endsInAbbreviation(text: string, end: number): boolean {
	return ABBREVIATION.test(text.slice(Math.max(0, end - ABBREVIATION_REACH), end).trimEnd());
}

/** Intl.Segmenter over text from start to end, window by window. `index` counts from the start of the text. */
function* segmentsOf(
	granularity: Granularity,
	text: string,
	start: number,
	end: number,
): Generator<{ segment: string; index: number; isWordLike?: boolean }> {
	let size = WINDOW;
	while (start < end) {
		const from = start;
		let stop = Math.min(end, from + size);
		if (stop < end && isPair(text, stop - 1)) stop--;
		// The last two segments of a window depend on what follows it: the next window starts with them.
		const held: Array<{ segment: string; index: number; isWordLike?: boolean }> = [];
		for (const { segment, index, isWordLike } of segmenterOf(granularity).segment(
			text.slice(from, stop),
		)) {
			held.push({ segment, index: from + index, isWordLike });
			if (held.length > 2) yield held.shift()!;
		}
		if (stop === end) {
			yield* held;
			return;
		}
		start = held[0].index;
		size = start === from ? size * 2 : WINDOW;
	}
}

/** A kind of place to cut at: yields offsets in text between start and end, ascending. */
type CutFinder = (text: string, start: number, end: number) => Iterable<number>;

/** Blank lines, and single line breaks after a full sentence. Other line breaks may be mere wrapping. */
function* paragraphs(text: string, start: number, end: number): Generator<number> {
	for (const match of text.slice(start, end).matchAll(/[\r\n\u2028\u2029]\s*/g)) {
		const offset = start + match.index;
		const before = text.slice(Math.max(start, offset - ABBREVIATION_REACH), offset).trimEnd();
		const blankLine = (match[0].match(LINE_BREAKS)?.length ?? 0) > 1;
		if (blankLine || (SENTENCE_END.test(before) && !ABBREVIATION.test(before))) {
			yield offset + match[0].length;
		}
	}
}

/** Unicode's sentence ends, less those after abbreviations and before a small letter (`“What?” he said`). */
export function* sentences(text: string, start: number, end: number): Generator<number> {
	// A line break always ends a sentence for Unicode, but here it may be wrapping: paragraphs() has judged it.
	const unwrapped = text.slice(start, end).replace(/[\r\n\u2028\u2029]/g, ' ');
	for (const { index } of segmentsOf('sentence', unwrapped, 0, unwrapped.length)) {
		let offset = start + index;
		// Where no space follows the full stop, Unicode takes an opening bracket or quote for a closing one: 走。（笑）来。
		while (OPENING.test(text.charAt(offset - 1))) offset--;
		if (endsInAbbreviation(text, offset) || matchesAt(LOWER_CASE, text, offset)) continue;
		// French sets a space before the closing quote: « Oui ! » Unicode would open the next sentence with it.
		if (matchesAt(CLOSING_THEN_SPACE, text, offset)) offset = CLOSING_THEN_SPACE.lastIndex;
		yield offset;
	}
}

function* matchEnds(pattern: RegExp, text: string, start: number, end: number): Generator<number> {
	for (const match of text.slice(start, end).matchAll(pattern)) {
		yield start + match.index + match[0].length;
	}
}

const lines: CutFinder = (text, start, end) => matchEnds(LINE_BREAKS, text, start, end);
const clauses: CutFinder = (text, start, end) => matchEnds(CLAUSE_END, text, start, end);
const numbers: CutFinder = (text, start, end) => matchEnds(AFTER_NUMBER, text, start, end);
const tagEnds: CutFinder = (text, start, end) => matchEnds(EMOTION_TAG, text, start, end);

/** Spaces, and word ends of scripts that write without them (the dictionaries of Intl.Segmenter). */
function* words(text: string, start: number, end: number): Generator<number> {
	let afterWord = false;
	for (const { index, isWordLike } of segmentsOf('word', text, start, end)) {
		if (isSpace(text.charCodeAt(index - 1))) {
			const before = text.slice(Math.max(start, index - ABBREVIATION_REACH), index).trimEnd();
			const clings =
				ABBREVIATION.test(before) ||
				OPENING_AFTER_SPACE.test(before) ||
				matchesAt(PUNCTUATION_THEN_SPACE, text, index);
			if (!clings) yield index;
		} else if (afterWord && isWordLike) {
			yield index;
		}
		afterWord = isWordLike === true;
	}
}

/** Within a run without spaces (`either/or`, an address): between its parts, no mark cut from the word it belongs to. */
function* wordParts(text: string, start: number, end: number): Generator<number> {
	let previous = '';
	for (const { segment, index } of segmentsOf('word', text, start, end)) {
		if (!STARTS_WITH_CLOSING.test(segment) && !ENDS_WITH_OPENING.test(previous)) yield index;
		previous = segment;
	}
}

/** All edges of words, also those between a word and its punctuation. */
function* wordEdges(text: string, start: number, end: number): Generator<number> {
	for (const { index } of segmentsOf('word', text, start, end)) yield index;
}

/** Every offset; those that may not be cut are passed over by their protection. */
function* everywhere(_text: string, start: number, end: number): Generator<number> {
	for (let offset = start; offset < end; offset++) yield offset;
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
const LEVELS: Array<{ find: CutFinder; price: number; mayCut: number }> = [
	{ find: paragraphs, price: 0, mayCut: FREE },
	{ find: sentences, price: 0.45, mayCut: FREE },
	{ find: lines, price: 0.5, mayCut: FREE },
	{ find: clauses, price: 0.6, mayCut: FREE },
	{ find: numbers, price: 0.75, mayCut: FREE },
	{ find: words, price: 1, mayCut: FREE },
	{ find: wordParts, price: 1.5, mayCut: FREE },
	{ find: tagEnds, price: 2, mayCut: AFTER_TAG },
	{ find: wordEdges, price: 2.5, mayCut: AFTER_TAG },
	{ find: everywhere, price: 3, mayCut: AFTER_TAG },
	// Only where marks on its brackets make a tag too long.
	{ find: everywhere, price: 3.5, mayCut: INSIDE_TAG },
];
const SENTENCE_LEVEL = 1;

/** Cuts closer together than this part of the limit are thinned out: it keeps the work linear and changes little. */
const FINEST_PART = 1 / 64;

function isSpace(code: number): boolean {
	return (
		code === 0x20 ||
		(code >= 0x09 && code <= 0x0d) ||
		(code >= 0xa0 && /\s/.test(String.fromCharCode(code)))
	);
}

/** Whether a surrogate pair starts at the offset. */
function isPair(text: string, offset: number): boolean {
	return (
		(text.charCodeAt(offset) & 0xfc00) === 0xd800 &&
		(text.charCodeAt(offset + 1) & 0xfc00) === 0xdc00
	);
}

/** Characters that are a cluster by themselves among their like (Latin, Greek, Cyrillic, CJK, Hangul …): a fast path. */
const NOT_SELF_CONTAINED =
	/[^\p{ASCII}\u0080-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u3000-\u3029\u3030-\u3098\u309b-\u9fff\uac00-\ud7a3\uff01-\uff9d]/gu;
/** UTF-16 units without a joined character after which the fast path is tried again. */
const FAST_PATH_AFTER = 32;

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

	const first = cutAt(0).start;
	const last = cutAt(text.length).end;
	if (first >= last) return [];

	const cuts = [{ end: first, start: first, price: 0 }];
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
		const { find, price, mayCut } = LEVELS[level];
		let from = start;
		let seen = start;
		for (const offset of find(text, start, end)) {
			if (offset <= seen) continue;
			const cut = cutAt(offset);
			seen = Math.max(offset, cut.start);
			if (cut.end <= from || cut.start >= end) continue;
			if (protection[cut.end] > mayCut || protection[cut.start] > mayCut) continue;
			refine(from, cut.end, level + 1);
			keep(cut.end, cut.start, price);
			from = cut.start;
		}
		refine(from, end, level + 1);
	};
	refine(first, last, 0);
	keep(last, last, 0);

	// costs[k]: of the best way to cut the text up to cut k; origins[k]: the cut before it.
	const costs = [0];
	const origins = [0];
	for (let k = 1; k < cuts.length; k++) {
		costs[k] = Infinity;
		for (let i = k - 1; i >= 0; i--) {
			const length = measure(cuts[i].start, cuts[k].end);
			if (length > limit && i < k - 1) break;
			const cost = costs[i] + cuts[i].price + (1 - length / limit) ** 3;
			if (cost < costs[k]) {
				costs[k] = cost;
				origins[k] = i;
			}
		}
	}
	const pieces: TextSegment[] = [];
	for (let k = cuts.length - 1; k > 0; k = origins[k]) {
		const { start } = cuts[origins[k]];
		const { end } = cuts[k];
		pieces.push({ text: text.slice(start, end), start, end });
	}
	return pieces.reverse();
}

/**
 * Cuts text into segments of at most maxCharacters code points, at paragraph, else sentence, clause or word ends, of even
 * length where those allow. Between segments lies only white space; text of nothing else gives []. Never inside an
 * emotion tag or a grapheme cluster that fits in a segment by itself.
 */
export function segmentText(text: string, options: { maxCharacters: number }): TextSegment[] {
	const { maxCharacters } = options;
	if (!Number.isInteger(maxCharacters) || maxCharacters < 1) {
		throw new RangeError(`maxCharacters must be a whole number from 1, got ${maxCharacters}`);
	}
	return cutText(text, maxCharacters, () => 1);
}

/** The number of Unicode code points, the gateway's unit for text limits. A lone surrogate counts as one. */
export function countCharacters(text: string): number {
	let count = 0;
	for (let offset = 0; offset < text.length; offset += isPair(text, offset) ? 2 : 1) count++;
	return count;
}
