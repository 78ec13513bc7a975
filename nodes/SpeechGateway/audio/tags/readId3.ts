/** Reads ID3v2.3 and 2.4; id3.ts has the layout drawn. Sizes of 2.4 are four times seven bits. */
import { hasText, nameAt, uint28be, uint32be } from '../bytes';
import type { Cover, OwnChapter, OwnMetadata, Tags } from './metadata';
import { byStart, RECORD_OWNER, sniffCover, withoutEmpty, yearIn } from './metadata';

const UNSYNCHRONISED = 0x80;
const EXTENDED = 0x40;
const TEXTS: Record<string, Exclude<keyof Tags, 'cover'>> = {
	TIT2: 'title',
	TPE1: 'artist',
	TALB: 'album',
	TYER: 'year',
	TDRC: 'year',
};
const ENCODINGS = ['latin1', 'utf-16le', 'utf-16be', 'utf-8'];

interface Frame {
	id: string;
	body: Uint8Array;
}

/** `header`: the first 10 bytes of the tag; `body`: the others. */
export function readId3(header: Uint8Array, body: Uint8Array): OwnMetadata {
	const version = header[3];
	if (version !== 3 && version !== 4) return { tags: {}, chapters: [] };
	const isWhole = version === 3 && (header[5] & UNSYNCHRONISED) !== 0;
	const plain = isWhole ? synchronised(body) : body;
	const extended = (header[5] & EXTENDED) === 0 ? 0 : extendedBytes(plain, version);
	const tags: Tags = {};
	const chapters: OwnChapter[] = [];
	let record: string | undefined;
	for (const { id, body: content } of framesOf(plain.subarray(extended), version)) {
		const field = TEXTS[id];
		if (field) tags[field] ??= field === 'year' ? yearIn(textOf(content)) : textOf(content);
		if (id === 'COMM' && content.length > 4) tags.comment ??= commentOf(content);
		if (id === 'APIC') tags.cover ??= coverOf(content);
		if (id === 'PRIV') record ??= recordIn(content);
		if (id === 'CHAP') chapters.push(...chapterOf(content, version));
	}
	return { tags: withoutEmpty(tags), chapters: chapters.sort(byStart), record };
}

function recordIn(body: Uint8Array): string | undefined {
	const owner = `${RECORD_OWNER}\0`;
	if (!hasText(body, 0, owner)) return undefined;
	return new TextDecoder().decode(body.subarray(owner.length));
}

function extendedBytes(body: Uint8Array, version: number): number {
	return version === 3 ? 4 + uint32be(body, 0) : uint28be(body, 0);
}

/** Without the zeros that are put behind 0xFF, so that nothing looks like a frame of audio. */
const synchronised = (bytes: Uint8Array): Uint8Array =>
	bytes.filter((byte, at) => !(byte === 0 && bytes[at - 1] === 0xff));

function framesOf(bytes: Uint8Array, version: number): Frame[] {
	const frames: Frame[] = [];
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
const textOf = (body: Uint8Array): string => decoded(body.subarray(1), body[0]).text;

/** The text up to a zero, and the bytes with that. */
function decoded(bytes: Uint8Array, encoding: number): { text: string; bytes: number } {
	const width = encoding === 1 || encoding === 2 ? 2 : 1;
	let end = 0;
	while (end + width <= bytes.length && bytes.subarray(end, end + width).some((byte) => byte !== 0))
		end += width;
	const isBigEndian = encoding === 1 && bytes[0] === 0xfe && bytes[1] === 0xff;
	const name = isBigEndian ? 'utf-16be' : (ENCODINGS[encoding] ?? 'latin1');
	const text = new TextDecoder(name).decode(bytes.subarray(0, end));
	return { text: text.trim(), bytes: Math.min(bytes.length, end + width) };
}

/** Encoding, language (3 bytes), a description and the text; iTunes keeps data of its own under a description. */
function commentOf(body: Uint8Array): string | undefined {
	const description = decoded(body.subarray(4), body[0]);
	if (description.text !== '') return undefined;
	return decoded(body.subarray(4 + description.bytes), body[0]).text;
}

/** Encoding, MIME type, kind of picture, a description and the picture. */
function coverOf(body: Uint8Array): Cover | undefined {
	const mime = decoded(body.subarray(1), 0).bytes;
	const description = decoded(body.subarray(2 + mime), body[0]).bytes;
	const bytes = body.slice(2 + mime + description);
	const mimeType = sniffCover(bytes);
	return mimeType && { mimeType, bytes };
}

function chapterOf(body: Uint8Array, version: number): OwnChapter[] {
	const id = decoded(body, 0).bytes;
	if (body.length < id + 16) return [];
	const startSeconds = uint32be(body, id) / 1000;
	const title = framesOf(body.subarray(id + 16), version).find((frame) => frame.id === 'TIT2');
	return title ? [{ title: textOf(title.body), startSeconds }] : [];
}
