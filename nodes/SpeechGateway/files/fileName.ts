import { createHash } from 'crypto';

/**
 * Bytes of UTF-8 before the extension. File systems take 255 for the whole name; what is left is for the extension and
 * for what others put behind the name (a copy's number, a download's `.part`).
 */
const MAX_STEM_BYTES = 200;

/**
 * What turns the reading direction around (`U+202E` makes `gpj.exe` of `exe.jpg`), and other invisible marks that no
 * script needs.
 */
const INVISIBLE_MARKS =
	/[\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]+/g;
/** What some file system forbids, control characters, and halves of surrogate pairs. */
const FORBIDDEN = /[:*?"<>|\p{Cc}\p{Cs}]+/gu;
/** Devices of Windows, whatever comes after the first full stop. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;

/** Digits of a hash that tell names apart. */
const HASH_DIGITS = 8;

/**
 * The name of a file to which the user gave none, such as `speech-1-0a1b2c3d`: other words, or another task, have
 * another name wherever they are made. `hash`: hexadecimal, of what the file holds.
 */
export const defaultName = (stem: string, { index }: { index: number }, hash: string): string =>
	`${stem}-${index + 1}-${hash.slice(0, HASH_DIGITS)}`;

/** A hash for `defaultName`. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const AUDIO_EXTENSION = /\.(?:mp3|wav|ogg|oga|opus|pcm|raw)$/i;

/** The name of a file that comes along with an audio file of this name. */
export const besideAudio = (audioName: string, extension: string): string =>
	withExtension(audioName.replace(AUDIO_EXTENSION, ''), extension);

/** The name of an audio file, with a suffix in front of its extension. */
export const withSuffix = (audioName: string, suffix: string): string =>
	`${audioName.replace(AUDIO_EXTENSION, '')}-${suffix}${AUDIO_EXTENSION.exec(audioName)?.[0] ?? ''}`;

/**
 * A file name that every file system takes and that stays in its folder: names of folders become part of it, `..` goes.
 * It keeps an extension that fits the type, else gets the first of these, in lower case and without a dot.
 */
export function withExtension(fileName: string, ...extensions: [string, ...string[]]): string {
	const name = fileName
		.split(/[/\\]+/)
		.filter((part) => !/^\.*$/.test(part))
		.join('_')
		.replace(INVISIBLE_MARKS, '')
		.replace(FORBIDDEN, '_');
	const own = name.slice(name.lastIndexOf('.') + 1);
	const isFitting = name.includes('.') && extensions.includes(own.toLowerCase());
	const extension = isFitting ? own : extensions[0];
	const stem = isFitting ? name.slice(0, -own.length - 1) : name;
	const fitting = cut(stem.replace(/^[.\s]+/, ''), MAX_STEM_BYTES).replace(/[.\s]+$/, '');
	return `${DEVICE.test(fitting) ? '_' : ''}${fitting || 'file'}.${extension}`;
}

/** The beginning of a text that fits, cut between graphemes (within one only where it alone is too long). */
function cut(text: string, maxBytes: number): string {
	// No code unit takes more than three bytes.
	if (3 * text.length <= maxBytes) return text;
	// Every code unit takes a byte at least: no more of the text can fit.
	const beginning = text.slice(0, maxBytes + 1);
	const graphemes = Array.from(new Intl.Segmenter().segment(beginning), ({ segment }) => segment);
	return fitting(graphemes, maxBytes) || fitting(beginning, maxBytes);
}

/** As many units as fit, in bytes of UTF-8. */
function fitting(units: Iterable<string>, maxBytes: number): string {
	let text = '';
	let bytes = 0;
	for (const unit of units) {
		bytes += new TextEncoder().encode(unit).length;
		if (bytes > maxBytes) break;
		text += unit;
	}
	return text;
}
