/**
 * The record of parts that a file carries, so that they can be cut out of it again: a text in ASCII that other programs pass
 * over. In MP3 it is an ID3 frame for private use, in Opus a comment, in WAV a chunk of its own.
 */
import { concat, hasText, uint28be, uint32be, uint32le } from '../bytes';
import { PAGE_HEADER_BYTES } from '../opus/reader';

export const RECORD_OWNER = 'n8n-nodes-speech-gateway';
export const RECORD_COMMENT = 'SPEECH_GATEWAY_PARTS';
export const RECORD_CHUNK = 'sgPt';

/** Enough for 100,000 parts. A longer one is not from this node. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;
const ID3_HEADER_BYTES = 10;
const ID3_FRAME_HEADER_BYTES = 10;

/** Reads a file by saying what it needs next: bytes to be given, or a number of them to be passed over. */
type Scan<T = string | undefined> = Generator<{ read: number } | { skip: number }, T, Uint8Array>;

/** Finds the record while a file passes by chunk by chunk; keeps nothing else of it. */
export class RecordScanner {
	/** The record; undefined while it has not been found. */
	record: string | undefined;
	private readonly scan: Scan = scanFile();
	private wanted: ReturnType<Scan['next']>;
	private waiting: Uint8Array[] = [];
	private waitingBytes = 0;
	private skipped = 0;

	constructor() {
		this.wanted = this.scan.next();
	}

	feed(chunk: Uint8Array): void {
		let rest = chunk;
		while (!this.wanted.done) {
			if ('skip' in this.wanted.value) {
				const left = this.wanted.value.skip - this.skipped;
				if (rest.length < left) {
					this.skipped += rest.length;
					return;
				}
				rest = rest.subarray(left);
				this.skipped = 0;
				this.goOn(new Uint8Array(0));
				continue;
			}
			const left = this.wanted.value.read - this.waitingBytes;
			const more = rest.subarray(0, left);
			this.waiting.push(more);
			this.waitingBytes += more.length;
			if (more.length < left) return;
			rest = rest.subarray(left);
			const bytes = concat(this.waiting);
			this.waiting = [];
			this.waitingBytes = 0;
			this.goOn(bytes);
		}
	}

	private goOn(bytes: Uint8Array): void {
		this.wanted = this.scan.next(bytes);
		if (this.wanted.done) this.record = this.wanted.value;
	}
}

function* scanFile(): Scan {
	const head = yield { read: ID3_HEADER_BYTES };
	if (hasText(head, 0, 'ID3')) return yield* scanId3(head);
	if (hasText(head, 0, 'RIFF')) return yield* scanRiff();
	if (hasText(head, 0, 'OggS')) return yield* scanOgg(head);
	return undefined;
}

function* scanId3(header: Uint8Array): Scan {
	// In 2.4, which other programs may have made of it, frames give their sizes in seven bits a byte, too.
	const sizeOf = header[3] >= 4 ? uint28be : uint32be;
	let left = uint28be(header, 6);
	while (left >= ID3_FRAME_HEADER_BYTES) {
		const frame = yield { read: ID3_FRAME_HEADER_BYTES };
		const size = sizeOf(frame, 4);
		left -= ID3_FRAME_HEADER_BYTES + size;
		if (frame[0] === 0 || left < 0) return undefined;
		if (!hasText(frame, 0, 'PRIV') || size > MAX_RECORD_BYTES) {
			yield { skip: size };
			continue;
		}
		const content = yield { read: size };
		const owner = `${RECORD_OWNER}\0`;
		if (hasText(content, 0, owner)) return ascii(content.subarray(owner.length));
	}
	return undefined;
}

function* scanRiff(): Scan {
	yield { skip: 2 }; // the rest of "WAVE"
	for (;;) {
		const header = yield { read: 8 };
		const size = uint32le(header, 4);
		if (hasText(header, 0, RECORD_CHUNK) && size <= MAX_RECORD_BYTES) {
			return ascii(yield { read: size });
		}
		yield { skip: size + (size & 1) };
	}
}

/** Reads the second packet, the comments, from page to page. `head`: what has been read of the first page. */
function* scanOgg(head: Uint8Array): Scan {
	const first = yield { read: PAGE_HEADER_BYTES - head.length };
	yield { skip: bodyBytes(yield { read: first[first.length - 1] }) };
	let left = 0;
	function* take(count: number): Scan<Uint8Array> {
		const chunks: Uint8Array[] = [];
		for (let missing = count; missing > 0; ) {
			if (left === 0) {
				const page = yield { read: PAGE_HEADER_BYTES };
				if (!hasText(page, 0, 'OggS')) return new Uint8Array(count);
				left = bodyBytes(yield { read: page[PAGE_HEADER_BYTES - 1] });
				continue;
			}
			const part = yield { read: Math.min(missing, left) };
			chunks.push(part);
			left -= part.length;
			missing -= part.length;
		}
		return concat(chunks);
	}
	if (!hasText(yield* take(8), 0, 'OpusTags')) return undefined;
	yield* take(uint32le(yield* take(4), 0) & 0xffff);
	const comments = uint32le(yield* take(4), 0);
	for (let i = 0; i < comments; i++) {
		const size = uint32le(yield* take(4), 0);
		if (size > MAX_RECORD_BYTES) return undefined;
		const comment = yield* take(size);
		const name = `${RECORD_COMMENT}=`;
		if (hasText(comment, 0, name)) return ascii(comment.subarray(name.length));
	}
	return undefined;
}

const bodyBytes = (segments: Uint8Array): number => segments.reduce((sum, one) => sum + one, 0);

const ascii = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
