import {
	estimateOf,
	estimateTextTokens,
	spokenTokens,
} from '../../nodes/SpeechGateway/speech/price';
import * as limits from '../../nodes/SpeechGateway/core/limits';

test('the limits and prices are those of the documentation', () => {
	expect(limits).toMatchObject({
		MAX_INPUT_CHARACTERS: 10_000,
		MAX_RECORDING_MB: 20,
		RECOMMENDED_RECORDING_SECONDS: 30,
		CLONE_TOKENS: 1000,
	});
});

test.each([
	['', 0],
	['Hello world!', 3],
	['Hello', 2],
	['你好世界', 4],
	['こんにちは', 5],
	['안녕', 2],
	['привет', 3],
	['你好 ab', 3],
])('text tokens of %j', (text, tokens) => {
	expect(estimateTextTokens(text)).toBe(tokens);
});

test('by the minute of audio, plus the text', () => {
	expect(estimateOf({}, '好'.repeat(5000), 5)).toEqual({
		characters: 5000,
		segments: 5,
		minutes: 20,
		audioTokens: 20_000,
		textTokens: 5000,
		estimatedTokens: 25_000,
		estimatedTokensAsJob: 25_000,
	});
});

test('speed shortens the audio, but a job is charged without it', () => {
	const estimate = estimateOf({ speed: 2 }, 'a'.repeat(1000));
	expect(estimate).toMatchObject({ minutes: 2, audioTokens: 2000, textTokens: 250 });
	expect(estimate.estimatedTokens).toBe(2250);
	expect(estimate.estimatedTokensAsJob).toBe(4250);
});

test('the multiplier takes all, and totals are rounded up', () => {
	const estimate = (text: string, modelMultiplier: number, speed = 1) =>
		estimateOf({ modelMultiplier, speed }, text);
	expect(estimate('a'.repeat(100), 0.5).estimatedTokens).toBe(213); // (400 + 25) / 2 = 212.5
	expect(estimate('a'.repeat(400), 1.1).estimatedTokens).toBe(1870); // not 1871: 1700 × 1.1
	expect(estimate('a'.repeat(4), 1, 1.5).estimatedTokens).toBe(12); // 16 / 1.5 + 1
});

test('what was spoken costs by its length, or by its characters where the length is not known', () => {
	const text = 'a'.repeat(400);
	expect(spokenTokens([{ text, seconds: 30 }])).toBe(600); // half a minute, and 100 of text
	expect(spokenTokens([{ text, speed: 2, seconds: 30 }])).toBe(600);
	expect(spokenTokens([{ text }])).toBe(1700);
	expect(spokenTokens([{ text, speed: 2 }])).toBe(900);
	expect(spokenTokens([{ text, seconds: 30 }], 1.5)).toBe(900);
	// The text of all requests is counted as one; totals are rounded up.
	expect(spokenTokens([{ text: 'ab', seconds: 6 }, { text: 'cd' }])).toBe(100 + 8 + 1);
	expect(spokenTokens([{ text: 'abcd', seconds: 0.1 }])).toBe(3);
});

test('a character is a code point', () => {
	expect(estimateOf({}, '😀'.repeat(10)).characters).toBe(10);
});
