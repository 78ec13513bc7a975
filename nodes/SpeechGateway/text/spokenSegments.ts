import { type Tone, tonesOf } from './carriedTones';
import { endOf, startOf } from './mapped';
import type { Pause } from './pauses';
import type { PreparedText } from './prepare';
import { countCharacters, isSpeakable, segmentText } from './segment';
import { type ToneTag, withoutTags } from './toneTags';

/** What one request speaks. */
export interface PreparedSegment {
	/** What is sent. */
	text: string;
	/** The same in the words of the source, without markup and tone tags, for subtitles. */
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
	/** All that is sent, for counting. */
	text: string;
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

/** The index of the first element that is behind something; those before it are not. */
function firstIndex<T>(sorted: T[], isBehind: (one: T) => boolean): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isBehind(sorted[middle])) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** The tags from one offset to another, which their offsets then count from. */
const tagsWithin = (tags: ToneTag[], from: number, to: number): ToneTag[] =>
	tags
		.slice(
			firstIndex(tags, ({ start }) => start >= from),
			firstIndex(tags, ({ end }) => end > to),
		)
		.map(({ start, end }) => ({ start: start - from, end: end - from }));

/** What to show of a stretch of the written text. */
export const shownWords = ({ written, tags }: PreparedText, from: number, to: number): string =>
	withoutTags(written.text.slice(from, to), tagsWithin(tags.written, from, to));

/** Where to cut the source between two segments: at the first white space between their words, or else after everything there. */
function cutBetween(source: string, from: number, to: number): number {
	const space = source.slice(from, to).search(/\s/);
	return space < 0 ? to : from + space;
}

/**
 * Cuts a prepared text at its pauses, at its headings if wanted, and where segments would be longer than `maxCharacters` code points
 * (Infinity: no limit). Every segment has something to speak. With `carryTone`, a segment that begins within the reach of a tone tag
 * starts with it again, unless the tag would fill half of the segment.
 */
export function segmentPrepared(
	prepared: PreparedText,
	{
		maxCharacters: most,
		cutAtHeadings = false,
		carryTone = false,
	}: { maxCharacters: number; cutAtHeadings?: boolean; carryTone?: boolean },
): PreparedSegments {
	const { source, written, spoken, tags, headings } = prepared;
	const { stretches, pauseBeforeMs } = stretchesOf(prepared, cutAtHeadings);
	const widthOf = (tone: Tone | undefined) => countCharacters(tone?.prefix ?? '');
	const tones = (carryTone ? tonesOf(prepared) : []).filter((tone) => widthOf(tone) <= most / 2);
	const toneAt = (offset: number) => {
		const tone = tones.at(firstIndex(tones, ({ to }) => to > offset));
		return tone && tone.from <= offset ? tone : undefined;
	};
	const longestTone = tones.reduce((longest, tone) => Math.max(longest, widthOf(tone)), 0);
	const maxCharacters = Math.min(most, Math.max(1, spoken.text.length + longestTone));
	const carried: string[] = [];
	const segments: PreparedSegment[] = [];
	const starts: number[] = [];
	let writtenEnd = 0;
	let sourceEnd = 0;
	for (const stretch of stretches) {
		const pieces = segmentText(spoken.text.slice(stretch.start, stretch.end), {
			maxCharacters,
			tags: tagsWithin(tags.spoken, stretch.start, stretch.end),
			addedAt: (offset) => widthOf(toneAt(stretch.start + offset)),
		});
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
			const prefix = toneAt(start)?.prefix ?? '';
			carried.push(prefix);
			segments.push({
				text: prefix + piece.text,
				written: shownWords(prepared, from, writtenEnd),
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
	return { pauseBeforeMs, segments, text: spoken.text + carried.join(''), chapters };
}
