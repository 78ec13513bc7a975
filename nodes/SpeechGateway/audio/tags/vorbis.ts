/** Vorbis comments. Written after xiph.org's "Vorbis comment" and "Chapter Extension", and RFC 9639 for pictures. */
import { clockSeconds, timestamp } from '../../core/timestamp';
import { hasText, packed, uint32be, uint32le, uint32sBe, uint32sLe } from '../bytes';
import type { Cover, Metadata, OwnChapter, OwnMetadata } from './metadata';
import { RECORD_COMMENT, sniffCover, toMilliseconds, withoutEmpty, yearIn } from './metadata';

const FRONT_COVER = 3;
/** The numbers of chapters have three digits. */
export const MAX_CHAPTERS = 999;
const VENDOR = 'speech-gateway';

/**
 * The second packet of Ogg Opus (RFC 7845, section 5.2), lengths little endian:
 *
 *     "OpusTags" · length and vendor · number of comments · length and text of each comment, `KEY=value` in UTF-8
 */
export function opusTags(metadata: Metadata): Uint8Array {
	const comments = commentsFor(metadata);
	const counted = (text: string) => [uint32sLe(packed(text).length), text];
	return packed(
		'OpusTags',
		...counted(VENDOR),
		uint32sLe(comments.length),
		...comments.flatMap(counted),
	);
}

/** @throws Error beyond 999 chapters */
function commentsFor({ tags, chapters, record }: Metadata): string[] {
	if (chapters.length > MAX_CHAPTERS) {
		throw new Error(
			`An Opus file can have at most ${MAX_CHAPTERS} chapters, not ${chapters.length}`,
		);
	}
	const named = {
		[RECORD_COMMENT]: record,
		TITLE: tags.title,
		ARTIST: tags.artist,
		ALBUM: tags.album,
		DATE: tags.year,
		// The standard's name, and the one that players show.
		DESCRIPTION: tags.comment,
		COMMENT: tags.comment,
	};
	return [
		...Object.entries(named).flatMap(([key, value]) => (value ? [`${key}=${value}`] : [])),
		...chapters.flatMap(({ title, startSeconds }, index) => {
			const key = `CHAPTER${String(index + 1).padStart(3, '0')}`;
			return [`${key}=${timestamp(toMilliseconds(startSeconds))}`, `${key}NAME=${title}`];
		}),
		...(tags.cover ? [`METADATA_BLOCK_PICTURE=${pictureBlock(tags.cover)}`] : []),
	];
}

/**
 * A FLAC picture block in base64, all numbers 32 bits big endian: type · length and MIME type · length and description ·
 * width, height, depth and number of colours (0: see the picture) · length and picture.
 */
function pictureBlock({ mimeType, bytes }: Cover): string {
	const type = uint32sBe(FRONT_COVER, mimeType.length);
	const block = packed(type, mimeType, uint32sBe(0, 0, 0, 0, 0, bytes.length), bytes);
	return Buffer.from(block.buffer).toString('base64');
}

/** Reads the OpusTags packet. */
export function readVorbis(packet: Uint8Array): OwnMetadata {
	const comments = commentsOf(packet);
	const tags = withoutEmpty({
		title: comments.TITLE,
		artist: comments.ARTIST,
		album: comments.ALBUM,
		year: yearIn(comments.DATE ?? ''),
		comment: comments.COMMENT ?? comments.DESCRIPTION,
		cover: coverOf(comments.METADATA_BLOCK_PICTURE),
	});
	const chapters = Object.entries(comments).flatMap(([key, value]): OwnChapter[] => {
		const isTime = /^\d+:\d\d:\d\d(?:\.\d+)?$/.test(value);
		if (!/^CHAPTER\d+$/.test(key) || !isTime) return [];
		return [{ title: comments[`${key}NAME`] ?? '', startSeconds: clockSeconds(value) }];
	});
	return { tags, chapters, record: comments[RECORD_COMMENT] };
}

/** By name in capitals; of several of a name, the first. */
function commentsOf(packet: Uint8Array): Record<string, string> {
	const comments: Record<string, string> = {};
	if (!hasText(packet, 0, 'OpusTags')) return comments;
	let at = 12 + uint32le(packet, 8);
	let count = uint32le(packet, at);
	for (at += 4; count > 0 && at + 4 <= packet.length; count--) {
		const length = uint32le(packet, at);
		const comment = new TextDecoder().decode(packet.subarray(at + 4, at + 4 + length));
		const equals = comment.indexOf('=');
		comments[comment.slice(0, equals).toUpperCase()] ??= comment.slice(equals + 1);
		at += 4 + length;
	}
	return comments;
}

/** The picture of a FLAC block (see `pictureBlock`), whatever its type; undefined if it is neither JPEG nor PNG. */
function coverOf(base64: string | undefined): Cover | undefined {
	if (!base64) return undefined;
	const block = new Uint8Array(Buffer.from(base64, 'base64'));
	if (block.length < 32) return undefined;
	const description = 8 + uint32be(block, 4);
	const bytes = block.slice(description + 4 + uint32be(block, description) + 20);
	const mimeType = sniffCover(bytes);
	return mimeType && { mimeType, bytes };
}
