/**
 * A text without what models and programs put around it and into it, in this order: a model's tokens and thoughts, tags
 * around all, escapes, letters that only look like letters, a fence around all; then its format is recognised, and within it
 * the marks of formulas, sources and tools are left out. What the user has set to be plain, or subtitles, stays as it is.
 */
import { beginningOf } from './characters';
import { foreignIn } from './cues';
import { CODE_FENCES, isCode, outside, CODE_SPANS } from './code';
import { withoutEscapes, withoutTelegramEscapes } from './escapes';
import { withoutFence } from './fences';
import { formatOf, isElement, type TextFormat, type TextFormatOption } from './format';
import { readFormulas } from './formulas';
import { plainLetters } from './letters';
import { withoutSources } from './sources';
import { withoutThoughts, withoutTokens } from './thoughts';
import { TIDYING } from './tidy';
import { isTone } from './tones';
import { hasWikiHeading, withoutToolMarks } from './toolMarks';

/** A text to be read in its format. */
export interface ReceivedText {
	text: string;
	format: TextFormat;
	/** What was left out or resolved, as a hint names it. */
	changed: string[];
	/** Words that were left out. */
	leftOut: string;
}

/** What is done to a text, and what a hint calls that; without a name, no hint is needed. */
export type TextStep = [name: string | undefined, edit: (text: string) => string];

const TAGS_AROUND = /^\s*<([a-z][\w-]{0,40})(?:\s[^<>]{0,500})?>([^]*)<\/\1\s*>\s*$/i;
const MOST_WRAPPERS = 3;

/** The text between pairs of tags around all of it that no page has; `<script>` only if no program stands in it. */
function withoutWrapper(source: string, isSpeaker: (name: string) => boolean): string {
	let text = source;
	for (let n = 0; n < MOST_WRAPPERS; n++) {
		const [, name, content] = TAGS_AROUND.exec(text) ?? [];
		if (name === undefined || isSpeaker(name) || foreignIn(text)) break;
		const isScript = name.toLowerCase() === 'script' && !isCode('', content);
		const isAgainWithin = new RegExp(`</?${name}[\\s>]`, 'i').test(content);
		if (isAgainWithin || (isElement(name) && !isScript)) break;
		text = content.trim();
	}
	return text;
}

const LONE_TAG = /<([a-z][a-z -]{1,30})>/gi;
/** `<laughs>` alone is that tone. */
function withTones(text: string): string {
	const closed = new Set(
		Array.from(text.matchAll(/<\/([a-z][a-z -]{1,30})>/gi), ([, name]) => name),
	);
	return text.replace(LONE_TAG, (tag, name: string) =>
		isElement(name) || closed.has(name) || !isTone(name) ? tag : `(${name})`,
	);
}

const outsideSpans = (edit: (text: string) => string) => (text: string) =>
	outside(text, [CODE_SPANS], edit);
const outsideCode = (edit: (text: string) => string) => (text: string) =>
	outside(text, [CODE_FENCES, CODE_SPANS], edit);

/** What models and programs leave in a text, whatever its format. */
const aroundSteps = (isSpeaker: (name: string) => boolean): TextStep[] => [
	["a model's tokens", outsideSpans(withoutTokens)],
	["a model's thoughts", outsideSpans(withoutThoughts)],
	['tags around the text', (text) => withoutWrapper(text, isSpeaker)],
	['tags of tones', outsideSpans(withTones)],
	['escapes such as \\n', withoutEscapes],
	['letters that only look like letters', plainLetters],
];

/** What is no word within a text. */
const WITHIN: TextStep[] = [
	['marks of formulas', outsideCode(readFormulas)],
	['marks that refer to sources', outsideCode(withoutSources)],
	['marks of the tool it was written in', outsideCode(withoutToolMarks)],
];

const MOST_QUOTED = 60;

/** A line of words, as most rows of a table are: no rule but that of `citeturn0search1` finds anything in it. */
const ORDINARY_LINE = /^(?!.*turn\d)[A-Za-zÀ-ɏ][A-Za-z0-9À-ɏ ,.;!?'’"“”„…–-]*$/;

/** Reads what is around a text, and the marks in it. `isSpeaker`: whether a name is that of a speaker of a script. */
export function received(
	source: string,
	option: TextFormatOption,
	isSpeaker: (name: string) => boolean = () => false,
): ReceivedText {
	const changed: string[] = [];
	if (option === 'automatic' && ORDINARY_LINE.test(source))
		return { text: source, format: 'plain', changed, leftOut: '' };
	let text = source;
	const take = (steps: TextStep[]) => {
		for (const [name, edit] of steps) {
			const before = text;
			text = edit(before);
			if (text !== before && name) changed.push(name);
		}
	};
	const isFree = option === 'automatic';
	if (isFree) take(aroundSteps(isSpeaker));
	const fence = isFree || option === 'markdown' ? withoutFence(text) : undefined;
	if (fence) {
		text = fence.text;
		if (fence.around !== '')
			changed.push(`words around the text ("${beginningOf(fence.around, MOST_QUOTED)}")`);
	}
	let format = isFree ? (fence?.isMarkdown ? 'markdown' : formatOf(text)) : option;
	if (isFree && format === 'plain' && hasWikiHeading(text)) format = 'markdown';
	const isPlain = isFree && format === 'plain';
	if (isPlain || format === 'markdown') take(WITHIN);
	if (isPlain) take([['backslashes', outsideCode(withoutTelegramEscapes)], ...TIDYING]);
	return { text, format, changed, leftOut: fence?.around ?? '' };
}
