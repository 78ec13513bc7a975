/** Marks of the tools that people write in: Slack, Obsidian, Pandoc, wikis, Aozora. Their words are read, comments are not. */
import { NOTE_LINK } from './toneTags';

/** Slack's `<https://…|words>`, and a channel with its name. */
const NAMED_LINK = /<(?:https?:\/\/|mailto:|tel:|#C)[^\s<>|]{1,1000}\|([^<>|\n]{1,300})>/g;
const MENTION = /[ \t]?<(?:@[UW][A-Z0-9]{5,20}|!(?:here|channel|everyone))>/g;
/** `:tada:`, but no time and no key. */
const EMOJI_NAMES =
	/[ \t]{1,3}(?::(?=[0-9_+-]{0,20}[a-z])[a-z0-9_+-]{2,40}:){1,9}(?=[\s.,;!?)]|$)|^(?::(?=[0-9_+-]{0,20}[a-z])[a-z0-9_+-]{2,40}:){1,9}(?:[ \t]{1,3}|(?=[.,;!?)]|\r?$))/gm;
const HIGHLIGHT = /(?<![\p{L}\p{N}=])==(?![\s=])([^=\n]{1,300})(?<!\s)==(?![\p{L}\p{N}=])/gu;
const COMMENT = /(?:^|(?<!\d)[ \t]|(?<=\n))%%(?!\s?%)[^%]{1,2000}%%(?=\s|$)/g;
const EMBEDDED = /[ \t]?!\[\[[^[\]\n]{1,300}\]\]/g;
/** `{#one}` and `{.note}` at the end of a heading, or behind a link, a bracket or a code span. */
const ATTRIBUTES =
	/(?=\{)(?<=[)\]\u{f0000}-\u{ffffd}])\{[#.][A-Za-z][^{}\n]{0,100}\}|[ \t]{0,3}(?=\{)(?<=^ {0,3}#{1,6}[ \t][^\n]{0,200})\{[#.][A-Za-z][^{}\n]{0,100}\}(?=[ \t#]{0,9}\r?$)/gmu;
const WIKI_HEADING = /^(={2,6})[ \t]{0,9}(?=\S)([^=\n]{0,200}[^=\s])[ \t]{0,9}\1[ \t]*\r?$/gm;
const AOZORA_NOTE = /［＃[^［］\n]{1,200}］/g;

/** Whether a line is a heading of a wiki: `== History ==`. */
export const hasWikiHeading = (text: string): boolean => text.search(WIKI_HEADING) >= 0;

/** Leaves out the marks of tools, and gives headings of a wiki the `#` of Markdown. */
export const withoutToolMarks = (text: string): string =>
	text
		.replace(NAMED_LINK, '$1')
		.replace(MENTION, '')
		.replace(EMOJI_NAMES, '')
		.replace(HIGHLIGHT, '$1')
		.replace(COMMENT, '')
		.replace(EMBEDDED, '')
		.replace(NOTE_LINK, '$2')
		.replace(ATTRIBUTES, '')
		.replace(AOZORA_NOTE, '')
		.replace(
			WIKI_HEADING,
			(_line, marks: string, words: string) => `${'#'.repeat(marks.length)} ${words}`,
		);
