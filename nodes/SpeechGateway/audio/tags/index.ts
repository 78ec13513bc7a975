/** Tags, chapters and a cover for joined files, put in while they stream. */
import type { JoinedAudio } from '../index';
import type { AudioFormat } from '../format';
import { headerPages, opusTags } from '../opus/comments';
import { numbered } from '../opus/page';
import { checkWavBytes, withRiffBytes } from '../wav/join';
import { id3Tag } from './id3';
import type { Metadata } from './metadata';
import { riffChunks } from './riff';
import { MAX_CHAPTERS, vorbisComments } from './vorbis';

export * from './metadata';
export { readMetadata } from './read';

type Tagger = (joined: JoinedAudio, metadata: Metadata) => JoinedAudio;

/** The joined file with more bytes in it. */
const withChunks = (
	joined: JoinedAudio,
	moreBytes: number,
	chunks: JoinedAudio['chunks'],
): JoinedAudio => ({
	...joined,
	info: { ...joined.info, bytes: joined.info.bytes + moreBytes },
	chunks,
});

/** ID3 in front; the Xing header counts its bytes from itself on. */
const tagMp3: Tagger = (joined, metadata) => {
	const tag = id3Tag(metadata);
	return withChunks(joined, tag.length, async function* () {
		yield tag;
		yield* joined.chunks();
	});
};

/** Chunks behind the samples, and the size of the whole in the header, which is the first chunk of bytes. */
const tagWav: Tagger = (joined, metadata) => {
	const chunks = riffChunks(metadata, joined.info.sampleRate);
	const bytes = checkWavBytes(joined.info.bytes + chunks.length);
	return withChunks(joined, chunks.length, async function* () {
		let isHeader = true;
		for await (const chunk of joined.chunks()) {
			yield isHeader ? withRiffBytes(chunk, bytes) : chunk;
			isHeader = false;
		}
		yield chunks;
	});
};

/** Other comments in place of the empty ones, and later pages renumbered: the joiner hands out page by page. */
const tagOpus: Tagger = (joined, metadata) => {
	const comments = headerPages(opusTags(vorbisComments(metadata)));
	const [empty] = headerPages(opusTags([]));
	const moreBytes = comments.reduce((sum, page) => sum + page.length, -empty.length);
	return withChunks(joined, moreBytes, async function* () {
		let number = 0;
		for await (const page of joined.chunks()) {
			if (number === 1) yield* comments;
			else yield number === 0 ? page : numbered(page.slice(), number + comments.length - 1);
			number++;
		}
	});
};

const TAGGERS: Partial<Record<string, Tagger>> = {
	mp3: tagMp3,
	wav: tagWav,
	opus: tagOpus,
	pcm: undefined,
} satisfies Record<AudioFormat, Tagger | undefined>;

/** Whether files of this format have a place for tags and chapters: bare samples and unread containers have none. */
export const canBeTagged = (format: string): boolean => TAGGERS[format] !== undefined;

/** How many chapters a file of this format can have. */
export const maxChapters = (format: string): number =>
	format === 'opus' ? MAX_CHAPTERS : Infinity;

/**
 * The same audio with tags, chapters and cover; the audio itself is untouched, and memory stays at the size of the tags.
 *
 * @throws Error when the format has no place for them, or not for so many
 */
export function withMetadata(joined: JoinedAudio, metadata: Metadata): JoinedAudio {
	const { tags, chapters, record } = metadata;
	if (chapters.length === 0 && [record, ...Object.values(tags)].every((one) => one === undefined)) {
		return joined;
	}
	const tagger = TAGGERS[joined.info.format];
	if (!tagger) throw new Error(`A ${joined.info.format} file has no place for tags or chapters`);
	return tagger(joined, metadata);
}
