import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { AudioFormat } from '../../nodes/SpeechGateway/audio';
import { useVirtualTime } from '../support/clock';
import { decode, decoderMessages, whichText } from '../support/listen';
import { item, useSimulator, readStored, runnerOf, speechNode } from './support';

useVirtualTime();

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
const runOne = runnerOf(() => sim);
const run: typeof runOne = async (more) =>
	await runOne({ parameters: generate(), items: [item({ text: TEXT })], ...more });
const file = async (from: INodeExecutionData, property = 'data') =>
	await readStored(from.binary![property]);
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

test('subtitles: a cue where each segment starts', async () => {
	const { outputs } = await run({
		parameters: generate({ subtitles: 'srt', pauseBetweenSegments: 300 }, 'wav'),
	});
	const srt = (await file(outputs[0][0], 'subtitles')).toString();
	expect(srt.match(/-->/g)).toHaveLength(12);
	expect(srt).toContain('00:00:00,000 -->');
});
