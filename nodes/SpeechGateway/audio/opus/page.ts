/**
 * Ogg pages (RFC 3533, section 6). Numbers little endian:
 *
 *      0  "OggS"                                    18  page sequence number
 *      4  version 0                                 22  CRC-32 of the page, this field counted as 0
 *      5  flags: 1 continued packet, 2 beginning    26  number of segments
 *         of stream, 4 end of stream                27  segment table: a length each; a packet ends
 *      6  granule position, 64 bits                     with the first that is less than 255
 *     14  bitstream serial number
 */
import { packed, sum, uint32sLe } from '../bytes';
import type { Emit } from '../joiner';

/** Opus counts all times at this rate, whatever was recorded. */
export const SAMPLE_RATE = 48_000;
/** Without the segment table. */
export const PAGE_HEADER_BYTES = 27;
/** Flag: the page begins within a packet. */
export const CONTINUED = 1;
/** Flag: the stream begins with this page. */
export const FIRST_PAGE = 2;
/** Flag: the stream ends with this page. */
export const LAST_PAGE = 4;
/** Granule position of a page on which no packet ends. */
export const NO_GRANULE = -1;
/** The files made here hold one stream each, so any number does. */
const SERIAL = 1;
const CHECKSUM_OFFSET = 22;
/** A page has at most so many segments of at most so many bytes. */
const MAX_SEGMENTS = 255;
const SEGMENT_BYTES = 255;
/** Pages of a second at most, as RFC 7845 recommends for seeking. */
const MAX_PAGE_SAMPLES = SAMPLE_RATE;

/** A packet takes segments of 255 bytes, and a shorter one (possibly empty) that ends it. */
const segmentCount = (packet: Uint8Array): number => Math.floor(packet.length / SEGMENT_BYTES) + 1;

/** The segment table of whole packets. */
function lacingOf(packets: Uint8Array[]): Uint8Array {
	const table = new Uint8Array(sum(packets.map(segmentCount))).fill(SEGMENT_BYTES);
	let end = 0;
	for (const packet of packets) {
		end += segmentCount(packet);
		table[end - 1] = packet.length % SEGMENT_BYTES;
	}
	return table;
}

/** Writes an Ogg Opus stream page by page: the two packets of its header, then audio. */
export class OpusWriter {
	private pages = 0;
	/** Up to the end of the packets that wait for their page. */
	private samples = 0;
	private waiting: Uint8Array[] = [];
	private waitingSamples = 0;
	private waitingSegments = 0;

	constructor(
		private readonly emit: Emit,
		head: Uint8Array,
		comments: Uint8Array,
	) {
		this.addHeader(head, FIRST_PAGE);
		this.addHeader(comments, 0);
	}

	/** Adds an audio packet of so many samples; its page is emitted when it is full. */
	add(packet: Uint8Array, samples: number): void {
		const segments = segmentCount(packet);
		const isFull =
			this.waitingSamples + samples > MAX_PAGE_SAMPLES ||
			this.waitingSegments + segments > MAX_SEGMENTS;
		if (isFull) this.flush(0, this.samples);
		this.waiting.push(packet);
		this.waitingSamples += samples;
		this.waitingSegments += segments;
		this.samples += samples;
	}

	/** Emits the last page. `endSample`: where decoders are to end, within the packets of that page. */
	end(endSample = this.samples): void {
		this.flush(LAST_PAGE, endSample);
	}

	/** A packet of the header has pages of its own; it may be longer than one. */
	private addHeader(packet: Uint8Array, flags: number): void {
		const lacing = lacingOf([packet]);
		for (let from = 0; from < lacing.length; from += MAX_SEGMENTS) {
			const to = from + MAX_SEGMENTS;
			const body = packet.subarray(SEGMENT_BYTES * from, SEGMENT_BYTES * to);
			const position = to < lacing.length ? NO_GRANULE : 0;
			this.addPage(from > 0 ? CONTINUED : flags, position, lacing.subarray(from, to), [body]);
		}
	}

	private flush(flags: number, position: number): void {
		this.addPage(flags, position, lacingOf(this.waiting), this.waiting);
		this.waiting = [];
		this.waitingSamples = 0;
		this.waitingSegments = 0;
	}

	private addPage(flags: number, position: number, lacing: Uint8Array, body: Uint8Array[]): void {
		const numbers = uint32sLe(SERIAL, this.pages++, 0);
		const page = packed(
			'OggS',
			[0, flags],
			new Uint8Array(8),
			numbers,
			[lacing.length],
			lacing,
			...body,
		);
		const view = new DataView(page.buffer);
		view.setBigInt64(6, BigInt(position), true);
		view.setUint32(CHECKSUM_OFFSET, oggChecksum(page), true);
		this.emit(page);
	}
}

/** Ogg's CRC-32: polynomial 0x04C11DB7, most significant bit first, starting from zero; by byte. */
const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
	let crc = byte << 24;
	for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
	return crc;
});

/** The CRC of a page, its own field taken as zero (polynomial 0x04c11db7, not reflected). */
export function oggChecksum(page: Uint8Array): number {
	let crc = 0;
	for (let at = 0; at < page.length; at++) {
		const isChecksum = at >= CHECKSUM_OFFSET && at < CHECKSUM_OFFSET + 4;
		crc = (crc << 8) ^ CRC_TABLE[(crc >>> 24) ^ (isChecksum ? 0 : page[at])];
	}
	return crc >>> 0;
}
