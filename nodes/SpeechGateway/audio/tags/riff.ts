/**
 * Tags and chapters of a WAV file, in chunks behind its samples. Written after Microsoft's "Multimedia Programming Interface
 * and Data Specifications 1.0"; numbers are little endian.
 *
 *     LIST INFO: chunks of text, each ended by a zero
 *     cue: number of points; each: ID, position, "data", 0, 0, sample
 *     LIST adtl: labl chunks: ID of the point, text ended by a zero
 *     id3: an ID3v2 tag with the cover, and texts beyond ASCII; nobody specified it, but most players and taggers read it
 */
import { concat, uint32sLe, utf8 } from '../bytes';
import { id3Tag } from './id3';
import type { Metadata } from './metadata';
import { RECORD_CHUNK } from './record';

/** The chunks of a file of this sample rate. INFO has no encoding; UTF-8 is what most readers take it for. */
export function riffChunks({ tags, chapters, record }: Metadata, sampleRate: number): Uint8Array {
	const info = Object.entries({
		INAM: tags.title,
		IART: tags.artist,
		IPRD: tags.album,
		ICRD: tags.year,
		ICMT: tags.comment,
	}).flatMap(([id, value]) => (value ? [chunk(id, utf8(`${value}\0`))] : []));
	// Readers that find a text twice complain, so it is there twice only where INFO may be misread.
	const { cover, ...texts } = tags;
	const isAscii = /^\p{ASCII}*$/u.test(Object.values(texts).join(''));
	const inId3 = !isAscii ? tags : cover && { cover };
	const points = chapters.map(({ startSeconds }, index) => {
		const sample = Math.round(startSeconds * sampleRate);
		return concat([uint32sLe(index + 1, sample), utf8('data'), uint32sLe(0, 0, sample)]);
	});
	const labels = chapters.map(({ title }, index) =>
		chunk('labl', uint32sLe(index + 1), utf8(`${title}\0`)),
	);
	return concat([
		...(info.length > 0 ? [chunk('LIST', utf8('INFO'), ...info)] : []),
		...(points.length > 0
			? [chunk('cue ', uint32sLe(points.length), ...points), chunk('LIST', utf8('adtl'), ...labels)]
			: []),
		...(record === undefined ? [] : [chunk(RECORD_CHUNK, utf8(record))]),
		...(inId3 ? [chunk('id3 ', id3Tag({ tags: inId3, chapters: [] }))] : []),
	]);
}

/** Padded to an even size, which its own size does not count. */
function chunk(id: string, ...content: Uint8Array[]): Uint8Array {
	const size = content.reduce((sum, part) => sum + part.length, 0);
	return concat([utf8(id), uint32sLe(size), ...content, new Uint8Array(size & 1)]);
}
