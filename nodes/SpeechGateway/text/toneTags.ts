import { SENTENCE_END } from './boundaries';
import { type Span, UNSPACED } from './characters';
import { isPauseMark } from './pauses';
import { isTone } from './tones';

export type Parentheses = 'tags' | 'readAloud';

/** Up to 60 characters between brackets of one kind. */
const BRACKETS =
	/[(（]([^()（）[\]［］]{1,60})[)）]|(?<!\[)[[［]([^()（）[\]［］<>{}\\^]{1,60})[\]］](?![\]:：(]|\[\d+\])/gu;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
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

/** Directly after a letter, brackets are part of the word (`item(s)`, `f(x)`, `list[index]`), unless words are written without spaces. */
function isAttached(text: string, at: number): boolean {
	const last = text.charAt(at - 1);
	return LETTER.test(last) && !UNSPACED.test(last);
}

function isSquareTag(content: string): boolean {
	return WORD.test(content) && ![LINK, NOTE].some((other) => other.test(content));
}

/**
 * Parentheses are common in prose, so digits, and capitals within a sentence (`my friend (Anna)`), make no tag. One to four other
 * words do. More words make one if they open a sentence with a known tone: `(laughing, but not for long) No!`
 */
function isRoundTag(content: string, before: string, parentheses: Parentheses): boolean {
	if (isTone(content.trim())) return true;
	if (parentheses === 'readAloud' || /\p{N}/u.test(content)) return false;
	const words = before.replace(OPENING, '');
	const opensSentence =
		words === '' || BLANK_LINE.test(before) || ENDS.some((end) => end.test(words));
	if (FEW_WORDS.test(content)) return opensSentence || !/\p{Lu}/u.test(content);
	return opensSentence && isTone(content.trim().split(/[\s\p{P}]+/u, 1)[0]);
}

/**
 * Where the tone tags of a text are: instructions for the words that follow, such as `(happy)` or `[laughs nervously]`. This is the
 * one place that says what a tag is. Tones differ by language and model, so most go by shape.
 */
export function toneTags(text: string, parentheses: Parentheses = 'tags'): Span[] {
	return [...text.matchAll(BRACKETS)].flatMap(({ 0: tag, 1: round, 2: square, index }) => {
		const before = text.slice(Math.max(0, index - REACH), index);
		const isPartOfWord = !/[（［]/.test(tag) && isAttached(text, index);
		if (isPartOfWord || isPauseMark(tag) || BLANK_LINE.test(tag)) return [];
		const isTag =
			round === undefined ? isSquareTag(square) : isRoundTag(round, before, parentheses);
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

/** The text of the same length in which nothing within a tag ends a word, a clause or a sentence. */
export function maskTags(text: string, tags: Span[]): string {
	let masked = '';
	for (const { start, end } of tags) {
		const content = text.slice(start + 1, end - 1).replace(/\S/g, 'X');
		masked += text.slice(masked.length, start + 1) + content;
	}
	return masked + text.slice(masked.length);
}

const NO_SPACE_BEFORE = /[,.;:!?…\s]/;
const isBlank = (character: string) => character === ' ' || character === '\t';
const isSpacedLetter = (character: string) =>
	/[\p{L}\p{N}]/u.test(character) && !UNSPACED.test(character);

/** The text to show: without tags, and without the spaces that only they needed. */
export function withoutTags(text: string, tags: Span[]): string {
	const shown: string[] = [];
	let from = 0;
	let last = '';
	for (const tag of tags) {
		let { start, end } = tag;
		while (start > from && isBlank(text.charAt(start - 1))) start--;
		while (isBlank(text.charAt(end))) end++;
		if (start > from) {
			shown.push(text.slice(from, start));
			last = text.charAt(start - 1);
		}
		from = end;
		const next = text.charAt(end);
		const isSpaced = end - start > tag.end - tag.start;
		const joins = isSpaced || (isSpacedLetter(last) && isSpacedLetter(next));
		if (joins && last.trim() !== '' && next !== '' && !NO_SPACE_BEFORE.test(next)) {
			shown.push(' ');
			last = ' ';
		}
	}
	return [...shown, text.slice(from)].join('');
}
