/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
	estimateOf,
	hintOnJobPrice,
	estimateTextTokens,
	spokenTokens,
} from '../../nodes/SpeechGateway/speech/price';
import type { Session } from '../../nodes/SpeechGateway/requests/session';
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
	expect(estimateOf({}, '好'.repeat(5000))).toEqual({
		minutes: 20,
		audioTokens: 20_000,
		textTokens: 5000,
		estimatedTokens: 25_000,
		estimatedTokensAsJob: 25_000,
	});
});

test.each([
	['好', 250],
	['あ', 340],
	['カ', 340],
	['ー', 340],
	['한', 440],
	['ก', 550],
	['س', 620],
	['ש', 620],
	['7', 850 / 4],
	['٣', 850 / 4],
	['a', 850],
	['ж', 850],
	['क', 850],
	[' ', 850],
	['。', 850],
])('a minute of %j is %d characters; a job of them has 250 a minute', (character, perMinute) => {
	const estimate = estimateOf({ speed: 2 }, `${character}${'好'.repeat(250)}`);
	expect(estimate.minutes).toBeCloseTo((1 / perMinute + 1) / 2, 9);
	expect(estimate.estimatedTokensAsJob).toBe(Math.ceil((251 / 250) * 1000 + estimate.textTokens));
});

test('speed shortens the audio, but a job is charged without it', () => {
	expect(estimateOf({ speed: 2 }, 'a'.repeat(850))).toEqual({
		minutes: 0.5,
		audioTokens: 500,
		textTokens: 213,
		estimatedTokens: 713,
		estimatedTokensAsJob: 3613,
	});
});

test('each request is charged in whole seconds', () => {
	const line = 'Right.';
	const lines = estimateOf({}, Array<string>(40).fill(line));
	expect(lines).toMatchObject({ audioTokens: (40 * 1000) / 60, textTokens: 60 });
	expect(lines.minutes).toBeCloseTo((40 * 6) / 850, 9);
	const charged = spokenTokens(Array(40).fill({ text: line, seconds: 6 / 14.2 }));
	expect(lines.estimatedTokens).toBe(charged);
});

test('the multiplier takes all, and totals are rounded up', () => {
	const estimate = (text: string, modelMultiplier: number, speed = 1) =>
		estimateOf({ modelMultiplier, speed }, text);
	expect(estimate('好'.repeat(100), 0.515).estimatedTokens).toBe(258); // (400 + 100) × 0.515 = 257.5
	expect(estimate('好'.repeat(400), 1.1).estimatedTokens).toBe(2200); // not 2201: 2000 × 1.1
	expect(estimate('好'.repeat(4), 1, 1.5).estimatedTokens).toBe(21); // one second, and 4
	expect(estimate('😀'.repeat(10), 1).textTokens).toBe(5); // a character is a code point
});

test('what was spoken costs by its length; by its text where that is not known', () => {
	const text = 'a'.repeat(850);
	expect(spokenTokens([{ text, seconds: 30 }])).toBe(713); // half a minute, and 213 of text
	expect(spokenTokens([{ text, speed: 2, seconds: 30 }])).toBe(713);
	expect(spokenTokens([{ text }])).toBe(1213);
	expect(spokenTokens([{ text, speed: 2 }])).toBe(713);
	expect(spokenTokens([{ text, seconds: 30 }], 2)).toBe(1426);
	// Of each request, seconds are rounded up; text is counted as one, and the total rounded up.
	expect(spokenTokens([{ text: 'ab', seconds: 6.2 }, { text: '好d' }])).toBe(
		Math.ceil((8 * 1000) / 60 + 2),
	);
	expect(spokenTokens([{ text: 'abcd', seconds: 0.1 }])).toBe(18);
});

/** In the pace of a narrator, words a minute; espeak-ng's own 175 is that of the news. */
const RATE = 155;

test('the paces are those of real speech, within a third', async () => {
	const speaker = new Worker(join(__dirname, '../support/simulator/audio/speaker.mjs'));
	const texts: Record<string, string> = {
		en: 'When the lighthouse was built, nobody in the village believed that it would stand for long. The keeper climbed the stairs every evening, lit the lamp, and wrote the weather into a thick book.',
		'en-us':
			'On 14 May 1987, 4,250 of the 12,600 tickets were sold; in 1988 it was 9,731, and 38.5 percent of the seats stayed empty.',
		de: 'Als der Leuchtturm gebaut wurde, glaubte niemand im Dorf, dass er lange stehen würde. Der Wärter stieg jeden Abend die Treppe hinauf, zündete die Lampe an und schrieb das Wetter in ein dickes Buch.',
		ru: 'Когда построили маяк, никто в деревне не верил, что он простоит долго. Смотритель каждый вечер поднимался по лестнице, зажигал лампу и записывал погоду в толстую книгу.',
		ar: 'عندما بني الفنار لم يصدق أحد في القرية أنه سيبقى طويلا. كان الحارس يصعد السلم كل مساء ويشعل المصباح ويكتب حالة الطقس في كتاب سميك.',
		ko: '등대가 세워졌을 때 마을에서 아무도 그것이 오래 서 있으리라고 믿지 않았다. 등대지기는 매일 저녁 계단을 올라가 등불을 켜고 두꺼운 책에 날씨를 적었다.',
		cmn: '灯塔建成的时候，村里没有人相信它会屹立很久。守塔人每天晚上爬上楼梯，点亮灯火，把天气写进一本厚厚的书里。',
	};
	const times: Array<[string, number]> = [];
	for (const [voice, text] of Object.entries(texts)) {
		speaker.postMessage({ text, voice, rate: RATE, pitch: 50 });
		const [{ samples, sampleRate }] = (await once(speaker, 'message')) as [
			{ samples: Int16Array; sampleRate: number },
		];
		const minutes = samples.length / sampleRate / 60;
		times.push([voice, estimateOf({}, text).minutes / minutes]);
	}
	await speaker.terminate();
	expect(times.filter(([, share]) => share < 3 / 4 || share > 4 / 3)).toEqual([]);
});

test('a hint tells the price of jobs and of Generate, for all items of a run, where it differs by half', () => {
	const hints = new Set(['another']);
	const session = { hints, dearJobs: { asJob: 0, asSpeech: 0, hint: '' } } as Session;
	const add = (estimatedTokensAsJob: number, estimatedTokens: number) =>
		hintOnJobPrice(session, { estimatedTokensAsJob, estimatedTokens });
	add(150, 100);
	expect([...hints]).toEqual(['another']);
	add(151, 100);
	add(1000, 200);
	expect([...hints]).toEqual([
		'another',
		expect.stringMatching(/about 1151 tokens: .* about 300 t/),
	]);
});
