/**
 * Which segments of generated speech are far too short or too long for their text, fall silent, or
 * begin anew: models drop words, or say them over and over. Nothing is recognised; only lengths and
 * pauses are compared, so a hint asks somebody to listen.
 */
import { ENOUGH_OTHERS } from '../requests/paces';
import { countCharacters } from '../text/characters';

/** Time that a character takes, in letters of an alphabet: a digit is a word, a character of Chinese a syllable. */
const LETTERS_A_DIGIT = 4;
const LETTERS_AN_EAST_ASIAN_CHARACTER = 3;
const DIGIT = /[\p{N}\p{Sc}%]/u;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LETTER = /\p{L}/u;

/** Letters a second: the usual pace, and bounds that no voice passes, even at double or half speed. */
const USUAL_PACE = 13;
const FASTEST_PACE = 60;
const SLOWEST_PACE = 2;

/** Times that a segment may be shorter than the pace of the others suggests; of 1,105 healthy ones the fastest was 1.57. */
const MOST_TIMES_SHORTER = 1.8;
/** Times that it may be longer, and seconds on top: numbers and abbreviations take long, and so do pauses for effect. */
const MOST_TIMES_LONGER = 2.5;
const SLACK_SECONDS = 5;
/** A text that usually takes less is never called too short. */
const SHORT_TEXT_SECONDS = 2;
/** A healthy voice never falls silent for so long within a segment. */
const LONG_PAUSE_SECONDS = 1.5;
/** A pause so near to an end belongs to it. */
const EDGE_SECONDS = 0.05;
/** The pace of shorter texts says little. */
const ENOUGH_LETTERS = 40;
/** Where nothing else tells a pace, a text of so many characters is not spoken in less than this share of its estimate. */
const ESTIMATED_CHARACTERS = 100;
const LEAST_OF_ESTIMATE = 0.5;

/** A segment as it was spoken. */
export interface SpokenSegment {
	text: string;
	/** See `lettersOf`; counted where it is left out. */
	letters?: number;
	/** NaN where that is not known: then its length is not judged. */
	seconds: number;
	/** How long it was estimated to be. */
	expectedSeconds?: number;
	/** Seconds from its start. */
	pauses?: Array<{ start: number; end: number }>;
	/** See `Mp3Info`. */
	beginsAnewAt?: number;
}

/** A segment that somebody should listen to. */
export interface OddSegment {
	index: number;
	/** A sentence without its full stop; `Segment 3` is the third. */
	words: string;
}

/**
 * The segments that are far shorter or longer than their text suggests, have a long pause inside or begin anew, in
 * order. Each is judged by the median pace of the others; where these are too few, by that of other items
 * (`paceElsewhere`, letters a second), else by its estimate and what people can say at all.
 */
export function oddSegments(
	segments: SpokenSegment[],
	paceElsewhere: (index: number) => number | undefined = () => undefined,
): OddSegment[] {
	const weighed = segments.map((segment) => {
		const { letters = lettersOf(segment.text) } = segment;
		return { ...segment, letters };
	});
	const paces = weighed
		.flatMap((segment, index) => {
			const pace = paceOf(segment);
			return pace === undefined ? [] : { index, pace };
		})
		.sort((a, b) => a.pace - b.pace);
	const ranks = new Map(paces.map(({ index }, rank) => [index, rank]));
	const paceWithout = (index: number): number | undefined => {
		const rank = ranks.get(index) ?? paces.length;
		const others = paces.length - (ranks.has(index) ? 1 : 0);
		const middle = Math.floor(others / 2);
		const median = paces[middle < rank ? middle : middle + 1]?.pace;
		const pace = others >= ENOUGH_OTHERS ? median : paceElsewhere(index);
		return pace !== undefined && pace > SLOWEST_PACE && pace < FASTEST_PACE ? pace : undefined;
	};
	return weighed.flatMap((segment, index) => {
		const which = segments.length > 1 ? `Segment ${index + 1}` : 'The speech';
		const words = oddityOf(segment, paceWithout(index));
		return words === undefined ? [] : { index, words: `${which} ${words}` };
	});
}

/** Letters a second; undefined for a text so short that it says little. */
export function paceOf({ text, seconds, letters = lettersOf(text) }: SpokenSegment) {
	const pace = letters / seconds;
	return letters >= ENOUGH_LETTERS && pace < Infinity ? pace : undefined;
}

/** What is odd about a segment, to follow its name. `paceOfOthers`: letters a second. */
function oddityOf(
	segment: SpokenSegment & { letters: number },
	paceOfOthers: number | undefined,
): string | undefined {
	const { text, letters, seconds, expectedSeconds = 0, pauses = [], beginsAnewAt } = segment;
	if (beginsAnewAt !== undefined)
		return `begins anew after ${rounded(beginsAnewAt)} s, so words may be said twice`;
	const usualSeconds = letters / (paceOfOthers ?? USUAL_PACE);
	const fastest = paceOfOthers ? paceOfOthers * MOST_TIMES_SHORTER : FASTEST_PACE;
	const slowest = paceOfOthers ? paceOfOthers / MOST_TIMES_LONGER : SLOWEST_PACE;
	const usual = paceOfOthers
		? `the others take about ${rounded(usualSeconds)} s for as much text`
		: `about ${rounded(usualSeconds)} s would be usual`;
	const length = `is ${rounded(seconds)} s long for ${countCharacters(text)} characters; ${usual}`;
	const estimated =
		paceOfOthers === undefined && countCharacters(text) >= ESTIMATED_CHARACTERS
			? LEAST_OF_ESTIMATE * expectedSeconds
			: 0;
	const least = Math.max(letters / fastest, estimated);
	if (usualSeconds >= SHORT_TEXT_SECONDS && seconds < least)
		return `${length}, so it may have broken off`;
	const silence = pauses.find(
		({ start, end }) =>
			end - start > LONG_PAUSE_SECONDS && start > EDGE_SECONDS && end < seconds - EDGE_SECONDS,
	);
	if (silence) {
		const [silent, start] = [silence.end - silence.start, silence.start].map(rounded);
		return `is silent for ${silent} s, ${start} s after its start`;
	}
	return seconds > letters / slowest + SLACK_SECONDS ? length : undefined;
}

/** The length of a text in letters of an alphabet, by the time they take: `3 ships` is 9, `三艘船` is 9, punctuation nothing. */
export function lettersOf(text: string): number {
	let letters = 0;
	for (const character of text) {
		if (EAST_ASIAN.test(character)) letters += LETTERS_AN_EAST_ASIAN_CHARACTER;
		else if (LETTER.test(character)) letters++;
		else if (DIGIT.test(character)) letters += LETTERS_A_DIGIT;
	}
	return letters;
}

/** Seconds as people say them: `2.4`, `12`. */
function rounded(seconds: number): string {
	return seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0);
}
