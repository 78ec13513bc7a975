/**
 * What may stand around the audio of a file without being part of it: line breaks, padding and tags. Written after
 * id3.org (ID3v1, ID3v2, Lyrics3) and the descriptions of APEv1 and APEv2.
 *
 *     ID3v2, header of 10 bytes               APEv2, header and footer of 32 bytes, little endian;
 *      0  "ID3"                               APEv1 has a footer only, and many an APEv2, too
 *      3  version, revision                    0  "APETAGEX"
 *      5  flags: 0x10 a footer follows        12  bytes of items and footer
 *      6  size, four times seven bits         20  flags: 0x20000000 this is the header
 *
 *     ID3v1: "TAG" and 125 bytes              APE item: size and flags (32 bits each), key, 0, value
 *     Enhanced TAG, before it: "TAG+" and     Lyrics3: "LYRICSBEGIN", text, "LYRICSEND"; in version 2,
 *     223 bytes                               fields, six digits, "LYRICS200"
 */
import { hasText, uint28be, uint32le } from './bytes';

const ID3V2_HEADER_BYTES = 10;
const ID3V1_BYTES = 128;
const ENHANCED_TAG_BYTES = 227;
/** Header of an APE tag: the longest mark by which a tag is known. */
export const MARK_BYTES = 32;
const APE_FLAGS_OFFSET = 20;
const APE_IS_HEADER = 0x20000000;
/** Flags of an APE item: read only, and the kind of its value. */
const APE_ITEM_FLAGS = 7;
/** Where the key of an APE item has ended at the latest: size and flags, up to 255 letters, a zero. */
const MAX_APE_KEY_END = 8 + 255 + 1;
/** More than any cover; a RIFF chunk's name, read as a size, is much more. */
const MAX_APE_ITEM_BYTES = 64 * 1024 * 1024;
const LYRICS_ENDS = ['LYRICSEND', 'LYRICS200'];
const LYRICS_END_BYTES = 9;
/** Six digits tell the size of version 2. */
const MAX_LYRICS_BYTES = 1_100_000;
/** First letters of the marks. */
const MARK_TEXTS = ['TAG', 'ID3', 'APETAGEX', 'LYRICSBEGIN'];

/** Zeros, and line breaks and the like as a text editor or a script leaves them. */
const FILLER_BYTES = [0, 0x0a, 0x0d, 0x20, 0x09];

/** So many bytes are needed to tell. */
export class Needed {
	constructor(readonly bytes: number) {}
}

/** What stands behind the audio of one file, block by block. */
export class Trailers {
	/** Bytes of APE items that no footer has ended yet. */
	private items = 0;

	/** Whether a tag has begun whose end has not come. */
	get isOpen(): boolean {
		return this.items > 0;
	}

	/**
	 * Size of the blanks or the tag at this place; 0 when there are none. It may reach beyond what is there. With `last`, no more
	 * will come.
	 */
	sizeAt(bytes: Uint8Array, at: number, last: boolean): number | Needed {
		const left = bytes.length - at;
		if (!last && left < MARK_BYTES) return new Needed(left + MARK_BYTES);
		// An ID3v2 tag of 4 to 16 KB would pass for an item: its head for size and flags, the rest for a key.
		const item = isMark(bytes, at) ? 0 : apeItemBytes(bytes, at);
		// Its key may go on beyond what is there.
		if (item > 0 && !last && left < MAX_APE_KEY_END) return new Needed(MAX_APE_KEY_END);
		if (item > 0) {
			this.items += item;
			return item;
		}
		const blanks = skipBlanks(bytes, at) - at;
		if (blanks > 0) return blanks;
		if (hasText(bytes, at, 'TAG')) return id3v1Bytes(bytes, at, last);
		if (isId3v2(bytes, at)) {
			const footer = (bytes[at + 5] & 0x10) !== 0 ? ID3V2_HEADER_BYTES : 0;
			return ID3V2_HEADER_BYTES + uint28be(bytes, at + 6) + footer;
		}
		if (hasText(bytes, at, 'LYRICSBEGIN')) return lyricsBytes(bytes, at, last);
		if (left < MARK_BYTES || !hasText(bytes, at, 'APETAGEX')) return 0;
		const size = uint32le(bytes, at + 12);
		if ((uint32le(bytes, at + APE_FLAGS_OFFSET) & APE_IS_HEADER) !== 0) return MARK_BYTES + size;
		const isWhole = size === this.items + MARK_BYTES;
		this.items = 0;
		return isWhole ? MARK_BYTES : 0;
	}
}

/** A title may begin with "+", so what is behind an Enhanced TAG decides. */
function id3v1Bytes(bytes: Uint8Array, at: number, last: boolean): number | Needed {
	if (!hasText(bytes, at, 'TAG+')) return ID3V1_BYTES;
	const end = ENHANCED_TAG_BYTES + 3;
	if (bytes.length - at < end && !last) return new Needed(end);
	return hasText(bytes, at + ENHANCED_TAG_BYTES, 'TAG') ? ENHANCED_TAG_BYTES : ID3V1_BYTES;
}

/** Size of Lyrics3 from its beginning to its end mark; 0 if no end comes within what version 2 can tell. */
function lyricsBytes(bytes: Uint8Array, at: number, last: boolean): number | Needed {
	const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	const ends = LYRICS_ENDS.map((mark) => text.indexOf(mark, at, 'latin1')).filter(
		(end) => end >= 0,
	);
	if (ends.length > 0) return Math.min(...ends) + LYRICS_END_BYTES - at;
	const left = bytes.length - at;
	return last || left > MAX_LYRICS_BYTES ? 0 : new Needed(2 * left);
}

/** Size of the APE item at this place, 0 if there is none: its flags are nearly all zero, and a key of letters follows. */
function apeItemBytes(bytes: Uint8Array, at: number): number {
	if (bytes.length - at < 12) return 0;
	const [size, flags] = [uint32le(bytes, at), uint32le(bytes, at + 4)];
	if (size === 0 || size > MAX_APE_ITEM_BYTES || (flags & ~APE_ITEM_FLAGS) !== 0) return 0;
	const key = at + 8;
	let end = key;
	while (bytes[end] >= 0x20 && bytes[end] <= 0x7e && end < at + MAX_APE_KEY_END) end++;
	const isKey = end - key >= 2 && (end === bytes.length || bytes[end] === 0);
	return isKey && !isMark(bytes, key) ? end + 1 - at + size : 0;
}

/** Index behind the blanks at this place. */
function skipBlanks(bytes: Uint8Array, at: number): number {
	let end = at;
	while (FILLER_BYTES.includes(bytes[end])) end++;
	return end;
}

/** Whether the mark of a tag stands here, or what is there of it. */
export const isMark = (bytes: Uint8Array, at: number): boolean =>
	MARK_TEXTS.some((text) => hasText(bytes, at, text.slice(0, bytes.length - at)));

/** Whether a tag stands here, also within what may be audio: by more than its mark, if that is short. */
export function isTag(bytes: Uint8Array, at: number): boolean {
	if (hasText(bytes, at, 'TAG')) {
		const title = bytes.subarray(at + 3, at + 33);
		return title.every((byte) => byte === 0 || byte >= 0x20);
	}
	return (
		isId3v2(bytes, at) || MARK_TEXTS.some((mark) => mark.length > 3 && hasText(bytes, at, mark))
	);
}

/** Whether what begins here can be a trailer, by its first bytes; the end of the file is one. */
export function beginsTrailer(bytes: Uint8Array, at: number): boolean {
	const mark = skipBlanks(bytes.subarray(0, at + MARK_BYTES), at);
	if (bytes[at] === 0 || mark === Math.min(bytes.length, at + MARK_BYTES)) return true;
	return isMark(bytes, mark) || apeItemBytes(bytes, at) > 0;
}

/** Whether an ID3v2 tag begins here. A RIFF chunk of that name has a space behind it. */
function isId3v2(bytes: Uint8Array, at: number): boolean {
	return (
		at + ID3V2_HEADER_BYTES <= bytes.length &&
		hasText(bytes, at, 'ID3') &&
		bytes[at + 3] < 0x20 &&
		bytes[at + 4] !== 0xff &&
		((bytes[at + 6] | bytes[at + 7] | bytes[at + 8] | bytes[at + 9]) & 0x80) === 0
	);
}
