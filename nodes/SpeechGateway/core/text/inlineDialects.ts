/**
 * What stands in paragraphs beyond CommonMark: notes of Obsidian and Pandoc, wiki links, formulas, and the marks that chat
 * interfaces put where they show a source.
 */
import { isFormula, readFormula } from './math';

/** What is read in place of a stretch of a paragraph; of a wiki link, the words that stay. */
export interface DialectMark {
	end: number;
	/** Offsets of the words that stay as they are. */
	kept?: { start: number; end: number };
	/** Words in their place, or behind them. */
	text?: string;
}

/** Characters that such a mark can begin with. */
export const DIALECT_MARKS = '=%^:$【\\ue200';

/** Left out, by the character they begin with. Bounded, so that a mark without an end costs little. */
const LEFT_OUT: Record<string, RegExp[]> = {
	// %% a comment %%
	'%': [/(?<![^\s])%%[^%]{0,2000}%%/y],
	// A footnote ^[within the text], the address of a paragraph ^for-links, ^(small print)
	'^': [
		/(?<=[^\s\d])\^\[[^[\]]{2,1000}\]/y,
		/(?<=\s)\^[A-Za-z][\w-]{2,60}\s*$/y,
		/(?<![^\s])\^(?=\()/y,
	],
	// :rocket: and :contentReference[oaicite:7]{index=7}
	':': [
		/(?<![^\s(>])(?::(?=[\w+-]*[a-z+])[\w+-]{1,40}:)+(?![^\s).,;!?<])/y,
		/:contentReference\[oaicite:\d{1,4}\](?:\{[^{}]{0,100}\})?/y,
	],
	// 【5†source】
	'【': [/【[^【】]{0,60}†[^【】]{0,200}】/y],
	'\ue200': [/\ue200[^\ue200\ue201]{0,300}\ue201/y],
};
const HIGHLIGHT = /(?<![\w=])==(?=[^\s=])([^=\n]{0,999}[^\s=])==(?![\w=])/y;
const DOLLARS = /\$\$([^$]{1,2000})\$\$|\$(?=[^\s$])([^$\n]{0,300}[^\s$\\])\$(?![\d$])/y;
const SLASHED = /\\\(([^]{1,1000}?)\\\)|\\\[([^]{1,2000}?)\\\]/y;

const WIKI_LINK = /\[\[(?=[^\s])([^[\]\n]{1,300})\]\]/y;
const HAS_LETTER = /\p{L}/u;
/** Sizes of pictures: `[[tower.jpg|300x200]]`. */
const SIZE = /^\d{1,5}(?:x\d{1,5})?$/;
const FILE_ENDING = /\.[a-z\d]{2,5}$/i;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

/** What is read of the mark of a dialect at an offset; undefined where there is none. */
export function dialectMarkAt(text: string, at: number): DialectMark | undefined {
	const mark = text.charAt(at);
	if (mark === '$' || mark === '\\') return formulaAt(text, at);
	if (mark === '=') {
		const match = matchAt(HIGHLIGHT, text, at);
		return match ? keep(at + 2, match[1].length, HIGHLIGHT.lastIndex) : undefined;
	}
	for (const pattern of LEFT_OUT[mark] ?? []) {
		if (matchAt(pattern, text, at)) return { end: pattern.lastIndex };
	}
	return undefined;
}

const keep = (start: number, length: number, end: number): DialectMark => ({
	kept: { start, end: start + length },
	end,
});

function formulaAt(text: string, at: number): DialectMark | undefined {
	const pattern = text.charAt(at) === '$' ? DOLLARS : SLASHED;
	const match = matchAt(pattern, text, at);
	const content = match?.[1] ?? match?.[2];
	if (content === undefined || !isFormula(content)) return undefined;
	// A number in brackets is one.
	if (pattern === SLASHED && /^\s*\d+\s*$/.test(content)) return undefined;
	return { end: pattern.lastIndex, text: readFormula(content) };
}

/**
 * A link of a wiki: of `[[Page]]` the page, of `[[Page|words]]` the words, of `[[Page#Part]]` both names. A picture or page
 * that is shown (`![[…]]`) has words only where a description stands behind it.
 */
export function wikiLinkAt(text: string, at: number, isShown: boolean): DialectMark | undefined {
	const match = matchAt(WIKI_LINK, text, at);
	if (!match || !HAS_LETTER.test(match[1])) return undefined;
	const end = WIKI_LINK.lastIndex;
	const bar = match[1].search(/\\?\|/);
	const target = bar < 0 ? match[1] : match[1].slice(0, bar);
	const from = at + 2;
	if (bar >= 0) {
		const behind = from + match[1].indexOf('|', bar) + 1;
		const [words] = match[1].slice(behind - from).split(/\\?\|/);
		if (words !== '' && !(isShown && SIZE.test(words))) return keep(behind, words.length, end);
	}
	if (isShown || FILE_ENDING.test(target)) return { end };
	const [page, ...parts] = target.split('#');
	const part = parts.filter((one) => one !== '' && !one.startsWith('^')).join(', ');
	if (page === '') return { end, text: part };
	return { ...keep(from, page.length, end), ...(part !== '' && { text: `, ${part}` }) };
}
