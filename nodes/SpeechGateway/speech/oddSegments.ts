/** Which pieces of generated speech are far too short or too long for their text: words dropped, or said over and over. */
import { countCharacters } from '../text/characters';

/** Time that a character takes, in letters of an alphabet: a digit is a word, a character of Chinese a syllable. */
const LETTERS_A_DIGIT = 4;
const LETTERS_AN_EAST_ASIAN_CHARACTER = 3;
const DIGIT = /[\p{N}\p{Sc}%]/u;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LETTER = /\p{L}/u;

/** Letters a second: usual, and what no voice reaches or falls below, at double and at half speed. */
const USUAL_PACE = 13;
const FASTEST_PACE = 60;
const SLOWEST_PACE = 2;

/** Times that a segment may be shorter or longer than the pace of the others suggests: voices vary by half. */
const MOST_TIMES = 2.5;
/** Seconds on top: silence at the edges, and pauses for effect, which weigh much in a short segment. */
const SLACK_SECONDS = 5;
/** A shorter text may be said in no time. */
const SHORT_TEXT_SECONDS = 2;
/** From this many segments on, of more than a few words each, their own pace says more than that of people in general. */
const ENOUGH_SEGMENTS = 3;
const ENOUGH_LETTERS = 40;

/**
 * A sentence for each segment (`Segment 3` is the third) that is far shorter or longer than its text suggests, judged by
 * the median pace of the segments, with few of them by what people can say at all. Numbers and scripts are weighed, short
 * segments left alone, so that natural speech gives no false alarm: a segment must be 2.5 times off, and 5 s if too long.
 */
export function oddSegments(segments: Array<{ text: string; seconds: number }>): string[] {
	const weighed = segments.map((segment) => ({ ...segment, letters: lettersOf(segment.text) }));
	const paces = weighed
		.filter(({ letters, seconds }) => letters >= ENOUGH_LETTERS && seconds > 0)
		.map(({ letters, seconds }) => letters / seconds)
		.sort((a, b) => a - b);
	const median = paces[Math.floor(paces.length / 2)] ?? USUAL_PACE;
	const isKnown = paces.length >= ENOUGH_SEGMENTS && median > SLOWEST_PACE && median < FASTEST_PACE;
	const pace = isKnown ? median : USUAL_PACE;
	const fastest = isKnown ? pace * MOST_TIMES : FASTEST_PACE;
	const slowest = isKnown ? pace / MOST_TIMES : SLOWEST_PACE;

	return weighed.flatMap(({ text, seconds, letters }, index) => {
		const expected = letters / pace;
		const isShort = expected >= SHORT_TEXT_SECONDS && seconds < letters / fastest;
		const isLong = seconds > letters / slowest + SLACK_SECONDS;
		if (!isShort && !isLong) return [];
		const which = segments.length > 1 ? `Segment ${index + 1}` : 'The speech';
		const usual = isKnown
			? `the others take about ${rounded(expected)} s for as much text`
			: `about ${rounded(expected)} s would be usual`;
		return [
			`${which} is ${rounded(seconds)} s long for ${countCharacters(text)} characters; ${usual}`,
		];
	});
}

/** The length of a text in letters of an alphabet, by the time they take. */
export function lettersOf(text: string): number {
	let letters = 0;
	for (const character of text) {
		if (EAST_ASIAN.test(character)) letters += LETTERS_AN_EAST_ASIAN_CHARACTER;
		else if (LETTER.test(character)) letters++;
		else if (DIGIT.test(character)) letters += LETTERS_A_DIGIT;
	}
	return letters;
}

function rounded(seconds: number): string {
	return seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0);
}
