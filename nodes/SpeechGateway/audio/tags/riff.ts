/**
 * Tags and chapters of a WAV file, in chunks behind its samples. Written after Microsoft's "Multimedia Programming Interface
 * and Data Specifications 1.0"; numbers are little endian.
 *
 *     LIST INFO: chunks of text, each ended by a zero
 *     cue: number of points; each: ID, position, "data", 0, 0, sample
 *     LIST adtl: labl chunks: ID of the point, text ended by a zero
 *     id3: an ID3v2 tag with the cover, and texts beyond ASCII; nobody specified it, but most players and taggers read it
 */
import { nameAt, packed, uint32le, uint32sLe } from '../bytes';
import { id3Tag, readId3 } from './id3';
import { type Metadata, type OwnMetadata, RECORD_CHUNK, type Tags } from './metadata';

const INFO_FIELDS: Record<string, Exclude<keyof Tags, 'cover'>> = {
	INAM: 'title',
	IART: 'artist',
	IPRD: 'album',
	ICRD: 'year',
	ICMT: 'comment',
};

/** The chunks of a file of this sample rate. INFO has no encoding; UTF-8 is what most readers take it for. */
export function riffChunks({ tags, chapters, record }: Metadata, sampleRate: number): Uint8Array {
	const info = Object.entries(INFO_FIELDS).flatMap(([id, field]) =>
		tags[field] ? [chunk(id, `${tags[field]}\0`)] : [],
	);
	// Readers that find a text twice complain, so it is there twice only where INFO may be misread.
	const { cover, ...texts } = tags;
	const isAscii = /^\p{ASCII}*$/u.test(Object.values(texts).join(''));
	const id3 = id3Tag({ tags: isAscii ? { cover } : tags, chapters: [] });
	const points = chapters.map(({ startSeconds }, index) => {
		const sample = Math.round(startSeconds * sampleRate);
		return packed(uint32sLe(index + 1, sample), 'data', uint32sLe(0, 0, sample));
	});
	const labels = chapters.map(({ title }, index) =>
		chunk('labl', uint32sLe(index + 1), `${title}\0`),
	);
	return packed(
		...(info.length > 0 ? [chunk('LIST', 'INFO', ...info)] : []),
		...(points.length > 0
			? [chunk('cue ', uint32sLe(points.length), ...points), chunk('LIST', 'adtl', ...labels)]
			: []),
		...(record === undefined ? [] : [chunk(RECORD_CHUNK, record)]),
		...(id3.length > 0 ? [chunk('id3 ', id3)] : []),
	);
}

/** Padded to an even size, which its own size does not count. */
function chunk(id: string, ...content: Parameters<typeof packed>): Uint8Array {
	const body = packed(...content);
	return packed(id, uint32sLe(body.length), body, new Uint8Array(body.length % 2));
}

/** Chunks that `RiffTags` reads. */
export const KEPT_CHUNKS = ['fmt ', 'LIST', 'cue ', 'id3 ', 'ID3 ', RECORD_CHUNK];

/** Gathers tags and chapters from the chunks of a WAV file. */
export class RiffTags {
	private sampleRate = NaN;
	private tags: Tags = {};
	private record: string | undefined;
	private readonly points = new Map<number, number>();
	private readonly labels = new Map<number, string>();

	/** Takes the content of a chunk, without its head. */
	add(id: string, chunk: Uint8Array): void {
		if (id === 'fmt ') this.sampleRate = uint32le(chunk, 4);
		if (id === 'cue ') {
			for (let at = 4; at + 24 <= chunk.length; at += 24) {
				this.points.set(uint32le(chunk, at), uint32le(chunk, at + 20));
			}
		}
		if (id === RECORD_CHUNK) this.record ??= new TextDecoder().decode(chunk);
		// Where both have a text, ID3 tells its encoding.
		if (/id3/i.test(id)) this.tags = { ...this.tags, ...readId3(chunk, chunk.subarray(10)).tags };
		if (id !== 'LIST') return;
		for (let at = 4; at + 8 <= chunk.length; ) {
			const name = nameAt(chunk, at);
			const size = uint32le(chunk, at + 4);
			const content = chunk.subarray(at + 8, at + 8 + size);
			const field = INFO_FIELDS[name];
			if (field) this.tags = { [field]: text(content), ...this.tags };
			if (name === 'labl') this.labels.set(uint32le(content, 0), text(content.subarray(4)));
			at += 8 + size + (size & 1);
		}
	}

	/** What the chunks so far say; a point without a label is no chapter. */
	get metadata(): OwnMetadata {
		const chapters = [...this.points].flatMap(([id, sample]) => {
			const title = this.labels.get(id);
			return title ? [{ title, startSeconds: sample / this.sampleRate }] : [];
		});
		return { tags: this.tags, chapters, record: this.record };
	}
}

const text = (bytes: Uint8Array): string =>
	new TextDecoder()
		.decode(bytes)
		.replace(/\0[^]*/, '')
		.trim();
