import { firstIndex, type Span } from './characters';
import type { EarlierSegments } from './knownSegments';
import { endOf, startOf } from './mapped';
import type { Pause } from './pauses';
import type { PreparedText } from './prepare';
import { cutsOf, cutText, isSpeakable, type TextSegment } from './segment';
import { withoutTags } from './toneTags';

/** What one request speaks. */
export interface PreparedSegment {
	/** What is sent. */
	text: string;
	/** The words of the source for it, without markup and tone tags, for subtitles. */
	written: string;
	/** Its place in the written text. Those of all segments make up that text. */
	place: Span;
	/** Where it begins in the spoken text. */
	at: number;
	/** Silence after it. */
	pauseAfterMs: number;
	/** The second of the file at which it is to be heard. */
	heardAt?: number;
	/** A pause within it was left out: it is a known segment, which is not cut. */
	lacksPause?: true;
}

/** A text as segments, in order. */
export interface PreparedSegments {
	/** Silence before the first segment. */
	pauseBeforeMs: number;
	segments: PreparedSegment[];
	/** The second at which what follows is to be heard, if the text ends so. */
	nextHeardAt?: number;
	/** All that is sent, for counting. */
	text: string;
	/**
	 * The headings, each with the index of the segment that starts with it, or in which it comes
	 * `after` some words; empty without `cutAtHeadings`.
	 */
	chapters: Array<{ title: string; segment: number; after?: string }>;
}

/** The text between two pauses or headings. */
interface Passage extends Span {
	pauseAfterMs: number;
	heardAt?: number;
}

/**
 * Splits a text at pauses and headings. Unspeakable text joins the passage before it, or the next if there is none; its
 * pauses add up. A time belongs to the passage behind it, a silence to the one before.
 */
function passagesOf(text: string, cuts: Pause[]) {
	const passages: Passage[] = [];
	let from = 0;
	let pauseBeforeMs = 0;
	let nextHeardAt: number | undefined;
	for (const { at, milliseconds, heardAt } of [...cuts, { at: text.length, milliseconds: 0 }]) {
		const last = passages.at(-1);
		if (isSpeakable(text.slice(from, at))) {
			passages.push({
				start: last?.end ?? 0,
				end: at,
				pauseAfterMs: milliseconds,
				...(nextHeardAt !== undefined && { heardAt: nextHeardAt }),
			});
			nextHeardAt = undefined;
		} else if (last) {
			last.end = at;
			last.pauseAfterMs += milliseconds;
		} else {
			pauseBeforeMs += milliseconds;
		}
		nextHeardAt = heardAt ?? nextHeardAt;
		from = at;
	}
	return { passages, pauseBeforeMs, nextHeardAt };
}

/** The tags between two offsets; their own offsets become relative to the first. */
const tagsWithin = (tags: Span[], from: number, to: number): Span[] =>
	tags
		.slice(
			firstIndex(tags, ({ start }) => start >= from),
			firstIndex(tags, ({ end }) => end > to),
		)
		.map(({ start, end }) => ({ start: start - from, end: end - from }));

/** The written text between two offsets as subtitles show it: without tone tags. */
export const shownWords = ({ written, tags }: PreparedText, from: number, to: number): string =>
	withoutTags(written.slice(from, to), tagsWithin(tags.written, from, to));

/** Silence before and after a heading, as a reader makes it. Milliseconds. */
export const HEADING_PAUSE_MS = 700;

/**
 * Lengthens the pauses between segments where a heading begins or ends, if only marks and
 * spaces lie between. No segment is cut for that.
 */
function pauseAtHeadings(
	{ spoken: { text }, headings }: PreparedText,
	segments: PreparedSegment[],
): void {
	const pauseBefore = (segment: number) => {
		if (segment === 0) return;
		const previous = segments[segment - 1];
		previous.pauseAfterMs = Math.max(previous.pauseAfterMs, HEADING_PAUSE_MS);
	};
	const isMute = (from: number, to: number) => !isSpeakable(text.slice(from, to));
	for (const { at: start, end } of headings) {
		const next = firstIndex(segments, ({ at }) => at > start);
		const behind = firstIndex(segments, ({ at }) => at >= end);
		if (next > 0 && isMute(segments[next - 1].at, start)) pauseBefore(next - 1);
		if (next < segments.length && isMute(start, segments[next].at)) pauseBefore(next);
		if (behind < segments.length && isMute(end, segments[behind].at)) pauseBefore(behind);
	}
}

/**
 * The known segments of a text, from front to back; none reaches over a time. `isCut`: whether it is cut at an offset
 * anyway.
 */
function knownBetweenTimes(
	{ spoken: { text }, tags, pauses }: PreparedText,
	{ moved, placed }: EarlierSegments,
	isCut: (offset: number) => boolean,
): Span[] {
	const mayCut = cutsOf(text, tags.spoken);
	const ends = pauses.filter(({ heardAt }) => heardAt !== undefined).map(({ at }) => at);
	return [...ends, text.length].flatMap((end, index) => {
		const start = ends[index - 1] ?? 0;
		const isHere = ({ at }: { at: number }) => at >= start && at < end;
		const here = placed.filter(isHere).map((segment) => ({ ...segment, at: segment.at - start }));
		// At a pause or a heading words end, whatever is written there.
		const found = moved.in(
			text.slice(start, end),
			here,
			(at) => mayCut(start + at),
			(at) => isCut(start + at),
		);
		return found.map((segment) => ({ start: start + segment.start, end: start + segment.end }));
	});
}

/**
 * Cuts a passage into segments around those that were found, which stay as they are. All offsets are those of the
 * spoken text.
 */
function cutAround(
	found: Span[],
	{ spoken: { text: spoken }, tags }: PreparedText,
	{ start, end }: Span,
	maxCharacters: number,
): TextSegment[] {
	const limit = Math.min(maxCharacters, Math.max(1, spoken.length));
	const cutAnew = (from: number, to: number): TextSegment[] =>
		cutText(spoken.slice(from, to), limit, { tags: tagsWithin(tags.spoken, from, to) }).map(
			({ text, ...place }) => ({ text, start: from + place.start, end: from + place.end }),
		);
	const [first, behind] = [start, end].map((at) => firstIndex(found, (span) => span.start >= at));
	const segments: TextSegment[] = [];
	let from = start;
	for (const span of found.slice(first, behind)) {
		const text = spoken.slice(span.start, span.end);
		segments.push(...cutAnew(from, span.start), { ...span, text });
		from = span.end;
	}
	return [...segments, ...cutAnew(from, end)];
}

/**
 * Cuts a prepared text at its pauses, at its headings if wanted, and where segments would be longer than
 * `maxCharacters` code points (Infinity: no limit). Every segment has something to speak. Segments of an `earlier` text
 * become segments again, with no cut inside; what is between them is cut as if it stood alone.
 */
export function segmentPrepared(
	prepared: PreparedText,
	options: { maxCharacters: number; cutAtHeadings?: boolean; earlier?: EarlierSegments },
): PreparedSegments {
	const { cutAtHeadings = false, earlier } = options;
	const { written, spoken, pauses } = prepared;
	const headings = cutAtHeadings ? prepared.headings : [];
	const cuts: Pause[] = [...pauses, ...headings.map(({ at }) => ({ at, milliseconds: 0 }))];
	cuts.sort((a, b) => a.at - b.at);
	const isCut = new Set(cuts.map(({ at }) => at));
	const found = earlier ? knownBetweenTimes(prepared, earlier, (at) => isCut.has(at)) : [];
	const isInside = ({ at }: { at: number }) => {
		const next = found.at(firstIndex(found, ({ end }) => end > at));
		return next !== undefined && next.start < at && at < next.end;
	};
	const outside = cuts.filter((cut) => !isInside(cut));
	const { passages, pauseBeforeMs, nextHeardAt } = passagesOf(spoken.text, outside);
	const segments: PreparedSegment[] = [];
	let writtenEnd = 0;
	for (const passage of passages) {
		let { heardAt } = passage;
		for (const { text, start, end } of cutAround(found, prepared, passage, options.maxCharacters)) {
			if (!isSpeakable(text)) continue;
			let from = Math.max(writtenEnd, startOf(spoken, start));
			let to = Math.max(from, endOf(spoken, end));
			// Brackets that are not spoken are shown.
			while (from > writtenEnd && /[(（[［]/.test(written.charAt(from - 1))) from--;
			const next = end < spoken.text.length ? startOf(spoken, end) : written.length;
			while (to < next && /[)）\]］]/.test(written.charAt(to))) to++;
			segments.push({
				text,
				written: shownWords(prepared, from, to),
				place: { start: writtenEnd, end: to },
				at: start,
				pauseAfterMs: 0,
				...(heardAt !== undefined && { heardAt }),
			});
			writtenEnd = to;
			heardAt = undefined;
		}
		const last = segments.at(-1);
		if (last) last.pauseAfterMs += passage.pauseAfterMs;
	}
	const final = segments.at(-1);
	if (final) final.place.end = written.length;
	pauseAtHeadings(prepared, segments);
	/** The segment that starts at an offset, or that has it inside, behind some words. */
	const placeOf = (offset: number) => {
		const segment = firstIndex(segments, ({ at }) => at >= offset);
		if (!isInside({ at: offset })) return { segment };
		return { segment: segment - 1, after: spoken.text.slice(segments[segment - 1].at, offset) };
	};
	const chapters = headings
		.map(({ title, at }) => ({ title, ...placeOf(at) }))
		.filter(({ title, segment }) => title !== '' && segment < segments.length);
	for (const { at } of pauses.filter(isInside)) segments[placeOf(at).segment].lacksPause = true;
	return { pauseBeforeMs, segments, nextHeardAt, text: spoken.text, chapters };
}
