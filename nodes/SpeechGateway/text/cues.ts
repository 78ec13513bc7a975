/** The cues of SRT and WebVTT files and of other timed text, as they stand there; `subtitleFile` makes a text of them. */
import { InputError, NOTHING_SENT } from '../core/errors';
import { clockSeconds } from '../core/timestamp';
import { type FileCue, timedLines } from './timedLines';

/**
 * `01:02:03,004`, `2:03.5`, `00:01:02:500`, `00: 01: 02, 500` as translators leave it, and
 * `-00:00:01,000` as programs write it that have moved a file.
 */
const CUE_TIME = String.raw`-?\d{1,3}(?:[ \t]?[:：][ \t]?\d{1,2}){1,2}(?:[ \t]?[.,:：，][ \t]?\d{1,3})?`;
const ARROW = String.raw`[ \t]*(?:(?:[-–—][ \t]?){1,3}(?:>|&gt;)|→)[ \t]*`;
/** The times of a cue, and what stands behind them; in brackets, as Whisper prints them. */
const CUE_LINE = new RegExp(`^\\[?(${CUE_TIME})${ARROW}(${CUE_TIME})\\]?(?:[ \\t]+(.*))?$`, 'u');
/** Where the caption stands on the screen: WebVTT's settings, those of its drafts (`L:90%`), SubRip's `X1:201`. */
const SETTING = String.raw`(?:(?:[Vv]ertical|[Ll]ine|[Pp]osition|[Ss]ize|[Aa]lign|[Rr]egion)[ \t]*:[ \t]*|[XY][12]:|[DLTSA]:|[a-z]\w*:(?!//))\S+`;
/** Nothing but settings; `Ben: Hello.` is words. */
const SETTINGS = new RegExp(`^${SETTING}(?:[ \\t]+${SETTING})*$`);
const WEBVTT = /^WEBVTT(?:[ \t]|$)/;
const CUE_NUMBER = /^\d{1,6}[.:)]?$/;
const CUE_FENCE = /^(?:```|~~~)[\w-]{0,20}$/;

const BYTE_ORDER_MARK = /^(?:\uFEFF|ï»¿)/;
const trimmedLines = (source: string): string[] =>
	source
		.replace(BYTE_ORDER_MARK, '')
		.split(/\r*\n|[\r\u2028\u2029]/)
		.map((line) => line.trim());

/**
 * Whether a line has the times of a cue (with a fraction or hours, and no words behind), not of a schedule: `12:30 ->
 * 13:15 Lunch`.
 */
const isCueLine = (line: string): boolean => {
	const [, start, , rest = ''] = CUE_LINE.exec(line) ?? [];
	const isExact = start !== undefined && /[.,，]|[:：].*[:：]/.test(start);
	return isExact && (rest === '' || SETTINGS.test(rest));
};

/** Whether a line has both times to the millisecond; its words may stand behind them. */
const isExactCue = (line: string): boolean => {
	const [, start = '', end = ''] = CUE_LINE.exec(line) ?? [];
	return [start, end].every((time) => /[.,]\d{3}$/.test(time));
};

/** A file has at most so many lines for each cue, blank ones aside; an article that quotes some cues has more. */
const MOST_LINES_A_CUE = 6;

const withoutFences = (source: string): string[] =>
	trimmedLines(source).filter((line) => !CUE_FENCE.test(line));

/** Timed text that is recognised and not read, and whether ffmpeg reads it. */
const FOREIGN: Array<[name: string, beginning: RegExp, ending?: string]> = [
	[
		'ASS',
		/^\s*(?:\[(?:Script Info|V4\+? Styles|Events)\]|(?:Dialogue|Comment): ?(?:Marked=)?\d+,\d:\d\d:\d\d[.:]\d\d,)/i,
		'ass',
	],
	['SAMI', /^\s*<sami\b/i, 'smi'],
	['MicroDVD', /^\s*\{\d{1,7}\}\{\d{0,7}\}/, 'sub'],
	['SCC', /^\s*Scenarist_SCC V\d/, 'scc'],
	['TTML', /^\s*(?:<\?xml[^<>]{0,200}\?>\s*)?<(?:tt:)?tt\s/],
	['XML', /^\s*(?:<\?xml[^<>]{0,200}\?>\s*)?<(?:transcript>\s*<text start=|timedtext\b)/],
];
/** The kind of timed text that is not read here; undefined: the text is none. */
export const foreignIn = (source: string) =>
	FOREIGN.find(([, beginning]) => beginning.test(source));

/**
 * Whether a text is an SRT or WebVTT file, also below a title or in a code fence, or other timed text, but not an article
 * that shows an example of one.
 */
export function isSubtitleFile(source: string): boolean {
	if (foreignIn(source.replace(BYTE_ORDER_MARK, '')) || timedLines(withoutFences(source)))
		return true;
	if (!/>|&gt;|→|WEBVTT/.test(source)) return false;
	const lines = trimmedLines(source).filter((line) => line !== '');
	const first = lines.findIndex(isCueLine);
	if (lines.length > 1 && lines.every(isExactCue)) return true;
	if (first < 0) return lines[0] === 'WEBVTT';
	if (first === 0 || (first === 1 && CUE_NUMBER.test(lines[0])) || WEBVTT.test(lines[0]))
		return true;
	const cues = lines.filter(isCueLine).length;
	const isExample =
		lines.some((line) => CUE_FENCE.test(line)) && !CUE_FENCE.test(lines[lines.length - 1]);
	return cues > 1 && cues * MOST_LINES_A_CUE >= lines.length && !isExample;
}

/** An error of the file, with both ways out: to correct it, or to have the text read as plain. */
export const noFile = (what: string) =>
	new InputError(
		what,
		`Correct the subtitles or, if the text is no SRT or WebVTT file, set "Text Format" to "Plain Text". ${NOTHING_SENT}`,
	);

const notRead = ([name, , ending = 'xml']: (typeof FOREIGN)[number]) =>
	new InputError(
		`The text is a subtitle file in another format (${name}), whose times are not read here`,
		`Convert it to SRT before${ending === 'xml' ? ': the program or page that it comes from can export that' : `, for example with "ffmpeg -i file.${ending} file.srt"`}. To have it spoken as it stands, set "Text Format" to "Plain Text". ${NOTHING_SENT}`,
	);

/** Seconds of `1:02,5`, of `00:01:02:500` (the last of four numbers is a fraction) and of `1:02:500` (so are three digits). */
function timeOf(text: string): number {
	if (text.startsWith('-')) return 0;
	const time = text.replace(/[ \t]/g, '');
	const numbers = time.split(/[.,:：，]/);
	const hasFraction = /[.,，]/.test(time) || numbers.length > 3 || /\d{3}$/.test(time);
	const fraction = hasFraction ? numbers.pop() : 0;
	return clockSeconds(numbers.join(':')) + Number(`0.${fraction}`);
}

/**
 * The cues of a file as they stand in it, and what stands before them. The file is divided at its lines of
 * times: a number or name above one heads its cue, and what is below, up to the next head, are its words,
 * even behind blank lines. Throws InputError where the times of a cue are missing or cannot be read: words
 * would be heard at a wrong time, and numbers spoken.
 */
export function cuesOf(source: string): { cues: FileCue[]; preface: string } {
	const lines = withoutFences(source);
	const foreign = foreignIn(lines.slice(0, MOST_LINES_A_CUE).join('\n'));
	if (foreign) throw notRead(foreign);
	const timed = lines.some((line) => CUE_LINE.test(line)) ? undefined : timedLines(lines);
	if (timed) return timed;
	const isVtt = WEBVTT.test(lines.find((line) => line !== '') ?? '');
	const places = lines.flatMap((line, index) => (CUE_LINE.test(line) ? [index] : []));
	const above = (place: number): number => {
		let index = place - 1;
		while (lines[index] === '') index--;
		return index;
	};
	const isNumbered = isNumber(lines[above(places[0] ?? 0)]);
	/** The line with the number or, in WebVTT, the name of a cue; else that with its times. */
	const headOf = (place: number): number => {
		const index = above(place);
		if (isNumbered && isNumber(lines[index])) return index;
		const isName = isVtt && index === place - 1 && (lines[index - 1] ?? '') === '';
		return isName && !CUE_LINE.test(lines[index]) ? index : place;
	};
	const heads = places.map(headOf);
	const cues = places.map((place, index): FileCue => {
		const [line, from, to, rest = ''] = CUE_LINE.exec(lines[place])!;
		const [start, end] = [from, to].map(timeOf);
		if (end < start) throw noFile(`A cue of the subtitles ends before it starts: ${line}`);
		const hasNumber = isNumbered && heads[index] < place;
		const next = hasNumber ? Number.parseInt(lines[heads[index]]) + 1 : NaN;
		const below = wordsBefore(next, lines.slice(place + 1, heads[index + 1]));
		const text = isVtt ? withoutNotes(below) : below;
		const broken = text.find((one) => /-->/.test(one) && /\d[ \t]?[:：][ \t]?\d/.test(one));
		if (broken) throw noFile(`The times of a cue cannot be read: ${broken}`);
		return { start, end, lines: [SETTINGS.test(rest) ? '' : rest, ...text] };
	});
	const before = isVtt ? [] : wordsBefore(1, ['', ...lines.slice(0, heads[0] ?? 0)]);
	return { cues, preface: before.join(' ').trim() };
}

const isNumber = (line: string | undefined) => line !== undefined && CUE_NUMBER.test(line);

/**
 * The words before the cue of this number, without the number itself if nothing follows it, as at the end of a file
 * that was cut. With words behind it, the times of the cue are lost: throws InputError. NaN: the number is not known.
 */
function wordsBefore(number: number, lines: string[]): string[] {
	const isHead = (line: string, index: number) =>
		isNumber(line) && Number.parseInt(line) === number && lines[index - 1] === '';
	if (lines.some((line, index) => isHead(line, index) && (lines[index + 1] ?? '') !== ''))
		throw noFile(`Cue ${number} of the subtitles has no times`);
	return lines.filter((line, index) => !isHead(line, index));
}

/**
 * Without WebVTT's NOTE, STYLE and REGION blocks, each of which ends at a blank line, and without the heads of further
 * files: streams (HLS) put many one behind the other.
 */
function withoutNotes(lines: string[]): string[] {
	let isNote = false;
	return lines.filter((line, index) => {
		if (line === '') isNote = false;
		else if (index > 0 && lines[index - 1] === '')
			isNote = /^(?:NOTE|STYLE|REGION|WEBVTT)\b/.test(line);
		return !isNote;
	});
}
