/**
 * Words in brackets: tone tags such as `(happy)`, which the model acts upon and nobody hears, or an aside, which is
 * read aloud. A tag that is read aloud is embarrassing; an aside that is taken for a tag is a lost word. So what is no
 * known tone is spoken, unless the user says that all brackets are for the model.
 */
import { SENTENCE_END } from './boundaries';
import { endAt, matchAt, type Span, UNSPACED } from './characters';
import type { Edit } from './mapped';
import { isPauseMark } from './pauses';
import { isTone } from './tones';

/** What words in brackets are, unless they are known tones: tone tags, or to be read aloud. */
export type Parentheses = 'tags' | 'readAloud';

/** What else makes a tag. */
export interface TagRules {
	/** The text begins behind a speaker's name, where forms of tones count in round brackets, too. */
	isSpeech?: boolean;
	/** The model takes directions in words of one's own: all in square brackets that can be one is a tag. */
	takesDirections?: boolean;
}

/** Up to 60 characters between brackets of one kind. */
const BRACKETS =
	/[(（]([^()（）[\]［］]{1,60})[)）]|(?<!\[)[[［]([^()（）[\]［］<>{}\\^]{1,60})[\]］](?![\]:：(]|\[\d+\])/gu;
const LETTER_MARK_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u;
const BLANK_LINE = /\n\s*\n|\u2029/;

/** One to four words. */
const FEW_WORDS =
	/^\s?[\p{L}\p{M}\p{N}\p{Join_Control}'’-]+(?:[,，、]?\s[\p{L}\p{M}\p{N}\p{Join_Control}'’-]+){0,3}\s?$/u;
/** A word, or one letter of a script in which that can be a word: `[x]` and `[a]` are no tags. */
const WORD = /\p{L}{2}|\p{Lo}/u;
const LINK = /:\/\/|www\.|\S@\S/i;
/** Marks of notes: `[note 1]`, `[nb 2]`. */
const NOTE = /^\s*(?:note|nb|fn|ref|fig)\.?\s*\d+\s*$/i;
/** What may stand between the end of a sentence, or another tag, and a tag. */
const OPENING = /[\s\p{Ps}\p{Pi}"'¿¡]+$/u;
const ENDS = [SENTENCE_END, /[)）\]］]$/u];
/** How far to look back for the end of a sentence, UTF-16 units. */
const REACH = 16;

/**
 * Directly after a letter, brackets are part of the word (`item(s)`, `f(x)`, `list[index]`), unless words are written
 * without spaces.
 */
function isAttached(text: string, at: number): boolean {
	const last = text.charAt(at - 1);
	return LETTER_MARK_OR_DIGIT.test(last) && !UNSPACED.test(last);
}

/** Words in small letters, but no remark of an editor, and no part of a sentence: no article, pronoun or preposition first. */
const FREE_DIRECTION =
	/^(?!(?:sic|citation|emphasis|translat|redact|omitted|inaudible|unclear|crosstalk|the|an?|i|he|she|it|we|they|you|his|her|its|their|our|my|your|this|that|these|those|who|which|in|on|at|of|to|for|from|by|with|as|about|into|over|under|and|or|see)\b)\p{Ll}[\p{Ll}\p{M}\s'’,-]*$/u;

function isSquareTag(content: string, parentheses: Parentheses, rules: TagRules): boolean {
	const words = content.trim();
	if (isTone(words, 'derived')) return true;
	if (rules.takesDirections && WORD.test(words) && FREE_DIRECTION.test(words)) return true;
	return parentheses === 'tags' && areWords(content);
}

const areWords = (content: string) =>
	WORD.test(content) && ![LINK, NOTE].some((other) => other.test(content));

function isBetweenSentences(before: string): boolean {
	const words = before.replace(OPENING, '');
	return words === '' || BLANK_LINE.test(before) || ENDS.some((end) => end.test(words));
}

/**
 * Parentheses are common in prose, so digits, and capitals within a sentence (`my friend (Anna)`),
 * make no tag. One to four other words do. More words make one if they open a sentence with a
 * known tone: `(laughing, but not for long) No!`
 */
function isRoundTag(content: string, before: string, parentheses: Parentheses): boolean {
	if (isTone(content.trim())) return true;
	// Behind a square bracket is the address of a link.
	if (parentheses === 'readAloud' || /\p{N}/u.test(content) || before.endsWith(']')) return false;
	const opensSentence = isBetweenSentences(before);
	if (FEW_WORDS.test(content)) return opensSentence || !/\p{Lu}/u.test(content);
	return opensSentence && isTone(content.trim().split(/[\s\p{P}]+/u, 1)[0]);
}

/**
 * Where the tone tags of a text are: instructions for the words that follow, such as `(happy)` or `[laughs nervously]`.
 * This is the one place that says what a tag is: a known tone or, with `parentheses` = `tags`, what has the shape of
 * one, since tones differ by language and model.
 */
export function toneTags(text: string, parentheses: Parentheses, rules: TagRules = {}): Span[] {
	/** Where the tags end that a speech begins with. */
	let opening = rules.isSpeech ? 0 : -1;
	return [...text.matchAll(BRACKETS)].flatMap(({ 0: tag, 1: round, 2: square, index }) => {
		const before = text.slice(Math.max(0, index - REACH), index);
		const isPartOfWord = !/[（［]/.test(tag) && isAttached(text, index);
		if (isPartOfWord || isPauseMark(tag) || BLANK_LINE.test(tag)) return [];
		const isOpening = opening >= 0 && text.slice(opening, index).trim() === '';
		const isTag =
			round === undefined
				? isSquareTag(square, parentheses, rules)
				: isRoundTag(round, before, parentheses) || (isOpening && isTone(round.trim(), 'derived'));
		opening = isTag && isOpening ? index + tag.length : -1;
		return isTag ? [{ start: index, end: index + tag.length }] : [];
	});
}

/** Parentheses that have the shape of a tone tag, but no known tone words: a model may take them for tags. */
export const untonedTags = (text: string): string[] =>
	[...text.matchAll(BRACKETS)]
		.filter(
			({ 1: round = '', index }) =>
				!isAttached(text, index) && FEW_WORDS.test(round) && !isTone(round.trim()),
		)
		.map(([tag]) => tag);

/** What is read aloud, but stands where a tone tag would: all in square brackets, parentheses between sentences. */
export const spokenTags = (text: string, tags: Span[]): string[] => {
	const sent = new Set(tags.map(({ start }) => start));
	return toneTags(text, 'tags').flatMap(({ start, end }) => {
		const tag = text.slice(start, end);
		const isSquare = /^[[［]/.test(tag);
		const before = text.slice(Math.max(0, start - REACH), start);
		const content = tag.slice(1, -1).trim();
		const isSpoken = areWords(content) && !sent.has(start);
		return isSpoken && (isSquare || isBetweenSentences(before)) ? [tag] : [];
	});
};

/** A text of the same length, with `X` for all in tags but white space: nothing there ends a word, a clause or a sentence. */
export function maskTags(text: string, tags: Span[]): string {
	let masked = '';
	for (const { start, end } of tags) {
		const content = text.slice(start + 1, end - 1).replace(/\S/g, 'X');
		masked += text.slice(masked.length, start + 1) + content;
	}
	return masked + text.slice(masked.length);
}

const NO_SPACE_BEFORE = /[,.;:!?…\s]/;
const isSpaceOrTab = (character: string) => character === ' ' || character === '\t';
const isSpacedLetter = (character: string) =>
	/[\p{L}\p{N}]/u.test(character) && !UNSPACED.test(character);

/** The text to show: without tags and emphasis around them, and without the spaces that only they needed. */
export function withoutTags(text: string, tags: Span[]): string {
	const words: string[] = [];
	let from = 0;
	let last = '';
	for (const tag of tags) {
		let { start, end } = tag;
		while (
			start > from &&
			/[*_]/.test(text.charAt(end)) &&
			text.charAt(start - 1) === text.charAt(end)
		) {
			start--;
			end++;
		}
		while (start > from && isSpaceOrTab(text.charAt(start - 1))) start--;
		while (isSpaceOrTab(text.charAt(end))) end++;
		if (start > from) {
			words.push(text.slice(from, start));
			last = text.charAt(start - 1);
		}
		from = end;
		const next = text.charAt(end);
		const isSpaced = end - start > tag.end - tag.start;
		const joins = isSpaced || (isSpacedLetter(last) && isSpacedLetter(next));
		if (joins && last.trim() !== '' && next !== '' && !NO_SPACE_BEFORE.test(next)) {
			words.push(' ');
			last = ' ';
		}
	}
	return [...words, text.slice(from)].join('');
}

/** Needs no comma before it: punctuation, the end of a line, another bracket. */
const CLOSES = /^$|[\n\r(（[［\p{Pe}\p{Pf}\p{Pd}.,;:!?…。，、；：！？"'”’]/u;
/** Needs no comma after it. */
const OPENS = /^$|[\n\r\p{Ps}\p{Pi}\p{Pd}.,;:!?…。，、；：！？"'“‘¿¡]/u;
const SENTENCE_PUNCTUATION = /[.!?…。！？]/;
/** A suffix, as in `item(s)` or `Lehrer(innen)`; any other brackets behind a letter are code or a formula, as in `f(x)`. */
const BRACKETED_SUFFIX =
	/^(?:e?s|ies|ed|ing|r|r?in|r?innen|e|en|er|n|ne|nes|a|o|as|os|\p{Script=Cyrillic}{1,4}|\p{Script=Greek}{1,4})$/u;
/** Two or more words, as in `London(see the map)`. */
const PROSE = /^\p{L}{2,}(?:[,;:]?\s\p{L}[\p{L}'’-]+)+[.!?]?$/u;
const FORMULA = /[=+*^<>|\\_{}]/;
const OPERATOR_BEFORE = /[=+*/^×·÷√]\s?$/;
const OPERATOR_AFTER = /\s?[=+*/^×·÷²³]/y;
const BLANK_CHARACTERS = /[ \t\u00a0]*/y;
/** How much of the content is looked at, UTF-16 units. */
const CONTENT_REACH = 100;

/** Square brackets around words: no link, footnote mark or code. Up to 1,000 characters. */
const SQUARE = /(?<![[!])[[［]([^[\]［］<>{}\\^]{1,1000})[\]］](?![\]:：(]|\[\d+\])/gu;
/** The beginning of a word, as in `[T]he` or `(un)happy`. */
const PREFIX = /^[\p{L}\p{M}]{1,8}$/u;

/** Pairs of brackets to read aloud: all parentheses, in the order in which they close, and square brackets around words. */
function pairs(text: string): Array<[open: number, close: number]> {
	const opened: number[] = [];
	const round = [...text.matchAll(/[()（）]/g)].flatMap(
		({ 0: bracket, index }): Array<[number, number]> => {
			if (bracket === '(' || bracket === '（') {
				opened.push(index);
				return [];
			}
			const open = opened.pop();
			const isLink = open !== undefined && text.charAt(open - 1) === ']';
			return open === undefined || isLink ? [] : [[open, index]];
		},
	);
	const square = [...text.matchAll(SQUARE)].flatMap(
		({ 0: whole, 1: content, index }): Array<[number, number]> => {
			const close = index + whole.length - 1;
			const isPrefix = PREFIX.test(content) && LETTER_MARK_OR_DIGIT.test(text.charAt(close + 1));
			if (isAttached(text, index) || isPauseMark(whole) || BLANK_LINE.test(content)) return [];
			return areWords(content) || isPrefix ? [[index, close]] : [];
		},
	);
	return [...round, ...square];
}

/** A link to another note, with other words for it: `[[Anna]]`, `[[People/Anna|her]]`. */
export const NOTE_LINK =
	/(?<![[!\p{L}\p{N}])(\[\[(?:\p{L}[^[\]|\n]{0,200}\|)?)(?=\p{L})([^[\]{}|=<>\\\n]{1,200})\]\](?![\](])/gu;

const noteLinks = (text: string): Edit[] =>
	[...text.matchAll(NOTE_LINK)].flatMap(({ 1: opening, 2: words, index }) => {
		const end = index + opening.length + words.length;
		return [
			{ start: index, end: index + opening.length, text: '' },
			{ start: end, end: end + 2, text: '' },
		];
	});

/**
 * Replaces parentheses, and square brackets around words, with commas, except `tags`, since a model may not speak what is
 * in brackets: `The ship (a brig) sank.` becomes `The ship, a brig, sank.` Suffixes join
 * their word (`item(s)`); calls, formulas and indexes stay (`f(x)`). Of links to notes, the words are read.
 */
export function readBracketsAloud(text: string, tags: Span[]): Edit[] {
	const sent = new Set(tags.map(({ start }) => start));
	const beforeSpaces = (at: number) => {
		while (/[ \t\u00a0]/.test(text.charAt(at - 1))) at--;
		return at;
	};
	const edits = pairs(text).flatMap(([open, close]): Edit[] => {
		const content = text.slice(open + 1, Math.min(close, open + CONTENT_REACH)).trim();
		if (sent.has(open) || isTone(content)) return [];
		const wide = /[（［]/.test(text.charAt(open));
		const after = text.charAt(close + 1);
		const replaced = (opening: string, closing: string, start = open, last = close) => [
			{ start, end: open + 1, text: opening },
			{ start: last, end: close + 1, text: closing },
		];
		if (!LETTER_MARK_OR_DIGIT.test(content) && close - open < CONTENT_REACH) return [];
		const isInFormula =
			FORMULA.test(content) ||
			OPERATOR_BEFORE.test(text.slice(Math.max(0, open - 2), open)) ||
			matchAt(OPERATOR_AFTER, text, close + 1);
		if (isInFormula) return [];
		if (!wide && isAttached(text, open)) {
			const isSuffix =
				BRACKETED_SUFFIX.test(content) && LETTER_MARK_OR_DIGIT.test(text.charAt(open - 2));
			if (!isSuffix && !PROSE.test(content)) return [];
			return isSuffix
				? replaced('', '')
				: replaced(' ', LETTER_MARK_OR_DIGIT.test(after) ? ' ' : '');
		}
		// `[T]he`, but not `[Host]Welcome`.
		const isPrefix = PREFIX.test(content) && !/^\p{L}{2,}\p{Lu}/u.test(content + after);
		if (!wide && isPrefix && isSpacedLetter(after)) return replaced('', '');
		const start = beforeSpaces(open);
		const last = beforeSpaces(close);
		const opensClause = OPENS.test(text.charAt(start - 1));
		const endsClause =
			CLOSES.test(text.charAt(endAt(BLANK_CHARACTERS, text, close + 1))) ||
			SENTENCE_PUNCTUATION.test(text.charAt(last - 1));
		const comma = wide ? '，' : ', ';
		return replaced(
			opensClause ? '' : comma,
			endsClause ? '' : /[ \t\u00a0]/.test(after) ? comma.trim() : comma,
			opensClause ? open : start,
			last,
		);
	});
	return [...edits, ...noteLinks(text)].sort((a, b) => a.start - b.start);
}
