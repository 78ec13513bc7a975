import { cellsOf } from './blockPatterns';
import type { LineCursor } from './lineCursor';
import { type MappedText, MappedWriter, slice } from './mapped';

/** A stretch of a Markdown source without the marks of the blocks it is in. */
export type Leaf =
	| { kind: 'paragraph' | 'html'; text: MappedText }
	| { kind: 'heading'; level: number; text: MappedText }
	| { kind: 'code'; info: string; text: MappedText }
	| { kind: 'table'; rows: MappedText[][] }
	| { kind: 'note' };

/** Offsets of the source, the end exclusive. */
interface Span {
	start: number;
	end: number;
}

/** What a leaf is told by its first line. */
interface Opening {
	kind: 'paragraph' | 'fence' | 'indented' | 'html' | 'table' | 'note';
	/** For fenced code: what stands behind the fence, the fence, and the columns before it. */
	info?: string;
	fence?: string;
	indent?: number;
	/** What ends an HTML block; undefined: a blank line. */
	ends?: RegExp;
	/** For a table. */
	columns?: number;
}

/** What begins another block and so ends a table. */
const AFTER_TABLE = /^(?:#{1,6}\s|>|`{3}|~{3}|[*+-]\s)/;

/** A leaf that the next line may belong to. */
export class OpenLeaf {
	readonly lines: Span[] = [];
	private isAfterBlank = false;

	constructor(readonly opening: Opening) {}

	get isParagraph(): boolean {
		return this.opening.kind === 'paragraph';
	}

	/** Takes the line from an offset on. */
	add(line: LineCursor, from: number): void {
		this.lines.push({ start: line.start + from, end: line.start + line.text.length });
	}

	/** Takes the line if it goes on in it. `last`: it did, and ends there; `over`: the line belongs to something else. */
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
			case 'note':
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

	/** The leaf with its text; a footnote has none, since it is not read. */
	finish(whole: MappedText): Leaf {
		const { kind, info = '', columns } = this.opening;
		if (kind === 'note') return { kind };
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

/** Lines put together, one line break between two. */
export function linesOf(whole: MappedText, lines: Span[]): MappedText {
	const writer = new MappedWriter();
	lines.forEach(({ start, end }, i) => {
		// The line break comes from the source where nothing else stands between: such lines make one run.
		if (i > 0) writer.write('\n', lines[i - 1].end === start - 1 ? start - 1 : start, start);
		writer.copy(whole, start, end);
	});
	return writer.finish();
}
