import { endOf, startOf } from './mapped';
import type { Pause } from './pauses';
import type { PreparedText } from './prepare';
import { isSpeakable, segmentText } from './segment';

/** What one request speaks. */
export interface PreparedSegment {
	/** What is sent. */
	text: string;
	/** The same in the words of the source, without markup, for subtitles. */
	written: string;
	/** Its place in the source, with markup. The slices of all segments make up the source. */
	source: { start: number; end: number };
	/** Silence after it. */
	pauseAfterMs: number;
}

export interface PreparedSegments {
	/** Silence before the first segment. */
	pauseBeforeMs: number;
	segments: PreparedSegment[];
	/** The headings, each with the index of the segment that starts with it; empty without `cutAtHeadings`. */
	chapters: Array<{ title: string; level: number; segment: number }>;
}

interface Stretch {
	start: number;
	end: number;
	pauseAfterMs: number;
}

/** The text between pauses and headings. Unspeakable text joins the stretch before it, or the next if there is none. */
function stretchesOf({ spoken: { text }, pauses, headings }: PreparedText, cutAtHeadings: boolean) {
	const cuts: Pause[] = [
		...pauses,
		...(cutAtHeadings ? headings : []).map(({ at }) => ({ at, milliseconds: 0 })),
	].sort((a, b) => a.at - b.at);
	const stretches: Stretch[] = [];
	let from = 0;
	let pauseBeforeMs = 0;
	for (const { at, milliseconds } of [...cuts, { at: text.length, milliseconds: 0 }]) {
		const last = stretches.at(-1);
		if (isSpeakable(text.slice(from, at))) {
			stretches.push({ start: last?.end ?? 0, end: at, pauseAfterMs: milliseconds });
		} else if (last) {
			last.end = at;
			last.pauseAfterMs += milliseconds;
		} else {
			pauseBeforeMs += milliseconds;
		}
		from = at;
	}
	return { stretches, pauseBeforeMs };
}

/** Where to cut the source between two segments: at the first white space between their words, or else after everything there. */
function cutBetween(source: string, from: number, to: number): number {
	const space = source.slice(from, to).search(/\s/);
	return space < 0 ? to : from + space;
}

/**
 * Cuts a prepared text at its pauses, at its headings if wanted, and where segments would be longer than `maxCharacters` code points
 * (Infinity: no limit). Every segment has something to speak.
 */
export function segmentPrepared(
	prepared: PreparedText,
	{
		maxCharacters: most,
		cutAtHeadings = false,
	}: { maxCharacters: number; cutAtHeadings?: boolean },
): PreparedSegments {
	const { source, written, spoken, headings } = prepared;
	const { stretches, pauseBeforeMs } = stretchesOf(prepared, cutAtHeadings);
	const maxCharacters = Math.min(most, Math.max(1, spoken.text.length));
	const segments: PreparedSegment[] = [];
	const starts: number[] = [];
	let writtenEnd = 0;
	let sourceEnd = 0;
	for (const stretch of stretches) {
		const pieces = segmentText(spoken.text.slice(stretch.start, stretch.end), { maxCharacters });
		for (const piece of pieces.filter(({ text }) => isSpeakable(text))) {
			const start = stretch.start + piece.start;
			const from = Math.max(writtenEnd, startOf(spoken, start));
			writtenEnd = Math.max(from, endOf(spoken, stretch.start + piece.end));
			const first = Math.max(sourceEnd, startOf(written, from));
			const cut = segments.length === 0 ? 0 : cutBetween(source, sourceEnd, first);
			const previous = segments.at(-1);
			if (previous) previous.source.end = cut;
			sourceEnd = Math.max(first, endOf(written, writtenEnd));
			starts.push(start);
			segments.push({
				text: piece.text,
				written: written.text.slice(from, writtenEnd),
				source: { start: cut, end: source.length },
				pauseAfterMs: 0,
			});
		}
		const last = segments.at(-1);
		if (last) last.pauseAfterMs += stretch.pauseAfterMs;
	}
	let segment = 0;
	const chapters = (cutAtHeadings ? headings : [])
		.map(({ title, level, at }) => {
			while (segment < starts.length && starts[segment] < at) segment++;
			return { title, level, segment };
		})
		.filter((chapter) => chapter.title !== '' && chapter.segment < starts.length);
	return { pauseBeforeMs, segments, chapters };
}
