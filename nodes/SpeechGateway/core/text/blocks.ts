import {
	ATX,
	BULLET,
	cellsOf,
	DELIMITER_ROW,
	FENCE,
	frontMatterEnd,
	HTML_STARTS,
	indentAt,
	isThematicBreak,
	matchAt,
	NOTE,
	NUMBER,
	SETEXT,
	WHOLE_TAG,
} from './blockPatterns';
import { type MappedText, MappedWriter, slice, unchanged } from './mapped';

/** A stretch of a Markdown source without the marks of the blocks it is in. */
export type Leaf =
	| { kind: 'paragraph' | 'html'; text: MappedText }
	| { kind: 'heading'; level: number; text: MappedText }
	| { kind: 'code'; info: string; text: MappedText }
	| { kind: 'table'; rows: MappedText[][] };

/** A Markdown document in reading order. `item`: the start of a list item, with its number in an ordered list. */
export type BlockEvent =
	| { kind: 'leaf'; leaf: Leaf; inItem: boolean }
	| { kind: 'item'; number: number | undefined; start: number; end: number }
	| { kind: 'listEnd'; outermost: boolean };

interface List {
	/** The bullet or the mark after the number. */
	mark: string;
	next: number | undefined;
}

interface Container {
	/** Columns that the content of a list item is indented by; undefined: a quotation. */
	indent: number | undefined;
	/** The list that the last child belongs to, while it may go on. */
	list: List | undefined;
	isEmpty: boolean;
}

interface OpenLeaf {
	kind: 'paragraph' | 'fence' | 'indented' | 'html' | 'table' | 'note';
	/** Offsets of its lines in the source, ends exclusive. */
	lines: Array<{ start: number; end: number }>;
	info: string;
	fence: string;
	indent: number;
	/** Ends an HTML block; undefined: a blank line. */
	ends: RegExp | undefined;
	columns: number;
}

/** Blocks within each other; what is deeper is text. */
const MAX_DEPTH = 60;

/** Finds the blocks of a Markdown document (CommonMark, and GitHub's tables and footnotes), line by line. */
export class BlockReader {
	readonly events: BlockEvent[] = [];
	private readonly containers: Container[] = [
		{ indent: undefined, list: undefined, isEmpty: false },
	];
	private leaf: OpenLeaf | undefined;
	// Of the current line: its text, where it starts in the source, what of it is consumed.
	private line = '';
	private base = 0;
	private offset = 0;
	private column = 0;
	private readonly whole: MappedText;

	/** `takeDefinitions`: given a paragraph, takes link definitions off its front and returns where the rest starts. */
	constructor(
		private readonly source: string,
		private readonly takeDefinitions: (text: string) => number,
	) {
		this.whole = unchanged(source);
	}

	read(): BlockEvent[] {
		const { source } = this;
		let start = frontMatterEnd(source);
		while (start < source.length) {
			const lineFeed = source.indexOf('\n', start);
			const next = lineFeed < 0 ? source.length : lineFeed + 1;
			let end = lineFeed < 0 ? source.length : lineFeed;
			if (source.charAt(end - 1) === '\r') end--;
			this.line = source.slice(start, end);
			this.base = start;
			this.offset = 0;
			this.column = 0;
			this.readLine();
			start = next;
		}
		this.closeTo(1);
		this.endList(this.containers[0]);
		return this.events;
	}

	private readLine(): void {
		let matched = this.matchContainers();
		const isWhole = () => matched === this.containers.length;
		if (this.leaf && this.leaf.kind !== 'paragraph') {
			if (!isWhole()) this.closeLeaf();
			else if (this.continueLeaf(this.leaf)) return;
		}
		let opened = false;
		while (!this.isBlank()) {
			const mayContinue = this.leaf?.kind === 'paragraph';
			const inParagraph = mayContinue && isWhole() && !opened;
			const { width, next } = indentAt(this.line, this.offset, this.column);
			if (width >= 4) {
				if (mayContinue) break;
				this.closeTo(matched);
				this.consume(4);
				this.startLeaf('indented');
				this.addLine(this.offset);
				return;
			}
			if (this.startsLeaf(next, width, matched, inParagraph)) return;
			if (matched > MAX_DEPTH || !this.startsContainer(next, width, matched, inParagraph)) break;
			matched++;
			opened = true;
		}
		if (this.isBlank()) {
			if (!isWhole() || this.leaf) this.closeTo(matched);
			return;
		}
		const { next } = indentAt(this.line, this.offset, this.column);
		if (this.leaf?.kind === 'paragraph' && !opened) return this.addLine(next);
		this.closeTo(matched);
		this.startLeaf('paragraph');
		this.addLine(next);
	}

	private isBlank(): boolean {
		return indentAt(this.line, this.offset, this.column).next === this.line.length;
	}

	private consume(columns: number): void {
		const end = this.column + columns;
		while (this.column < end && this.offset < this.line.length) {
			const character = this.line.charAt(this.offset);
			const width = character === '\t' ? 4 - (this.column % 4) : 1;
			if (character === '\t' && this.column + width > end) {
				this.column = end;
				return;
			}
			this.column += width;
			this.offset++;
		}
	}

	/** Consumes the marks of the containers that go on in this line; the number of those that do. */
	private matchContainers(): number {
		let matched = 1;
		for (; matched < this.containers.length; matched++) {
			const container = this.containers[matched];
			const { width, next } = indentAt(this.line, this.offset, this.column);
			if (container.indent === undefined) {
				if (width > 3 || this.line.charAt(next) !== '>') break;
				this.consumeQuote(width);
			} else if (next === this.line.length) {
				if (container.isEmpty) break;
			} else if (width >= container.indent) {
				this.consume(container.indent);
			} else {
				break;
			}
		}
		return matched;
	}

	private consumeQuote(indent: number): void {
		this.consume(indent + 1);
		if (/[ \t]/.test(this.line.charAt(this.offset))) this.consume(1);
	}

	/** Gives the line to the open leaf. False: the leaf is over and the line still to be read. */
	private continueLeaf(leaf: OpenLeaf): boolean {
		const { width, next } = indentAt(this.line, this.offset, this.column);
		const isBlank = next === this.line.length;
		const rest = this.line.slice(next);
		switch (leaf.kind) {
			case 'fence': {
				const marks = rest.trimEnd();
				const closes =
					width < 4 &&
					marks.length >= leaf.fence.length &&
					marks === leaf.fence[0].repeat(marks.length);
				if (closes) this.closeLeaf();
				else {
					this.consume(Math.min(width, leaf.indent));
					this.addLine(this.offset);
				}
				return true;
			}
			case 'html':
				if (leaf.ends === undefined && isBlank) {
					this.closeLeaf();
					return true;
				}
				this.addLine(this.offset);
				if (leaf.ends?.test(this.line.slice(this.offset))) this.closeLeaf();
				return true;
			case 'indented':
				if (!isBlank && width < 4) break;
				this.consume(4);
				this.addLine(this.offset);
				return true;
			case 'note':
				if (isBlank) leaf.info = 'blank';
				else if (leaf.info === 'blank' && width < 2) break;
				return true;
			case 'table':
				if (isBlank || width > 3 || /^(?:#{1,6}\s|>|`{3}|~{3}|[*+-]\s)/.test(rest)) break;
				this.addLine(next);
				return true;
			default:
		}
		this.closeLeaf();
		return false;
	}

	private startsLeaf(next: number, width: number, matched: number, inParagraph: boolean): boolean {
		const { line } = this;
		const atx = matchAt(ATX, line, next);
		if (atx) {
			this.closeTo(matched);
			const content = line.slice(next + atx[0].length);
			const text = content.replace(/(?:^|[ \t])#+[ \t]*$/, '');
			const start = this.base + next + atx[0].length;
			const mapped = this.linesOf([{ start, end: start + text.length }]);
			this.add({ kind: 'heading', level: atx[1].length, text: mapped });
			return true;
		}
		const fence = matchAt(FENCE, line, next);
		if (fence && !(fence[1][0] === '`' && fence[2].includes('`'))) {
			this.closeTo(matched);
			const leaf = this.startLeaf('fence');
			leaf.fence = fence[1];
			leaf.info = fence[2].trim();
			leaf.indent = width;
			return true;
		}
		const html = this.htmlStart(next);
		if (html) {
			this.closeTo(matched);
			this.startLeaf('html').ends = html.ends;
			this.addLine(this.offset);
			if (html.ends?.test(line.slice(next))) this.closeLeaf();
			return true;
		}
		if (inParagraph && (this.endsSetext(next) || this.startsTable(next))) return true;
		if (isThematicBreak(line.slice(next))) {
			this.closeTo(matched);
			this.endList(this.containers[matched - 1]);
			return true;
		}
		if (!inParagraph && matchAt(NOTE, line, next)) {
			this.closeTo(matched);
			this.startLeaf('note');
			return true;
		}
		return false;
	}

	private htmlStart(next: number): { ends: RegExp | undefined } | undefined {
		if (this.line.charAt(next) !== '<') return undefined;
		const start = HTML_STARTS.find(([pattern]) => matchAt(pattern, this.line, next));
		if (start) return { ends: start[1] };
		const tag = this.leaf?.kind === 'paragraph' ? null : matchAt(WHOLE_TAG, this.line, next);
		const isAlone = tag && this.line.slice(next + tag[0].length).trim() === '';
		return isAlone ? { ends: undefined } : undefined;
	}

	/** Makes the paragraph a heading if the line underlines it. */
	private endsSetext(next: number): boolean {
		const { leaf } = this;
		if (!leaf || !matchAt(SETEXT, this.line, next)) return false;
		const text = this.paragraphText(leaf);
		if (text === undefined) return false;
		this.leaf = undefined;
		this.add({
			kind: 'heading',
			level: this.line.charAt(next) === '=' ? 1 : 2,
			text,
		});
		return true;
	}

	/** Makes the last line of the paragraph the head of a table if the line is a delimiter row with as many cells. */
	private startsTable(next: number): boolean {
		const { leaf } = this;
		const row = this.line.slice(next).trimEnd();
		if (!leaf || !row.includes('-') || !/[|:]/.test(row) || !DELIMITER_ROW.test(row)) return false;
		const head = leaf.lines.at(-1)!;
		const columns = cellsOf(row).length;
		if (cellsOf(this.source.slice(head.start, head.end)).length !== columns) return false;
		if (columns === 1 && !row.includes('|')) return false;
		leaf.lines.pop();
		this.closeLeaf();
		const table = this.startLeaf('table');
		table.columns = columns;
		table.lines.push(head);
		return true;
	}

	private startsContainer(
		next: number,
		width: number,
		matched: number,
		inParagraph: boolean,
	): boolean {
		if (this.line.charAt(next) === '>') {
			this.closeTo(matched);
			this.endList(this.containers[matched - 1]);
			this.consumeQuote(width);
			this.push(undefined);
			return true;
		}
		const bullet = matchAt(BULLET, this.line, next);
		const number = bullet ? null : matchAt(NUMBER, this.line, next);
		const marker = bullet ?? number;
		if (!marker) return false;
		const isBlank = this.line.slice(next + marker[0].length).trim() === '';
		if (inParagraph && (isBlank || (number && Number(number[1]) !== 1))) return false;

		this.closeTo(matched);
		this.consume(width + marker[0].length);
		const after = indentAt(this.line, this.offset, this.column).width;
		const space = isBlank || after > 4 ? 1 : after;
		this.consume(space);
		const parent = this.containers[matched - 1];
		const mark = number ? number[2] : marker[1];
		if (parent.list?.mark !== mark) {
			this.endList(parent);
			parent.list = { mark, next: number ? Number(number[1]) : undefined };
		}
		const { list } = parent;
		const start = this.base + next;
		this.events.push({
			kind: 'item',
			number: list!.next,
			start,
			end: start + marker[0].length,
		});
		if (list!.next !== undefined) list!.next++;
		this.push(width + marker[0].length + space);
		return true;
	}

	private push(indent: number | undefined): void {
		this.containers.at(-1)!.isEmpty = false;
		this.containers.push({ indent, list: undefined, isEmpty: true });
	}

	private endList(container: Container): void {
		if (!container.list) return;
		container.list = undefined;
		const outermost = !this.containers.some(({ indent }) => indent !== undefined);
		this.events.push({ kind: 'listEnd', outermost });
	}

	/** Closes the open leaf and all containers but the first ones. */
	private closeTo(count: number): void {
		this.closeLeaf();
		while (this.containers.length > count) {
			this.endList(this.containers.at(-1)!);
			this.containers.pop();
		}
	}

	private startLeaf(kind: OpenLeaf['kind']): OpenLeaf {
		this.endList(this.containers.at(-1)!);
		this.containers.at(-1)!.isEmpty = false;
		this.leaf = {
			kind,
			lines: [],
			info: '',
			fence: '',
			indent: 0,
			ends: undefined,
			columns: 0,
		};
		return this.leaf;
	}

	private addLine(from: number): void {
		this.leaf?.lines.push({
			start: this.base + from,
			end: this.base + this.line.length,
		});
	}

	private add(leaf: Leaf): void {
		const container = this.containers.at(-1)!;
		this.endList(container);
		container.isEmpty = false;
		this.events.push({
			kind: 'leaf',
			leaf,
			inItem: container.indent !== undefined,
		});
	}

	private linesOf(lines: Array<{ start: number; end: number }>): MappedText {
		const writer = new MappedWriter();
		lines.forEach(({ start, end }, i) => {
			if (i > 0) writer.write('\n', start, start);
			writer.copy(this.whole, start, end);
		});
		return writer.finish();
	}

	/** The text of a paragraph behind its link definitions; undefined where nothing remains. */
	private paragraphText({ lines }: OpenLeaf): MappedText | undefined {
		let text = this.linesOf(lines);
		if (text.text.startsWith('[')) {
			const from = this.takeDefinitions(text.text);
			text = slice(text, from, text.text.length);
		}
		return text.text.trim() === '' ? undefined : text;
	}

	private closeLeaf(): void {
		const { leaf } = this;
		if (!leaf) return;
		this.leaf = undefined;
		if (leaf.kind === 'paragraph') {
			const text = this.paragraphText(leaf);
			if (text) this.add({ kind: 'paragraph', text });
		} else if (leaf.kind === 'table') {
			const rows = leaf.lines.map(({ start, end }) =>
				cellsOf(this.source.slice(start, end))
					.slice(0, leaf.columns)
					.map((cell) => slice(this.whole, start + cell.start, start + cell.end)),
			);
			this.add({ kind: 'table', rows });
		} else if (leaf.kind !== 'note') {
			const text = this.linesOf(leaf.lines);
			this.add(
				leaf.kind === 'html' ? { kind: 'html', text } : { kind: 'code', info: leaf.info, text },
			);
		}
	}
}
