/** Vorbis comments. Written after xiph.org's "Vorbis comment" and "Chapter Extension", and RFC 9639 for pictures. */
import { timestamp } from '../../core/timestamp';
import { concat, uint32sBe, utf8 } from '../bytes';
import { type Cover, type Metadata, toMilliseconds } from './metadata';
import { RECORD_COMMENT } from './record';

const FRONT_COVER = 3;
/** The numbers of chapters have three digits. */
export const MAX_CHAPTERS = 999;

/** Each as `KEY=value`. @throws Error beyond 999 chapters */
export function vorbisComments({ tags, chapters, record }: Metadata): string[] {
	if (chapters.length > MAX_CHAPTERS) {
		throw new Error(
			`An Opus file can have at most ${MAX_CHAPTERS} chapters, not ${chapters.length}`,
		);
	}
	const named = {
		TITLE: tags.title,
		ARTIST: tags.artist,
		ALBUM: tags.album,
		DATE: tags.year,
		// The standard's name, and the one that players show.
		DESCRIPTION: tags.comment,
		COMMENT: tags.comment,
	};
	return [
		...(record === undefined ? [] : [`${RECORD_COMMENT}=${record}`]),
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
	const type = utf8(mimeType);
	const block = concat([
		uint32sBe(FRONT_COVER, type.length),
		type,
		uint32sBe(0, 0, 0, 0, 0, bytes.length),
		bytes,
	]);
	return Buffer.from(block.buffer, block.byteOffset, block.length).toString('base64');
}
