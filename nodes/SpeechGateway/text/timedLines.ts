/** Texts with times that are no SRT or WebVTT: transcripts as they are copied, `.sbv`, LRC, `[0:00-0:05] …`. */
import { grouped } from '../core/grouped';
import { clockSeconds } from '../core/timestamp';
import { foldName, isLabel } from './names';

/** What is shown from one second to another; lines as in the file, with markup and blank ones. */
export interface FileCue {
	start: number;
	end: number;
	lines: string[];
}

const LINE_TIME = String.raw`\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?`;

/** How a line begins that has a time: the start, the end if there is one, and the words. `least`: so many make a file. */
interface LineWithTime {
	line: RegExp;
	least: number;
}
const LINES_WITH_TIMES: LineWithTime[] = [
	// As a player shows it: the time alone on a line above the words.
	{ line: new RegExp(`^[[(]?(${LINE_TIME})[\\])]?()()$`), least: 3 },
	// `.sbv`
	{ line: /^(\d{1,2}:\d{2}:\d{2}\.\d{3}),(\d{1,2}:\d{2}:\d{2}\.\d{3})()$/, least: 2 },
	// A model's plan of a video.
	{
		line: new RegExp(
			`^[*_#\\s-]{0,9}[[(（](${LINE_TIME})[ \\t]{0,3}[-–—][ \\t]{0,3}(${LINE_TIME})[\\])）][*_]{0,3}[ \\t]*:?[ \\t]*(.*)$`,
		),
		least: 2,
	},
	// LRC, with hundredths.
	{ line: /^\[(\d{1,3}:\d{2}\.\d{2,3})\]()(.*)$/, least: 3 },
];
/** LRC with a head, which may do without hundredths. */
const LRC: LineWithTime = { line: new RegExp(`^\\[(${LINE_TIME})\\]()(.*)$`), least: 3 };
const HEAD = /^\[(?:ar|ti|al|au|by|offset|length|re|ve|la):.*\]$/i;

/** Lines before the first time, at most. */
const MOST_LINES_BEFORE = 2;
/** What begins later is a day's plan or verses, and so is what mostly has longer gaps. Seconds. */
const LATEST_START = 11;
const LONG_GAP = 30;

/** Whether times are those of timed text: they rise from the first seconds on, at least half of them in short steps. */
function areTimed(starts: number[], least: number): boolean {
	const gaps = starts.slice(1).map((start, index) => start - starts[index]);
	return (
		starts.length >= least &&
		starts[0] < LATEST_START &&
		gaps.every((gap) => gap >= 0) &&
		gaps.some((gap) => gap > 0) &&
		2 * gaps.filter((gap) => gap < LONG_GAP).length >= gaps.length
	);
}

/** The part of a video in capitals: `HOOK:`, or a usual one alone. */
const VIDEO_PART =
	/^[*_]{0,3}(\p{Lu}[\p{Lu}\p{N} &/’'-]{1,30})(?:[*_]{0,3}[:：][*_]{0,3}[ \t]*|[*_]{0,3}$)/u;
const BOLD_MARKS = /\*\*([^\s*](?:[^*\n]{0,300}[^\s*])?)\*\*|^\*{1,3}[ \t]+|[ \t]*\*{2,3}$/g;
/** A line of LRC that is sung again has several times. */
const SUNG_AGAIN = new RegExp(`^(?:\\[${LINE_TIME}\\][ \\t]?)+`);

/** The cues of a text that has times in one of these ways, and an example of what else was left out; undefined: it has not. */
export function timedLines(lines: string[]): { cues: FileCue[]; preface: string } | undefined {
	const filled = lines.filter((line) => line !== '');
	const heads = filled.findIndex((line) => !HEAD.test(line));
	const body = filled.slice(Math.max(0, heads));
	const beginning = body.slice(0, MOST_LINES_BEFORE + 1);
	for (const kind of [...(heads > 0 ? [LRC] : []), ...LINES_WITH_TIMES]) {
		const read = beginning.some((one) => kind.line.test(one)) ? readAs(kind, body) : undefined;
		if (read) return read;
	}
	return undefined;
}

/** The cues of lines with times of one kind; undefined: they are none. */
function readAs(
	kind: LineWithTime,
	body: string[],
): { cues: FileCue[]; preface: string } | undefined {
	const first = body.findIndex((line) => kind.line.test(line));
	const cues: FileCue[] = [];
	const again: FileCue[] = [];
	for (const line of body.slice(first)) {
		const [, start, end, words = line] = kind.line.exec(line) ?? [];
		const times = SUNG_AGAIN.exec(words)?.[0] ?? '';
		const said = words.slice(times.length);
		for (const [, time] of times.matchAll(/\[([^\]]*)\]/g))
			again.push({ start: clockSeconds(time), end: clockSeconds(time), lines: [said] });
		if (start === undefined) cues[cues.length - 1].lines.push(line);
		else cues.push({ start: clockSeconds(start), end: end ? clockSeconds(end) : 0, lines: [said] });
	}
	const isTimed = areTimed(
		cues.map(({ start }) => start),
		kind.least,
	);
	const spoken = cues.filter(({ lines: said }) => /\p{L}/u.test(said.join('')));
	if (!isTimed || 2 * spoken.length < cues.length) return undefined;
	const parts = grouped(cues, ({ lines: [line] }) => foldName(VIDEO_PART.exec(line)?.[1] ?? ''));
	const preface = body.slice(0, first);
	for (const [index, cue] of cues.entries()) {
		cue.end = Math.max(cue.start, cue.end || (cues.at(index + 1)?.start ?? 0));
		const [part, name = ''] = VIDEO_PART.exec(cue.lines[0]) ?? [];
		// The name of a speaker comes again.
		const isPart =
			part !== undefined &&
			(isLabel(foldName(name)) || (/[:：]/.test(part) && parts.get(foldName(name))!.length === 1));
		if (isPart) preface.push(part.trim());
		cue.lines = cue.lines.map((line, at) =>
			line.slice(isPart && at === 0 ? part.length : 0).replace(BOLD_MARKS, '$1'),
		);
	}
	return { cues: [...cues, ...again], preface: preface[0] ?? '' };
}
