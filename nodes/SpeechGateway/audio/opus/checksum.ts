/** Ogg's CRC-32 (RFC 3533, section 6): polynomial 0x04C11DB7, most significant bit first, starting from zero. */

const POLYNOMIAL = 0x04c11db7;
/** Where a page has its checksum. */
export const CHECKSUM_OFFSET = 22;

/** TABLES[n][b]: effect of byte b followed by n more bytes. Four tables take four bytes a step: three times as fast. */
const TABLES = makeTables();

function makeTables(): Int32Array[] {
	const tables = Array.from({ length: 4 }, () => new Int32Array(256));
	for (let byte = 0; byte < 256; byte++) {
		let crc = byte << 24;
		for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
		tables[0][byte] = crc;
	}
	for (let table = 1; table < 4; table++) {
		for (let byte = 0; byte < 256; byte++) {
			const before = tables[table - 1][byte];
			tables[table][byte] = (before << 8) ^ tables[0][before >>> 24];
		}
	}
	return tables;
}

function update(start: number, bytes: Uint8Array, from: number, to: number): number {
	const [t0, t1, t2, t3] = TABLES;
	let crc = start;
	let at = from;
	for (; at + 4 <= to; at += 4) {
		crc ^= (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
		crc = t3[crc >>> 24] ^ t2[(crc >>> 16) & 255] ^ t1[(crc >>> 8) & 255] ^ t0[crc & 255];
	}
	for (; at < to; at++) crc = (crc << 8) ^ t0[(crc >>> 24) ^ bytes[at]];
	return crc;
}

const NO_CHECKSUM = new Uint8Array(4);

/** Checksum of a page; the field that holds it counts as zero. */
export function oggChecksum(page: Uint8Array): number {
	const head = update(0, page, 0, CHECKSUM_OFFSET);
	const gap = update(head, NO_CHECKSUM, 0, 4);
	return update(gap, page, CHECKSUM_OFFSET + 4, page.length) >>> 0;
}
