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
