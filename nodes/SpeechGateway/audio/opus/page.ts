/**
 * Ogg pages (RFC 3533, section 6). Numbers little endian:
 *
 *      0  "OggS"                                    18  page sequence number
 *      4  version 0                                 22  CRC-32, see page.ts
 *      5  flags: 1 continued packet, 2 beginning    26  number of segments
 *         of stream, 4 end of stream                27  segment table: a length each; a packet ends
 *      6  granule position, 64 bits                     with the first that is less than 255
 *     14  bitstream serial number
 */
import { concat, putText } from '../bytes';
import { segmentsOf } from './tally';

export const PAGE_HEADER_BYTES = 27;
export const CONTINUED = 1;
export const FIRST_PAGE = 2;
export const LAST_PAGE = 4;
/** Granule position of a page on which no packet ends. */
export const NO_GRANULE = -1;
/** The files made here hold one stream each, so any number does. */
const SERIAL = 1;
const NUMBER_OFFSET = 18;
const CHECKSUM_OFFSET = 22;
/** Segments in a page, at most. */
export const MAX_SEGMENTS = 255;

export interface Page {
	number: number;
	flags: number;
	/** Granule position; -1 where no packet ends. */
	position: number;
	/** Lengths of the segments, 255 at most. */
	lacing: Uint8Array;
	body: Uint8Array[];
}

export function oggPage({ number, flags, position, lacing, body }: Page): Uint8Array {
	const header = new Uint8Array(PAGE_HEADER_BYTES);
	const view = new DataView(header.buffer);
	putText(header, 0, 'OggS');
	header[5] = flags;
	view.setBigInt64(6, BigInt(position), true);
	view.setUint32(14, SERIAL, true);
	header[26] = lacing.length;
	return numbered(concat([header, lacing, ...body]), number);
}

/** The segment table of whole packets: a length of less than 255 ends each. */
export function lacingOf(packets: Uint8Array[]): Uint8Array {
	const table = new Uint8Array(
		packets.reduce((sum, packet) => sum + segmentsOf(packet.length), 0),
	).fill(255);
	let end = 0;
	for (const packet of packets) {
		end += segmentsOf(packet.length);
		table[end - 1] = packet.length % 255;
	}
	return table;
}

/** Gives a page its number, and the checksum, which depends on that. */
export function numbered(page: Uint8Array, number: number): Uint8Array {
	const view = new DataView(page.buffer, page.byteOffset);
	view.setUint32(NUMBER_OFFSET, number, true);
	view.setUint32(CHECKSUM_OFFSET, oggChecksum(page), true);
	return page;
}

/** Ogg's CRC-32 (RFC 3533, section 6): polynomial 0x04C11DB7, most significant bit first, starting from zero; by byte. */
const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
	let crc = byte << 24;
	for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
	return crc;
});

/** Checksum of a page; the field that holds it counts as zero. */
export function oggChecksum(page: Uint8Array): number {
	let crc = 0;
	for (let at = 0; at < page.length; at++) {
		const isChecksum = at >= CHECKSUM_OFFSET && at < CHECKSUM_OFFSET + 4;
		crc = (crc << 8) ^ CRC_TABLE[(crc >>> 24) ^ (isChecksum ? 0 : page[at])];
	}
	return crc >>> 0;
}
