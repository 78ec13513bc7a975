import { CLDR_ABBREVIATIONS } from './abbreviations';
import { endAt, isPair, matchAt, UNSPACED } from './characters';

/** A tone tag, masked: its content is `X` and white space. */
const TAG = /[(（[［][X\s]+[)）\]］]/gu;
const TAGS = new RegExp(`(?:${TAG.source}\\s*)+`, 'uy');

type Granularity = 'grapheme' | 'word' | 'sentence';

type Segment = Omit<Intl.SegmentData, 'input'>;

const segmenters = new Map<Granularity, Intl.Segmenter>();

/**
 * Created lazily, since the first one takes 10 ms. The locale is fixed so that a text is cut the same way on every machine;
 * the rules and dictionaries cover all scripts in any locale.
 */
function segmenterOf(granularity: Granularity): Intl.Segmenter {
	const made = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity });
	segmenters.set(granularity, made);
	return made;
}

/**
 * UTF-16 units given to Intl.Segmenter at once. In V8, each step takes time proportional to the length of the string: minutes
 * for a whole book, half a microsecond at this size.
 */
const WINDOW = 256;

/**
 * Words whose full stop ends no sentence, unknown to Unicode's rules: initials and one-letter parts (`U.S.`, `z. B.`), ordinals
 * and list numbers (`3. Mai`, `1. First`), and common abbreviations that CLDR lacks. A word too many costs little (one place
 * less to cut); a word too few separates `Dr.` from its name.
 */
const NO_SENTENCE_END =
	/^(?:\p{L}|\d{1,2}|Dr|Mr|Mrs|Ms|Mx|Prof|St|Sr|Jr|Rev|Hon|Gen|Col|Capt|Cmdr|Lt|Sgt|Maj|Gov|Sen|Rep|Pres|Messrs|Mt|Ft|Rd|Ave|Blvd|vs|cf|viz|approx|ca|al|Nr|vol|pp|op|sec|art|max|ed|eds|fig|Inc|Ltd|Co|Corp|Bros|dept|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Abs|Abt|Anm|Aufl|Bd|bzgl|bzw|dgl|Dipl|Ing|evtl|geb|gest|ggf|Hrn?|Frl|Fr|Hrsg|inkl|Jh|Jhd|Kap|Mio|Mrd|Okt|Dez|sog|Std|\p{L}*Str|Tel|usw|vgl|zzgl|Ziff|Abschn|Mme|Mlle|av|env|Sra|Srta|Dra|Ud|Uds|pág|núm|Sig|Dott|med|phil|rer|ул|гг|им|руб|тыс|млн|млрд)$/iu;
/** Words that are abbreviations only before a number: `No. 5`, but `No. He left.` */
const BEFORE_NUMBER = /^(?:Nos?|Min|Ex|Chap?|Tab|Pl|Bl|Ph|Lot|Cap|tom|стр|рис)$/iu;
const WORD_AND_STOP = /(?<![\p{L}\p{M}\p{N}])([\p{L}\p{M}\p{N}]+)\.\s*$/u;
const STARTS_WITH_NUMBER = /[\p{N}#]/uy;
const NUMBER = /^\d+$/;
/** A reference such as `núm. 7.` or `Fig. 3.`: its number is no ordinal, so its full stop ends a sentence. */
const NUMBERED_REFERENCE =
	/(?<!\p{L})(?:Nrn?|Nos?|núm|pág|pag|pp?|Fig|Abb|Art|Abs|Kap|Vol|Bd|Op|Sec|S|Tab|tav|Chap|\p{L}{0,9}str)\.\s\d+\.\s*$/iu;
const OPENS_SENTENCE = /[\p{Ps}\p{Pi}¿¡"]/uy;
/** The length of the longest abbreviation above with its full stop and a few spaces, UTF-16 units. */
const ABBREVIATION_REACH = 16;

const cldrAbbreviations = new Set(CLDR_ABBREVIATIONS.split(' '));

/** Whether the full stop before an offset belongs to an abbreviation. White space may stand between. */
function followsAbbreviation(text: string, offset: number): boolean {
	const before = text.slice(Math.max(0, offset - ABBREVIATION_REACH), offset);
	const word = WORD_AND_STOP.exec(before)?.[1];
	if (word === undefined) return false;
	if (
		NUMBERED_REFERENCE.test(before) ||
		(NUMBER.test(word) && matchAt(OPENS_SENTENCE, text, offset))
	) {
		return false;
	}
	return (
		NO_SENTENCE_END.test(word) ||
		cldrAbbreviations.has(word) ||
		cldrAbbreviations.has(word.toLowerCase()) ||
		(BEFORE_NUMBER.test(word) && matchAt(STARTS_WITH_NUMBER, text, offset) !== null)
	);
}

/** Matches the end of a sentence, with its closing quotes and brackets, at the end of a string. */
export const SENTENCE_END = /[.!?…。．！？｡।॥؟۔።។။][\p{Pe}\p{Pf}\p{Pi}"']*$/u;
/** How far to look back for punctuation, UTF-16 units. */
const MARK_REACH = 16;
const ELLIPSIS = /…(?=[\p{Pe}\p{Pf}"']?\s+[\p{Lu}\p{Lo}\p{Ps}\p{Pi}¿¡"])/gu;
const LINE_BREAKS = /\r\n|[\r\n\u2028\u2029]/g;

/** Ends of clauses: Latin punctuation before a space (not in `1,000`), East Asian punctuation, spaces in Thai, Lao, Khmer, Burmese. */
const CLAUSE_END =
	/(?:[,;:،؛…]|(?<!\.)\.{2,}|--|[–—])[\p{Pe}\p{Pf}"'“]*(?=\s)|(?<![、，；：…—])[、，；：…—]+[\p{Pe}\p{Pf}]*(?![\p{Po}\p{Pe}\p{Pf}])|(?<=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\s(?=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/gu;

/** A number, a full stop and a capital: a sentence may end here (`is number 12. The next`), or not (`im 19. Jahrhundert`). */
const AFTER_NUMBER = /(?<=\p{L}\s)\d{1,2}\.[\p{Pe}\p{Pf}"']*\s+(?=\p{Lu})/gu;

const CLOSING_THEN_SPACE = /[\p{Pe}\p{Pf}"']+(?=\s|$)/uy;
const PUNCTUATION_THEN_SPACE = /[\p{Po}\p{Pe}\p{Pf}]+(?=\s|$)/uy;
const OPENING_MARK = /[\p{Ps}\p{Pi}¿¡]/u;
const STARTS_WITH_CLOSING = /^[\p{Po}\p{Pe}\p{Pf}\p{Pc}\p{Pd}]/u;
const ENDS_WITH_OPENING = /[\p{Ps}\p{Pi}]$/u;
const OPENING = /[\p{Ps}\p{Pi}]/u;
const LOWER_CASE = /\p{Ll}/uy;

/** Whether a sentence ends before an offset. Closing marks and white space may stand between. */
function endsSentence(text: string, offset: number): boolean {
	return SENTENCE_END.test(text.slice(Math.max(0, offset - MARK_REACH), offset).trimEnd());
}

/** Skips tone tags and the white space behind them. */
const afterTags = (text: string, offset: number): number =>
	Math.max(offset, endAt(TAGS, text, offset));

/** Runs Intl.Segmenter over text from start to end, window by window. `index` is an offset of the whole text. */
export function* segmentsOf(
	granularity: Granularity,
	text: string,
	start: number,
	end: number,
): Generator<Segment> {
	let size = WINDOW;
	while (start < end) {
		const from = start;
		let stop = Math.min(end, from + size);
		if (stop < end && isPair(text, stop - 1)) stop--;
		let isWhole = stop === end;
		// What follows may change the last two segments of a window, so the next window starts with them again.
		const held: Segment[] = [];
		const window = text.slice(from, stop);
		for (const { segment, index, isWordLike } of segmenterOf(granularity).segment(window)) {
			held.push({ segment, index: from + index, isWordLike });
			if (held.length <= 2) continue;
			yield held[0];
			held.shift();
			// A window that grew for one long segment is too slow for short ones.
			if (size > WINDOW) {
				isWhole = false;
				break;
			}
		}
		if (isWhole) {
			yield* held;
			return;
		}
		start = held[0].index;
		size = start === from ? size * 2 : WINDOW;
	}
}

/** Finds places of one kind to cut at: offsets of the text between start and end, ascending. Tone tags in it are masked. */
export type CutFinder = (text: string, start: number, end: number) => Iterable<number>;

/** Blank lines, and single line breaks after a full sentence. Other line breaks may only wrap the text. */
export function* paragraphs(text: string, start: number, end: number): Generator<number> {
	for (const match of text.slice(start, end).matchAll(/[\r\n\u2028\u2029]\s*/g)) {
		const offset = start + match.index;
		const next = offset + match[0].length;
		const blankLine = (match[0].match(LINE_BREAKS)?.length ?? 0) > 1;
		if (blankLine || (endsSentence(text, offset) && !followsAbbreviation(text, offset))) yield next;
	}
}

/** Sentence ends by Unicode's rules, except after abbreviations and before a lower-case letter (`“What?” he said`). */
export function* sentences(text: string, start: number, end: number): Generator<number> {
	// Unicode ends a sentence at every line break, which may only wrap the text here; paragraphs() finds those that do not.
	const unwrapped = text
		.slice(start, end)
		.replace(/[\r\n\u2028\u2029]/g, ' ')
		// Unicode's rules ignore the ellipsis character.
		.replace(ELLIPSIS, '?');
	for (const { index } of segmentsOf('sentence', unwrapped, 0, unwrapped.length)) {
		let offset = start + index;
		// Without a space after the full stop, Unicode takes an opening bracket or quote for a closing one: 走。（笑）来。
		while (OPENING.test(text.charAt(offset - 1))) offset--;
		if (followsAbbreviation(text, offset)) continue;
		if (matchAt(LOWER_CASE, text, afterTags(text, offset))) continue;
		// French puts a space before the closing quote (« Oui ! »), which Unicode moves to the next sentence.
		yield Math.max(offset, endAt(CLOSING_THEN_SPACE, text, offset));
	}
}

function* matchEnds(pattern: RegExp, text: string, start: number, end: number): Generator<number> {
	for (const match of text.slice(start, end).matchAll(pattern)) {
		yield start + match.index + match[0].length;
	}
}

export const lines: CutFinder = (text, start, end) => matchEnds(LINE_BREAKS, text, start, end);
export const clauses: CutFinder = (text, start, end) => matchEnds(CLAUSE_END, text, start, end);
export const numbers: CutFinder = (text, start, end) => matchEnds(AFTER_NUMBER, text, start, end);
export const tagEnds: CutFinder = (text, start, end) => matchEnds(TAG, text, start, end);

/** Korean attaches endings directly to foreign words: NATO는. */
const HANGUL = /\p{Script=Hangul}/u;

/** Spaces, and word ends in scripts that are written without them, by the dictionaries of Intl.Segmenter. */
export function* words(text: string, start: number, end: number): Generator<number> {
	for (const { 0: run, 1: word, index } of text.slice(start, end).matchAll(/(\S*)\s*/g)) {
		const wordStart = start + index;
		const wordEnd = wordStart + word.length;
		// Intl.Segmenter takes microseconds a word, so it runs only where there may be words without spaces between.
		if (UNSPACED.test(word) || HANGUL.test(word)) {
			let afterWord = false;
			for (const part of segmentsOf('word', text, wordStart, wordEnd)) {
				if (afterWord && part.isWordLike) yield part.index;
				afterWord = part.isWordLike === true;
			}
		}
		const next = wordStart + run.length;
		if (next > wordEnd && !clings(text, wordStart, wordEnd, next)) yield next;
	}
}

const LETTER_OR_DIGIT = /[A-Za-z\d]/;

/** Whether a space is no place to cut: an abbreviation or a lone opening mark stands before it, or a lone closing mark behind it. */
function clings(text: string, wordStart: number, wordEnd: number, next: number): boolean {
	if (matchAt(PUNCTUATION_THEN_SPACE, text, next)) return true;
	if (LETTER_OR_DIGIT.test(text.charAt(wordEnd - 1))) return false;
	const isOpening = wordEnd - wordStart === 1 && OPENING_MARK.test(text.charAt(wordStart));
	return isOpening || followsAbbreviation(text, next);
}

/** Places within a run without spaces (`either/or`, an address) that separate no mark from its word. */
export function* wordParts(text: string, start: number, end: number): Generator<number> {
	let previous = '';
	for (const { segment, index } of segmentsOf('word', text, start, end)) {
		if (!STARTS_WITH_CLOSING.test(segment) && !ENDS_WITH_OPENING.test(previous)) yield index;
		previous = segment;
	}
}

/** All edges of words, including those between a word and its punctuation. */
export function* wordEdges(text: string, start: number, end: number): Generator<number> {
	for (const { index } of segmentsOf('word', text, start, end)) yield index;
}

/** Every offset; `cutText` skips the protected ones. */
export function* everywhere(_text: string, start: number, end: number): Generator<number> {
	for (let offset = start; offset < end; offset++) yield offset;
}
