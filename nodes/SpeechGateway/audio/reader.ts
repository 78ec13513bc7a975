/** What the readers of all formats share: blocks, and errors within the audio. */
import { concat } from './bytes';
import { DamagedAudioError } from './format';
import { Needed, Trailers } from './trailers';

/** More bytes are needed to tell. */
export const NEED_MORE = -1;
/** Bytes with which most blocks that lie across two chunks are whole: of MP3, two frames. */
const SEAM_BYTES = 4096;

/**
 * Base of the readers of formats that are made of blocks (frames, pages, RIFF chunks). Gathers chunks until the next
 * block can be whole, so memory stays at one block however the file is split.
 */
export abstract class BlockReader {
	/** Bytes fed so far. */
	protected bytes = 0;
	/** Where the next block begins in the file. */
	protected position = 0;
	/** Bytes without which `next` need not be asked again. */
	private wanted = 1;
	/** Bytes that were passed over before they came. */
	private missing = 0;
	private waiting: Uint8Array[] = [];
	private waitingBytes = 0;
	private readonly trailers = new Trailers();

	feed(chunk: Uint8Array): void {
		this.bytes += chunk.length;
		const rest = chunk.subarray(this.missing);
		this.missing -= chunk.length - rest.length;
		if (rest.length === 0) return;
		this.waiting.push(rest);
		this.waitingBytes += rest.length;
		if (this.waitingBytes >= this.wanted) this.run(false);
	}

	/**
	 * To be called first in `end`; `format` names the file in errors.
	 *
	 * @throws DamagedAudioError when the file is empty, or ends within a tag
	 */
	protected finish(format: string): void {
		if (this.waitingBytes > 0) this.run(true);
		if (this.bytes === 0) throw new DamagedAudioError(`The ${format} file is empty`, true);
		if (this.missing > 0) {
			throw new DamagedAudioError(
				`The ${format} file is cut short: ${this.missing} bytes of a tag are missing`,
			);
		}
		if (this.trailers.isOpen)
			throw new DamagedAudioError(`The ${format} file is cut short: the end of a tag is missing`);
	}

	/**
	 * Understands the block at this place. Returns its size, which may reach beyond what is there to pass over some that are
	 * still to come, or NEED_MORE. With `last`, no more will come.
	 */
	protected abstract next(bytes: Uint8Array, at: number, last: boolean): number;

	/** Understands as many blocks as it can, and returns where the next one begins. */
	protected read(bytes: Uint8Array, last: boolean): number {
		this.wanted = 1;
		let at = 0;
		while (at < bytes.length) {
			const used = this.next(bytes, at, last);
			if (used === NEED_MORE) break;
			at += used;
			this.position += used;
		}
		return at;
	}

	/** Asks for so many bytes from the beginning of the block on, to avoid copying. */
	protected want(bytes: number): typeof NEED_MORE {
		this.wanted = bytes;
		return NEED_MORE;
	}

	/** Size of the blanks or the tag at this place, as `next` returns it; 0 when there are none. */
	protected trailer(bytes: Uint8Array, at: number, last: boolean): number {
		const size = this.trailers.sizeAt(bytes, at, last);
		return size instanceof Needed ? this.want(size.bytes) : size;
	}

	/**
	 * A long chunk is read where it is; only what lies across it and the one before is copied. With small chunks,
	 * `wanted` sees to it that a long block is copied a few times, not once a chunk.
	 */
	private run(last: boolean): void {
		const latest = this.waiting[this.waiting.length - 1];
		const before = this.waitingBytes - latest.length;
		const across = Math.max(this.wanted, SEAM_BYTES) - before;
		let used = 0;
		if (before > 0 && across < latest.length)
			used = this.read(concat(this.waiting.with(-1, latest.subarray(0, across))), false);
		const bytes =
			used < before ? concat(this.waiting).subarray(used) : latest.subarray(used - before);
		const end = this.read(bytes, last);
		this.missing = Math.max(0, used + end - this.waitingBytes);
		// A copy of what is left, so that the rest of its chunk can go.
		const left = bytes.slice(end);
		this.waiting = left.length > 0 ? [left] : [];
		this.waitingBytes = left.length;
	}
}

/** How gateways begin what they send behind, or in the middle of, audio that they have lost: their error, or the file anew. */
const ERROR_MARKS = {
	'"error"': 'an error message in JSON is in it',
	'WAVEfmt ': 'the file begins anew within it',
};
const ERROR_MARK_BYTES = 8;

/** Looks for the marks within audio, wherever chunks end. `format`: for the message. */
export class ErrorWatch {
	/** The last bytes, in which a mark may begin. */
	private rest = Buffer.alloc(0);

	constructor(private readonly format: string) {}

	/** @throws DamagedAudioError when the error is there */
	feed(chunk: Uint8Array): void {
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
		const seam = Buffer.concat([this.rest, bytes.subarray(0, ERROR_MARK_BYTES - 1)]);
		for (const [mark, what] of Object.entries(ERROR_MARKS))
			if (seam.includes(mark, 0, 'latin1') || bytes.includes(mark, 0, 'latin1'))
				throw new DamagedAudioError(`The ${this.format} audio was broken off: ${what}`);
		const end = bytes.length < ERROR_MARK_BYTES ? seam : bytes;
		this.rest = Buffer.from(end.subarray(-(ERROR_MARK_BYTES - 1)));
	}
}
