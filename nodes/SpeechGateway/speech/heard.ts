/**
 * When the sentences of a segment are heard to begin, without recognising speech: the pauses of the audio are matched
 * to the places of the text where a voice may pause. At an even pace, a place with a third of the letters before it is
 * heard after a third of the spoken time. A match costs more the further the pace between it and the one before is off,
 * and so does a long pause without a place, or the end of a sentence without a pause; the cheapest of all matches is
 * found by dynamic programming. Between two matches, time is shared by letters. Where the pauses between sentences
 * stand out, they are taken as sure before all that.
 */
import type { AudioInfo, ForeignInfo } from '../audio';
import { sentences } from '../text/boundaries';
import { lettersOf } from './oddSegments';

/** Silence within a segment, seconds from its start. */
export interface HeardPause {
	start: number;
	end: number;
}

/** The pauses of a file, in order; undefined where they are not known. */
export function pausesOf(info: AudioInfo | ForeignInfo): HeardPause[] | undefined {
	if (!('pauses' in info) || !info.pauses) return undefined;
	const { pauses } = info;
	return pauses.flatMap((at, index) =>
		index % 2 === 0 ? [{ start: at / 1000, end: pauses[index + 1] / 1000 }] : [],
	);
}

/** A place where a voice may pause, by the letters before it. */
interface PausePlace {
	letters: number;
	isSentence: boolean;
}

/** A pause by the time that was spoken before it. */
interface Gap {
	spoken: number;
	seconds: number;
}

/** How many places or pauses may stay unmatched in a row: without a bound, the search takes the square of both. */
const MOST_SKIPPED = 8;
/** How far a voice may drift off its pace: seconds, and a share of the segment. */
const MOST_DRIFT = { seconds: 10, share: 0.15 };
/** Costs of a place without a pause, where a pace that is off by one standard deviation costs 1. */
const SILENT_SENTENCE_END = 1;
const SILENT_CLAUSE_END = 0.6;
/** Cost of a pause without a place, for each of its seconds beyond those of the stops within words. */
const PAUSE_A_SECOND = 8;
const SHORT_PAUSE = 0.06;
/** Variance of the time that words take, in seconds²: it grows with the time itself. */
const VARIANCE = { aSecond: 0.06, least: 0.02 };
/** Seconds: only a pause at least so long is taken for the end of a sentence by its length alone. */
const LONG_PAUSE = 0.25;
/** How many times as long as the longest of the others a pause is that stands out. */
const CLEARLY_LONGER = 1.5;
const PAUSE_MARKS = /[,;:()—–…،؛、，；：）]+/gu;

/**
 * The second at which a text is heard after so many letters of it (as `lettersOf` counts them). `seconds`: how long it
 * plays; `pauses`: in order. Without pauses, time is shared by letters. Never decreases.
 */
export function heardAt(
	text: string,
	seconds: number,
	pauses: HeardPause[],
): (letters: number) => number {
	const gaps: Gap[] = [];
	let silent = 0;
	for (const { start, end } of pauses) {
		gaps.push({ spoken: start - silent, seconds: end - start });
		silent += end - start;
	}
	const spoken = seconds - silent;
	const inner = gaps.filter((gap) => gap.spoken > 0.05 && gap.spoken < spoken - 0.05);
	const anchors = anchorsIn(placesIn(text), inner, { letters: lettersOf(text), spoken });
	return (letters) => {
		const after = anchors.findIndex((anchor) => anchor.letters > letters);
		const to = anchors[after < 0 ? anchors.length - 1 : after];
		const from = anchors[after < 0 ? anchors.length - 1 : after - 1];
		const share = to === from ? 0 : (letters - from.letters) / (to.letters - from.letters);
		const at = from.spoken + share * (to.spoken - from.spoken);
		return gaps.reduce((time, gap) => (gap.spoken <= at ? time + gap.seconds : time), at);
	};
}

/** Where a voice may pause, from front to back: ends of sentences and clauses, but not the end of the text. */
function placesIn(text: string): PausePlace[] {
	const offsets = new Map<number, boolean>();
	for (const clause of text.matchAll(PAUSE_MARKS))
		offsets.set(clause.index + clause[0].length, false);
	for (const end of sentences(text)) offsets.set(end, true);
	const places: PausePlace[] = [];
	let at = 0;
	let letters = 0;
	for (const [offset, isSentence] of [...offsets].sort(([a], [b]) => a - b)) {
		letters += lettersOf(text.slice(at, offset));
		at = offset;
		const last = places.at(-1);
		if (last && last.letters === letters) last.isSentence ||= isSentence;
		else if (letters > 0) places.push({ letters, isSentence });
	}
	return places.filter((place) => place.letters < letters + lettersOf(text.slice(at)));
}

interface Anchor {
	letters: number;
	spoken: number;
}

/**
 * Places of the text and when they are heard, in order: its start and its end, and between them pairs of a place and a
 * pause.
 */
function anchorsIn(places: PausePlace[], gaps: Gap[], last: Anchor): Anchor[] {
	const ends = places.filter(({ isSentence }) => isSentence);
	const between = standingOut(gaps, ends.length);
	const sure = between.map(({ spoken }, index) => ({ letters: ends[index].letters, spoken }));
	const start: Anchor = { letters: 0, spoken: 0 };
	const pairs = [...sure, last].flatMap((to, index) => {
		const from = sure[index - 1] ?? start;
		const isInside = (key: keyof Anchor, at: number) => from[key] < at && at < to[key];
		const placesInside = places.filter(({ letters }) => isInside('letters', letters));
		const gapsInside = gaps.filter(({ spoken }) => isInside('spoken', spoken));
		return pairPlaces(placesInside, gapsInside, from, to);
	});
	return [start, ...pairs];
}

/**
 * The pauses between sentences, where they stand out: as many as sentences end, each long and clearly longer than the
 * others. Then they are sure, however unevenly the sentences are spoken.
 */
function standingOut(gaps: Gap[], ends: number): Gap[] {
	const lengths = gaps.map(({ seconds }) => seconds).sort((a, b) => b - a);
	if (ends === 0 || lengths.length < ends) return [];
	const shortest = lengths[ends - 1];
	const longestOther = lengths[ends] ?? 0;
	return shortest >= Math.max(LONG_PAUSE, CLEARLY_LONGER * longestOther)
		? gaps.filter(({ seconds }) => seconds >= shortest)
		: [];
}

/**
 * The cheapest way to pair places with pauses in order (dynamic programming), from one pair (exclusive) to another
 * (inclusive).
 */
function pairPlaces(places: PausePlace[], gaps: Gap[], first: Anchor, last: Anchor): Anchor[] {
	const pace = (last.spoken - first.spoken) / Math.max(1, last.letters - first.letters);
	const rows = [{ ...first, isSentence: true }, ...places, { ...last, isSentence: true }];
	const columns = [{ ...first, seconds: 0 }, ...gaps, { ...last, seconds: 0 }];
	const skippedRows = sums(
		rows.map(({ isSentence }) => (isSentence ? SILENT_SENTENCE_END : SILENT_CLAUSE_END)),
	);
	const skippedColumns = sums(
		columns.map(({ seconds }) => PAUSE_A_SECOND * Math.max(0, seconds - SHORT_PAUSE)),
	);
	/** The cost of pairing a row with a column right after another such pair, all between being unmatched. */
	const costOf = (row: number, column: number, r: number, c: number): number => {
		const expected = (rows[row].letters - rows[r].letters) * pace;
		const off = columns[column].spoken - columns[c].spoken - expected;
		return (
			off ** 2 / (VARIANCE.aSecond * expected + VARIANCE.least) +
			(skippedRows[row] - skippedRows[r + 1]) +
			(skippedColumns[column] - skippedColumns[c + 1])
		);
	};
	const costs = rows.map(() => new Float64Array(columns.length).fill(Infinity));
	const from = rows.map(() => new Int32Array(columns.length));
	costs[0][0] = 0;
	const drift = MOST_DRIFT.seconds + MOST_DRIFT.share * (last.spoken - first.spoken);
	for (let row = 1; row < rows.length; row++) {
		for (let column = 1; column < columns.length; column++) {
			const even = first.spoken + (rows[row].letters - first.letters) * pace;
			if (Math.abs(columns[column].spoken - even) > drift) continue;
			// The end is reached from anywhere, so that there is always a way.
			const isEnd = row === rows.length - 1 && column === columns.length - 1;
			const reach = isEnd ? Infinity : MOST_SKIPPED;
			for (let r = Math.max(0, row - reach); r < row; r++) {
				for (let c = Math.max(0, column - reach); c < column; c++) {
					if (costs[r][c] === Infinity) continue;
					const cost = costs[r][c] + costOf(row, column, r, c);
					if (cost < costs[row][column]) {
						costs[row][column] = cost;
						from[row][column] = r * columns.length + c;
					}
				}
			}
		}
	}
	const anchors: Anchor[] = [];
	let row = rows.length - 1;
	let column = columns.length - 1;
	while (row > 0 && column > 0) {
		anchors.unshift({ letters: rows[row].letters, spoken: columns[column].spoken });
		const before = from[row][column];
		row = Math.floor(before / columns.length);
		column = before % columns.length;
	}
	return anchors;
}

/** The sum of the numbers before each index, so that a difference of two tells what lies between. */
function sums(numbers: number[]): number[] {
	let sum = 0;
	return [0, ...numbers.map((number) => (sum += number))];
}
