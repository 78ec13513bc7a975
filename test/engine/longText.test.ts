/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { AudioFormat } from '../../nodes/SpeechGateway/audio';
import { useVirtualTime } from '../support/clock';
import { decode, decoderMessages, whichText } from '../support/listen';
import { item, runNode, saved, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 2, jobSeconds: 0 });

/** Sentences of about 40 characters that differ, so that the simulator speaks each in another melody. */
const sentences = (count: number) =>
	Array.from(
		{ length: count },
		(_, index) => `This is the sentence with number ${index + 1} in it.`,
	);
const TEXT = sentences(12).join(' ');

const generate = (options: IDataObject = {}, responseFormat = 'mp3'): IDataObject => ({
	resource: 'speech',
	operation: 'generate',
	model: { __rl: true, mode: 'id', value: 'fish-speech' },
	text: '={{ $json.text }}',
	responseFormat,
	options: { maxSegmentCharacters: 50, maxRetries: 0, ...options },
});
const run = async (more: Partial<Parameters<typeof runNode>[0]> = {}) =>
	await runNode({
		parameters: generate(),
		url: sim.url,
		apiKey: sim.apiKey,
		items: [item({ text: TEXT })],
		...more,
	});
const file = async (from: INodeExecutionData, property = 'data') =>
	await Container.get(BinaryDataService).getAsBuffer(from.binary![property]);
const inputs = () => sim.charges.map(({ input }) => input);

test.each<AudioFormat>(['mp3', 'wav', 'opus', 'pcm'])(
	'%s: split, spoken, joined in order, sound, of the length it claims',
	async (format) => {
		const { outputs } = await run({
			parameters: generate({ concurrency: 5, timings: true }, format),
		});
		const [result] = outputs[0];
		expect(result.json).toMatchObject({
			segments: 12,
			responseFormat: format,
			characters: TEXT.length,
		});
		const audio = await file(result);
		if (format !== 'pcm') expect(await decoderMessages(audio)).toBe('');
		const samples = await decode(audio, format);
		const seconds = samples.length / 24_000;
		expect(Math.abs(seconds - Number(result.json.durationSeconds))).toBeLessThan(0.1);
		expect(result.json.bytes).toBe(audio.length);
		const spoken = sentences(12);
		const parts = result.json.parts as Array<{ startSeconds: number; endSeconds: number }>;
		const heard = parts.map(({ startSeconds, endSeconds }) =>
			whichText(samples, spoken, startSeconds, endSeconds - startSeconds),
		);
		expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
	},
);

test('an unknown segment: what is done comes along, what remains is said, nothing is sent again', async () => {
	sim.fault({ input: 'number 3 ', status: 504, charge: true });
	const first = await run({ parameters: generate({ concurrency: 1 }), retryOnFail: true });
	const [unknown] = first.outputs[1];
	expect(unknown.json).toMatchObject({
		outcome: 'unknown',
		reason: 'upstream_outcome_unknown',
		segments: { total: 12, completed: 2, unknown: 1 },
		parts: [
			{ from: 1, to: 2, status: 'done', binary: 'completed' },
			{ from: 3, to: 3, status: 'unknown', text: sentences(3)[2] },
			{ from: 4, to: 12, status: 'notSent', text: sentences(12).slice(3).join(' ') },
		],
		remainingText: `${sentences(3)[2]}\n${sentences(12).slice(3).join(' ')}`,
	});
	expect(unknown.binary!.completed.fileName).toMatch(/-part-1\.mp3$/);
	expect(await decoderMessages(await file(unknown, 'completed'))).toBe('');
	expect(inputs()).toEqual(sentences(3));
});

test('a failure in stop mode keeps the paid segments for the retry', async () => {
	sim.fault({ input: 'number 7 ', status: 402 });
	const first = await run({ parameters: generate({ concurrency: 3 }) });
	expect(first.error?.message).toContain('402');
	const paid = inputs().length;
	expect(paid).toBeGreaterThanOrEqual(6);
	const second = await run({ retryOf: saved(first.run), mode: 'retry' });
	expect(second.outputs[0][0].json.segments).toBe(12);
	expect([...inputs()].sort()).toEqual([...sentences(12)].sort());
	expect(second.context).toEqual({});
});

test('of a text that changes between the attempts, only what is new is sent', async () => {
	sim.fault({ input: 'number 7 ', status: 402 });
	let parameters = generate({ concurrency: 3 });
	const first = await run({ parameters });
	parameters = { ...parameters, text: `Another text. ${TEXT}` };
	const second = await run({ parameters, retryOf: saved(first.run), mode: 'retry' });
	expect(second.outputs[0][0].json.segments).toBe(13);
	expect(inputs()).toHaveLength(13);
	expect(new Set(inputs()).size).toBe(13);
});

test('continue: the error item carries the paid audio and the text that remains', async () => {
	sim.fault({ input: 'number 5 ', status: 422 });
	const { outputs } = await run({
		parameters: generate({ concurrency: 1 }),
		onError: 'continueErrorOutput',
	});
	const [failed] = outputs[2];
	expect(failed.json.error).toMatchObject({
		httpCode: '422',
		segments: { total: 12, completed: 4, unknown: 0 },
	});
	expect(await decoderMessages(await file(failed, 'completed'))).toBe('');
});

test('a segment that is cut (524) goes on as a job; the rest is synchronous', async () => {
	sim.fault({ path: '/v1/audio/speech', input: 'number 2 ', status: 524 });
	const { outputs } = await run();
	expect(outputs[0][0].json.segments).toBe(12);
	expect(sim.charges.filter(({ kind }) => kind === 'job')).toHaveLength(1);
});

test('as jobs: one for every 10,000 characters, joined', async () => {
	const text = sentences(600).join(' ');
	const { outputs } = await run({
		items: [item({ text })],
		parameters: generate({ longText: 'job' }),
	});
	expect(outputs[0][0].json.segments).toBe(Math.ceil(text.length / 10_000));
	expect(new Set(sim.charges.map(({ kind }) => kind))).toEqual(new Set(['job']));
});

test('subtitles: a cue where each segment starts', async () => {
	const { outputs } = await run({
		parameters: generate({ subtitles: 'srt', pauseBetweenSegments: 300 }, 'wav'),
	});
	const srt = (await file(outputs[0][0], 'subtitles')).toString();
	expect(srt.match(/-->/g)).toHaveLength(12);
	expect(srt).toContain('00:00:00,000 -->');
});

test('the estimate over all items is checked before anything is sent', async () => {
	const { error } = await run({
		items: [item({ text: TEXT }), item({ text: TEXT })],
		parameters: generate({ maxEstimatedTokens: 1500 }),
	});
	expect(error?.message).toContain('Spending Limit (Tokens)');
	expect(sim.requests).toEqual([]);
});
