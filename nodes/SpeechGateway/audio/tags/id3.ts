/**
 * ID3v2.3 tags. Written after id3.org's "ID3 tag version 2.3.0" and "ID3v2 Chapter Frame Addendum". Numbers are big endian.
 *
 *     tag: "ID3", version 3.0, flags, size (four times seven bits), frames
 *     frame: ID of four letters, size (32 bits), two bytes of flags, content
 *     PRIV: its owner, 0, any bytes
 *     CHAP: its ID, 0, start and end in milliseconds, start and end as bytes (all ones: not used), frames
 *     CTOC: its ID, 0, flags (2 top level, 1 ordered), number of entries (8 bits), IDs of the entries, a 0 behind each
 */
import { concat, uint32sBe, utf8 } from '../bytes';
import { type Chapter, type Metadata, RECORD_OWNER, toMilliseconds } from './metadata';

const TAG_HEADER_BYTES = 10;
const FRAME_HEADER_BYTES = 10;
const LATIN_1 = 0;
const UTF_16 = 1;
const FRONT_COVER = 3;
const TOP_LEVEL = 2;
const ORDERED = 1;
/** The number of entries of a CTOC is one byte. */
const MAX_ENTRIES = 255;
const NOT_USED = 0xffffffff;
/** ISO 639-2 for a language that is not known. */
const LANGUAGE = 'und';

/** The whole tag, or nothing; it stands in front of the audio. Texts beyond ASCII are UTF-16, which every reader of 2.3 knows. */
export function id3Tag({ tags, chapters, record }: Metadata): Uint8Array {
	const frames = concat([
		...textFrame('TIT2', tags.title),
		...textFrame('TPE1', tags.artist),
		...textFrame('TALB', tags.album),
		...textFrame('TYER', tags.year),
		...commentFrame(tags.comment),
		...(record === undefined ? [] : [frame('PRIV', utf8(`${RECORD_OWNER}\0${record}`))]),
		...chapterFrames(chapters),
		...(tags.cover
			? [
					frame(
						'APIC',
						bytesOf(LATIN_1),
						utf8(`${tags.cover.mimeType}\0`),
						bytesOf(FRONT_COVER, 0),
						tags.cover.bytes,
					),
				]
			: []),
	]);
	if (frames.length === 0) return frames;
	const header = new Uint8Array(TAG_HEADER_BYTES);
	header.set(utf8('ID3'));
	header[3] = 3;
	for (let i = 0; i < 4; i++) header[6 + i] = (frames.length >>> (21 - 7 * i)) & 0x7f;
	return concat([header, frames]);
}

/** Players ignore chapters without a table of contents. One with more entries than it can hold is split in two levels. */
function chapterFrames(chapters: Chapter[]): Uint8Array[] {
	if (chapters.length === 0) return [];
	const ids = chapters.map((_, index) => `chp${index}`);
	const groups = Array.from({ length: Math.ceil(ids.length / MAX_ENTRIES) }, (_, index) =>
		ids.slice(index * MAX_ENTRIES, (index + 1) * MAX_ENTRIES),
	);
	const tables =
		groups.length === 1
			? [contents('toc', TOP_LEVEL | ORDERED, ids)]
			: [
					contents(
						'toc',
						TOP_LEVEL | ORDERED,
						groups.map((_, index) => `toc${index}`),
					),
					...groups.map((group, index) => contents(`toc${index}`, ORDERED, group)),
				];
	return [
		...tables,
		...chapters.map(({ title, startSeconds, endSeconds }, index) =>
			frame(
				'CHAP',
				utf8(`${ids[index]}\0`),
				uint32sBe(toMilliseconds(startSeconds), toMilliseconds(endSeconds), NOT_USED, NOT_USED),
				...textFrame('TIT2', title),
			),
		),
	];
}

const contents = (id: string, flags: number, entries: string[]): Uint8Array =>
	frame(
		'CTOC',
		utf8(`${id}\0`),
		bytesOf(flags, entries.length),
		utf8(entries.map((entry) => `${entry}\0`).join('')),
	);

const textFrame = (id: string, text: string | undefined): Uint8Array[] => {
	if (!text) return [];
	const encoding = encodingOf(text);
	return [frame(id, bytesOf(encoding), encoded(text, encoding))];
};

/** Encoding, language, a description (empty, ended by zero) and the text, both in that encoding. */
const commentFrame = (text: string | undefined): Uint8Array[] => {
	if (!text) return [];
	const encoding = encodingOf(text);
	const empty = encoded('\0', encoding);
	return [frame('COMM', bytesOf(encoding), utf8(LANGUAGE), empty, encoded(text, encoding))];
};

function frame(id: string, ...content: Uint8Array[]): Uint8Array {
	const body = concat(content);
	const header = new Uint8Array(FRAME_HEADER_BYTES);
	header.set(utf8(id));
	new DataView(header.buffer).setUint32(4, body.length);
	return concat([header, body]);
}

const encodingOf = (text: string) => (/^\p{ASCII}*$/u.test(text) ? LATIN_1 : UTF_16);

/** UTF-16 begins with its byte order mark. */
function encoded(text: string, encoding: number): Uint8Array {
	if (encoding === LATIN_1) return utf8(text);
	const bytes = new Uint8Array(2 + 2 * text.length);
	const view = new DataView(bytes.buffer);
	view.setUint16(0, 0xfeff, true);
	for (let i = 0; i < text.length; i++) view.setUint16(2 + 2 * i, text.charCodeAt(i), true);
	return bytes;
}

const bytesOf = (...values: number[]): Uint8Array => Uint8Array.from(values);
