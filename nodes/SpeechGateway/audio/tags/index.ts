/** Reads tags, chapters, cover and record of a file; passes over what is damaged or unknown. */
import { hasText, nameAt, uint28be, uint32le } from '../bytes';
import type { KnownFormat, ReadableFormat } from '../format';
import { readId3 } from './id3';
import { NO_METADATA, type OwnMetadata } from './metadata';
import { KEPT_CHUNKS, RiffTags } from './riff';
import { MAX_CHAPTERS, readVorbis } from './vorbis';

export * from './metadata';

/** How many chapters a file of this format can have. */
export const maxChapters = (format: KnownFormat): number =>
	format === 'opus' ? MAX_CHAPTERS : Infinity;

/** Largest tag held in memory: room for a big cover. */
const MAX_TAG_BYTES = 32 * 1024 * 1024;

/**
 * Reads the tags of a file and stops as soon as it has them; a WAV file it reads to its end, since tags may follow its
 * samples. Of other formats, and where there is no tag, `NO_METADATA`. Chapters come in the order of their times.
 */
export async function readMetadata(
	format: string,
	chunks: AsyncIterable<Uint8Array>,
): Promise<OwnMetadata> {
	const read = TAG_READERS[format];
	const iterator = chunks[Symbol.asyncIterator]();
	try {
		const found = (await read?.(new ByteSource(iterator))) ?? NO_METADATA;
		const chapters = found.chapters.toSorted((a, b) => a.startSeconds - b.startSeconds);
		return { ...found, chapters };
	} finally {
		await iterator.return?.();
	}
}

type Read = (bytes: ByteSource) => Promise<OwnMetadata>;

const TAG_READERS: Partial<Record<string, Read>> = {
	async mp3(bytes) {
		const header = await bytes.take(10);
		if (!hasText(header, 0, 'ID3')) return NO_METADATA;
		const size = uint28be(header, 6);
		return size > MAX_TAG_BYTES ? NO_METADATA : readId3(header, await bytes.take(size));
	},

	/** The second packet, which may be longer than a page. */
	async opus(bytes) {
		const packet: Uint8Array[] = [];
		for (let number = 0, size = 0; size <= MAX_TAG_BYTES; ) {
			const page = await bytes.take(27);
			if (!hasText(page, 0, 'OggS')) break;
			for (const segment of await bytes.take(page[26])) {
				const part = await bytes.take(segment);
				if (number === 1) packet.push(part);
				size += segment;
				if (segment < 255 && ++number === 2) return readVorbis(Buffer.concat(packet));
			}
		}
		return NO_METADATA;
	},

	async wav(bytes) {
		const riff = new RiffTags();
		await bytes.take(12);
		for (let head = await bytes.take(8); head.length === 8; head = await bytes.take(8)) {
			const id = nameAt(head, 0);
			const size = uint32le(head, 4);
			const isKept = KEPT_CHUNKS.includes(id) && size <= MAX_TAG_BYTES;
			const content = await bytes.take(size, isKept);
			if (isKept) riff.add(id, content);
			await bytes.take(size & 1);
		}
		return riff.metadata;
	},

	pcm: undefined,
} satisfies Record<ReadableFormat, Read | undefined>;

/** Hands out bytes as they are asked for. */
class ByteSource {
	private rest: Uint8Array = new Uint8Array(0);

	constructor(private readonly chunks: AsyncIterator<Uint8Array>) {}

	/** Fewer at the end of the file, none when they are not kept. */
	async take(count: number, isKept = true): Promise<Uint8Array> {
		const parts: Uint8Array[] = [];
		for (let left = count; left > 0; ) {
			if (this.rest.length === 0) {
				const { value, done } = await this.chunks.next();
				if (done) break;
				this.rest = value;
			}
			const part = this.rest.subarray(0, left);
			this.rest = this.rest.subarray(part.length);
			left -= part.length;
			if (isKept) parts.push(part);
		}
		return Buffer.concat(parts);
	}
}
