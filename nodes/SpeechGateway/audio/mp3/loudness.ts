/** How loud an MP3 frame can be, by its side information alone. Written after ISO/IEC 11172-3 and 13818-3. */
import { parseHeader, sideInfoOffset } from './frame';
import { bitsAt } from './reservoir';

/**
 * Bits of a granule's block for one channel:
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
	...[0, 1, 2, 2, 0, 3, 3, 5, 5, 5, 7, 7, 7, 15, 0, 15],
	...[16, 18, 22, 30, 78, 270, 1038, 8206, 19, 23, 30, 46, 78, 270, 2062, 8206],
];
/** The global gain at which a value of 1 is full scale; four steps double it. */
const FULL_SCALE_GAIN = 210;

/** Upper bound of a frame's loudest frequency (1 = full scale); scalefactors can only lower it. */
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
