/** Byte access shared by the format readers. Bytes behind the end count as 0. */

/** A number of two bytes, the lowest first. */
export function uint16le(bytes: Uint8Array, at: number): number {
	return bytes[at] | (bytes[at + 1] << 8);
}

/** A number of four bytes, the lowest first. */
export function uint32le(bytes: Uint8Array, at: number): number {
	return (uint16le(bytes, at) | (uint16le(bytes, at + 2) << 16)) >>> 0;
}

/** A number of four bytes, the highest first. */
export function uint32be(bytes: Uint8Array, at: number): number {
	return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

/** A number in four bytes of seven bits each, big endian, as ID3 has its sizes. */
export function uint28be(bytes: Uint8Array, at: number): number {
	return (bytes[at] << 21) | (bytes[at + 1] << 14) | (bytes[at + 2] << 7) | bytes[at + 3];
}

function uint32s(values: number[], isLittleEndian: boolean): Uint8Array {
	const bytes = new Uint8Array(4 * values.length);
	const view = new DataView(bytes.buffer);
	values.forEach((value, index) => view.setUint32(4 * index, value, isLittleEndian));
	return bytes;
}

/** Numbers of 32 bits, big endian, one after the other. */
export const uint32sBe = (...values: number[]): Uint8Array => uint32s(values, false);

/** The same, little endian. */
export const uint32sLe = (...values: number[]): Uint8Array => uint32s(values, true);

/** Texts (in UTF-8), single bytes and arrays of them, one behind the other. */
export const packed = (...parts: Array<string | number[] | Uint8Array>): Uint8Array =>
	concat(
		parts.map((part) => {
			if (typeof part === 'string') return new TextEncoder().encode(part);
			return part instanceof Uint8Array ? part : Uint8Array.from(part);
		}),
	);

/** The four ASCII letters that name a chunk or a frame. */
export const nameAt = (bytes: Uint8Array, at: number): string =>
	String.fromCharCode(...bytes.subarray(at, at + 4));

/** Whether the ASCII text stands at this place. */
export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
	for (let i = 0; i < text.length; i++) {
		if (bytes[at + i] !== text.charCodeAt(i)) return false;
	}
	return true;
}

/** Chunks as one array. A single chunk is returned itself, not copied. */
export function concat(chunks: Uint8Array[]): Uint8Array {
	if (chunks.length === 1) return chunks[0];
	const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
	let at = 0;
	for (const chunk of chunks) {
		all.set(chunk, at);
		at += chunk.length;
	}
	return all;
}

/** The sum of numbers; 0 for none. */
export const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Size of the chunks in which long silence is handed out: big enough to be fast, small enough to be no burden. */
const CHUNK_BYTES = 64 * 1024;

/** One block of bytes many times, in chunks that share their memory. */
export function repeated(block: Uint8Array, count: number): Uint8Array[] {
	const perChunk = Math.min(count, Math.ceil(CHUNK_BYTES / block.length));
	const chunk = concat(Array.from({ length: perChunk }, () => block));
	const chunks: Uint8Array[] = [];
	for (let left = count; left > 0; left -= perChunk)
		chunks.push(chunk.subarray(0, left * block.length));
	return chunks;
}
