/**
 * The bit reservoir: the main data of a frame may begin in the frames before it. Where those are left out, the frame is rebuilt
 * with its data in itself. Written after ISO/IEC 11172-3 and 13818-3.
 */
import { concat, uint32be } from '../bytes';
import {
	BITRATE_STEP,
	emptyFrame,
	FRAME_HEADER_BYTES,
	mainDataOffset,
	NO_CRC_BIT,
	parseHeader,
	sideInfoOffset,
} from './frame';

/** The length in bits of a block's main data, with which the block begins. */
const LENGTH_BITS = 12;
/** Bitrate indexes 1 to 14 are bitrates. */
export const MAX_BITRATE_INDEX = 14;

/** What must be known of a frame near a seam. Plain JSON. */
export interface EdgeFrame {
	header: number;
	/** Bytes by which its main data begin before its own place for them. */
	mainDataBegin: number;
	/** Length of its main data. */
	mainDataBytes: number;
}

/**
 * Reads header and side information of the frame at this place. The side information, in bits (MPEG-1 | MPEG-2):
 *
 *     main_data_begin 9 | 8 · private_bits 3 to 5 | 1 to 2 · scfsi 4 a channel | none
 *     for each granule (2 | 1) and channel: part2_3_length 12, and 47 | 51 that do not matter here
 */
export function readEdgeFrame(bytes: Uint8Array, at: number): EdgeFrame {
	const header = uint32be(bytes, at);
	const side = at + sideInfoOffset(header);
	const { mpeg1, blocks } = parseHeader(header);
	const { first, bits, count } = blocks;
	let length = 0;
	for (let block = 0; block < count; block++) {
		length += bitsAt(bytes, side, first + block * bits, LENGTH_BITS);
	}
	return {
		header,
		mainDataBegin: bitsAt(bytes, side, 0, mpeg1 ? 9 : 8),
		mainDataBytes: Math.ceil(length / 8),
	};
}

/** Up to 16 bits, from a bit position behind `at`. */
export function bitsAt(bytes: Uint8Array, at: number, bit: number, count: number): number {
	const byte = at + (bit >>> 3);
	const word = (bytes[byte] << 16) | (bytes[byte + 1] << 8) | (bytes[byte + 2] ?? 0);
	return (word >>> (24 - (bit & 7) - count)) & ((1 << count) - 1);
}

export function frameBytes(frame: Pick<EdgeFrame, 'header'>): number {
	return parseHeader(frame.header).bytes;
}

/** Bytes for main data in a frame. */
export function room(header: number): number {
	return parseHeader(header).bytes - mainDataOffset(header);
}

/** Main data before the frame after this one that belong to that and later ones. */
function tailBytes(head: EdgeFrame[], index: number): number {
	return head[index + 1].mainDataBegin;
}

/**
 * The header that frame `index` gets if the frames before it are left out: its own, or that of a higher bitrate with room for
 * the data that it has in them. Undefined when no bitrate has the room, data are missing, or the next frame is not known.
 */
export function freshHeader(head: EdgeFrame[], index: number): number | undefined {
	const frame = head[index];
	if (index === 0) return frame.header;
	if (index + 1 >= head.length) return undefined;
	const before = head.slice(0, index).reduce((sum, one) => sum + room(one.header), 0);
	const free = frame.mainDataBegin + room(frame.header) - frame.mainDataBytes;
	if (frame.mainDataBegin > before || tailBytes(head, index) > free) return undefined;
	if (frame.mainDataBegin === 0) return frame.header;
	const needed = frame.mainDataBytes + tailBytes(head, index);
	let header = (frame.header | NO_CRC_BIT) >>> 0;
	for (; room(header) < needed; header += BITRATE_STEP) {
		if (((header >>> 12) & 15) === MAX_BITRATE_INDEX) return undefined;
	}
	return header;
}

/**
 * Rebuilds frame `index` with that header, out of the frames up to and including it. What later frames need stays at its end,
 * since they count back from there; between the two is filler.
 */
export function freshFrame(
	head: EdgeFrame[],
	index: number,
	header: number,
	frames: Uint8Array,
): Uint8Array {
	const frame = head[index];
	const at = frames.length - frameBytes(frame);
	if (frame.mainDataBegin === 0) return frames.slice(at);
	const areas: Uint8Array[] = [];
	let from = 0;
	for (const one of head.slice(0, index + 1)) {
		areas.push(frames.subarray(from + mainDataOffset(one.header), from + frameBytes(one)));
		from += frameBytes(one);
	}
	const data = concat(areas);
	const begin = data.length - room(frame.header) - frame.mainDataBegin;
	const tail = data.subarray(data.length - tailBytes(head, index));

	const bytes = emptyFrame(header);
	const sideInfo = frames.subarray(
		at + sideInfoOffset(frame.header),
		at + mainDataOffset(frame.header),
	);
	bytes.set(sideInfo, FRAME_HEADER_BYTES);
	bytes[FRAME_HEADER_BYTES] = 0; // main_data_begin: these 8 bits, and in MPEG-1 one more
	if (parseHeader(header).mpeg1) bytes[FRAME_HEADER_BYTES + 1] &= 0x7f;
	bytes.set(data.subarray(begin, begin + frame.mainDataBytes), mainDataOffset(header));
	bytes.set(tail, bytes.length - tail.length);
	return bytes;
}
