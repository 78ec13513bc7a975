import { EMOTION_TAG, SENTENCE_END, sentences } from './boundaries';
import { cutText } from './segment';

/** One speech segment: its text and where its audio lies in the whole. */
export interface TimedText {
	text: string;
	startSeconds: number;
	endSeconds: number;
}

/** The broadcasters' usual limits for what can be read in time; East Asian wide characters take two columns. */
const COLUMNS_PER_LINE = 42;
const LINES_PER_CUE = 2;
/** A cue shorter than 20 frames at 24 frames a second only flickers: such a sentence joins its neighbour. */
const MIN_CUE_SECONDS = 20 / 24;

const WIDE =
	/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18d08}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

function columnsOf(codePoint: number): number {
	return codePoint >= 0x1100 && WIDE.test(String.fromCodePoint(codePoint)) ? 2 : 1;
}

function columns(text: string): number {
	let sum = 0;
	for (const character of text) sum += columnsOf(character.codePointAt(0)!);
	return sum;
}

/**
 * The text as it is to be read: on one line, without emotion tags. Parentheses with digits, or with a capital
 * letter within a sentence (`my friend (Anna)`), are taken for text.
 */
function withoutTags(text: string): string {
	const oneLine = text.replace(/[\s\p{Cc}]+/gu, ' ');
	const marked = oneLine.replace(EMOTION_TAG, (tag: string, offset: number) => {
		const before = oneLine.slice(Math.max(0, offset - 8), offset);
		const startsSentence =
			offset < 2 || /[)）]\s?$/.test(before) || SENTENCE_END.test(before.trim());
		const isText = /\p{N}/u.test(tag) || (/\p{Lu}/u.test(tag) && !startsSentence);
		return isText ? tag : '\0';
	});
	return marked
		.replace(/ ?\0(?: ?\0)* ?(?=[,.;:!?…])/g, '')
		.replace(/\0 ?/g, '')
		.trim();
}

/** Cuts a segment's text into cues of at most two lines, each within one sentence unless that is too short to read. */
function cueLines(text: string, seconds: number): string[][] {
	const secondsPerColumn = seconds / Math.max(1, columns(text));
	const isShort = (part: string) => columns(part) * secondsPerColumn < MIN_CUE_SECONDS;
	const toLines = (part: string) =>
		cutText(part, COLUMNS_PER_LINE, columnsOf).map((line) => line.text);

	const units: string[] = [];
	let start = 0;
	let unitStart = 0;
	for (const end of [...sentences(text, 0, text.length), text.length]) {
		const sentence = text.slice(start, end);
		start = end;
		if (!/[^\p{P}\s]/u.test(sentence)) continue;
		const joined = text.slice(unitStart, end);
		const previous = units.at(-1);
		if (
			previous !== undefined &&
			(isShort(previous) || isShort(sentence)) &&
			toLines(joined).length <= LINES_PER_CUE
		) {
			units[units.length - 1] = joined;
		} else {
			units.push(sentence);
			unitStart = end - sentence.length;
		}
	}
	return units.flatMap((unit) => {
		const lines = toLines(unit);
		const cues: string[][] = [];
		for (let i = 0; i < lines.length; i += LINES_PER_CUE) {
			cues.push(lines.slice(i, i + LINES_PER_CUE));
		}
		return cues;
	});
}

/** `01:02:03,004`, with the separator of the format. Hours grow beyond two digits. */
function timestamp(milliseconds: number, separator: string): string {
	const part = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, '0');
	return (
		[
			part(milliseconds / 3_600_000),
			part((milliseconds / 60_000) % 60),
			part((milliseconds / 1000) % 60),
		].join(':') +
		separator +
		part(milliseconds % 1000, 3)
	);
}

/**
 * Subtitles for speech segments in order, as an SRT or WebVTT file. A segment's first cue starts where the segment
 * starts; the cues within it share its time by their length. Cues never overlap and last at least a millisecond.
 */
export function subtitles(format: 'srt' | 'vtt', segments: TimedText[]): string {
	const blocks: string[] = [];
	let free = 0; // First millisecond after the cues so far.
	segments.forEach((segment, i) => {
		const next = segments[i + 1]?.startSeconds ?? Infinity;
		const start = Math.max(0, segment.startSeconds);
		// Durations measured from audio can run a little into the next segment.
		const end = Math.max(
			start,
			next > start ? Math.min(segment.endSeconds, next) : segment.endSeconds,
		);
		const cues = cueLines(withoutTags(segment.text), end - start);
		const lengths = cues.map((lines) => lines.reduce((sum, line) => sum + columns(line), 0));
		const total = lengths.reduce((sum, length) => sum + length, 0);
		let before = 0;
		cues.forEach((lines, k) => {
			const timeAt = (length: number) =>
				Math.round((start + ((end - start) * length) / total) * 1000);
			const from = Math.max(free, timeAt(before));
			before += lengths[k];
			free = Math.max(from + 1, timeAt(before));
			blocks.push(block(format, blocks.length + 1, from, free, lines));
		});
	});
	return format === 'vtt' ? ['WEBVTT\n', ...blocks].join('\n') : blocks.join('\n');
}

function block(
	format: 'srt' | 'vtt',
	number: number,
	from: number,
	to: number,
	lines: string[],
): string {
	const text = lines.join('\n');
	if (format === 'vtt') {
		const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
		return `${timestamp(from, '.')} --> ${timestamp(to, '.')}\n${escaped}\n`;
	}
	// SRT has no escapes: an arrow in the text would read as a line of times.
	return `${number}\n${timestamp(from, ',')} --> ${timestamp(to, ',')}\n${text.replace(/-->/g, '→')}\n`;
}
