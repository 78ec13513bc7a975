import { keysOf } from '../core/json';
import { hasText, uint32be } from './bytes';
import type { ForeignInfo, KnownFormat, ReadableFormat } from './format';
import { isMp3FrameHeader, parseHeader, sameStream } from './mp3/frame';

/** A frame header has few certain bits, so MP3 that does not begin the file is only found by so many frames in a row. */
const MP3_FRAMES = 3;

/** Enough first bytes for the marks of all formats; that of Opus in Ogg reaches furthest. */
const HEAD_BYTES = 36;

/** Bytes in which a format without a mark is looked for: room for some KB of something else and a few frames. */
export const SNIFFED_BYTES = 24 * 1024;

/** PCM has no marks and cannot be told. */
type MarkedFormat = Exclude<ReadableFormat, 'pcm'>;

const MARKS: Record<MarkedFormat, (head: Uint8Array) => boolean> = {
	mp3: (head) => hasText(head, 0, 'ID3') && head[3] <= 9 && head[4] <= 9,
	wav: (head) => hasText(head, 0, 'RIFF') && hasText(head, 8, 'WAVE'),
	// The codec is named at byte 28, beyond the 16 bytes that are certain to be there.
	opus: (head) =>
		hasText(head, 0, 'OggS') && (head.length < HEAD_BYTES || hasText(head, 28, 'OpusHead')),
};

/** Of what is recognised, but not read. */
const FOREIGN_MARKS: Record<ForeignInfo['format'], string> = { flac: 'fLaC' };

/** By marks so long that raw samples do not look like them by chance. */
const sniffMark = (head: Uint8Array): MarkedFormat | undefined =>
	keysOf(MARKS).find((format) => MARKS[format](head));

/**
 * Container seen in the first bytes; undefined when it is none of ours (JSON, HTML, text, other audio). 16 bytes suffice; of an
 * MP3 file that begins with an ID3 tag only the tag is seen.
 */
export const sniffAudioFormat = (head: Uint8Array): MarkedFormat | undefined =>
	sniffMark(head) ?? (head.length >= 4 && isMp3FrameHeader(uint32be(head, 0)) ? 'mp3' : undefined);

/**
 * What audio a file is, by its first `SNIFFED_BYTES`; undefined when it is none that is known. `isPcm`: whether it
 * would be PCM if nothing else, by its name or by what was asked for.
 */
export function audioFormatOf(head: Uint8Array, isPcm: boolean): KnownFormat | undefined {
	const found = isPcm ? sniffMark(head) : sniffAudioFormat(head);
	if (found) return found;
	const foreign = keysOf(FOREIGN_MARKS).find((format) => hasText(head, 0, FOREIGN_MARKS[format]));
	if (foreign) return foreign;
	if (looksLikeText(head)) return undefined;
	// PCM can look like the two bytes of an MP3 header, but hardly like several frames in a row.
	if (hasMp3Frames(head)) return 'mp3';
	return isPcm ? 'pcm' : undefined;
}

/** Whether MP3 frames in a row lie behind something else at the beginning, such as a header that a proxy left there. */
export function hasMp3Frames(head: Uint8Array): boolean {
	for (let at = head.indexOf(0xff); at >= 0; at = head.indexOf(0xff, at + 1)) {
		let frames = 0;
		for (let next = at; next + 4 <= head.length; frames++) {
			const header = uint32be(head, next);
			if (!isMp3FrameHeader(header) || !sameStream(header, uint32be(head, at))) break;
			next += parseHeader(header).bytes;
		}
		if (frames >= MP3_FRAMES) return true;
	}
	return false;
}

/** Whether the first bytes are JSON, HTML or XML: an error page in the place of audio. */
export function looksLikeText(head: Uint8Array): boolean {
	const start = head.subarray(0, HEAD_BYTES);
	const text = String.fromCharCode(...start).replace(/^\xef\xbb\xbf/, '');
	const hasControl = [...text].some((letter) => letter < ' ' && !'\t\r\n'.includes(letter));
	return !hasControl && /^\s*(\{\s*["}]|\[\s*[[{"]|<[a-z!?])/i.test(text);
}
