import { cellsOf } from './blockPatterns';
import type { Span } from './characters';
import type { LineCursor } from './containers';
import { type MappedText, MappedWriter, slice } from './mapped';

/** A Markdown block without blocks inside, and its text without the marks of the blocks around it. */
export type Leaf =
	| { kind: 'paragraph' | 'heading' | 'html'; text: MappedText }
	| { kind: 'code'; info: string; text: MappedText }
	| { kind: 'table'; rows: MappedText[][] }
	| { kind: 'footnote' };

/** What the first line tells about a leaf. */
interface Opening {
	kind: 'paragraph' | 'fence' | 'indented' | 'html' | 'table' | 'footnote';
	/** For fenced code: the words behind the fence, the fence, and the columns before it. */
	info?: string;
	fence?: string;
	indent?: number;
	/** The end of an HTML block; undefined: a blank line. */
	ends?: RegExp;
	/** For a table. */
	columns?: number;
}

/** A line that starts another block and so ends a table. */
const AFTER_TABLE = /^(?:#{1,6}\s|>|`{3}|~{3}|[*+-]\s)/;

/** A leaf that the next line may continue. */
export class OpenLeaf {
	/** Places in the source. */
	readonly lines: Span[] = [];
	private isAfterBlank = false;

	constructor(readonly opening: Opening) {}

	get isParagraph(): boolean {
		return this.opening.kind === 'paragraph';
	}

	/** Adds the line from an offset on. */
	add(line: LineCursor, from: number): void {
		this.lines.push({ start: line.start + from, end: line.start + line.text.length });
	}

	/** Adds the line if it continues the leaf. `last`: the leaf ends with it; `over`: the line belongs to another block. */
	take(line: LineCursor): 'more' | 'last' | 'over' {
		const { width, next } = line.indent;
		const isBlank = next === line.text.length;
		switch (this.opening.kind) {
			case 'fence':
				return this.takeFenced(line);
			case 'html': {
				const { ends } = this.opening;
				if (ends === undefined && isBlank) return 'last';
				this.add(line, line.offset);
				return ends?.test(line.text.slice(line.offset)) ? 'last' : 'more';
			}
			case 'indented':
				if (!isBlank && width < 4) return 'over';
				line.consume(4);
				this.add(line, line.offset);
				return 'more';
			case 'footnote':
				if (isBlank) this.isAfterBlank = true;
				else if (this.isAfterBlank && width < 2) return 'over';
				return 'more';
			case 'table':
				if (isBlank || width > 3 || AFTER_TABLE.test(line.text.slice(next))) return 'over';
				this.add(line, next);
				return 'more';
			case 'paragraph':
				return 'over';
		}
	}

	private takeFenced(line: LineCursor): 'more' | 'last' {
		const { fence = '', indent = 0 } = this.opening;
		const { width, next } = line.indent;
		const marks = line.text.slice(next).trimEnd();
		const isFence = marks.length >= fence.length && marks === fence[0].repeat(marks.length);
		if (width < 4 && isFence) return 'last';
		line.consume(Math.min(width, indent));
		this.add(line, line.offset);
		return 'more';
	}

	/** The finished leaf. A footnote has no text, since it is not read. */
	finish(whole: MappedText): Leaf {
		const { kind, info = '', columns } = this.opening;
		if (kind === 'footnote') return { kind };
		if (kind === 'table') {
			const rows = this.lines.map(({ start, end }) =>
				cellsOf(whole.text.slice(start, end))
					.slice(0, columns)
					.map((cell) => slice(whole, start + cell.start, start + cell.end)),
			);
			return { kind, rows };
		}
		const text = linesOf(whole, this.lines);
		if (kind === 'paragraph' || kind === 'html') return { kind, text };
		return { kind: 'code', info, text };
	}
}

/** Joins lines with line breaks. */
export function linesOf(whole: MappedText, lines: Span[]): MappedText {
	const writer = new MappedWriter();
	lines.forEach(({ start, end }, i) => {
		// A line break with nothing else around it comes from the source, so that such lines make a single run.
		if (i > 0) writer.write('\n', lines[i - 1].end === start - 1 ? start - 1 : start, start);
		writer.copy(whole, start, end);
	});
	return writer.finish();
}
