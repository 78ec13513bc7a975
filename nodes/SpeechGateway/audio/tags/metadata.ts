/** Tags and chapters of a file, whatever its format. */

/** A picture, JPEG or PNG. */
export interface Cover {
	mimeType: 'image/jpeg' | 'image/png';
	bytes: Uint8Array;
}

/** What players show of a file. Texts as Unicode; what is absent is not written. */
export interface Tags {
	title?: string;
	artist?: string;
	album?: string;
	/** Four digits. */
	year?: string;
	comment?: string;
	cover?: Cover;
}

/** A chapter; seconds from the start of the file. */
export interface Chapter {
	title: string;
	startSeconds: number;
	endSeconds: number;
}

/** All that is written into a file beside its sound. */
export interface Metadata {
	tags: Tags;
	/** In the order of their times. */
	chapters: Chapter[];
	/** What the file remembers of its segments, in ASCII; see `RECORD_OWNER`. */
	record?: string;
}

/** Of a file that has none, or for one that is to have none. */
export const NO_METADATA: Metadata = { tags: {}, chapters: [] };

/**
 * The record of segments that a file carries, so that they can be cut out of it again, is a text that other programs
 * pass over: in MP3 an ID3 frame for private use, in Opus a comment, in WAV a chunk of its own.
 */
export const RECORD_OWNER = 'n8n-nodes-speech-gateway';
/** The record's key among the comments of Opus. */
export const RECORD_COMMENT = 'SPEECH_GATEWAY_PARTS';
/** The record's chunk in WAV. */
export const RECORD_CHUNK = 'sgPt';

/** A chapter as it was read; it ends where the next one starts. */
export type OwnChapter = Omit<Chapter, 'endSeconds'>;

/** What was read of a file, the chapters as they stand there. */
export interface OwnMetadata extends Omit<Metadata, 'chapters'> {
	chapters: OwnChapter[];
}

/** The tags that have a value. */
export const withoutEmpty = (tags: Tags): Tags =>
	Object.fromEntries(Object.entries(tags).filter(([, value]) => Boolean(value)));

/** The year with which a date begins. */
export const yearIn = (date: string): string | undefined => /^\d{4}/.exec(date)?.[0];

/** What kind of picture begins with these bytes; undefined when it is neither JPEG nor PNG. */
export function sniffCover(head: Uint8Array): Cover['mimeType'] | undefined {
	const starts = (...mark: number[]) => mark.every((byte, index) => head[index] === byte);
	if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
	if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
	return undefined;
}

/** A heading, and the part of the joined file that begins with it. */
export interface Heading {
	title: string;
	/** Index of the segment. */
	segment: number;
	/** Seconds from the start of the segment; 0 if left out. */
	seconds?: number;
}

/**
 * Chapters from headings, in order. `starts`: second at which each segment starts. A chapter ends where the next one starts.
 * The first one starts at 0:00, as players want it. Headings at one place would be chapters of no length, so their titles
 * are joined.
 */
export function chaptersOf(headings: Heading[], starts: number[], seconds: number): Chapter[] {
	const titles = new Map<number, string[]>();
	for (const { title, segment, seconds: within = 0 } of headings) {
		const start = Math.min(starts[segment] + within, starts[segment + 1] ?? seconds);
		titles.set(start, [...(titles.get(start) ?? []), title]);
	}
	const places = [...titles].sort(([a], [b]) => a - b);
	return places.map(([startSeconds, words], index) => ({
		title: words.join(': '),
		startSeconds: index === 0 ? 0 : startSeconds,
		endSeconds: places.at(index + 1)?.[0] ?? seconds,
	}));
}

/** Podcasting 2.0 chapters, version 1.2.0. */
export function chaptersJson({ tags, chapters }: Metadata): string {
	const { title, artist, album } = tags;
	return JSON.stringify(
		{
			version: '1.2.0',
			...(title && { title }),
			...(artist && { author: artist }),
			...(album && { podcastName: album }),
			chapters: chapters.map((chapter) => ({
				startTime: toMilliseconds(chapter.startSeconds) / 1000,
				endTime: toMilliseconds(chapter.endSeconds) / 1000,
				title: chapter.title,
			})),
		},
		undefined,
		'\t',
	);
}

/** Whole milliseconds, in which tags count. */
export const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000);
