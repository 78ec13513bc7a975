/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import { useVirtualTime } from '../support/clock';
import { decode, whichText } from '../support/listen';
import { item, runNode, saved, speechNode, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0.05 });

const SCRIPT = `Welcome to the show.
Anna: Hello, Ben. It is 10:30.
Note: this is text.
Ben: (happy) Hi!
[pause 1s]
**Anna:** Bye then.`;
const id = (value: string) => ({ __rl: true, mode: 'id', value });
const SPEAKERS = {
	values: [
		{ name: 'Anna', voice: id('default') },
		{ name: 'Ben', voice: '' },
	],
};

type Run = Partial<Parameters<typeof runNode>[0]>;
const dialogue = (options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode(options, {
		operation: 'dialogue',
		script: '={{ $json.script }}',
		speakers: SPEAKERS,
		responseFormat: 'wav',
		...more,
	});
const run = async (more: Run = {}) =>
	await runNode({
		parameters: dialogue(),
		url: sim.url,
		apiKey: sim.apiKey,
		items: [item({ script: SCRIPT })],
		...more,
	});
const file = async (from: INodeExecutionData, property = 'data') =>
	await Container.get(BinaryDataService).getAsBuffer(from.binary![property]);
const inputs = () => sim.charges.map(({ input }) => input);
const SAID = [
	'Welcome to the show.',
	'Hello, Ben. It is 10:30.\nNote: this is text.',
	'(happy) Hi!',
	'Bye then.',
];

test('one file, in order; names are not spoken, pauses are silence', async () => {
	const { outputs } = await run({ parameters: dialogue({ timings: true, subtitles: 'vtt' }) });
	const [{ json, binary }] = outputs[0];
	expect([...inputs()].map((input) => input?.trim()).sort()).toEqual([...SAID].sort());
	expect(json).toMatchObject({
		model: 'fish-speech',
		speakers: ['Narrator', 'Anna', 'Ben'],
		responseFormat: 'wav',
		segments: 4,
	});
	expect(json).not.toHaveProperty('voice');
	const parts = json.parts as Array<{ speaker?: string; startSeconds: number; endSeconds: number }>;
	expect(parts.map(({ speaker }) => speaker)).toEqual([undefined, 'Anna', 'Ben', 'Anna']);
	expect(parts[3].startSeconds - parts[2].endSeconds).toBeCloseTo(1);
	const samples = await decode(await file(outputs[0][0]), 'wav');
	const heard = parts.map(({ startSeconds, endSeconds }) =>
		whichText(samples, SAID, startSeconds, endSeconds - startSeconds),
	);
	expect(heard).toEqual([0, 1, 2, 3]);
	const vtt = String(await file(outputs[0][0], 'subtitles'));
	expect(vtt).toContain('<v Ben>Hi!');
	expect(vtt).toMatch(/\nWelcome to the show\./);
	expect(binary).toHaveProperty('data');
});

test('speakers without a voice are named, and nothing is sent', async () => {
	const script = `${SCRIPT}\nCarl: Wait!\nDora: Why?`;
	const { error } = await run({ items: [item({ script })] });
	expect(error?.message).toContain('"Carl", "Dora"');
	expect(sim.requests).toEqual([]);
});

test('one speaker with the default voice, another with a voice by its title', async () => {
	const [{ account }] = sim.accounts;
	sim.voices.push({ account, _id: 'b1', title: 'Ben', created_at: 0, size: 1, sha256: '' });
	const voices = { Anna: 'default', Ben: { mode: 'title', value: 'Ben' } };
	const { outputs } = await run({
		parameters: dialogue({ voicesByName: '={{ $json.voices }}' }, { speakers: {} }),
		items: [item({ script: SCRIPT, voices })],
	});
	expect(outputs[0]).toHaveLength(1);
	const spoken = sim.requests.flatMap(({ method, body }) =>
		method === 'POST' ? [(body as IDataObject).voice] : [],
	);
	expect(new Set(spoken)).toEqual(new Set([undefined, 'b1']));
});

test('speakers from an expression, by name', async () => {
	const voices = { Anna: 'default', Ben: { mode: 'title', value: 'Nobody' } };
	const { error } = await run({
		parameters: dialogue({ voicesByName: '={{ $json.voices }}' }, { speakers: {} }),
		items: [item({ script: SCRIPT, voices })],
	});
	expect(error?.message).toContain('no voice with the title "Nobody"');
	expect(sim.charges).toEqual([]);
	const { outputs } = await run({
		parameters: dialogue({ voicesByName: '={{ $json.voices }}' }, { speakers: {} }),
		items: [item({ script: SCRIPT, voices: { Anna: 'default', Ben: '' } })],
	});
	expect(outputs[0][0].json.segments).toBe(4);
});

test('what is unknown stays unknown; what remains is a script again', async () => {
	sim.fault({ input: 'Hi!', status: 504, charge: true });
	const { outputs } = await run({ parameters: dialogue({ concurrency: 1 }), retryOnFail: true });
	expect(outputs[1][0].json).toMatchObject({
		operation: 'speech.dialogue',
		segments: { total: 4, completed: 2, unknown: 1 },
		remainingText: expect.stringMatching(
			/^Ben: \(happy\) Hi!\s*(\[pause 1s\])?\s*Anna: Bye then\.$/,
		),
	});
	expect(inputs()).toHaveLength(3);
});

test('a retry speaks only what is missing', async () => {
	sim.fault({ input: 'Hi!', status: 402 });
	const parameters = dialogue({ concurrency: 1 });
	const first = await run({ parameters });
	expect(first.error).toBeDefined();
	const second = await run({ parameters, retryOf: saved(first.run), mode: 'retry' });
	expect(second.outputs[0][0].json.segments).toBe(4);
	expect(inputs()).toHaveLength(4);
});

test('the budget holds for the whole script', async () => {
	const { error } = await run({ parameters: dialogue({ maxEstimatedTokens: 50 }) });
	expect(error?.message).toContain('Spending Limit (Tokens)');
	expect(sim.requests).toEqual([]);
});

test('pauses before the first word and behind the last are in the file', async () => {
	const script = '[pause 1s]\nAnna: [pause 2s] Hello, Ben.\nBen: Hi!\nAnna: [pause 4s]';
	const { outputs } = await run({
		parameters: dialogue({ timings: true, pauseBetweenSegments: 300 }),
		items: [item({ script })],
	});
	const { json } = outputs[0][0];
	expect(json).toMatchObject({ segments: 2, speakers: ['Anna', 'Ben'] });
	const [first, last] = json.parts as Array<{ startSeconds: number; endSeconds: number }>;
	expect(first.startSeconds).toBeCloseTo(3);
	expect(last.startSeconds - first.endSeconds).toBeCloseTo(0.3);
	expect(Number(json.durationSeconds) - last.endSeconds).toBeCloseTo(4);
	const samples = await decode(await file(outputs[0][0]), 'wav');
	const texts = ['Hello, Ben.', 'Hi!'];
	expect(whichText(samples, texts, 3, first.endSeconds - 3)).toBe(0);
});

describe('a line of nothing but markup', () => {
	const LINES: Array<[string, string]> = [
		['markdown', '---'],
		['markdown', '* * *'],
		['markdown', '** **'],
		['markdown', '```\nx()\n```'],
		['html', '<!-- intro -->'],
		['plain', '* * *'],
	];
	test.each(LINES)(
		'is not sent, and its heading and pauses stay (%s: %j)',
		async (textFormat, mute) => {
			const script = `Anna: ${mute}\n# One\nAnna: Hi.\n# Two\nBen: ${mute}\n[pause 1s]\nAnna: [pause 1s] Bye.\nBen: ${mute}`;
			const { outputs } = await run({
				parameters: dialogue({ textFormat, chapters: 'headings', timings: true, concurrency: 1 }),
				items: [item({ script })],
			});
			const [{ json, binary }] = outputs[0];
			expect(inputs()).toEqual(['Hi.', 'Bye.']);
			expect(json).toMatchObject({ segments: 2, characters: 7, speakers: ['Anna'] });
			const parts = json.parts as Array<{ startSeconds: number; endSeconds: number }>;
			expect(parts[1].startSeconds - parts[0].endSeconds).toBeCloseTo(2);
			const { chapters } = JSON.parse(String(await file(outputs[0][0], 'chapters')));
			expect(chapters).toMatchObject([
				{ title: 'One', startTime: 0 },
				{ title: 'Two', startTime: parts[1].startSeconds },
			]);
			expect(Object.keys(binary!)).toEqual(['data', 'chapters']);
		},
	);

	test('leaves its heading to what remains', async () => {
		sim.fault({ input: 'Bye', status: 504, charge: true });
		const script = 'Anna: Hi.\n# Two\nBen: ---\nAnna: Bye.';
		const { outputs } = await run({
			parameters: dialogue({ textFormat: 'markdown', concurrency: 1 }),
			items: [item({ script })],
		});
		expect(outputs[1][0].json).toMatchObject({
			segments: { total: 2, completed: 1, unknown: 1 },
			remainingText: '# Two\nAnna: Bye.',
		});
	});

	// Earlier versions sent such a line as a segment, which the gateway refused.
	test.each([1, 3])(
		'a retry finishes what an earlier version could not (concurrency %i)',
		async (concurrency) => {
			sim.fault({ input: 'Um', status: 422 });
			const parameters = dialogue({ textFormat: 'markdown', concurrency, timings: true });
			const said = ['Hello, Ben. It is 10:30.', 'Good-bye to all of you.'];
			const items = [item({ script: `Anna: ${said[0]}\nBen: Um\nAnna: ${said[1]}` })];
			const first = await run({ parameters, items });
			expect(first.error?.message).toContain('422');
			expect(inputs()).toEqual(concurrency === 1 ? [said[0]] : said);
			const retryOf = JSON.parse(JSON.stringify(saved(first.run)).replaceAll('Um', '---'));
			const second = await run({ parameters, retryOf, mode: 'retry' });
			const [{ json }] = second.outputs[0];
			expect(json.segments).toBe(2);
			expect(inputs()).toEqual(said);
			const parts = json.parts as Array<{ startSeconds: number; endSeconds: number }>;
			const samples = await decode(await file(second.outputs[0][0]), 'wav');
			const heard = parts.map(({ startSeconds, endSeconds }) =>
				whichText(samples, said, startSeconds, endSeconds - startSeconds),
			);
			expect(heard).toEqual([0, 1]);
			expect(second.context).toEqual({});
		},
	);

	test('is no script', async () => {
		const { error } = await run({
			parameters: dialogue({ textFormat: 'markdown' }),
			items: [item({ script: 'Anna: ---' })],
		});
		expect(error?.message).toContain('no letter, digit or emoji');
		expect(sim.requests).toEqual([]);
	});
});
