/** Texts with times: which words are too long for theirs, as estimated before they are spoken and as heard afterwards. */
import type { ItemRequests } from '../requests/itemRequests';
import { beginningOf } from '../text/characters';
import { clock } from '../text/pauses';
import type { DraftSegment } from './plan';
import { expectedSeconds } from './price';
import type { TimedText } from './subtitles';

/** Estimates are off by 20 %, so only what is clearly too long is named. */
const CLEARLY_TOO_LONG = 1.15;
/** Seconds: what is later is heard to be late. */
const LATE = 0.05;
/** The share of times that a suggested speed must keep: a single crowded cue should not make all of them hasty. */
const KEPT_TIMES = 0.95;
/** The fastest speed of the gateway, and to what a suggestion is rounded up. */
const FASTEST = 2;
const SPEED_STEP = 0.05;
const MOST_NAMED = 5;
const LONGEST_QUOTE = 40;

/** What is wrong with the time of a segment, as an entry of `warnings` on the item. */
export interface TimeWarning {
	/** From 1. */
	segment: number;
	startSeconds: number;
	endSeconds: number;
	/** By which it was heard late; undefined for an estimate. */
	lateSeconds?: number;
	message: string;
}

/** The time up to a mark, from the one before or the beginning, and the segments that are spoken in it: from one index up to another. */
interface Slot {
	from: number;
	to: number;
	start: number;
	seconds: number;
	/** Silence within it, at any speed. */
	pauseSeconds: number;
	text: string;
}

/** What is before the first time begins at once. What is behind the last has no end to keep, so it is no slot. */
function slotsOf(segments: DraftSegment[]): Slot[] {
	const ends = segments.flatMap(({ heardAt }, index) =>
		heardAt === undefined || index === 0 ? [] : index,
	);
	return ends.map((to, index): Slot => {
		const from = ends[index - 1] ?? 0;
		const within = segments.slice(from, to);
		const start = segments[from].heardAt ?? 0;
		return {
			from,
			to,
			start,
			seconds: segments[to].heardAt! - start,
			pauseSeconds: within.reduce((sum, { pauseAfterMs }) => sum + pauseAfterMs / 1000, 0),
			text: within.map(({ text }) => text).join(' '),
		};
	});
}

/**
 * The speed at which nearly all of the words fit; undefined: none does. `needed`: the seconds that the words of each
 * slot take.
 */
function speedFor(slots: Slot[], needed: number[], speed = 1): number | undefined {
	const faster = slots
		.map(({ seconds, pauseSeconds }, index) => needed[index] / Math.max(0, seconds - pauseSeconds))
		.sort((a, b) => a - b)[Math.ceil(KEPT_TIMES * slots.length) - 1];
	const fitting = Math.ceil((speed * Math.max(1, faster)) / SPEED_STEP - 1e-6) * SPEED_STEP;
	return fitting <= FASTEST ? Number(fitting.toFixed(2)) : undefined;
}

const adviceOn = (speed: number | undefined): string =>
	speed === undefined
		? `No "Speed" up to ${FASTEST} would do: shorten the words, or move the times.`
		: `A "Speed" of ${speed} would do.`;

const inQuotes = (words: string): string =>
	`"${beginningOf(words.replace(/\s+/g, ' ').trim(), LONGEST_QUOTE)}"`;

const secondsText = (seconds: number): string => `${seconds.toFixed(1)} s`;

/** The first five, and how many more there are. */
export const firstFew = (all: string[]): string =>
	all.slice(0, MOST_NAMED).join('; ') +
	(all.length > MOST_NAMED ? `; and ${all.length - MOST_NAMED} more` : '');

/** How a hint begins that is no longer true, or once more, when the words are heard. */
const ESTIMATED = 'the words before';

/** What was found of the times of an item, estimated or heard. */
interface Findings {
	warnings: TimeWarning[];
	/** One hint on all of them, with the speed that would do; it follows the name of the item. Undefined: there are none. */
	hint?: string;
	suggestedSpeed?: number;
}

/**
 * The slots that are probably too short for what is to be spoken in them, by the usual pace of the script; for hints
 * before a run.
 */
export function shortSlots(input: { speed?: number }, segments: DraftSegment[]): Findings {
	const slots = slotsOf(segments);
	const needed = slots.map(({ text }) => expectedSeconds(text, input.speed));
	const short = slots.flatMap((slot, index) => {
		const seconds = needed[index] + slot.pauseSeconds;
		return seconds > CLEARLY_TOO_LONG * slot.seconds ? { ...slot, needed: seconds } : [];
	});
	if (short.length === 0) return { warnings: [] };
	const suggestedSpeed = speedFor(slots, needed, input.speed);
	const advice = adviceOn(suggestedSpeed);
	const found = short.map(({ from, start, seconds, needed: about, text }) => ({
		segment: from + 1,
		startSeconds: start,
		endSeconds: start + seconds,
		words: `${inQuotes(text)} at ${clock(start)} takes about ${secondsText(about)}, and has ${secondsText(seconds)}`,
	}));
	return {
		warnings: found.map(({ words, ...place }) => ({ ...place, message: `${words}. ${advice}` })),
		hint: `${ESTIMATED} ${found.length} of ${slots.length} times are probably too long for them: ${firstFew(found.map(({ words }) => words))}. ${advice}`,
		suggestedSpeed,
	};
}

/**
 * The segments that are heard later than they should be. `heard`: all of them, in the joined file. What is late waits
 * for the words before it, so the suggested speed follows from the time that the words of each slot took.
 */
export function lateSegments(
	input: { speed?: number },
	segments: DraftSegment[],
	heard: TimedText[],
): Findings {
	const late = heard.flatMap(({ startSeconds, endSeconds }, index) => {
		const { heardAt = Infinity, written } = segments[index];
		const lateSeconds = Number((startSeconds - heardAt).toFixed(3));
		// Before the first segment there is nothing but the silence in it.
		if (index === 0 || lateSeconds < LATE) return [];
		const words = `${inQuotes(written)} is heard ${secondsText(lateSeconds)} late, at ${clock(startSeconds)} instead of ${clock(heardAt)}`;
		return { segment: index + 1, startSeconds, endSeconds, lateSeconds, words };
	});
	if (late.length === 0) return { warnings: [] };
	const slots = slotsOf(segments);
	const needed = slots.map(
		({ from, to, pauseSeconds }) =>
			heard[to - 1].endSeconds -
			heard[from].startSeconds -
			(pauseSeconds - segments[to - 1].pauseAfterMs / 1000),
	);
	const suggestedSpeed = speedFor(slots, needed, input.speed);
	const advice = adviceOn(suggestedSpeed);
	return {
		warnings: late.map(({ words, ...place }) => ({ ...place, message: `${words}. ${advice}` })),
		hint: `${late.length} of ${slots.length} times were missed, since the words before are too long: ${firstFew(late.map(({ words }) => words))}. ${advice}`,
		suggestedSpeed,
	};
}

/** Gives the hint on the times of an item, in place of the one before it was heard. */
export function hintOnTimes(
	{ session, index }: Pick<ItemRequests, 'session' | 'index'>,
	{ hint }: Findings,
): void {
	const place = `In item ${index + 1},`;
	const { hints } = session;
	for (const earlier of hints)
		if (earlier.startsWith(`${place} ${ESTIMATED}`)) hints.delete(earlier);
	if (hint !== undefined) hints.add(`${place} ${hint}`);
}
