import type { Run } from '../requests/session';
import { countCharacters } from '../text/characters';

/** Speech is priced by the minute of audio, at this many tokens (billing rule 1). */
const TOKENS_PER_MINUTE = 1000;
/** What the gateway charges a job by, whatever the script and the speed (billing rule 2). */
const CHARACTERS_PER_MINUTE = 250;

/** Of each script, how many characters make one minute or token. */
type Rates = Array<[characters: RegExp, rate: number]>;

/**
 * Characters a minute at speed 1, by script. Han is the gateway's own measure; the others are from 1,386
 * recordings of 21 synthetic voices in 12 languages, rounded towards the slow ones (Latin 833 to 1,282,
 * Cyrillic 760 to 1,053, Devanagari 854, Arabic 639, Thai 567, Hangul 441, Japanese with its Han 342). Read
 * aloud, a digit takes as long as four letters.
 */
const PACES: Rates = [
	[/\p{Script=Han}+/gu, 250],
	[/[\p{Script=Hiragana}\p{Script=Katakana}\u30fc]+/gu, 340],
	[/\p{Script=Hangul}+/gu, 440],
	[/\p{Script=Thai}+/gu, 550],
	[/[\p{Script=Arabic}\p{Script=Hebrew}]+/gu, 620],
];
const PACE_OF_OTHERS = 850;
const DIGITS = /\p{Nd}/gu;

/** Characters a token, by script: the usual finding for byte-pair tokenizers, to the nearest simple number. */
const CHARACTERS_PER_TOKEN: Rates = [
	[/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu, 1],
	[/[\p{ASCII}\u0080-\u024f\p{Script=Latin}\u2010-\u2027]+/gu, 4],
];
const OTHER_CHARACTERS_PER_TOKEN = 2;

/** Adds up the characters of a text at the rates of their scripts, `times` over. */
function countAt(rates: Rates, rateOfOthers: number, text: string, times = 1): number {
	let others = countCharacters(text);
	let sum = 0;
	for (const [pattern, rate] of rates) {
		let count = 0;
		for (const [run] of text.matchAll(pattern)) count += countCharacters(run);
		others -= count;
		// Multiplied first, so that 2800 does not become 2800.0000000000005.
		sum += (count * times) / rate;
	}
	return sum + (others * times) / rateOfOthers;
}

/** How long a text is expected to sound, seconds, by the pace of its scripts. */
export const expectedSeconds = (text: string, speed = 1): number =>
	countAt(PACES, PACE_OF_OTHERS, text.replace(DIGITS, 'four'), 60) / speed;

/** Rounds up, blind to the last digits that binary fractions add. */
const wholeSeconds = (seconds: number): number => Math.ceil(Number(seconds.toFixed(3)));

/** Tokens for audio of so many whole seconds. */
const audioTokensIn = (seconds: number): number => (seconds * TOKENS_PER_MINUTE) / 60;

/** Tokens for the audio of a text as a job. */
const audioTokensAsJobOf = (text: string): number =>
	(countCharacters(text) * TOKENS_PER_MINUTE) / CHARACTERS_PER_MINUTE;

/** Tokens of a text, rounded up; a heuristic, as the gateway's tokenizer is not published. */
export const estimateTextTokens = (text: string): number =>
	Math.ceil(countAt(CHARACTERS_PER_TOKEN, OTHER_CHARACTERS_PER_TOKEN, text));

/** Rounds up to whole tokens, blind to the last digits that binary fractions add (100 × 1.1 is 110, not 111). */
const wholeTokens = (tokens: number): number => Math.ceil(Number(tokens.toFixed(6)));

/** A request, for its price. `seconds`: the length of its audio, where it is known. */
interface SpokenRequest {
	text: string;
	speed?: number;
	seconds?: number;
}

/** Tokens of audio, each request by the whole seconds of its own, as the gateway rounds; and of all text. */
const tokensIn = (requests: SpokenRequest[]) => ({
	audioTokens: audioTokensIn(
		requests.reduce(
			(sum, { text, speed, seconds = expectedSeconds(text, speed) }) => sum + wholeSeconds(seconds),
			0,
		),
	),
	textTokens: estimateTextTokens(requests.map(({ text }) => text).join('')),
});

/**
 * What speech has cost: by the length of the audio of each request, or by its text where the length is not known.
 * Rounded up to whole tokens.
 */
export function spokenTokens(requests: SpokenRequest[], modelMultiplier = 1): number {
	const { audioTokens, textTokens } = tokensIn(requests);
	return wholeTokens((audioTokens + textTokens) * modelMultiplier);
}

/** What one request has cost by its audio. */
export const requestTokens = (text: string, seconds: number, modelMultiplier = 1): number =>
	spokenTokens([{ text, seconds }], modelMultiplier);

/**
 * What speech will cost: as synchronous requests, each by the whole seconds of its expected audio, and all of it as a
 * job by the gateway's rule, which ignores script and speed. Minutes are those of the sound; the two totals are rounded
 * up to whole tokens. `text`: the words of all requests as one.
 */
export function estimateOf(
	{ speed = 1, modelMultiplier = 1 }: { speed?: number; modelMultiplier?: number },
	asked: string | string[],
	text = [asked].flat().join(' '),
) {
	const texts = [asked].flat();
	const { audioTokens, textTokens } = tokensIn(texts.map((text) => ({ text, speed })));
	const asJob = audioTokensAsJobOf(text) + textTokens;
	return {
		minutes: texts.reduce((sum, text) => sum + expectedSeconds(text, speed), 0) / 60,
		audioTokens,
		textTokens,
		estimatedTokens: wholeTokens((audioTokens + textTokens) * modelMultiplier),
		estimatedTokensAsJob: wholeTokens(asJob * modelMultiplier),
	};
}

/** The widest sound that any service sends: 48 kHz, 24 bits, stereo. */
const WIDEST_BYTES_PER_MINUTE = 48_000 * 3 * 2 * 60;
/** Far beyond the gateway's measure, which is slow speech already: a model that loops, or a text of numbers. */
const LONGER_THAN_EXPECTED = 4;
const LEAST_BOUND_BYTES = 64 * 1024 * 1024;
/** More than the longest text of a request (10,000 characters) at half speed is in the widest sound. */
export const MAX_AUDIO_BYTES = 2 * 1024 ** 3;

/**
 * Bytes that the audio of a text may have. What is larger is no speech but a fault (or an attack: 2 MB of gzip can unpack
 * to 2 GB), and would fill the disk. So generous that nothing plausible is beyond it: four times the length that the gateway
 * itself expects, in the widest sound there is, and never less than 64 MiB, which is four minutes of that and an hour or
 * more of what the gateway usually sends. Audio beyond it counts as damaged; what came up to the bound is kept.
 */
export function maxAudioBytes(text: string, speed = 1): number {
	const minutes = countCharacters(text) / CHARACTERS_PER_MINUTE / speed;
	const bytes = minutes * LONGER_THAN_EXPECTED * WIDEST_BYTES_PER_MINUTE;
	return Math.min(MAX_AUDIO_BYTES, Math.max(LEAST_BOUND_BYTES, Math.round(bytes)));
}

/** From this many times the price of Generate, a job is worth a hint. */
const DEAR_JOB = 1.5;

/** Says once in the hints of a run what its jobs cost and what Generate would, if that is much less. */
export function hintOnJobPrice(
	{ hints, dearJobs: jobs }: Run,
	{
		estimatedTokens,
		estimatedTokensAsJob,
	}: Pick<ReturnType<typeof estimateOf>, 'estimatedTokens' | 'estimatedTokensAsJob'>,
): void {
	if (estimatedTokensAsJob <= DEAR_JOB * estimatedTokens) return;
	jobs.asJob += estimatedTokensAsJob;
	jobs.asSpeech += estimatedTokens;
	hints.delete(jobs.hint);
	jobs.hint = `As a job, this costs about ${jobs.asJob} tokens: jobs are charged by the number of characters. Speech → Generate with "Long Text" set to "Automatic" is charged by the length of the audio, about ${jobs.asSpeech} tokens.`;
	hints.add(jobs.hint);
}
