/**
 * SRT and WebVTT files from what was spoken (`text/subtitleFile` reads such files). A cue shows words of one sentence,
 * in at most two lines of 42 columns, and begins when they are heard.
 */
import { timestamp } from '../core/timestamp';
import { sentences } from '../text/boundaries';
import { cutText } from '../text/segment';
import { unwrapped } from '../text/unwrapped';
import { heardAt, type HeardPause } from './heard';
import { lettersOf } from './oddSegments';

/** The text of a segment to show, and where its audio is in the file. */
export interface TimedText {
	text: string;
	startSeconds: number;
	endSeconds: number;
	/** Who speaks, for WebVTT players that style voices. */
	speaker?: string;
}

/** A segment whose pauses are known: seconds from its start, in order. */
export type HeardText = TimedText & { pauses?: HeardPause[] };

/** Broadcasters' usual limits. East Asian wide characters take two columns. */
const COLUMNS_PER_LINE = 42;
const LINES_PER_CUE = 2;
/** A shorter cue (20 frames at 24 frames a second) only flickers, so its sentence joins a neighbour. */
const MIN_CUE_SECONDS = 20 / 24;

/** East Asian wide characters (UAX #11) and emoji. */
const WIDE =
	/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18d08}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** `character`: a code point. */
const columnsOf = (character: string): number =>
	character >= '\u1100' && WIDE.test(character) ? 2 : 1;

function columns(text: string): number {
	let sum = 0;
	for (const character of text) sum += columnsOf(character);
	return sum;
}

const onOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** The sentences of a segment, each on one line. A line break ends one, too. */
const sentencesOf = (text: string): string[][] =>
	unwrapped(text).flatMap((line) => {
		const oneLine = onOneLine(line);
		let start = 0;
		const found = [...sentences(oneLine), oneLine.length].flatMap((end) => {
			const sentence = oneLine.slice(start, end).trim();
			start = end;
			return /[^\p{P}\s]/u.test(sentence) ? [sentence] : [];
		});
		return found.length > 0 ? [found] : [];
	});

/** How many lines a cue has at most, and how many columns each. */
export interface CueShape {
	columns: number;
	lines: number;
}

const USUAL_SHAPE: CueShape = { columns: COLUMNS_PER_LINE, lines: LINES_PER_CUE };

/** The end of a sentence of Chinese or Japanese, behind which no space stands. */
const ENDS_WITHOUT_SPACE = /[。！？．」』）][”’]?$/u;

/**
 * Cuts the text of a segment into cues, each within one sentence unless that is too short to read, and within one line
 * of the text.
 */
function cueLines(text: string, seconds: number, shape: CueShape): string[][] {
	const secondsPerColumn = seconds / Math.max(1, columns(text));
	const isShort = (words: string) => columns(words) * secondsPerColumn < MIN_CUE_SECONDS;
	const toLines = (words: string) =>
		cutText(words, shape.columns, { widthOf: columnsOf }).map((line) => line.text);
	const units = sentencesOf(text).flatMap((line) => {
		const joined: string[] = [];
		for (const sentence of line) {
			const previous = joined.at(-1);
			const space = ENDS_WITHOUT_SPACE.test(previous ?? '') ? '' : ' ';
			const both = `${previous}${space}${sentence}`;
			const isJoined =
				previous !== undefined &&
				(isShort(previous) || isShort(sentence)) &&
				toLines(both).length <= shape.lines;
			if (isJoined) joined[joined.length - 1] = both;
			else joined.push(sentence);
		}
		return joined;
	});
	return units.flatMap((unit) => {
		const lines = toLines(unit);
		const cues: string[][] = [];
		for (let i = 0; i < lines.length; i += shape.lines) cues.push(lines.slice(i, i + shape.lines));
		return cues;
	});
}

/**
 * The second at which a segment ends, at the latest where the next one starts: a length that was measured may reach
 * into that.
 */
function audioEnd({ startSeconds, endSeconds }: TimedText, next: TimedText | undefined): number {
	const start = Math.max(0, startSeconds);
	const isBefore = next !== undefined && next.startSeconds > start;
	return Math.max(start, isBefore ? Math.min(endSeconds, next.startSeconds) : endSeconds);
}

/**
 * The second at which each cue or sentence of a segment begins, and at which the last ends. Later ones start where they
 * are heard or, without known pauses, in proportion to their length. `cues`: the lines of each.
 */
function timesIn(segment: HeardText, end: number, cues: string[][]): number[] {
	const oneLine = onOneLine(segment.text);
	const start = Math.max(0, segment.startSeconds);
	const pauses = lettersOf(oneLine) > 0 ? segment.pauses : undefined;
	const measure = pauses ? lettersOf : columns;
	const lengths = cues.map((lines) => lines.reduce((sum, line) => sum + measure(line), 0));
	const total = lengths.reduce((sum, length) => sum + length, 0);
	const heard = pauses && heardAt(oneLine, end - start, pauses);
	let length = 0;
	return [0, ...lengths].map((one) => {
		length += one;
		const seconds = ((end - start) * length) / total;
		const within = heard && length > 0 && length < total ? heard(length) : seconds;
		return start + Math.min(within, end - start);
	});
}

const inMilliseconds = (seconds: number) => Math.round(seconds * 1000);

/**
 * When each sentence or line is heard, in seconds of the file; `segment` counts from 1. The first begins and the last
 * ends with its segment; between them, times are rounded to the millisecond.
 */
export function sentenceTimes(segments: HeardText[]): Array<TimedText & { segment: number }> {
	return segments.flatMap((segment, i) => {
		const found = sentencesOf(segment.text).flat();
		const texts = found.length > 0 ? found : [onOneLine(segment.text)];
		const times = timesIn(
			segment,
			audioEnd(segment, segments[i + 1]),
			texts.map((text) => [text]),
		);
		return texts.map((text, k) => ({
			text,
			startSeconds: k === 0 ? segment.startSeconds : inMilliseconds(times[k]) / 1000,
			endSeconds: k === texts.length - 1 ? segment.endSeconds : inMilliseconds(times[k + 1]) / 1000,
			...(segment.speaker !== undefined && { speaker: segment.speaker }),
			segment: i + 1,
		}));
	});
}

/**
 * Writes an SRT or WebVTT file for segments in order. The first cue of a segment starts with the segment. Cues
 * never overlap, and last at least a millisecond.
 */
export function subtitles(
	format: 'srt' | 'vtt',
	segments: HeardText[],
	shape: CueShape = USUAL_SHAPE,
): string {
	const blocks: string[] = [];
	let free = 0; // The first millisecond after the cues so far.
	segments.forEach((segment, i) => {
		const end = audioEnd(segment, segments[i + 1]);
		const cues = cueLines(segment.text, end - Math.max(0, segment.startSeconds), shape);
		const times = timesIn(segment, end, cues).map(inMilliseconds);
		cues.forEach((lines, k) => {
			const from = Math.max(free, times[k]);
			free = Math.max(from + 1, times[k + 1]);
			blocks.push(
				block(format, blocks.length + 1, { from, to: free, lines, speaker: segment.speaker }),
			);
		});
	});
	return format === 'vtt' ? ['WEBVTT\n', ...blocks].join('\n') : blocks.join('\n');
}

interface Cue {
	from: number;
	to: number;
	lines: string[];
	speaker?: string;
}

function block(format: 'srt' | 'vtt', number: number, { from, to, lines, speaker }: Cue): string {
	const text = lines.join('\n');
	const times = `${timestamp(from)} --> ${timestamp(to)}`;
	if (format === 'vtt') {
		const voice = speaker?.replace(/\s+/g, ' ').trim();
		const tag = voice ? `<v ${escapeMarkup(voice)}>` : '';
		return `${times}\n${tag}${escapeMarkup(text)}\n`;
	}
	return `${number}\n${times.replaceAll('.', ',')}\n${escapeSrt(text)}\n`;
}

const escapeMarkup = (text: string) =>
	text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/**
 * SRT has no specification, but players take `<i>` and `{\\an8}` for markup, and an arrow for a line of times. Nothing else is
 * escaped, since few players resolve character references.
 */
const escapeSrt = (text: string) =>
	text
		.replace(/--+>/g, '→')
		.replace(/<(?=[/!?a-z])/gi, '&lt;')
		.replace(/\{(?=\\)/g, '{\u2060');
