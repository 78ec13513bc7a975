import { timestamp } from '../core/timestamp';
import { sentences } from '../text/boundaries';
import { cutText } from '../text/segment';
import { heardAt, type Pause } from './heard';
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
export type HeardText = TimedText & { pauses?: Pause[] };

/** Broadcasters' usual limits. East Asian wide characters take two columns. */
const COLUMNS_PER_LINE = 42;
const LINES_PER_CUE = 2;
/** A shorter cue (20 frames at 24 frames a second) only flickers, so its sentence joins a neighbour. */
const MIN_CUE_SECONDS = 20 / 24;

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

/** Cuts the text of a segment into cues of at most two lines, each within one sentence unless that is too short to read. */
function cueLines(text: string, seconds: number): string[][] {
	const secondsPerColumn = seconds / Math.max(1, columns(text));
	const isShort = (part: string) => columns(part) * secondsPerColumn < MIN_CUE_SECONDS;
	const toLines = (part: string) =>
		cutText(part, COLUMNS_PER_LINE, { widthOf: columnsOf }).map((line) => line.text);

	const units: string[] = [];
	let start = 0;
	let unitStart = 0;
	for (const end of [...sentences(text), text.length]) {
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

/**
 * Writes an SRT or WebVTT file for segments in order. The first cue of a segment starts with the segment; where its pauses are
 * known, the others start where they are heard to, else they share its time by length. Cues never overlap, and last at least a
 * millisecond.
 */
export function subtitles(format: 'srt' | 'vtt', segments: HeardText[]): string {
	const blocks: string[] = [];
	let free = 0; // The first millisecond after the cues so far.
	segments.forEach((segment, i) => {
		const next = segments[i + 1]?.startSeconds ?? Infinity;
		const start = Math.max(0, segment.startSeconds);
		// A duration measured from audio may reach a little into the next segment.
		const end = Math.max(
			start,
			next > start ? Math.min(segment.endSeconds, next) : segment.endSeconds,
		);
		const shown = onOneLine(segment.text);
		const cues = cueLines(shown, end - start);
		const pauses = lettersOf(shown) > 0 ? segment.pauses : undefined;
		const measure = pauses ? lettersOf : columns;
		const lengths = cues.map((lines) => lines.reduce((sum, line) => sum + measure(line), 0));
		const total = lengths.reduce((sum, length) => sum + length, 0);
		const heard = pauses && heardAt(shown, end - start, pauses);
		const timeAt = (length: number) => {
			const seconds = ((end - start) * length) / total;
			const within = heard && length > 0 && length < total ? heard(length) : seconds;
			return Math.round((start + Math.min(within, end - start)) * 1000);
		};
		let before = 0;
		cues.forEach((lines, k) => {
			const from = Math.max(free, timeAt(before));
			before += lengths[k];
			free = Math.max(from + 1, timeAt(before));
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
