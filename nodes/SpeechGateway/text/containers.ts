import { matchAt } from './characters';

/** A quotation's mark, a bullet (those of word processors and chats, too), or a number and what follows it. */
const MARK = />|([*+-]|[•◦▪‣●○▸►](?=[ \t]))(?=[ \t]|$)|(\d{1,9})([.)])(?=[ \t]|$)/y;

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

/** The mark of a quotation or list item at the cursor, if it is one there: not every list item can interrupt a paragraph. */
export function markAt({ text, indent: { next } }: LineCursor, inParagraph: boolean) {
	const mark = matchAt(MARK, text, next);
	if (!mark || !inParagraph || mark[0] === '>') return mark;
	const interrupts = mark[2] === undefined || Number(mark[2]) === 1;
	return interrupts && text.slice(MARK.lastIndex).trim() !== '' ? mark : null;
}

/** A list item starts, with its number in an ordered list, or a list ends. Offsets of the source. */
export type ListEvent =
	| { kind: 'item'; number: number | undefined; start: number; end: number }
	| { kind: 'listEnd'; outermost: boolean };

interface Container {
	/** The indentation of a list item's content, in columns; undefined: a quotation. */
	indent: number | undefined;
	/** The list of the last child, as long as it may continue: its bullet or the mark after its numbers, and the next number. */
	list: { mark: string; next: number | undefined } | undefined;
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
			const { indent, isEmpty } = this.all[matched];
			const { width, next } = line.indent;
			if (indent === undefined) {
				if (width > 3 || line.text.charAt(next) !== '>') break;
				consumeQuote(line);
			} else if (line.isBlank) {
				if (isEmpty) break;
			} else if (width >= indent) line.consume(indent);
			else break;
		}
		return matched;
	}

	/** Puts the quotation or list item whose mark is at the cursor into the innermost container. */
	open([mark, bullet, number, afterNumber]: RegExpExecArray, line: LineCursor): void {
		if (mark === '>') {
			this.endList();
			consumeQuote(line);
			return this.push(undefined);
		}
		const { width, next } = line.indent;
		line.consume(width + mark.length);
		const isBlank = line.text.slice(line.offset).trim() === '';
		const after = line.indent.width;
		const space = isBlank || after > 4 ? 1 : after;
		line.consume(space);

		const kind = bullet ?? afterNumber;
		if (this.last.list?.mark !== kind) this.endList();
		this.last.list ??= { mark: kind, next: number === undefined ? undefined : Number(number) };
		const { list } = this.last;
		const start = line.start + next;
		this.emit({ kind: 'item', number: list.next, start, end: start + mark.length });
		if (list.next !== undefined) list.next++;
		this.push(width + mark.length + space);
	}

	/** Puts a block that is no list item into the innermost container. */
	fill(): void {
		this.endList();
		this.last.isEmpty = false;
	}

	/** Ends all containers but the first `count`. */
	closeTo(count: number): void {
		while (this.all.length > count) {
			this.endList();
			this.all.pop();
		}
	}

	/** Ends the list of the last child. */
	private endList(): void {
		if (!this.last.list) return;
		this.last.list = undefined;
		const outermost = this.all.every(({ indent }) => indent === undefined);
		this.emit({ kind: 'listEnd', outermost });
	}

	private push(indent: number | undefined): void {
		this.last.isEmpty = false;
		this.all.push({ indent, list: undefined, isEmpty: true });
	}
}

function consumeQuote(line: LineCursor): void {
	line.consume(line.indent.width + 1);
	if (/[ \t]/.test(line.text.charAt(line.offset))) line.consume(1);
}
