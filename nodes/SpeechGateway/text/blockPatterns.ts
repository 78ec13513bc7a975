import type { Span } from './characters';

// How the blocks of a Markdown document start and end, by CommonMark. Sticky patterns match within one line.

export const ATX = /#{1,6}(?:[ \t]|$)/y;
export const FENCE = /(`{3,}|~{3,})([^\n]*)/y;
/** Includes the bullets of word processors and chats. */
export const BULLET = /([*+-]|[•◦▪‣●○▸►](?=[ \t]))(?=[ \t]|$)/y;
export const NUMBER = /(\d{1,9})([.)])(?=[ \t]|$)/y;
export const FOOTNOTE_DEFINITION = /\[\^[^\]\s]{1,100}\]:/y;
export const SETEXT = /(?:=+|-+)[ \t]*$/y;
export const DELIMITER_ROW = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const FRONT_MATTER =
	/^(?:\uFEFF)?---[ \t]*\r?\n((?:[^\n]*\n){1,200}?)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const FRONT_MATTER_LINE = /^(?:[\w-]{1,60}:(?:\s.*)?|[ \t].*|-\s.*|#.*|)$/;

/** How HTML blocks start and end, in the order of the specification. */
export const HTML_STARTS: Array<[RegExp, RegExp | undefined]> = [
	[/<(?:script|pre|textarea|style)(?:\s|>|$)/iy, /<\/(?:script|pre|textarea|style)>/i],
	[/<!--/y, /-->/],
	[/<\?/y, /\?>/],
	[/<![A-Za-z]/y, />/],
	[/<!\[CDATA\[/y, /\]\]>/],
	[
		/<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|\/?>|$)/iy,
		undefined,
	],
];
/** A complete tag. */
export const WHOLE_TAG =
	/<(?:\/[A-Za-z][A-Za-z\d-]*\s*|[A-Za-z][A-Za-z\d-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?){0,100}\s*\/?)>/y;

/** Whether a line is a thematic break: three or more of one mark. */
export function isThematicBreak(text: string): boolean {
	const marks = text.replace(/[ \t]/g, '');
	return marks.length > 2 && '*-_'.includes(marks[0]) && marks === marks[0].repeat(marks.length);
}

/** The cells of a table row. Pipes at its ends are optional. */
export function cellsOf(line: string): Span[] {
	const cells: Span[] = [];
	let start = 0;
	for (const { 0: mark, index } of line.matchAll(/\\.|\|/g)) {
		if (mark !== '|') continue;
		cells.push({ start, end: index });
		start = index + 1;
	}
	cells.push({ start, end: line.length });
	const isBlank = (cell: Span) => line.slice(cell.start, cell.end).trim() === '';
	if (cells.length > 1 && isBlank(cells[0])) cells.shift();
	if (cells.length > 1 && isBlank(cells[cells.length - 1])) cells.pop();
	return cells;
}

/** Where the front matter of a document ends; 0 if it has none. */
export function frontMatterEnd(source: string): number {
	const matter = FRONT_MATTER.exec(source);
	const isMatter = matter?.[1]
		.split(/\r?\n/)
		.every((line, i) => (i === 0 ? /^[\w-]{1,60}:/ : FRONT_MATTER_LINE).test(line));
	return matter && isMatter ? matter[0].length : 0;
}
