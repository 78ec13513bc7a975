import {
	ATX,
	cellsOf,
	DELIMITER_ROW,
	FENCE,
	HTML_STARTS,
	isThematicBreak,
	FOOTNOTE_DEFINITION,
	SETEXT,
	WHOLE_TAG,
} from './blockPatterns';
import { matchAt } from './characters';
import { Containers, LineCursor, type ListEvent } from './containers';
import { type Leaf, linesOf, OpenLeaf } from './leaves';
import { type MappedText, slice, unchanged } from './mapped';

/** What a Markdown document consists of, in reading order. */
export type BlockEvent = { kind: 'leaf'; leaf: Leaf; inItem: boolean } | ListEvent;

/** The deepest nesting of blocks; deeper ones are read as text. */
const MAX_DEPTH = 60;

/** Finds the blocks of a Markdown document (CommonMark, and GitHub's tables and footnotes), line by line. */
export class BlockParser {
	private readonly events: BlockEvent[] = [];
	private readonly containers = new Containers((event) => this.events.push(event));
	private leaf: OpenLeaf | undefined;
	private readonly whole: MappedText;

	/** `takeDefinitions` collects the link definitions at the start of a paragraph and returns where the rest starts. */
	constructor(
		private readonly source: string,
		private readonly takeDefinitions: (text: string) => number,
	) {
		this.whole = unchanged(source);
	}

	/** Reads from an offset on. */
	read(start: number): BlockEvent[] {
		const { source } = this;
		while (start < source.length) {
			const lineFeed = source.indexOf('\n', start);
			const next = lineFeed < 0 ? source.length : lineFeed + 1;
			let end = lineFeed < 0 ? source.length : lineFeed;
			if (source.charAt(end - 1) === '\r') end--;
			this.readLine(new LineCursor(source.slice(start, end), start));
			start = next;
		}
		this.closeTo(1);
		return this.events;
	}

	private readLine(line: LineCursor): void {
		let matched = this.containers.match(line);
		const isWhole = () => matched === this.containers.depth;
		if (this.leaf && !this.leaf.isParagraph) {
			const taken = isWhole() ? this.leaf.take(line) : 'over';
			if (taken !== 'more') this.closeLeaf();
			if (taken !== 'over') return;
		}
		let opened = false;
		while (!line.isBlank) {
			const mayContinue = this.leaf?.isParagraph === true;
			const inParagraph = mayContinue && isWhole() && !opened;
			if (line.indent.width >= 4) {
				if (mayContinue) break;
				this.closeTo(matched);
				line.consume(4);
				this.open({ kind: 'indented' }).add(line, line.offset);
				return;
			}
			if (this.startsLeaf(line, matched, inParagraph)) return;
			const close = () => this.closeTo(matched);
			if (matched > MAX_DEPTH || !this.containers.starts(line, matched, inParagraph, close)) break;
			matched++;
			opened = true;
		}
		if (line.isBlank) {
			if (!isWhole() || this.leaf) this.closeTo(matched);
			return;
		}
		const { next } = line.indent;
		if (this.leaf?.isParagraph && !opened) return this.leaf.add(line, next);
		this.closeTo(matched);
		this.open({ kind: 'paragraph' }).add(line, next);
	}

	private startsLeaf(line: LineCursor, matched: number, inParagraph: boolean): boolean {
		const { width, next } = line.indent;
		const atx = matchAt(ATX, line.text, next);
		if (atx) {
			this.closeTo(matched);
			const content = line.text.slice(next + atx[0].length);
			const text = content.replace(/(?:^|[ \t])#+[ \t]*$/, '');
			const start = line.start + next + atx[0].length;
			const mapped = linesOf(this.whole, [{ start, end: start + text.length }]);
			this.add({ kind: 'heading', text: mapped });
			return true;
		}
		const fence = matchAt(FENCE, line.text, next);
		if (fence && !(fence[1][0] === '`' && fence[2].includes('`'))) {
			this.closeTo(matched);
			this.open({ kind: 'fence', fence: fence[1], info: fence[2].trim(), indent: width });
			return true;
		}
		const html = this.htmlStart(line.text, next);
		if (html) {
			this.closeTo(matched);
			this.open({ kind: 'html', ends: html.ends }).add(line, line.offset);
			if (html.ends?.test(line.text.slice(next))) this.closeLeaf();
			return true;
		}
		if (inParagraph && (this.endsSetext(line.text, next) || this.startsTable(line.text, next))) {
			return true;
		}
		if (isThematicBreak(line.text.slice(next))) {
			this.closeTo(matched);
			this.containers.endListOf(matched - 1);
			return true;
		}
		if (!inParagraph && matchAt(FOOTNOTE_DEFINITION, line.text, next)) {
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
		const tag = this.leaf?.isParagraph ? null : matchAt(WHOLE_TAG, line, next);
		const isAlone = tag && line.slice(next + tag[0].length).trim() === '';
		return isAlone ? { ends: undefined } : undefined;
	}

	/** Turns the paragraph into a heading if the line underlines it. */
	private endsSetext(line: string, next: number): boolean {
		const { leaf } = this;
		if (!leaf || !matchAt(SETEXT, line, next)) return false;
		const text = this.withoutDefinitions(linesOf(this.whole, leaf.lines));
		if (text === undefined) return false;
		this.leaf = undefined;
		this.add({ kind: 'heading', text });
		return true;
	}

	/** Starts a table below the last line of the paragraph if the line is a delimiter row with as many cells. */
	private startsTable(line: string, next: number): boolean {
		const { leaf } = this;
		const row = line.slice(next).trimEnd();
		if (!leaf || !row.includes('-') || !/[|:]/.test(row) || !DELIMITER_ROW.test(row)) return false;
		const head = leaf.lines[leaf.lines.length - 1];
		const columns = cellsOf(row).length;
		if (cellsOf(this.source.slice(head.start, head.end)).length !== columns) return false;
		if (columns === 1 && !row.includes('|')) return false;
		leaf.lines.pop();
		this.closeLeaf();
		this.open({ kind: 'table', columns }).lines.push(head);
		return true;
	}

	/** Closes the open leaf and all containers but the first ones. */
	private closeTo(count: number): void {
		this.closeLeaf();
		this.containers.closeTo(count);
	}

	private open(opening: OpenLeaf['opening']): OpenLeaf {
		this.containers.fill();
		this.leaf = new OpenLeaf(opening);
		return this.leaf;
	}

	private closeLeaf(): void {
		if (!this.leaf) return;
		const leaf = this.leaf.finish(this.whole);
		this.leaf = undefined;
		if (leaf.kind !== 'paragraph') return this.add(leaf);
		const text = this.withoutDefinitions(leaf.text);
		if (text) this.add({ kind: 'paragraph', text });
	}

	/** The text of a paragraph after its link definitions; undefined if there is none. */
	private withoutDefinitions(paragraph: MappedText): MappedText | undefined {
		const from = paragraph.text.startsWith('[') ? this.takeDefinitions(paragraph.text) : 0;
		const text = slice(paragraph, from, paragraph.text.length);
		return text.text.trim() === '' ? undefined : text;
	}

	private add(leaf: Leaf): void {
		this.containers.fill();
		this.events.push({ kind: 'leaf', leaf, inItem: this.containers.isInItem });
	}
}
