/**
 * Layer III frames. Written after ISO/IEC 11172-3 and 13818-3. A frame is a header, perhaps a checksum, side information
 * and main data. The header, 32 bits big endian:
 *
 *     AAAAAAAA AAABBCCD EEEEFFGH IIJJKLMM
 *
 *     A  sync word, all ones            F  sample rate (3: reserved)    J  mode extension
 *     B  version: 3 MPEG-1, 2 MPEG-2,   G  padding: one byte more       K  copyright
 *        0 MPEG-2.5 (1: reserved)       H  private                      L  original
 *     C  layer: 1 is layer III          I  channel mode: 3 is mono      M  emphasis (2: reserved)
 *     D  no checksum (protection bit)
 *     E  bitrate (0: free format, 15: forbidden)
 */
import { uint32be } from '../bytes';

/** kbit/s by bitrate index; 0 is free format and 15 is forbidden. */
const BITRATES_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES_MPEG1 = [44_100, 48_000, 32_000];

/** Sync word, version, bitrate and so on, in front of each frame. */
export const FRAME_HEADER_BYTES = 4;
/** Header bits that are the same in all frames of a file: sync, version, layer, sample rate. */
const STREAM_MASK = 0xfffe0c00;
/**
 * Bits that a frame made here takes over from the stream: these, bitrate, channel mode, copyright, original and emphasis.
 * ffmpeg takes a first frame for junk that differs from the second in more than bitrate and padding.
 */
const TEMPLATE_MASK = (STREAM_MASK | 0x0000f0cf) >>> 0;
/** The protection bit of a header: set where no checksum follows it. */
export const NO_CRC_BIT = 0x00010000;
const CRC_BYTES = 2;
/** What one step of the bitrate adds to a header. */
const BITRATE_STEP = 0x00001000;
/** Bitrate indexes 1 to 14 are bitrates. */
const MAX_BITRATE_INDEX = 14;

/** What a frame header says, for valid headers. */
export interface Frame {
	mpeg1: boolean;
	mono: boolean;
	bitrate: number;
	sampleRate: number;
	samples: number;
	bytes: number;
	/** The blocks that end the side information, one for each granule and channel; `first`: the bit at which they begin. */
	blocks: { first: number; bits: number; count: number };
}

/** The header that was read last: nearly all of a file are the same. */
let last: { header: number; frame: Readonly<Frame> } | undefined;

/** Reads a header that `isMp3FrameHeader` accepts. */
export function parseHeader(header: number): Readonly<Frame> {
	if (last?.header !== header) last = { header, frame: read(header) };
	return last.frame;
}

function read(header: number): Frame {
	const version = (header >>> 19) & 3;
	const mpeg1 = version === 3;
	const bitrate = (mpeg1 ? BITRATES_MPEG1 : BITRATES_MPEG2)[bitrateIndex(header)];
	const divisor = mpeg1 ? 1 : version === 2 ? 2 : 4;
	const sampleRate = SAMPLE_RATES_MPEG1[(header >>> 10) & 3] / divisor;
	const samples = mpeg1 ? 1152 : 576;
	const mono = ((header >>> 6) & 3) === 3;
	const bits = mpeg1 ? 59 : 63;
	const count = (mono ? 1 : 2) * (mpeg1 ? 2 : 1);
	return {
		mpeg1,
		mono,
		bitrate,
		sampleRate,
		samples,
		bytes: Math.floor((samples * bitrate * 125) / sampleRate) + ((header >>> 9) & 1),
		blocks: { first: 8 * sideInfoBytes({ mpeg1, mono }) - count * bits, bits, count },
	};
}

/** Whether these four bytes can begin a layer III frame that is not free format. */
export function isMp3FrameHeader(header: number): boolean {
	const bitrate = bitrateIndex(header);
	return (
		header >>> 21 === 0x7ff &&
		((header >>> 19) & 3) !== 1 &&
		((header >>> 17) & 3) === 1 &&
		bitrate !== 0 &&
		bitrate <= MAX_BITRATE_INDEX &&
		((header >>> 10) & 3) !== 3 &&
		// Emphasis 2 is reserved; refusing it makes false headers rarer.
		(header & 3) !== 2
	);
}

/** Whether two frames can follow each other: one version, sample rate and number of channels. */
export function sameStream(a: number, b: number): boolean {
	const monoA = ((a >>> 6) & 3) === 3;
	const monoB = ((b >>> 6) & 3) === 3;
	return ((a ^ b) & STREAM_MASK) === 0 && monoA === monoB;
}

/** Size of the side information, which lies between the frame header and the main data. */
export function sideInfoBytes(frame: Pick<Frame, 'mpeg1' | 'mono'>): number {
	if (frame.mpeg1) return frame.mono ? 17 : 32;
	return frame.mono ? 9 : 17;
}

/** Where the side information begins in a frame: behind header and checksum. */
export function sideInfoOffset(header: number): number {
	return FRAME_HEADER_BYTES + ((header & NO_CRC_BIT) === 0 ? CRC_BYTES : 0);
}

/** Where the main data begin in a frame. */
export function mainDataOffset(header: number): number {
	return sideInfoOffset(header) + sideInfoBytes(parseHeader(header));
}

/** A frame with nothing but its header. */
export function emptyFrame(header: number): Uint8Array {
	const bytes = new Uint8Array(frameBytes(header));
	new DataView(bytes.buffer).setUint32(0, header);
	return bytes;
}

/** A frame that plays as silence: its side information is all zero, so it holds no spectrum and borrows no bits. */
export const silentFrame = (header: number): Uint8Array =>
	emptyFrame(((header & TEMPLATE_MASK) | NO_CRC_BIT) >>> 0);

/** Size of the whole frame of a header. */
export const frameBytes = (header: number): number => parseHeader(header).bytes;

/** Bytes for main data in a frame: what header, checksum and side information leave of it. */
export const room = (header: number): number => frameBytes(header) - mainDataOffset(header);

const bitrateIndex = (header: number): number => (header >>> 12) & 15;

/** The header at the lowest bitrate, from its own on, that is enough; at the highest when none is. */
export function raised(header: number, isEnough: (header: number) => boolean): number {
	let higher = header;
	while (!isEnough(higher) && bitrateIndex(higher) < MAX_BITRATE_INDEX) higher += BITRATE_STEP;
	return higher;
}

/*
 * The side information behind the header, in bits (MPEG-1 | MPEG-2), with a block for each granule (2 | 1) and channel:
 *
 *     main_data_begin 9 | 8 · private_bits 3 to 5 | 1 to 2 · scfsi 4 a channel | none · blocks
 *
 *     12 part2_3_length | 9 big_values | 8 global_gain | 4 or 9 scalefac_compress | 1 window_switching_flag |
 *     window_switching: 2 block_type | 1 mixed_block_flag | 5 5 table_select | 3 × 3 subblock_gain
 *     else:             5 5 5 table_select | 4 region0_count | 3 region1_count
 */
const BIG_VALUES_BIT = 12;
const GLOBAL_GAIN_BIT = 21;
const SCALEFAC_COMPRESS_BIT = 29;
/** The greatest value that each Huffman table can code, with the bits that some append. */
const TABLE_MAX = [
	0, 1, 2, 2, 0, 3, 3, 5, 5, 5, 7, 7, 7, 15, 0, 15, 16, 18, 22, 30, 78, 270, 1038, 8206, 19, 23, 30,
	46, 78, 270, 2062, 8206,
];
/** The global gain at which a value of 1 is full scale; four steps double it. */
const FULL_SCALE_GAIN = 210;

/** Where the main data of a frame are. */
export interface MainData {
	header: number;
	/** Bytes by which its main data begin before its own place for them. */
	mainDataBegin: number;
	/** Length of its main data. */
	mainDataBytes: number;
}

/** Reads header and side information of the frame at this place. */
export function readMainData(bytes: Uint8Array, at: number): MainData {
	const header = uint32be(bytes, at);
	const side = at + sideInfoOffset(header);
	const { mpeg1, blocks } = parseHeader(header);
	const { first, bits, count } = blocks;
	let length = 0;
	for (let block = 0; block < count; block++) {
		length += bitsAt(bytes, side, first + block * bits, BIG_VALUES_BIT);
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

/**
 * Upper bound of a frame's loudest frequency (1 = full scale), from the side information alone: the global
 * gain, and the greatest value that the chosen Huffman tables can code. Scalefactors can only lower it. Close
 * enough to tell a pause from speech, undecoded.
 */
export function frameLevel(bytes: Uint8Array, at: number, header: number): number {
	const { mpeg1, blocks } = parseHeader(header);
	const { first, bits, count } = blocks;
	const compressBits = mpeg1 ? 4 : 9;
	const side = at + sideInfoOffset(header);
	let level = 0;
	for (let block = 0; block < count; block++) {
		level = Math.max(level, greatestValue(bytes, side, first + block * bits, compressBits));
	}
	return level;
}

/** The same of one block, whose side information begins at this bit; 0 if it has no main data. */
function greatestValue(bytes: Uint8Array, side: number, bit: number, compressBits: number): number {
	if (bitsAt(bytes, side, bit, BIG_VALUES_BIT) === 0) return 0;
	const switching = bit + SCALEFAC_COMPRESS_BIT + compressBits;
	const isSwitched = bitsAt(bytes, side, switching, 1) === 1;
	const tables = switching + (isSwitched ? 4 : 1);
	let most = 1; // behind the big values stand values of 1
	if (bitsAt(bytes, side, bit + BIG_VALUES_BIT, 9) > 0) {
		for (let region = 0; region < (isSwitched ? 2 : 3); region++) {
			most = Math.max(most, TABLE_MAX[bitsAt(bytes, side, tables + 5 * region, 5)]);
		}
	}
	const gain = bitsAt(bytes, side, bit + GLOBAL_GAIN_BIT, 8);
	return most ** (4 / 3) * 2 ** ((gain - FULL_SCALE_GAIN) / 4);
}
