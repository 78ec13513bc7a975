/* A text of which some parts are paid for is corrected: only what was never charged is sent, and the file says the new words. */
import fc from 'fast-check';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { decode, whichText } from '../support/listen';
import { item, readStored, runnerOf, saved, speechNode, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(() => sim);

const sentence = (name: string) => `Sentence ${name} is a part of this text.`;
const NAMES = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const WORDS = NAMES.map(sentence);
const CORRECTED = WORDS.with(6, sentence('corrected'));
const NODES: Record<string, (responseFormat: string, options?: IDataObject) => IDataObject> = {
	generate: (responseFormat, options) => speechNode({ ...OPTIONS, ...options }, { responseFormat }),
	dialogue: (responseFormat, options) =>
		speechNode(
			{ ...OPTIONS, ...options },
			{
				...{ operation: 'dialogue', responseFormat, script: '={{ $json.text }}' },
				speakers: { values: SPEAKERS.map((name) => ({ name, voice: 'default' })) },
			},
		),
};
const OPTIONS = { maxSegmentCharacters: 60, concurrency: 1, timings: true, textFormat: 'plain' };
const SPEAKERS = ['Anna', 'Ben', 'Cleo'];
const textOf = (node: string, parts: string[]) =>
	node === 'dialogue'
		? parts.map((words, index) => `${SPEAKERS[index % 3]}: ${words}`).join('\n')
		: parts.join('\n\n');

const charged = () => sim.charges.map(({ input }) => input);

/** The parts of an item are the words, and each is heard where the item says so. */
async function expectSound(
	{ json, binary }: { json: IDataObject; binary?: Record<string, IBinaryData> },
	words: string[],
): Promise<void> {
	const parts = json.parts as Array<{ text: string; startSeconds: number; endSeconds: number }>;
	expect(parts.map(({ text }) => text)).toEqual(words);
	const samples = await decode(await readStored(binary!.data));
	for (const { text, startSeconds, endSeconds } of parts)
		expect(words[whichText(samples, words, startSeconds, endSeconds - startSeconds)]).toBe(text);
}

const CASES = Object.keys(NODES).flatMap((node) =>
	['mp3', 'wav', 'opus'].map((format) => [node, format] as const),
);

test.each(CASES)('%s, %s: part 7 of 12 is refused, corrected and retried', async (node, format) => {
	sim.fault({ input: 'seven', status: 422, times: Infinity });
	const parameters = NODES[node](format);
	const items = [item({ text: textOf(node, WORDS) })];
	const first = await run({ parameters, items });
	expect(first.error?.message).toContain('(part 7 of 12)');
	expect(first.error?.description).toContain(`"${WORDS[6]}"`);
	const again = await run({ parameters, retryOf: saved(first.run), mode: 'retry' });
	expect(again.error).toBeDefined();
	const text = textOf(node, CORRECTED);
	const now = { ...parameters, [node === 'dialogue' ? 'script' : 'text']: text };
	const { outputs, hints } = await run({
		...{ parameters: now, retryOf: saved(again.run), mode: 'retry' },
	});
	expect(charged().sort()).toEqual([...CORRECTED].sort());
	expect(hints.join()).toContain('6 of its present parts');
	await expectSound(outputs[0][0] as never, CORRECTED);
});

test.each(CASES)(
	'%s, %s: finished in a new execution, from its completed files',
	async (node, format) => {
		sim.fault({ input: 'seven', status: 504, charge: true });
		const parameters = NODES[node](format, { concurrency: 12 });
		const unknown = await run({ parameters, items: [item({ text: textOf(node, WORDS) })] });
		const [{ binary }] = unknown.outputs[1];
		expect(Object.keys(binary!)).toEqual(['completed', 'completed_8']);
		sim.charges.length = 0;
		const from = { previousBinaryPropertyName: 'completed, completed_8' };
		const next = { json: { text: textOf(node, CORRECTED) }, binary };
		const { outputs } = await run({ parameters: NODES[node](format, from), items: [next] });
		expect(charged()).toEqual([CORRECTED[6]]);
		expect(outputs[0][0].json).toMatchObject({ segments: 12, reusedSegments: 11 });
		await expectSound(outputs[0][0] as never, CORRECTED);
	},
);

test.each(['mp3', 'wav', 'opus'])(
	'%s: a joined file is a previous version, too',
	async (format) => {
		const halves = [WORDS.slice(0, 6), WORDS.slice(6)].map((words) => textOf('generate', words));
		const made = await run({
			parameters: NODES.generate(format),
			items: halves.map((text) => item({ text })),
		});
		const [{ binary: one }, { binary: other }] = made.outputs[0];
		const joined = await run({
			parameters: {
				...{ resource: 'audio', operation: 'join', combine: 'eachItem' },
				...{ binaryPropertyName: 'one, other', options: { pauseBetween: 400 } },
			},
			items: [{ json: {}, binary: { one: one!.data, other: other!.data } }],
		});
		sim.charges.length = 0;
		const from = { previousBinaryPropertyName: 'data' };
		const items = [
			{ json: { text: textOf('generate', CORRECTED) }, binary: joined.outputs[0][0].binary },
		];
		const { outputs } = await run({ parameters: NODES.generate(format, from), items });
		expect(charged()).toEqual([CORRECTED[6]]);
		await expectSound(outputs[0][0] as never, CORRECTED);
	},
);

test('the times of a listener: the parts that are heard then are spoken again', async () => {
	const made = await run({
		parameters: NODES.generate('mp3'),
		items: [item({ text: textOf('generate', WORDS) })],
	});
	const [{ json, binary }] = made.outputs[0];
	const [, second, , fourth] = json.parts as Array<{ startSeconds: number }>;
	const again = `0:${(second.startSeconds + 0.2).toFixed(1)}, ${fourth.startSeconds + 0.2}`;
	sim.charges.length = 0;
	const items = [{ json: { text: textOf('generate', WORDS) }, binary }];
	const options = { previousBinaryPropertyName: 'data', speakAgainAt: again };
	const { outputs } = await run({ parameters: NODES.generate('mp3', options), items });
	expect(charged().sort()).toEqual([WORDS[1], WORDS[3]].sort());
	await expectSound(outputs[0][0] as never, WORDS);
	for (const [speakAgainAt, message] of [
		['9:59', 'ends after'],
		['soon', 'must be times'],
	]) {
		const parameters = NODES.generate('mp3', { ...options, speakAgainAt });
		const { error } = await run({ parameters, items });
		expect(error?.message).toContain(message);
	}
	expect(sim.charges).toHaveLength(2);
});

test('chapters and subtitles switched on for a finished file cost nothing', async () => {
	const text = '# First\n\nIt begins here.\n\n# Second\n\nIt goes on here, [pause 2s] and ends.';
	const options = { maxSegmentCharacters: 1000, textFormat: 'markdown', chapters: 'none' };
	const plain = { ...options, previousBinaryPropertyName: '' };
	const whole = text.replace(' [pause 2s]', '');
	const made = await run({
		parameters: NODES.generate('wav', plain),
		items: [item({ text: whole })],
	});
	sim.charges.length = 0;
	const { outputs, hints } = await run({
		parameters: NODES.generate('wav', {
			...{ ...options, chapters: 'headings', subtitles: 'srt' },
			previousBinaryPropertyName: 'data',
		}),
		items: [{ json: { text }, binary: made.outputs[0][0].binary }],
	});
	expect(sim.charges).toEqual([]);
	expect(hints.join()).toContain('A pause was left out');
	const { chapters } = JSON.parse(String(await readStored(outputs[0][0].binary!.chapters))) as {
		chapters: Array<{ title: string; startTime: number }>;
	};
	expect(chapters.map(({ title }) => title)).toEqual(['First', 'Second']);
	expect(chapters[1].startTime).toBeGreaterThan(0.3);
});

test('a voice cloned anew under its title is another voice', async () => {
	const [{ account }] = sim.accounts;
	const clone = (_id: string) =>
		sim.voices.push({ account, _id, title: 'Anna', created_at: 0, size: 1, sha256: '' });
	clone('a1');
	const voice = { voice: { __rl: true, mode: 'title', value: 'Anna' } };
	const node = (options: IDataObject = {}, more: IDataObject = {}) =>
		speechNode({ ...OPTIONS, ...options }, { ...voice, responseFormat: 'wav', ...more });
	const text = textOf('generate', WORDS);
	const made = await run({ parameters: node(), items: [item({ text })] });
	const items = [{ json: { text }, binary: made.outputs[0][0].binary }];
	const from = { previousBinaryPropertyName: 'data' };
	sim.charges.length = 0;
	await run({ parameters: node(from), items });
	expect(sim.charges).toEqual([]);
	sim.voices.length = 0;
	clone('a2');
	const estimate = await run({ parameters: node(from, { operation: 'estimate' }), items });
	expect(estimate.outputs[0][0].json).toMatchObject({ reusedSegments: 12 });
	expect(estimate.outputs[0][0].json).not.toHaveProperty('contentHash');
	const { hints } = await run({ parameters: node(from), items });
	expect(sim.charges).toHaveLength(12);
	expect(hints.join()).toContain('The voice "Anna" is another one');
});

const name = fc.constantFrom(...NAMES.slice(0, 5));
const texts = fc.array(name, { minLength: 2, maxLength: 6 });
const story = fc.record({
	node: fc.constantFrom('generate', 'dialogue'),
	first: texts,
	corrections: fc.array(
		fc.record({
			words: texts,
			chapters: fc.boolean(),
			maxSegmentCharacters: fc.constantFrom(60, 110),
		}),
		{ minLength: 1, maxLength: 3 },
	),
	faults: fc.array(fc.record({ nth: fc.nat(8), status: fc.constantFrom(402, 422, 524, 503) }), {
		maxLength: 4,
	}),
	unknownAt: fc.option(fc.nat(12), { freq: 3, nil: undefined }),
	concurrency: fc.constantFrom(1, 3),
});

test('whatever is edited, refused, unknown and retried: no part is paid twice, and the words are heard', async () => {
	await fc.assert(
		fc.asyncProperty(story, async ({ node, first, corrections, faults, unknownAt, ...more }) => {
			sim.reset();
			for (const { nth, status } of faults) sim.fault({ method: 'POST', nth, status });
			if (unknownAt !== undefined)
				sim.fault({ method: 'POST', nth: unknownAt, status: 504, charge: true });
			const field = node === 'dialogue' ? 'script' : 'text';
			const parametersFor = (words: string[], options: IDataObject = {}) => ({
				...NODES[node]('wav', { ...more, maxRetries: 0, ...options }),
				[field]: textOf(node, words.map(sentence)),
			});
			let words = first;
			let result = await run({ parameters: parametersFor(first) });
			const before = first.map(sentence);
			for (const { words: now, chapters, ...options } of [
				...corrections,
				corrections[0],
				corrections[0],
			]) {
				if (!result.error) break;
				// A single request is finished as it was paid for.
				words = now;
				const switched = { ...options, chapters: chapters ? 'headings' : 'none' };
				result = await run({
					...{
						parameters: parametersFor(now, switched),
						retryOf: saved(result.run),
						mode: 'retry',
					},
				});
			}
			const counts = new Map<string, number>();
			for (const input of charged()) counts.set(input!, (counts.get(input!) ?? 0) + 1);
			const most = [before, ...corrections.map((one) => one.words.map(sentence))];
			for (const [input, count] of counts) {
				const twins = Math.max(...most.map((all) => all.filter((one) => one === input).length), 1);
				expect(count).toBeLessThanOrEqual(twins);
			}
			const [done] = result.outputs?.[0] ?? [];
			if (!done || result.error) return;
			const heard = (done.json.parts as Array<{ text: string }>).map(({ text }) => text).join(' ');
			expect(heard.replace(/\s+/g, ' ')).toBe(words.map(sentence).join(' '));
		}),
		{ numRuns: 40 },
	);
});
