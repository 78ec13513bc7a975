/** The range decoder of Opus. Written after RFC 6716, section 4.1. */

const CODE_TOP = 2 ** 31;
const CODE_BOTTOM = 2 ** 23;

/** Reads symbols off the front of a frame. All numbers are integers below 2^32. */
export class RangeDecoder {
	private range = 128;
	private value: number;
	private next: number;
	private last: number;
	/** Bits that are in the range, or raw at the end of the frame. */
	private taken = 9;

	/** The frame is what stands between two offsets. */
	constructor(
		private readonly bytes: Uint8Array,
		start: number,
		private readonly end: number,
	) {
		this.next = start;
		this.last = this.nextByte();
		this.value = this.range - 1 - (this.last >>> 1);
		this.normalize();
	}

	/** Whole bits used so far. */
	get bitsUsed(): number {
		return this.taken - (32 - Math.clz32(this.range));
	}

	/** A bit that is set once in 2^logp times. */
	bit(logp: number): boolean {
		const part = this.range >>> logp;
		const isSet = this.value < part;
		if (!isSet) this.value -= part;
		this.range = isSet ? part : this.range - part;
		this.normalize();
		return isSet;
	}

	/** A symbol of an inverse cumulative distribution, which falls from below 2^bits to 0. */
	symbol(inverse: number[], bits: number): number {
		const unit = this.range >>> bits;
		let above = this.range;
		let index = 0;
		while (this.value < unit * inverse[index]) above = unit * inverse[index++];
		const below = unit * inverse[index];
		this.value -= below;
		this.range = above - below;
		this.normalize();
		return index;
	}

	/** One of so many equally frequent values, 256 at most. */
	uniform(total: number): number {
		const unit = Math.floor(this.range / total);
		const low = this.lowOf(unit, total);
		this.narrow(unit, low, low + 1, total);
		return low;
	}

	/** Raw bits stand at the end of the frame: the range does not change. */
	skipRaw(bits: number): void {
		this.taken += bits;
	}

	/**
	 * An integer of Laplace's distribution: `zero` of 32,768 is how often it is 0, `decay` of 16,384 how much less often each
	 * further one is.
	 */
	laplace(zero: number, decay: number): number {
		const unit = this.range >>> 15;
		const place = this.lowOf(unit, 32_768);
		let value = 0;
		let low = 0;
		let width = zero;
		if (place >= zero) {
			value = 1;
			low = zero;
			width = (((32_768 - 32 - zero) * (16_384 - decay)) >>> 15) + 1;
			while (width > 1 && place >= low + 2 * width) {
				low += 2 * width;
				width = (((2 * width - 2) * decay) >>> 15) + 1;
				value++;
			}
			if (width <= 1) {
				const steps = (place - low) >> 1;
				value += steps;
				low += 2 * steps;
			}
			if (place < low + width) value = -value;
			else low += width;
		}
		this.narrow(unit, low, Math.min(low + width, 32_768), 32_768);
		return value;
	}

	private lowOf(unit: number, total: number): number {
		return total - Math.min(Math.floor(this.value / unit) + 1, total);
	}

	private narrow(unit: number, low: number, high: number, total: number): void {
		const above = unit * (total - high);
		this.value -= above;
		this.range = low > 0 ? unit * (high - low) : this.range - above;
		this.normalize();
	}

	private normalize(): void {
		while (this.range <= CODE_BOTTOM) {
			this.taken += 8;
			this.range *= 256;
			const before = this.last;
			this.last = this.nextByte();
			const symbol = ((before << 8) | this.last) >>> 1;
			this.value = (this.value * 256 + (255 & ~symbol)) % CODE_TOP;
		}
	}

	private nextByte(): number {
		return this.next < this.end ? this.bytes[this.next++] : 0;
	}
}
