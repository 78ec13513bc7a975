/**
 * ID3v2.3 tags; those of 2.4 are read, too. Written after id3.org's "ID3 tag version 2.3.0" and "ID3v2 Chapter Frame Addendum".
 * Numbers are big endian.
 *
 *     tag: "ID3", version 3.0, flags, size (four times seven bits), frames
 *     frame: ID of four letters, size (32 bits; in 2.4 four times seven), two bytes of flags, content
 *     T…: encoding, text
 *     COMM: encoding, language (3 letters), description and text, both in that encoding
 *     APIC: encoding, MIME type, kind of picture, description, picture
 *     PRIV: its owner, 0, any bytes
 *     CHAP: its ID, 0, start and end in milliseconds, start and end as bytes (all ones: not used), frames
 *     CTOC: its ID, 0, flags (2 top level, 1 ordered), number of entries (8 bits), IDs of the entries, a 0 behind each
 */
import { hasText, nameAt, packed, uint28be, uint32be, uint32sBe } from '../bytes';
import type { Chapter, Cover, Metadata, OwnChapter, OwnMetadata, Tags } from './metadata';
import {
	NO_METADATA,
	RECORD_OWNER,
	sniffCover,
	toMilliseconds,
	withoutEmpty,
	yearIn,
} from './metadata';

const LATIN_1 = 0;
const UTF_16 = 1;
const FRONT_COVER = 3;
const TOP_LEVEL = 2;
const ORDERED = 1;
/** The number of entries of a CTOC is one byte. */
const MAX_ENTRIES = 255;
const NOT_USED = 0xffffffff;
const OWNER = `${RECORD_OWNER}\0`;
/** ISO 639-2 for a language that is not known. */
const LANGUAGE = 'und';
const TEXT_FRAMES: Record<string, Exclude<keyof Tags, 'cover'>> = {
	TIT2: 'title',
	TPE1: 'artist',
	TALB: 'album',
	TYER: 'year',
};

/**
 * The whole tag, or nothing; it stands in front of the audio. Texts beyond ASCII are UTF-16, which every reader of 2.3
 * knows.
 */
export function id3Tag({ tags, chapters, record }: Metadata): Uint8Array {
	const { comment = '', cover } = tags;
	const frames = packed(
		...Object.entries(TEXT_FRAMES).flatMap(([id, field]) => textFrame(id, tags[field])),
		...(comment === ''
			? []
			: [frame('COMM', [encodingOf(comment)], LANGUAGE, encoded('\0', comment), encoded(comment))]),
		...(record === undefined ? [] : [frame('PRIV', OWNER, record)]),
		...chapterFrames(chapters),
		...(cover
			? [frame('APIC', [LATIN_1], `${cover.mimeType}\0`, [FRONT_COVER, 0], cover.bytes)]
			: []),
	);
	if (frames.length === 0) return frames;
	const size = [21, 14, 7, 0].map((bits) => (frames.length >>> bits) & 0x7f);
	return packed('ID3', [3, 0, 0, ...size], frames);
}

/** Players ignore chapters without a table of contents. One with more entries than it can hold is split in two levels. */
function chapterFrames(chapters: Chapter[]): Uint8Array[] {
	if (chapters.length === 0) return [];
	const ids = chapters.map((_, index) => `chp${index}`);
	const groups = Array.from({ length: Math.ceil(ids.length / MAX_ENTRIES) }, (_, index) => ({
		id: `toc${index}`,
		entries: ids.slice(index * MAX_ENTRIES, (index + 1) * MAX_ENTRIES),
	}));
	const isSplit = groups.length > 1;
	return [
		contents('toc', TOP_LEVEL | ORDERED, isSplit ? groups.map(({ id }) => id) : ids),
		...(isSplit ? groups : []).map(({ id, entries }) => contents(id, ORDERED, entries)),
		...chapters.map(({ title, startSeconds, endSeconds }, index) =>
			frame(
				'CHAP',
				`${ids[index]}\0`,
				uint32sBe(toMilliseconds(startSeconds), toMilliseconds(endSeconds), NOT_USED, NOT_USED),
				...textFrame('TIT2', title),
			),
		),
	];
}

const contents = (id: string, flags: number, entries: string[]): Uint8Array =>
	frame('CTOC', `${id}\0`, [flags, entries.length], ...entries.map((entry) => `${entry}\0`));

const textFrame = (id: string, text: string | undefined): Uint8Array[] =>
	text ? [frame(id, [encodingOf(text)], encoded(text))] : [];

function frame(id: string, ...content: Parameters<typeof packed>): Uint8Array {
	const body = packed(...content);
	return packed(id, uint32sBe(body.length), [0, 0], body);
}

const encodingOf = (text: string): number => (/^\p{ASCII}*$/u.test(text) ? LATIN_1 : UTF_16);

/** In the encoding of another text, or its own. UTF-16 begins with its byte order mark. */
const encoded = (text: string, like = text): Uint8Array =>
	encodingOf(like) === LATIN_1 ? packed(text) : packed([0xff, 0xfe], Buffer.from(text, 'utf16le'));

const UNSYNCHRONISED = 0x80;
const EXTENDED = 0x40;
const TEXT_ENCODINGS = ['latin1', 'utf-16le', 'utf-16be', 'utf-8'];

/**
 * Reads a tag of version 2.3 or 2.4; of others, nothing. `header`: the first 10 bytes; `body`:
 * the others. Of equal frames, the first counts.
 */
export function readId3(header: Uint8Array, body: Uint8Array): OwnMetadata {
	const version = header[3];
	if (version !== 3 && version !== 4) return NO_METADATA;
	const isWhole = version === 3 && (header[5] & UNSYNCHRONISED) !== 0;
	const plain = isWhole ? synchronised(body) : body;
	const extension = version === 3 ? 4 + uint32be(plain, 0) : uint28be(plain, 0);
	const start = (header[5] & EXTENDED) === 0 ? 0 : extension;
	const tags: Tags = {};
	const chapters: OwnChapter[] = [];
	let record: string | undefined;
	for (const { id, body: content } of framesOf(plain.subarray(start), version)) {
		const field = TEXT_FRAMES[id];
		if (field && field !== 'year') tags[field] ??= frameText(content);
		// In 2.4, a date.
		if (id === 'TYER' || id === 'TDRC') tags.year ??= yearIn(frameText(content));
		if (id === 'COMM' && content.length > 4) tags.comment ??= commentOf(content);
		if (id === 'APIC') tags.cover ??= coverOf(content);
		if (id === 'PRIV' && hasText(content, 0, OWNER))
			record ??= new TextDecoder().decode(content.subarray(OWNER.length));
		if (id === 'CHAP') chapters.push(...chapterOf(content, version));
	}
	return { tags: withoutEmpty(tags), chapters, record };
}

/** Without the zeros that are put behind 0xFF, so that nothing looks like a frame of audio. */
const synchronised = (bytes: Uint8Array): Uint8Array =>
	bytes.filter((byte, at) => !(byte === 0 && bytes[at - 1] === 0xff));

/** The frames of a tag, or those within a CHAP, up to the padding of zeros. */
function framesOf(bytes: Uint8Array, version: number): Array<{ id: string; body: Uint8Array }> {
	const frames: ReturnType<typeof framesOf> = [];
	for (let at = 0; at + 10 <= bytes.length && bytes[at] !== 0; ) {
		const size = version === 3 ? uint32be(bytes, at + 4) : uint28be(bytes, at + 4);
		const flags = bytes[at + 9];
		let body = bytes.subarray(at + 10, at + 10 + size);
		// Of 2.4: four bytes tell the length without the zeros of a frame that has them.
		if (version === 4 && (flags & 1) !== 0) body = body.subarray(4);
		if (version === 4 && (flags & 2) !== 0) body = synchronised(body);
		frames.push({ id: nameAt(bytes, at), body });
		at += 10 + size;
	}
	return frames;
}

/** The text behind its encoding, up to the first zero: 2.4 may list several. */
const frameText = (body: Uint8Array): string => decodedText(body.subarray(1), body[0]).text;

/** The text up to a zero, and the bytes with that. */
function decodedText(bytes: Uint8Array, encoding: number): { text: string; bytes: number } {
	const width = encoding === 1 || encoding === 2 ? 2 : 1;
	let end = 0;
	while (end + width <= bytes.length && bytes.subarray(end, end + width).some((byte) => byte !== 0))
		end += width;
	const isBigEndian = encoding === 1 && bytes[0] === 0xfe && bytes[1] === 0xff;
	const name = isBigEndian ? 'utf-16be' : (TEXT_ENCODINGS[encoding] ?? 'latin1');
	const text = new TextDecoder(name).decode(bytes.subarray(0, end));
	return { text: text.trim(), bytes: Math.min(bytes.length, end + width) };
}

/** iTunes keeps data of its own under a description. */
function commentOf(body: Uint8Array): string | undefined {
	const description = decodedText(body.subarray(4), body[0]);
	if (description.text !== '') return undefined;
	return decodedText(body.subarray(4 + description.bytes), body[0]).text;
}

function coverOf(body: Uint8Array): Cover | undefined {
	const mime = decodedText(body.subarray(1), LATIN_1).bytes;
	const description = decodedText(body.subarray(2 + mime), body[0]).bytes;
	const bytes = body.slice(2 + mime + description);
	const mimeType = sniffCover(bytes);
	return mimeType && { mimeType, bytes };
}

function chapterOf(body: Uint8Array, version: number): OwnChapter[] {
	const id = decodedText(body, LATIN_1).bytes;
	if (body.length < id + 16) return [];
	const startSeconds = uint32be(body, id) / 1000;
	const title = framesOf(body.subarray(id + 16), version).find((one) => one.id === 'TIT2');
	return title ? [{ title: frameText(title.body), startSeconds }] : [];
}
