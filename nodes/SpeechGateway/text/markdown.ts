/**
 * Markdown as markdown-it reads it (CommonMark, tables, strikethrough), rendered to HTML that `html.ts` reads: one
 * reader decides for both what is said. What is added here is what people and chat models write beyond the standard:
 * footnotes, callouts, boxes of tasks, `•` as a bullet, poems and drafts in fences.
 */
import {
	type Env as LibraryEnv,
	MarkdownIt,
	type StateCore,
	type Token,
} from '../libraries/markdownIt';
import { isCode } from './code';
import { isMarkdownInfo } from './fences';
import { formatOf, frontMatterEnd } from './format';
import { readPage } from './html';
import { Reading, type ReadText } from './reading';

/** The mark of a footnote: `[^note]`; also as the words of a link. */
const FOOTNOTE_REFERENCE = /\[\^[^\s\]]{1,100}\]/g;
const MARK_IN_LINK = /^\^\S{1,100}$/;

/** GitHub's `> [!NOTE]`, also with a title. */
const CALLOUT = /^\[!([A-Za-z][\w-]{0,30})(?:\|[^\]\n]{0,60})?\][+-]?[ \t]*([^\n]{0,300})(?:\n|$)/;
const TASK_BOX = /^\[[ xX]\]\s/;
/** A line such as `Created: 12 May` or `**Tags:** travel`, which stays apart from the line before it. */
const LABEL_LINE = /^\p{Lu}[\p{L}\p{N} ]{0,30}:[ \t]+\S/u;
/** The address of a badge, as in READMEs. */
const BADGE = /badge|shields\.io|travis-ci|codecov|coveralls|badgen/i;
/** One tilde on each side, as GitHub has it; the library knows two. */
const STRUCK = /(?<!~)~(?=[^\s~])([^~\n]{1,300})(?<=\S)~(?!~)/g;
/** Bullets of word processors and chats. */
const BULLETS = /^([ \t>]{0,40})[•◦▪‣●○▸►](?=[ \t])/gm;

/** More marks of quotations and lists at the start of a line than anybody means; the library nests an element for each. */
const DEEP = /^((?:[ \t]{0,3}[>*+-][ \t]?){100})[>*+\- \t]+/gm;

/** Whether an indented block is prose. */
function looksLikeProse(text: string): boolean {
	const letters = text.replace(/[^\p{L}\p{M}\s]/gu, '').length;
	return (
		letters > text.length * 0.9 &&
		/\p{L}{2}[^\n]*[.!?…。！？]["”’»)]?\s*(?:\n|$)/u.test(text) &&
		!/[{}=\\]|[;:]\s*$|\(\)|^\s*(?:\$|#|\/\/)/m.test(text)
	);
}

/** What is known of a document while it is read. */
interface Env extends LibraryEnv {
	reading: Reading;
	/** Markdown in a fence is read; in that, a fence is read as it stands. */
	isInFence: boolean;
}

const envOf = (state: { env: LibraryEnv }): Env => state.env as Env;

/** Beyond `maxNesting`, words are lost; the library's own limit is 100. */
const markdown = new MarkdownIt({ html: true, maxNesting: 1000 });
// Links are read, not followed: of one that is refused (`javascript:`), the address would be spoken.
markdown.validateLink = () => true;
markdown.normalizeLink = (address) => address;

/** `[^1]: A footnote.`, with the lines and indented paragraphs that belong to it: left out. */
markdown.block.ruler.before(
	'reference',
	'footnote',
	(state, startLine, endLine, silent) => {
		const textOf = (line: number) =>
			state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]);
		if (!/^\[\^[^\]\s]{1,100}\]:/.test(textOf(startLine))) return false;
		if (silent) return true;
		let line = startLine + 1;
		let isAfterBlank = false;
		for (; line < endLine; line++) {
			if (state.isEmpty(line)) isAfterBlank = true;
			else if (isAfterBlank && state.sCount[line] < state.blkIndent + 2) break;
		}
		state.line = line;
		const note = state.src.slice(state.bMarks[startLine], state.eMarks[line - 1]);
		envOf(state).reading.leaveOut('footnotes', note);
		return true;
	},
	{ alt: [] },
);

/** Boxes of tasks are not read; a callout begins with its title or, if it has none, with its kind ("Note"). */
markdown.core.ruler.before('inline', 'callouts', (state: StateCore) => {
	state.tokens = state.tokens.flatMap((token, at, tokens): Token[] => {
		if (token.type !== 'inline') return [token];
		if (tokens[at - 2]?.type === 'list_item_open')
			token.content = token.content.replace(TASK_BOX, '');
		const callout = tokens[at - 1]?.type === 'paragraph_open' ? CALLOUT.exec(token.content) : null;
		if (!callout) return [token];
		const [mark, kind, title] = callout;
		const titleToken = new state.Token('inline', '', 0);
		titleToken.content = title.trim() || kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase();
		titleToken.children = [];
		token.content = token.content.slice(mark.length);
		return [tagToken(state, '<summary>'), titleToken, tagToken(state, '</summary>'), token];
	});
});

function tagToken(state: StateCore, content: string): Token {
	const token = new state.Token('html_block', '', 0);
	token.content = content;
	return token;
}

/** Before escaped characters become text: `\[1\]` is no source mark. */
markdown.core.ruler.before('text_join', 'marks', (state: StateCore) => {
	for (const token of state.tokens) if (token.children) readMarks(token.children, envOf(state));
});

/** Takes footnote marks out of a paragraph, and separates its lines where need be. */
function readMarks(tokens: Token[], env: Env): void {
	tokens.forEach((token, at) => {
		const { type, content } = token;
		const words = tokens[at + 1];
		if (type === 'link_open' && words?.type === 'text' && MARK_IN_LINK.test(words.content)) {
			env.reading.leaveOut('footnotes');
			words.content = '';
		} else if (type === 'text') {
			token.content = content
				.replace(FOOTNOTE_REFERENCE, () => {
					env.reading.leaveOut('footnotes');
					return '';
				})
				.replace(STRUCK, '$1');
		} else if (type === 'softbreak') {
			if (LABEL_LINE.test(lineBehind(tokens, at))) token.type = 'hardbreak';
		}
	});
}

/** The beginning of the line behind a line break, as far as it shows whether it is a label. */
function lineBehind(tokens: Token[], at: number): string {
	let line = '';
	for (let n = at + 1; n < tokens.length && line.length < 80; n++) {
		if (tokens[n].type.endsWith('break')) break;
		line += tokens[n].content;
	}
	return line;
}

const { escapeHtml } = markdown.utils;

/** Code is left out, with a hint; other blocks are read, line by line or, as models write a text, as Markdown. */
const preformatted =
	(isProse: (info: string, content: string) => boolean) =>
	(tokens: Token[], at: number, _options: unknown, env: LibraryEnv): string => {
		const { content, info } = tokens[at];
		const { reading, isInFence } = env as Env;
		if (content.trim() === '') return '';
		if (!isProse(info, content)) {
			reading.leaveOut('code');
			return '';
		}
		const isMarkdown = isMarkdownInfo(info) || (!isPlain(info) && formatOf(content) === 'markdown');
		if (isMarkdown && !isInFence) return markdown.render(content, { reading, isInFence: true });
		return `<pre>\n${escapeHtml(content)}</pre>\n`;
	};
const isPlain = (info: string): boolean => /^\s*(?:text|txt|plain|plaintext)\b/i.test(info);
Object.assign(markdown.renderer.rules, {
	fence: preformatted((info, content) => !isCode(info, content)),
	code_block: preformatted((_info, content) => looksLikeProse(content)),
});

markdown.renderer.rules.image = (tokens, at, options, env, renderer) => {
	const { children } = tokens[at];
	const alt = renderer.renderInlineAsText(children ?? [], options, env);
	if (!BADGE.test(String(tokens[at].attrGet('src')))) return `<img alt="${escapeHtml(alt)}">`;
	if (alt !== '') (env as Env).reading.leaveOut('images');
	return '';
};

// Comments, declarations and processing instructions.
markdown.renderer.rules.html_inline = (tokens, at) =>
	/^<[!?]/.test(tokens[at].content) ? '' : tokens[at].content;

// Notion's callouts contain Markdown.
markdown.renderer.rules.html_block = (tokens, at, _options, env) => {
	const { content } = tokens[at];
	return /^\s*<aside\b/i.test(content) ? markdown.renderInline(content, env) : content;
};

/** Reads Markdown, with HTML in it, as a good reader would: code, footnotes and front matter are left out, each with a hint. */
export function readMarkdown(source: string): ReadText {
	const reading = new Reading();
	const start = frontMatterEnd(source);
	if (start > 0) reading.leaveOut('frontMatter');
	const env: Env = { reading, isInFence: false };
	const marked = source.slice(start).replace(BULLETS, '$1-').replace(DEEP, '$1');
	return readPage(markdown.render(marked, env), reading);
}
