/** Audio in containers that are recognised but not read: a provider that ignores the format asked for sends them. */
import { keysOf } from '../core/json';
import { hasText, uint32be } from './bytes';
import type { AudioFormat } from './format';

interface ForeignEntry {
	/** As people call it. */
	name: string;
	mimeType: string;
	extension: string;
	/** Told by the first bytes, or by the first frames where there is no mark. */
	matches(head: Uint8Array): boolean;
}

/** EBML's own ID, with which Matroska and WebM begin. */
const EBML_ID = 0x1a45dfa3;
/** ADTS frames that must follow each other: a frame has no mark but twelve bits. */
const AAC_FRAMES = 3;

const ENTRIES = {
	flac: {
		name: 'FLAC',
		mimeType: 'audio/flac',
		extension: 'flac',
		matches: (head) => hasText(head, 0, 'fLaC'),
	},
	aac: {
		name: 'AAC',
		mimeType: 'audio/aac',
		extension: 'aac',
		matches: (head) => hasText(head, 0, 'ADIF') || isAdts(head),
	},
	m4a: {
		name: 'M4A (MPEG-4)',
		mimeType: 'audio/mp4',
		extension: 'm4a',
		matches: (head) => hasText(head, 4, 'ftyp'),
	},
	webm: {
		name: 'WebM',
		mimeType: 'audio/webm',
		extension: 'webm',
		matches: (head) => head.length >= 4 && uint32be(head, 0) === EBML_ID,
	},
	ogg: {
		name: 'Ogg (not Opus)',
		mimeType: 'audio/ogg',
		extension: 'ogg',
		matches: (head) => hasText(head, 0, 'OggS'),
	},
	aiff: {
		name: 'AIFF',
		mimeType: 'audio/aiff',
		extension: 'aiff',
		matches: (head) => hasText(head, 0, 'FORM') && hasText(head, 8, 'AIF'),
	},
	amr: {
		name: 'AMR',
		mimeType: 'audio/amr',
		extension: 'amr',
		matches: (head) => hasText(head, 0, '#!AMR'),
	},
} satisfies Record<string, ForeignEntry> & Partial<Record<AudioFormat, never>>;

export type ForeignFormat = keyof typeof ENTRIES;
export const FOREIGN_FORMATS: Record<ForeignFormat, ForeignEntry> = ENTRIES;

/** What is known of such a file; how long it plays is not. Plain JSON. */
export interface ForeignInfo {
	format: ForeignFormat;
	bytes: number;
	seconds?: undefined;
}

/** The container that begins with these bytes, if it is none of those that are read. AAC needs its first three frames. */
export function sniffForeignFormat(head: Uint8Array): ForeignFormat | undefined {
	return keysOf(ENTRIES).find((format) => ENTRIES[format].matches(head));
}

/**
 * ADTS, by a row of its frames:
 *
 *     AAAAAAAA AAAABCCD EEFFFFGH HHIJKLMM MMMMMMMM MMM…
 *     A sync (all ones) · B version · C layer (00) · F sample rate · M length of the frame, 13 bits
 */
function isAdts(head: Uint8Array): boolean {
	let at = 0;
	for (let frame = 0; frame < AAC_FRAMES; frame++) {
		if (at + 6 > head.length) return false;
		const isHeader = head[at] === 0xff && (head[at + 1] & 0xf6) === 0xf0;
		const length = ((head[at + 3] & 3) << 11) | (head[at + 4] << 3) | (head[at + 5] >>> 5);
		if (!isHeader || ((head[at + 2] >>> 2) & 15) > 12 || length < 7) return false;
		at += length;
	}
	return true;
}
