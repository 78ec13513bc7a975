/** Writes Ogg pages; reader.ts has the layout drawn. */
import { concat, putText } from '../bytes';
import { CHECKSUM_OFFSET, oggChecksum } from './checksum';
import { PAGE_HEADER_BYTES } from './reader';
import { segmentsOf } from './tally';

/** The files made here hold one stream each, so any number does. */
const SERIAL = 1;
const NUMBER_OFFSET = 18;
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
