/** Reads the OpusTags packet; vorbis.ts and opus/comments.ts have it drawn. */
import { hasText, uint32be, uint32le } from '../bytes';
import type { Cover, OwnChapter, OwnMetadata } from './metadata';
import { byStart, sniffCover, withoutEmpty, yearIn } from './metadata';
import { RECORD_COMMENT } from './record';

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
		const time = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(value);
		if (!/^CHAPTER\d+$/.test(key) || !time) return [];
		const startSeconds = 3600 * Number(time[1]) + 60 * Number(time[2]) + Number(time[3]);
		return [{ title: comments[`${key}NAME`] ?? '', startSeconds }];
	});
	return { tags, chapters: chapters.sort(byStart), record: comments[RECORD_COMMENT] };
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

/** A FLAC picture block: type, MIME type, description, four numbers and the picture. */
function coverOf(base64: string | undefined): Cover | undefined {
	if (!base64) return undefined;
	const block = new Uint8Array(Buffer.from(base64, 'base64'));
	if (block.length < 32) return undefined;
	const description = 8 + uint32be(block, 4);
	const bytes = block.slice(description + 4 + uint32be(block, description) + 20);
	const mimeType = sniffCover(bytes);
	return mimeType && { mimeType, bytes };
}
