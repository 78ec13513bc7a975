import { BULLET, NUMBER } from './blockPatterns';
import { matchAt } from './characters';

/** Columns between tab stops. */
const TAB_STOP = 4;

/** A line of a Markdown source, and how much of it is consumed. Offsets are UTF-16 units of the line. */
export class LineCursor {
	offset = 0;
	private column = 0;

	/** `start`: where the line starts in the source. */
	constructor(
		readonly text: string,
		readonly start: number,
	) {}

	/** The white space at the cursor: its width in columns, and where it ends. */
	get indent(): { width: number; next: number } {
		let column = this.column;
		let next = this.offset;
		for (; next < this.text.length; next++) {
			const character = this.text.charAt(next);
			if (character === ' ') column++;
			else if (character === '\t') column += TAB_STOP - (column % TAB_STOP);
			else break;
		}
		return { width: column - this.column, next };
	}

	/** Whether nothing but white space is left. */
	get isBlank(): boolean {
		return this.indent.next === this.text.length;
	}

	/** Consumes so many columns, if need be a part of a tab. */
	consume(columns: number): void {
		const end = this.column + columns;
		while (this.column < end && this.offset < this.text.length) {
			const isTab = this.text.charAt(this.offset) === '\t';
			const width = isTab ? TAB_STOP - (this.column % TAB_STOP) : 1;
			if (isTab && this.column + width > end) {
				this.column = end;
				return;
			}
			this.column += width;
			this.offset++;
		}
	}
}

/** A list item starts, with its number in an ordered list, or a list ends. Offsets of the source. */
export type ListEvent =
	| { kind: 'item'; number: number | undefined; start: number; end: number }
	| { kind: 'listEnd'; outermost: boolean };

interface List {
	/** The bullet, or the mark after the number. */
	mark: string;
	next: number | undefined;
}

interface Container {
	/** The indentation of a list item's content, in columns; undefined: a quotation. */
	indent: number | undefined;
	/** The list of the last child, as long as it may continue. */
	list: List | undefined;
	isEmpty: boolean;
}

/** The quotations and list items around a line. The outermost container is the document. */
export class Containers {
	private readonly all: Container[] = [{ indent: undefined, list: undefined, isEmpty: false }];

	constructor(private readonly emit: (event: ListEvent) => void) {}

	get depth(): number {
		return this.all.length;
	}

	get isInItem(): boolean {
		return this.last.indent !== undefined;
	}

	private get last(): Container {
		return this.all[this.all.length - 1];
	}

	/** Consumes the marks of the containers that continue in this line, and returns how many do. */
	match(line: LineCursor): number {
		let matched = 1;
		for (; matched < this.all.length; matched++) {
			const container = this.all[matched];
			const { width, next } = line.indent;
			if (container.indent === undefined) {
				if (width > 3 || line.text.charAt(next) !== '>') break;
				consumeQuote(line, width);
			} else if (next === line.text.length) {
				if (container.isEmpty) break;
			} else if (width >= container.indent) {
				line.consume(container.indent);
			} else {
				break;
			}
		}
		return matched;
	}

	/**
	 * Starts a quotation or list item within the first `matched` containers if the line has its mark here, after a call of `close`.
	 * Not every list item can interrupt a paragraph.
	 */
	starts(line: LineCursor, matched: number, inParagraph: boolean, close: () => void): boolean {
		const { width, next } = line.indent;
		if (line.text.charAt(next) === '>') {
			close();
			this.endListOf(matched - 1);
			consumeQuote(line, width);
			this.push(undefined);
			return true;
		}
		const bullet = matchAt(BULLET, line.text, next);
		const number = bullet ? null : matchAt(NUMBER, line.text, next);
		const marker = bullet ?? number;
		if (!marker) return false;
		const isBlank = line.text.slice(next + marker[0].length).trim() === '';
		if (inParagraph && (isBlank || (number && Number(number[1]) !== 1))) return false;

		close();
		line.consume(width + marker[0].length);
		const after = line.indent.width;
		const space = isBlank || after > 4 ? 1 : after;
		line.consume(space);
		const mark = number ? number[2] : marker[1];
		const first = number ? Number(number[1]) : undefined;
		const list = this.listOf(matched - 1, mark, first);
		const start = line.start + next;
		this.emit({ kind: 'item', number: list.next, start, end: start + marker[0].length });
		if (list.next !== undefined) list.next++;
		this.push(width + marker[0].length + space);
		return true;
	}

	/** Puts a block that is no list item into the innermost container. */
	fill(): void {
		this.endListOf(this.all.length - 1);
		this.last.isEmpty = false;
	}

	/** Ends all containers but the first `count`. */
	closeTo(count: number): void {
		while (this.all.length > count) {
			this.endListOf(this.all.length - 1);
			this.all.pop();
		}
	}

	/** Ends the list of a container's last child. */
	endListOf(index: number): void {
		const container = this.all[index];
		if (!container.list) return;
		container.list = undefined;
		this.emit({
			kind: 'listEnd',
			outermost: !this.all.some(({ indent }) => indent !== undefined),
		});
	}

	/** The list that continues in a container, or a new one if the mark differs. */
	private listOf(index: number, mark: string, first: number | undefined): List {
		const parent = this.all[index];
		if (parent.list?.mark === mark) return parent.list;
		this.endListOf(index);
		const list = { mark, next: first };
		parent.list = list;
		return list;
	}

	private push(indent: number | undefined): void {
		this.last.isEmpty = false;
		this.all.push({ indent, list: undefined, isEmpty: true });
	}
}

function consumeQuote(line: LineCursor, indent: number): void {
	line.consume(indent + 1);
	if (/[ \t]/.test(line.text.charAt(line.offset))) line.consume(1);
}
