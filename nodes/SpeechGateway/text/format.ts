import { letters } from './characters';
import { isSubtitleFile } from './cues';
import { SSML_ELEMENT } from './html';
import { looksLikeCode } from './code';
import { NAMED_SOURCE } from './sources';

/** The formats that a text can have; see `formatOf`. */
export type TextFormat = 'plain' | 'markdown' | 'html' | 'subtitles';
/** What the user has set; `automatic`: the marks of the text tell. */
export type TextFormatOption = 'automatic' | TextFormat;

/**
 * A heading, a fence, the second row of a table, a link, the address of one, a footnote, or where a chat model shows a
 * source.
 */
const CERTAIN_MARKDOWN = [
	/^ {0,3}#{1,6}[ \t]+\S/m,
	/^[^\s=][^\n]{0,100}\n={3,}[ \t]*$/m,
	/^ {0,3}```[^`\n]{0,100}$/m,
	/^ {0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|){1,99}[ \t:|-]{0,99}$/m,
	/\[[^[\]\n]{1,300}\]\(<?(?:(?:https?|mailto|tel):|\.{0,2}\/|#|www\.|[\w%-]{1,60}(?:\/|\.(?:md|html?|pdf|png|jpe?g|gif|svg|webp)\b))[^\s()]{0,500}/i,
	/^ {0,3}\[[^[\]\n]{1,100}\]:[ \t]+<?https?:/m,
	/^ {0,3}\[\^[^\s\]]{1,100}\]:[ \t]+\S/m,
	NAMED_SOURCE,
];
/** Two kinds of these: bold, bullets, quotes, code, struck out, footnotes, boxes to tick. */
const LIKELY_MARKDOWN = [
	/(?<![*\w])\*\*[^\s*][^*\n]{0,200}\*\*(?![*\w])/,
	/^ {0,3}[-*+][ \t]+\S.{0,1000}\n+ {0,3}[-*+][ \t]+\S/m,
	/^ {0,3}>[ \t]+\S/m,
	/(?<!`)`[^`\n]{1,100}`(?!`)/,
	/~~[^\s~][^~\n]{0,200}~~/,
	/\[\^[^\s\]]{1,100}\]/,
	/^ {0,3}[-*+][ \t]+\[[ xX]\][ \t]/m,
];

/**
 * Bold that CommonMark would take for it, but nothing that stands in programs: `a**b**c`, `x**2 + y**2`, `f(**a) +
 * g(**b)`, globs.
 */
const BOLD =
	/(?<![*\\]|\d)(?<!\w(?=\*{2,3}[^*\n]{1,300}\*{2,3}\w))\*{2,3}(?=[\p{L}\p{N}\p{Ps}\p{Pi}\p{Sc}\p{Extended_Pictographic}"'#@¿¡])[^*\n]{0,300}(?:[^\s*\p{P}\p{S}]\*{2,3}|[^\s*]\*{2,3}(?=[\s\p{P}]|$))(?![*\d])/mu;
/** At least two items, one of which has emphasis. */
const MARKED_ITEM =
	/^ {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+(?:[^\n]{0,300}[\s(“"])?([*_])[^\s*_](?:[^*_\n]{0,300}[^\s*_])?\1(?=[\s.,;:!?)]|$)/m;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+\S/gm;
const CODE_SPAN = /(?<![`\w])`[^\s`](?:[^`\n]{0,100}[^\s`])?`(?![`\w])/g;
/** Escaped marks around words, within a name, and at the start of a line. */
const ESCAPED =
	/(?<!\w)\\([*_~`])(?=[^\s\\])[^\\\n]{1,300}\\\1|\w\\_\w|^ {0,3}(?:\\[-+*#>][ \t]|\d{1,9}\\[.)][ \t])|\\&(?=#?\w{1,31};)/m;
/** Formulas, paths and patterns have backslashes, too. */
const BACKSLASH_WORD = /\\[a-z\d([{]|:\\/i;

/** Whether a line has a code span among words: "Run `npm test` before you push." has, "SELECT `id` FROM `users`;" has not. */
function hasCodeAmongWords(source: string): boolean {
	return source.split('\n').some((line) => {
		const rest = line.replace(CODE_SPAN, ' ');
		if (rest === line || /[=;{}<>$|\\`]/.test(rest)) return false;
		const words = rest.match(/\p{Ll}{2,}|\p{Lo}{2,}/gu)?.length ?? 0;
		return words > 2 || (words > 1 && /[.!?:,。！？：，]\s*$|\p{Lo}/u.test(rest));
	});
}

/** Marks of which one is enough, unless in a program. */
const hasMarkdown = (source: string): boolean =>
	BOLD.test(source) ||
	hasCodeAmongWords(source) ||
	(MARKED_ITEM.test(source) && (source.match(ITEM)?.length ?? 0) > 1) ||
	(ESCAPED.test(source) && !BACKSLASH_WORD.test(source));

/** Markdown may begin with a tag: `<details>`. */
const hasBoldBehindBlank = (source: string): boolean => {
	const blank = /\n[ \t]*\n/.exec(source);
	return blank !== null && BOLD.test(source.slice(blank.index));
};

const FRONT_MATTER =
	/^(?:\uFEFF)?---[ \t]*\r?\n((?:[^\n]*\n){1,200}?)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const FRONT_MATTER_LINE = /^(?:[\w-]{1,60}:(?:\s.*)?|[ \t].*|-\s.*|#.*|)$/;

/** Where the front matter of a document ends; 0 if it has none. */
export function frontMatterEnd(source: string): number {
	const matter = FRONT_MATTER.exec(source);
	const isMatter = matter?.[1]
		.split(/\r?\n/)
		.every((line, i) => (i === 0 ? /^[\w-]{1,60}:/ : FRONT_MATTER_LINE).test(line));
	return matter && isMatter ? matter[0].length : 0;
}

/** Elements of pages, feeds and emails. A name in angle brackets that is not among them is text. */
const ELEMENT =
	'(?:a|abbr|address|article|aside|audio|b|big|blockquote|body|br|button|caption|center|cite|code|dd|del|details|div|dl|dt|em|' +
	'figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|mark|meta|nav|ol|p|' +
	'picture|pre|q|rp|rt|ruby|s|samp|script|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|think|' +
	'thinking|time|title|tr|tt|u|ul|video)';
const ELEMENT_NAME = new RegExp(`^${ELEMENT}$`, 'i');
/** Whether HTML or SSML has an element of this name. */
export const isElement = (name: string): boolean =>
	ELEMENT_NAME.test(name) || SSML_ELEMENT.test(name);
const BEFORE_TAG = '^\\s*(?:<\\?xml[^<>]{0,200}\\?>\\s*)?(?:<!--[^]{0,5000}?-->\\s*)?';
const PAGE = new RegExp(`${BEFORE_TAG}<(?:!doctype\\s|html[\\s>]|head[\\s>]|body[\\s>])`, 'i');
const OPENING_TAG = new RegExp(`${BEFORE_TAG}<${ELEMENT}(?:\\s[^<>]{0,2000})?/?>`, 'i');
const CLOSING_TAG = new RegExp(`</${ELEMENT}\\s*>`, 'gi');
/** A pair of tags around words, or a line break behind some. */
const TAG_AMONG_WORDS =
	/<(a|abbr|b|big|cite|code|del|em|font|i|ins|kbd|mark|q|ruby|small|span|strike|strong|sup|tt|u)(?:\s[^<>]{0,500})?>[^<>]{1,500}<\/\1\s*>|[^\s>][ \t]*<br\s*\/?>/i;
const SSML = new RegExp(`${BEFORE_TAG}<speak[\\s>]`, 'i');

/**
 * The format that a text is written in, told by marks that plain text does not have. Markdown: a heading, a fence, a
 * table, a link, two kinds of its other marks, or one in which no program, price or formula is alike (bold, code
 * among words, emphasis in a list, escapes). HTML: it begins with a tag, has two closing tags, or a tag among words;
 * a whole page is HTML whatever is in it. Subtitles: a file of cues. Anything else is plain, SSML included: single
 * stars, underscores and angle brackets say nothing.
 */
export function formatOf(text: string): TextFormat {
	if (isSubtitleFile(text)) return 'subtitles';
	if (SSML.test(text)) return 'plain';
	let source = text.replace(/^\uFEFF|\r(?=\n)/g, '');
	// Some feeds escape their tags.
	if (source.includes('&lt;/')) source = source.replace(/&lt;/g, '<').replace(/&gt;/g, '>');
	if (PAGE.test(source)) return 'html';
	const isLikely = () =>
		LIKELY_MARKDOWN.filter((mark) => mark.test(source)).length +
			Math.sign(frontMatterEnd(source)) >=
		2;
	if (CERTAIN_MARKDOWN.some((mark) => mark.test(source)) || isLikely()) return 'markdown';
	const closing = source.match(CLOSING_TAG)?.length ?? 0;
	if (closing >= 2 || OPENING_TAG.test(source))
		return hasBoldBehindBlank(source) ? 'markdown' : 'html';
	if (looksLikeCode(source)) return 'plain';
	if (hasMarkdown(source)) return 'markdown';
	return TAG_AMONG_WORDS.test(source) ? 'html' : 'plain';
}

const FORMAT_NOTES: Record<Exclude<TextFormat, 'plain'>, string> = {
	markdown: 'The text was read as Markdown: its markup was left out.',
	html: 'The text was read as HTML: its markup was left out.',
	subtitles:
		'The text was read as subtitles: its words are spoken at their times, without numbers, markup, music and sounds.',
};

/** From this share of the letters, a hint says how many were left out. */
const MANY_LEFT_OUT = 0.1;

/**
 * The hint on how a text was read: in which format, if nobody has set that, what was left out, and how much of it.
 * `leftOut`: letters that would have been heard; of `spoken`, the words that are.
 */
export function readingHint(
	format: TextFormat,
	option: TextFormatOption,
	changed: string[],
	leftOut: { letters: number; spoken: string },
): string[] {
	const readAs = option === 'automatic' && format !== 'plain' ? [FORMAT_NOTES[format]] : [];
	const share =
		leftOut.letters === 0 ? 0 : leftOut.letters / (leftOut.letters + letters(leftOut.spoken));
	const much = share > MANY_LEFT_OUT ? `${Math.round(100 * share)} % of the letters` : '';
	const names = [...new Set(changed)].join('; ');
	const all = [...readAs];
	if (names) all.push(`Left out or resolved: ${names}${much && `, ${much}`}.`);
	else if (much) all.push(`${much} were left out.`);
	if (readAs.length > 0 || names)
		all.push('If it is to be spoken as it stands, set "Text Format" to "Plain Text".');
	return all.length > 0 ? [all.join(' ')] : [];
}
