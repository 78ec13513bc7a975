import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { ReadableFormat } from '../../../nodes/SpeechGateway/audio';
import { fixture } from '../../audio/support';
import { decode, decoderMessages, PCM_SAMPLE_RATE, whichText } from '../../support/listen';
import { heardIn } from '../parts';
import { item, useSimulator, readStored, runnerOf, speechNode, texts } from '../support';

const sim = useSimulator({ latencyMs: 2, jobSeconds: 0 });

/** Sentences of about 40 characters that differ, so that the simulator speaks each in another melody. */
const sentences = (count: number) =>
	Array.from(
		{ length: count },
		(_, index) => `This is the sentence with number ${index + 1} in it.`,
	);
const TEXT = sentences(12).join(' ');

const generate = (options: IDataObject = {}, responseFormat = 'mp3') =>
	speechNode({ maxSegmentCharacters: 50, ...options }, { responseFormat });
const run = runnerOf(sim, () => ({ parameters: generate(), items: [item({ text: TEXT })] }));
const file = async (from: INodeExecutionData, property = 'data') =>
	await readStored(from.binary![property]);

test.each<ReadableFormat>(['mp3', 'wav', 'opus', 'pcm'])(
	'%s: split, spoken, joined in order, sound, of the length it claims',
	async (format) => {
		const { outputs } = await run({
			parameters: generate({ concurrency: 5, timings: true, subtitles: 'srt' }, format),
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
		expect(await heardIn(result, sentences(12))).toEqual(sentences(12));
		const srt = String(await file(result, 'subtitles'));
		expect(srt.match(/-->/g)).toHaveLength(12);
		expect(srt).toContain('00:00:00,000 -->');
	},
);

/** A text of three segments that breaks off on the way. */
const breaksOff = async (more: Parameters<typeof run>[0] = {}, options: IDataObject = {}) => {
	const items = [item({ text: sentences(3).join(' ') })];
	return await run({ parameters: generate({ concurrency: 1, ...options }), items, ...more });
};

test('a damaged segment goes along, next to those that are done', async () => {
	sim.fault({ input: 'number 2 ', truncate: 'half' });
	const [, [unknown]] = (await breaksOff()).outputs;
	expect(Object.keys(unknown.binary!).sort()).toEqual(['completed', 'received_2']);
	expect(unknown.binary!.completed.fileName).toMatch(/-part-1\.mp3$/);
	const samples = await decode(await file(unknown, 'completed'));
	expect(whichText(samples, sentences(3))).toBe(0);
	expect(unknown.json).toMatchObject({
		reason: 'damaged_response',
		segments: { total: 3, completed: 1, unknown: 1 },
		remainingText: sentences(3).slice(1).join('\n'),
	});
});

test('with Timings, the sentences of what is done are told in seconds of their files', async () => {
	sim.fault({ input: 'number 2 ', status: 504 });
	const [, [unknown]] = (await breaksOff({}, { timings: true, concurrency: 3 })).outputs;
	const parts = unknown.json.parts as IDataObject[];
	const files = ['completed', 'completed_3'];
	expect(unknown.json.runs).toMatchObject([
		{ from: 1, binary: files[0] },
		{ from: 2, status: 'unknown' },
		{ from: 3, binary: files[1] },
	]);
	expect(parts.map(({ text, segment, binary }) => [text, segment, binary])).toEqual([
		[sentences(3)[0], 1, files[0]],
		[sentences(3)[2], 3, files[1]],
	]);
	for (const [index, { startSeconds, endSeconds }] of parts.entries()) {
		const { length } = await decode(await file(unknown, files[index]));
		expect(startSeconds).toBe(0);
		expect(Math.abs(Number(endSeconds) - length / PCM_SAMPLE_RATE)).toBeLessThan(0.1);
	}
});

test.each([
	['wav', true],
	['pcm', false],
])('%s: finished parts can be a previous version: %s', async (responseFormat, is) => {
	sim.fault({ input: 'number 2 ', status: 504 });
	const parameters = { ...generate({ concurrency: 1 }), responseFormat };
	const [, [{ json }]] = (await breaksOff({ parameters })).outputs;
	expect(String(json.advice).includes('with "completed" as "Previous Version"')).toBe(is);
	expect(json.advice).not.toContain('Send Once Key');
});

test('one segment refused, another unknown: the item is unknown', async () => {
	sim.fault({ input: 'number 1 ', status: 402 });
	sim.fault({ input: 'number 2 ', status: 504, charge: true, delayMs: 300 });
	const { outputs, error } = await breaksOff({}, { concurrency: 2 });
	expect(error).toBeUndefined();
	expect(outputs[1]?.[0]?.json.reason).toBe('upstream_outcome_unknown');
});

test('once a segment has failed, no other segment is tried again', async () => {
	sim.fault({ input: 'number 1 ', status: 422, delayMs: 50 });
	sim.fault({ input: 'number 2 ', status: 500, headers: { 'retry-after': '60' } });
	await breaksOff({ onError: 'continueErrorOutput' }, { concurrency: 3, maxRetries: 1 });
	expect(sim.charged().join()).not.toContain('number 2 ');
});

test('segments that do not fit together stop the run, though another of theirs is still in flight', async () => {
	const body = Buffer.from(fixture('mp3-44100-mono-cbr.mp3'));
	sim.fault({ input: 'number 2 ', status: 200, body });
	sim.fault({ input: 'number 3 ', delayMs: 300 });
	const items = [item({ text: sentences(3).join(' ') }), ...texts(20)];
	const { error } = await breaksOff({ items }, { concurrency: 3 });
	expect(error?.message).toContain('The segments could not be joined');
	expect(error?.description).toContain('"Continue (using error output)" to get them as files');
	expect(sim.requests.length).toBeLessThan(3 + 3);
});
