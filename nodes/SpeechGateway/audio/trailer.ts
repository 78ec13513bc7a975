/**
 * What may stand around the audio of a file without being part of it: line breaks, padding and tags. Written after id3.org
 * (ID3v1, ID3v2) and the description of APEv2.
 *
 *     ID3v2, header of 10 bytes               APEv2, header of 32 bytes, little endian
 *      0  "ID3"                                0  "APETAGEX"
 *      3  version, revision                   12  bytes of items and footer
 *      5  flags: 0x10 a footer follows
 *      6  size, four times seven bits         ID3v1: "TAG" and 125 bytes
 */
import { hasText, uint28be, uint32le } from './bytes';

/** More bytes are needed to tell. */
export const NEED_MORE = -1;

const ID3V2_HEADER_BYTES = 10;
const ID3V1_BYTES = 128;
/** Header of an APE tag: the longest mark by which a tag is known. */
export const MARK_BYTES = 32;
/** First letters of the marks; what follows the last frame of an MP3 file begins with one of them. */
const MARKS = ['TAG', 'ID3', 'APETAGEX'];

/** Zeros, and line breaks and the like as a text editor or a script leaves them. */
const isBlank = (byte: number): boolean =>
	byte === 0 || byte === 0x0a || byte === 0x0d || byte === 0x20 || byte === 0x09;

/** Index behind the blanks at this place. */
function skipBlanks(bytes: Uint8Array, at: number): number {
	let end = at;
	while (end < bytes.length && isBlank(bytes[end])) end++;
	return end;
}

/**
 * Bytes of the blanks or the tag at this place (a tag may reach beyond what is there), 0 when neither is, NEED_MORE when
 * that cannot be told yet. With `last`, no more will come.
 */
export function trailerBytes(bytes: Uint8Array, at: number, last: boolean): number {
	const blanks = skipBlanks(bytes, at) - at;
	if (blanks > 0) return blanks;
	if (!last && bytes.length - at < MARK_BYTES) return NEED_MORE;
	if (hasText(bytes, at, 'TAG')) return ID3V1_BYTES;
	if (isId3v2(bytes, at)) {
		const footer = (bytes[at + 5] & 0x10) !== 0 ? ID3V2_HEADER_BYTES : 0;
		return ID3V2_HEADER_BYTES + uint28be(bytes, at + 6) + footer;
	}
	const isApe = hasText(bytes, at, 'APETAGEX') && at + MARK_BYTES <= bytes.length;
	return isApe ? MARK_BYTES + uint32le(bytes, at + 12) : 0;
}

/** Whether what begins here can be a trailer, by its first bytes; false when there are none. */
export function beginsTrailer(bytes: Uint8Array, at: number): boolean {
	if (at >= bytes.length) return false;
	const mark = skipBlanks(bytes.subarray(0, at + MARK_BYTES), at);
	if (bytes[at] === 0 || mark === Math.min(bytes.length, at + MARK_BYTES)) return true;
	return MARKS.some((text) => hasText(bytes, mark, text.slice(0, bytes.length - mark)));
}

/** Whether an ID3v2 tag begins here. */
function isId3v2(bytes: Uint8Array, at: number): boolean {
	return (
		at + ID3V2_HEADER_BYTES <= bytes.length &&
		hasText(bytes, at, 'ID3') &&
		bytes[at + 3] !== 0xff &&
		bytes[at + 4] !== 0xff &&
		((bytes[at + 6] | bytes[at + 7] | bytes[at + 8] | bytes[at + 9]) & 0x80) === 0
	);
}
