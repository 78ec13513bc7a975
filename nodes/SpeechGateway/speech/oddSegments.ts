/**
 * Which segments of generated speech are far too short or too long for their text, fall silent, or
 * begin anew: models drop words, or say them over and over. Nothing is recognised; only lengths and
 * pauses are compared, so a hint asks somebody to listen.
 */
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
/** With fewer others, or shorter ones, the usual pace of people says more than theirs. */
const ENOUGH_OTHERS = 3;
const ENOUGH_LETTERS = 40;

/** A segment as it was spoken. */
export interface SpokenSegment {
	text: string;
	/** NaN where that is not known: then its length is not judged. */
	seconds: number;
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
 * order. Each is judged by the median pace of the others; where these are too few, by what people can say at all.
 */
export function oddSegments(segments: SpokenSegment[]): OddSegment[] {
	const weighed = segments.map((segment) => ({ ...segment, letters: lettersOf(segment.text) }));
	const paces = weighed
		.map(({ letters, seconds }, index) => ({ index, letters, pace: letters / seconds }))
		.filter(({ letters, pace }) => letters >= ENOUGH_LETTERS && pace < Infinity)
		.sort((a, b) => a.pace - b.pace);
	const ranks = new Map(paces.map(({ index }, rank) => [index, rank]));
	const paceWithout = (index: number): number | undefined => {
		const rank = ranks.get(index) ?? paces.length;
		const others = paces.length - (ranks.has(index) ? 1 : 0);
		const middle = Math.floor(others / 2);
		const median = paces[middle < rank ? middle : middle + 1]?.pace;
		const isSpeech = median > SLOWEST_PACE && median < FASTEST_PACE;
		return others >= ENOUGH_OTHERS && isSpeech ? median : undefined;
	};
	return weighed.flatMap((segment, index) => {
		const which = segments.length > 1 ? `Segment ${index + 1}` : 'The speech';
		const words = oddityOf(segment, paceWithout(index));
		return words === undefined ? [] : { index, words: `${which} ${words}` };
	});
}

/** What is odd about a segment, to follow its name. `paceOfOthers`: letters a second. */
function oddityOf(
	{ text, letters, seconds, pauses = [], beginsAnewAt }: SpokenSegment & { letters: number },
	paceOfOthers: number | undefined,
): string | undefined {
	if (beginsAnewAt !== undefined)
		return `begins anew after ${rounded(beginsAnewAt)} s, so words may be said twice`;
	const usualSeconds = letters / (paceOfOthers ?? USUAL_PACE);
	const fastest = paceOfOthers ? paceOfOthers * MOST_TIMES_SHORTER : FASTEST_PACE;
	const slowest = paceOfOthers ? paceOfOthers / MOST_TIMES_LONGER : SLOWEST_PACE;
	const usual = paceOfOthers
		? `the others take about ${rounded(usualSeconds)} s for as much text`
		: `about ${rounded(usualSeconds)} s would be usual`;
	const length = `is ${rounded(seconds)} s long for ${countCharacters(text)} characters; ${usual}`;
	if (usualSeconds >= SHORT_TEXT_SECONDS && seconds < letters / fastest) return length;
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
