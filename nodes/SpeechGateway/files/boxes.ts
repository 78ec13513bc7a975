/** Types of the first box of an MP4 or QuickTime file. */
const FIRST = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip']);
const BOX_HEAD = 8;
/** A header with a size of 64 bits. */
const LARGE_BOX_HEAD = 16;

/**
 * Whether an MP4 or QuickTime file is whole. It is a row of boxes (ISO/IEC 14496-12), each of which begins with its size (4
 * bytes, big endian) and its type. A size of 1: it stands behind the type, in 8 bytes; 0: the box goes on to the end.
 */
export class Boxes {
	private head = Buffer.alloc(0);
	/** Bytes of the present box that are still to come; Infinity: whatever comes. */
	private left = 0;
	private isFirst = true;

	/** Takes the next bytes of the file. */
	feed(chunk: Uint8Array): void {
		let at = 0;
		while (at < chunk.length) {
			if (this.left > 0) {
				const passed = Math.min(this.left, chunk.length - at);
				this.left -= passed;
				at += passed;
				continue;
			}
			const wanted = this.head.length < BOX_HEAD ? BOX_HEAD : LARGE_BOX_HEAD;
			const part = chunk.subarray(at, at + wanted - this.head.length);
			this.head = Buffer.concat([this.head, part]);
			at += part.length;
			if (this.head.length === wanted) this.begin();
		}
	}

	/** Bytes that are missing at the end; undefined: how many is not said. 0 of a whole file, and of one of another kind. */
	get missing(): number | undefined {
		if (this.head.length > 0) return undefined;
		return this.left === Infinity ? 0 : this.left;
	}

	/** A box whose header is here, unless its size is still to come. */
	private begin(): void {
		const { head } = this;
		const size = head.readUInt32BE(0);
		const isOther = this.isFirst && !FIRST.has(head.toString('latin1', 4, BOX_HEAD));
		if (size === 1 && head.length < LARGE_BOX_HEAD && !isOther) return;
		const whole =
			size === 1 && head.length > BOX_HEAD ? Number(head.readBigUInt64BE(BOX_HEAD)) : size;
		// What is no box is not judged.
		const isLast = isOther || size === 0 || whole < head.length;
		this.left = isLast ? Infinity : whole - head.length;
		this.isFirst = false;
		this.head = Buffer.alloc(0);
	}
}
