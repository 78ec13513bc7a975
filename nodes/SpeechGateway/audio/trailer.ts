/**
 * What may stand around the audio of a file without being part of it: line breaks, padding and tags. Written after id3.org
 * (ID3v1, ID3v2, Lyrics3) and the descriptions of APEv1 and APEv2.
 *
 *     ID3v2, header of 10 bytes               APE, header and footer of 32 bytes, little endian
 *      0  "ID3"                                0  "APETAGEX"
 *      3  version, revision                    8  version: 1000 (footer only) or 2000
 *      5  flags: 0x10 a footer follows        12  bytes of items and footer
 *      6  size, four times seven bits         16  number of items
 *                                             20  flags: bit 29 this is the header
 *     ID3v1: "TAG" and 125 bytes               an item: length of the value, flags, name, 0, value
 *     Lyrics3: "LYRICSBEGIN" to "LYRICSEND" (version 1) or to six digits and "LYRICS200" (version 2)
 */
import { hasText, uint28be, uint32le } from './bytes';

/** More bytes are needed to tell. */
export const NEED_MORE = -1;

const ID3V2_HEADER_BYTES = 10;
const ID3V1_BYTES = 128;
/** The "TAG+" extension, which stands in front of an ID3v1 tag. */
const ID3V1_EXTENDED_BYTES = 227 + ID3V1_BYTES;
/** Header and footer of an APE tag: the longest mark by which a tag is known. */
export const MARK_BYTES = 32;
/** Lyrics3 v2 counts its size in six digits. */
const MAX_LYRICS_BYTES = 1_000_000;
/** First letters of the marks; what follows the last frame of an MP3 file begins with one of them. */
const MARKS = ['TAG', 'ID3', 'APETAGEX', 'LYRICSBEGIN'];
const LONGEST_ITEM_BYTES = 0x10000;

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
	if (hasText(bytes, at, 'TAG+')) return ID3V1_EXTENDED_BYTES;
	if (hasText(bytes, at, 'TAG')) return ID3V1_BYTES;
	if (isId3v2(bytes, at)) {
		const footer = (bytes[at + 5] & 0x10) !== 0 ? ID3V2_HEADER_BYTES : 0;
		return ID3V2_HEADER_BYTES + uint28be(bytes, at + 6) + footer;
	}
	if (hasText(bytes, at, 'APETAGEX') && at + MARK_BYTES <= bytes.length) {
		const isHeader = (bytes[at + 23] & 0x20) !== 0;
		return MARK_BYTES + (isHeader ? uint32le(bytes, at + 12) : 0);
	}
	return hasText(bytes, at, 'LYRICSBEGIN') ? lyricsBytes(bytes, at, last) : 0;
}

/** Lyrics3 has no size in front: it reaches to "LYRICSEND" (version 1) or "LYRICS200" (version 2). */
function lyricsBytes(bytes: Uint8Array, at: number, last: boolean): number {
	const longest = Math.min(bytes.length, at + MAX_LYRICS_BYTES);
	for (let i = bytes.indexOf(0x4c, at + 1); i >= 0 && i < longest; i = bytes.indexOf(0x4c, i + 1)) {
		if (hasText(bytes, i, 'LYRICSEND') || hasText(bytes, i, 'LYRICS200')) return i + 9 - at;
	}
	return last || bytes.length >= at + MAX_LYRICS_BYTES ? 0 : NEED_MORE;
}

/** Bytes of the items in front of the APE footer at this place: APEv1 and some APEv2 tags have no header. 0 without one. */
export function apeItemBytes(bytes: Uint8Array, at: number): number {
	const isFooter = hasText(bytes, at, 'APETAGEX') && (bytes[at + 23] & 0x20) === 0;
	return isFooter ? Math.max(0, uint32le(bytes, at + 12) - MARK_BYTES) : 0;
}

/** Whether what begins here can be a trailer, by its first bytes; false when there are none. */
export function beginsTrailer(bytes: Uint8Array, at: number): boolean {
	const left = bytes.length - at;
	if (left <= 0) return false;
	const mark = skipBlanks(bytes.subarray(0, at + MARK_BYTES), at);
	if (bytes[at] === 0 || mark === Math.min(bytes.length, at + MARK_BYTES)) return true;
	if (MARKS.some((text) => hasText(bytes, mark, text.slice(0, bytes.length - mark)))) return true;
	// An APE item: length of its value, flags (of which three bits are in use), and a name in letters.
	return (
		left >= 9 &&
		uint32le(bytes, at) < LONGEST_ITEM_BYTES &&
		uint32le(bytes, at + 4) < 8 &&
		bytes[at + 8] > 0x20 &&
		bytes[at + 8] < 0x7f
	);
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
