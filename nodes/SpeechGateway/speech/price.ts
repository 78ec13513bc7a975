import { countCharacters } from '../text/segment';

/** Speech is priced by the minute of audio, at this many tokens (billing rule 1). */
const TOKENS_PER_MINUTE = 1000;
/** The gateway's own measure of how long a text will sound, at speed 1 (billing rule 2). */
export const CHARACTERS_PER_MINUTE = 250;

/** Characters a token, by script: the usual finding for byte-pair tokenizers, to the nearest simple number. */
const LATIN_CHARACTERS_PER_TOKEN = 4;
const EAST_ASIAN_CHARACTERS_PER_TOKEN = 1;
const OTHER_CHARACTERS_PER_TOKEN = 2;

const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LATIN = /[\p{ASCII}\u0080-\u024f\p{Script=Latin}\u2010-\u2027]/gu;

function countMatches(text: string, pattern: RegExp): number {
	pattern.lastIndex = 0;
	let count = 0;
	while (pattern.test(text)) count++;
	return count;
}

/**
 * Tokens of a text, a heuristic: the gateway's tokenizer is not published. One token for 4 Latin characters (spaces and
 * ASCII punctuation included), for 1 Chinese, Japanese or Korean character, for 2 of any other script; rounded up.
 */
export function estimateTextTokens(text: string): number {
	const eastAsian = countMatches(text, EAST_ASIAN);
	const latin = countMatches(text, LATIN);
	const others = countCharacters(text) - eastAsian - latin;
	return Math.ceil(
		eastAsian / EAST_ASIAN_CHARACTERS_PER_TOKEN +
			latin / LATIN_CHARACTERS_PER_TOKEN +
			others / OTHER_CHARACTERS_PER_TOKEN,
	);
}

/** Rounds up to whole tokens, blind to the last digits that binary fractions add (100 × 1.1 is 110, not 111). */
function wholeTokens(tokens: number): number {
	return Math.ceil(Number(tokens.toFixed(6)));
}

/**
 * What speech has cost: by the length of the audio of each request, or by its characters where that is not known or not
 * what is charged. Rounded up to whole tokens.
 */
export function spokenTokens(
	requests: Array<{ text: string; speed?: number; seconds?: number }>,
	modelMultiplier = 1,
): number {
	const tokens = requests.map(({ text, speed = 1, seconds }) =>
		seconds === undefined
			? (countCharacters(text) * TOKENS_PER_MINUTE) / CHARACTERS_PER_MINUTE / speed
			: (seconds * TOKENS_PER_MINUTE) / 60,
	);
	const audioTokens = tokens.reduce((sum, some) => sum + some, 0);
	const textTokens = estimateTextTokens(requests.map(({ text }) => text).join(''));
	return wholeTokens((audioTokens + textTokens) * modelMultiplier);
}

/**
 * What speech will cost by the gateway's billing rules: as synchronous requests (by the expected length of the audio) and
 * as a job (charged up front, at speed 1 whatever the speed). Minutes and audioTokens are exact; the two totals are
 * rounded up to whole tokens. `segments` does not change the price and is passed through.
 */
export function estimateOf(
	{ speed = 1, modelMultiplier = 1 }: { speed?: number; modelMultiplier?: number },
	text: string,
	segments = 1,
) {
	const characters = countCharacters(text);
	const textTokens = estimateTextTokens(text);
	// Multiplied first: characters / 250 * 1000 would turn 2800 into 2800.0000000000005.
	const audioTokensAsJob = (characters * TOKENS_PER_MINUTE) / CHARACTERS_PER_MINUTE;
	const audioTokens = audioTokensAsJob / speed;
	return {
		characters,
		segments,
		minutes: characters / CHARACTERS_PER_MINUTE / speed,
		audioTokens,
		textTokens,
		estimatedTokens: wholeTokens((audioTokens + textTokens) * modelMultiplier),
		estimatedTokensAsJob: wholeTokens((audioTokensAsJob + textTokens) * modelMultiplier),
	};
}
