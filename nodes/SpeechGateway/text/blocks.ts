import { endAt, matchAt, type Span } from './characters';
import { Containers, LineCursor, type ListEvent, markAt } from './containers';
import { WHOLE_TAG } from './html';
import { takeDefinitions } from './links';
import { type MappedText, MappedWriter, slice } from './mapped';

/** A Markdown block without blocks inside. Its text is without the marks of the blocks around it. */
export interface Leaf {
	kind: 'paragraph' | 'heading' | 'html' | 'code' | 'table' | 'footnote';
	text: MappedText;
	/** The words behind the fence of code. */
	info: string;
	inItem: boolean;
}

/** What a Markdown document consists of, in reading order. */
export type BlockEvent = Leaf | ListEvent;

/** A leaf that the next line may continue. */
interface OpenLeaf {
	kind: Leaf['kind'];
	/** Places in the source; none of a footnote, which is not read. */
	lines: Span[];
	/** Undefined for indented code. `indent`: the columns before the fence. */
	fence?: { marks: string; info: string; indent: number };
	/** The end of an HTML block; undefined: a blank line. */
	ends?: RegExp;
	/** For a footnote. */
	isAfterBlank?: boolean;
}

/** The deepest nesting of blocks; deeper ones are read as text. */
const MAX_DEPTH = 60;

// How blocks start and end, by CommonMark. Sticky patterns match within one line.
const ATX = /#{1,6}(?:[ \t]|$)/y;
const FENCE = /(`{3,}|~{3,})([^\n]*)/y;
const FOOTNOTE_DEFINITION = /\[\^[^\]\s]{1,100}\]:/y;
const SETEXT = /(?:=+|-+)[ \t]*$/y;
const DELIMITER_ROW = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** A line that starts another block and so ends a table. */
const AFTER_TABLE = /^(?:#{1,6}\s|>|`{3}|~{3}|[*+-]\s)/;
/** How HTML blocks start and end, in the order of the specification. */
const HTML_STARTS: Array<[RegExp, RegExp | undefined]> = [
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

/** Three or more of one mark. */
function isThematicBreak(text: string): boolean {
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

/** Finds the blocks of a Markdown document (CommonMark, and GitHub's tables and footnotes), line by line. */
export class BlockParser {
	/** Of the links that are defined in paragraphs of their own. */
	readonly labels = new Set<string>();
	private readonly events: BlockEvent[] = [];
	private readonly containers = new Containers((event) => this.events.push(event));
	private leaf: OpenLeaf | undefined;

	constructor(private readonly whole: MappedText) {}

	/** Reads from an offset on. */
	read(start: number): BlockEvent[] {
		for (const { 0: line, index } of this.whole.text.slice(start).matchAll(/[^\n]*\n|[^\n]+/g))
			this.readLine(new LineCursor(line.replace(/\r?\n?$/, ''), start + index));
		this.closeTo(1);
		return this.events;
	}

	private readLine(line: LineCursor): void {
		let matched = this.containers.match(line);
		if (this.leaf && this.leaf.kind !== 'paragraph') {
			const taken = matched === this.containers.depth ? take(this.leaf, line) : 'over';
			if (taken !== 'more') this.closeLeaf();
			if (taken !== 'over') return;
		}
		// From here on, an open leaf is a paragraph.
		for (; !line.isBlank; matched++) {
			const paragraph = matched === this.containers.depth ? this.leaf : undefined;
			if (line.indent.width >= 4) {
				if (this.leaf) break;
				this.closeTo(matched);
				line.consume(4);
				return this.open({ kind: 'code' }, line, line.offset);
			}
			if (this.startsLeaf(line, matched, paragraph)) return;
			const mark = matched > MAX_DEPTH ? null : markAt(line, paragraph !== undefined);
			if (!mark) break;
			this.closeTo(matched);
			this.containers.open(mark, line);
		}
		if (line.isBlank) {
			if (matched < this.containers.depth || this.leaf) this.closeTo(matched);
			return;
		}
		const { next } = line.indent;
		if (this.leaf) return addLine(this.leaf, line, next);
		this.closeTo(matched);
		this.open({ kind: 'paragraph' }, line, next);
	}

	/** `paragraph`: the one that the line would continue. */
	private startsLeaf(line: LineCursor, matched: number, paragraph: OpenLeaf | undefined): boolean {
		const { width, next } = line.indent;
		const atx = matchAt(ATX, line.text, next);
		if (atx) {
			this.closeTo(matched);
			const from = next + atx[0].length;
			const { length } = line.text.slice(from).replace(/(?:^|[ \t])#+[ \t]*$/, '');
			const start = line.start + from;
			this.add('heading', slice(this.whole, start, start + length));
			return true;
		}
		const fence = matchAt(FENCE, line.text, next);
		if (fence && !(fence[1][0] === '`' && fence[2].includes('`'))) {
			this.closeTo(matched);
			this.open({ kind: 'code', fence: { marks: fence[1], info: fence[2].trim(), indent: width } });
			return true;
		}
		const html = this.htmlStart(line.text, next);
		if (html) {
			this.closeTo(matched);
			this.open({ kind: 'html', ends: html.ends }, line, line.offset);
			if (html.ends?.test(line.text.slice(next))) this.closeLeaf();
			return true;
		}
		if (paragraph && this.endsSetext(paragraph, line.text, next)) return true;
		if (paragraph && this.startsTable(paragraph, line.text, next)) return true;
		if (isThematicBreak(line.text.slice(next))) {
			this.closeTo(matched);
			this.containers.fill();
			return true;
		}
		if (!paragraph && matchAt(FOOTNOTE_DEFINITION, line.text, next)) {
			this.closeTo(matched);
			this.open({ kind: 'footnote' });
			return true;
		}
		return false;
	}

	private htmlStart(line: string, next: number): { ends: RegExp | undefined } | undefined {
		if (line.charAt(next) !== '<') return undefined;
		const start = HTML_STARTS.find(([pattern]) => matchAt(pattern, line, next));
		if (start) return { ends: start[1] };
		const tagEnd = this.leaf ? -1 : endAt(WHOLE_TAG, line, next);
		return tagEnd >= 0 && line.slice(tagEnd).trim() === '' ? { ends: undefined } : undefined;
	}

	/** Turns the paragraph into a heading if the line underlines it. */
	private endsSetext(paragraph: OpenLeaf, line: string, next: number): boolean {
		if (!matchAt(SETEXT, line, next)) return false;
		const text = this.withoutDefinitions(paragraph);
		if (!text) return false;
		this.leaf = undefined;
		this.add('heading', text);
		return true;
	}

	/** Starts a table below the last line of the paragraph if the line is a delimiter row with as many cells. */
	private startsTable(paragraph: OpenLeaf, line: string, next: number): boolean {
		const row = line.slice(next).trimEnd();
		if (!row.includes('-') || !/[|:]/.test(row) || !DELIMITER_ROW.test(row)) return false;
		const head = paragraph.lines[paragraph.lines.length - 1];
		const columns = cellsOf(row).length;
		if (cellsOf(this.whole.text.slice(head.start, head.end)).length !== columns) return false;
		if (columns === 1 && !row.includes('|')) return false;
		paragraph.lines.pop();
		this.closeLeaf();
		this.open({ kind: 'table' });
		this.leaf?.lines.push(head);
		return true;
	}

	/** Closes the open leaf and all containers but the first ones. */
	private closeTo(count: number): void {
		this.closeLeaf();
		this.containers.closeTo(count);
	}

	/** Opens a leaf, with the line from an offset on if it begins there. */
	private open(leaf: Omit<OpenLeaf, 'lines'>, line?: LineCursor, from = 0): void {
		this.containers.fill();
		this.leaf = { ...leaf, lines: [] };
		if (line) addLine(this.leaf, line, from);
	}

	private closeLeaf(): void {
		const { leaf } = this;
		if (!leaf) return;
		this.leaf = undefined;
		const isParagraph = leaf.kind === 'paragraph';
		const text = isParagraph ? this.withoutDefinitions(leaf) : linesOf(this.whole, leaf.lines);
		if (text) this.add(leaf.kind, text, leaf.fence?.info);
	}

	/** The text of a paragraph after its link definitions; undefined if there is none. */
	private withoutDefinitions({ lines }: OpenLeaf): MappedText | undefined {
		const paragraph = linesOf(this.whole, lines);
		const from = takeDefinitions(paragraph.text, this.labels);
		const text = slice(paragraph, from, paragraph.text.length);
		return text.text.trim() === '' ? undefined : text;
	}

	private add(kind: Leaf['kind'], text: MappedText, info = ''): void {
		this.containers.fill();
		this.events.push({ kind, text, info, inItem: this.containers.isInItem });
	}
}

function addLine({ lines }: OpenLeaf, line: LineCursor, from: number): void {
	lines.push({ start: line.start + from, end: line.start + line.text.length });
}

/** Adds the line to the leaf if it continues it. `last`: the leaf ends with it; `over`: the line belongs to another block. */
function take(leaf: OpenLeaf, line: LineCursor): 'more' | 'last' | 'over' {
	const { width, next } = line.indent;
	const { kind, fence, ends } = leaf;
	if (kind === 'footnote') {
		if (line.isBlank) leaf.isAfterBlank = true;
		else if (leaf.isAfterBlank && width < 2) return 'over';
		return 'more';
	}
	if (kind === 'table') {
		if (line.isBlank || width > 3 || AFTER_TABLE.test(line.text.slice(next))) return 'over';
		addLine(leaf, line, next);
		return 'more';
	}
	if (kind === 'html') {
		if (!ends && line.isBlank) return 'last';
		addLine(leaf, line, line.offset);
		return ends?.test(line.text.slice(line.offset)) ? 'last' : 'more';
	}
	if (fence) {
		const marks = line.text.slice(next).trimEnd();
		const isLongEnough = marks.length >= fence.marks.length;
		const isFence = isLongEnough && marks === fence.marks[0].repeat(marks.length);
		if (width < 4 && isFence) return 'last';
	} else if (!line.isBlank && width < 4) return 'over';
	line.consume(fence ? Math.min(width, fence.indent) : 4);
	addLine(leaf, line, line.offset);
	return 'more';
}

/** Joins lines with line breaks. */
function linesOf(whole: MappedText, lines: Span[]): MappedText {
	const writer = new MappedWriter();
	lines.forEach(({ start, end }, i) => {
		// A line break with nothing else around it comes from the source, so that such lines make a single run.
		if (i > 0) writer.write('\n', lines[i - 1].end === start - 1 ? start - 1 : start, start);
		writer.copy(whole, start, end);
	});
	return writer.finish();
}
