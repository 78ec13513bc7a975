/* A text of which some parts are paid for is corrected: only what was never charged is sent, and the file says the new words. */
import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { heardIn, partsOf } from '../parts';
import { fitting } from '../form';
import {
	type EngineResult,
	item,
	readStored,
	retrierOf,
	runnerOf,
	speechNode,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 1 });
beforeEach(addVoices);
const run = runnerOf(sim);
const retry = retrierOf(run);

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
				operation: 'dialogue',
				responseFormat,
				script: '={{ $json.text }}',
				speakers: { values: SPEAKERS.map((name) => ({ name, voice: name.toLowerCase() })) },
			},
		),
};
const OPTIONS = { maxSegmentCharacters: 60, concurrency: 1, timings: true, textFormat: 'plain' };
const SPEAKERS = ['Anna', 'Ben', 'Cleo'];
const textOf = (node: string, parts: string[]) =>
	node === 'dialogue'
		? parts.map((words, index) => `${SPEAKERS[index % 3]}: ${words}`).join('\n')
		: parts.join('\n\n');

/** Each speaker has a voice of their own. */
function addVoices(): void {
	for (const title of SPEAKERS) sim.addVoice(title);
}

/** The parts of an item are the words, and each is heard where the item says so. */
async function expectSound(item: INodeExecutionData, words: string[]): Promise<void> {
	expect(partsOf(item).map(({ text }) => text)).toEqual(words);
	expect(await heardIn(item, words)).toEqual(words);
}

/** Estimate gives the price of these words, and sends nothing. */
async function expectPrice(
	format: string,
	options: IDataObject,
	next: INodeExecutionData,
	words: string[],
): Promise<void> {
	const estimate = speechNode(
		{ maxSegmentCharacters: 60, textFormat: 'plain', ...options },
		{ operation: 'estimate', responseFormat: format },
	);
	const alone = {
		parameters: { ...estimate, options: {} },
		items: [item({ text: words.join('') })],
	};
	const before = sim.requests.length;
	const [price, ofThese] = [await run({ parameters: estimate, items: [next] }), await run(alone)];
	const [{ estimatedTokens, reusedSegments }] = price.outputs[0].map(({ json }) => json);
	expect(estimatedTokens).toBe(ofThese.outputs[0][0].json.estimatedTokens);
	expect(reusedSegments).toBe(12 - words.length);
	expect(sim.requests).toHaveLength(before);
}

const CASES = Object.keys(NODES).flatMap((node) =>
	['mp3', 'wav', 'opus'].map((format) => [node, format] as const),
);

test.each(CASES)('%s, %s: part 7 of 12 is refused, corrected and retried', async (node, format) => {
	sim.fault({ input: 'seven', status: 422, times: Infinity });
	const parameters = NODES[node](format);
	const items = [item({ text: textOf(node, WORDS) })];
	const first = await run({ parameters, items });
	expect(first.error?.message).toContain('(segment 7 of 12)');
	expect(first.error?.description).toContain(`"${WORDS[6]}"`);
	const again = await retry(first, { parameters });
	expect(again.error).toBeDefined();
	const text = textOf(node, CORRECTED);
	const now = { ...parameters, [node === 'dialogue' ? 'script' : 'text']: text };
	const { outputs, hints } = await retry(again, { parameters: now });
	expect(sim.charged().sort()).toEqual([...CORRECTED].sort());
	expect(hints.join()).toContain('6 were sent before and not again, 6 are new');
	await expectSound(outputs[0][0], CORRECTED);
});

test('a retry with another price factor and chapters does not say that the text was changed', async () => {
	sim.fault({ input: 'seven', status: 422 });
	const parameters = NODES.generate('mp3');
	const first = await run({ parameters, items: [item({ text: textOf('generate', WORDS) })] });
	const now = NODES.generate('mp3', { modelMultiplier: 2, pauseBetweenSegments: 100 });
	const { outputs, hints } = await retry(first, { parameters: now });
	expect(sim.charged().sort()).toEqual([...WORDS].sort());
	expect(hints.join()).not.toContain('was changed');
	await expectSound(outputs[0][0], WORDS);
});

test('of two equal parts one was refused: as one of them, nothing is sent, as both, the other is', async () => {
	sim.fault({ input: sentence('one'), status: 422 });
	const parameters = NODES.generate('wav', { concurrency: 2 });
	const twice = textOf('generate', ['one', 'one'].map(sentence));
	const first = await run({ parameters, items: [item({ text: twice })] });
	sim.clearFaults();
	const charges = sim.charges.length;
	const now = { ...parameters, text: sentence('one') };
	const { outputs } = await retry(first, { parameters: now });
	expect([charges, sim.charges.length]).toEqual([1, 1]);
	expect(outputs[0][0].json).toMatchObject({ segments: 1 });
	await retry(first, { parameters });
	expect(sim.charges).toHaveLength(2);
});

test.each(CASES)(
	'%s, %s: finished in a new execution, from its completed files',
	async (node, format) => {
		sim.fault({ input: 'seven', status: 504, charge: true });
		const parameters = NODES[node](format, { concurrency: 12 });
		const unknown = await run({ parameters, items: [item({ text: textOf(node, WORDS) })] });
		const [{ binary, json }] = unknown.outputs[1];
		expect(Object.keys(binary!)).toEqual(['completed', 'completed_8']);
		expect(json.advice).toContain('with "completed, completed_8" as "Previous Version"');
		sim.charges.length = 0;
		const from = { previousBinaryPropertyName: 'completed, completed_8, data' };
		const next = { json: { text: textOf(node, CORRECTED) }, binary };
		if (node === 'generate') await expectPrice(format, from, next, [CORRECTED[6]]);
		const { outputs, hints } = await run({ parameters: NODES[node](format, from), items: [next] });
		expect(sim.charged()).toEqual([CORRECTED[6]]);
		expect(outputs[0][0].json).toMatchObject({ segments: 12, reusedSegments: 11 });
		expect(hints).toEqual(['Not all items have a file in "data": it was passed over there.']);
		await expectSound(outputs[0][0], CORRECTED);
	},
);

test('a file that Join made is no previous version: an error before anything is sent', async () => {
	const halves = [WORDS.slice(0, 6), WORDS.slice(6)].map((words) => textOf('generate', words));
	const made = await run({
		parameters: NODES.generate('mp3'),
		items: halves.map((text) => item({ text })),
	});
	const [{ binary: one }, { binary: other }] = made.outputs[0];
	const joined = await run({
		parameters: {
			resource: 'audio',
			operation: 'join',
			combine: 'eachItem',
			binaryPropertyName: 'one, other',
			options: {},
		},
		items: [{ json: {}, binary: { one: one!.data, other: other!.data } }],
	});
	const sent = sim.requests.length;
	const parameters = NODES.generate('mp3', { previousBinaryPropertyName: 'data' });
	const next = { json: { text: textOf('generate', WORDS) }, binary: joined.outputs[0][0].binary };
	const { error } = await run({ parameters, items: [next] });
	expect(error?.message).toContain('has no record of its segments');
	expect(error?.description).toContain('Use the file as Generate or Dialogue made it');
	expect(sim.requests).toHaveLength(sent);
});

test('the times of a listener: the parts that are heard then are spoken again', async () => {
	const made = await run({
		parameters: NODES.generate('mp3'),
		items: [item({ text: textOf('generate', WORDS) })],
	});
	const [{ json, binary }] = made.outputs[0];
	const [, second, , fourth] = partsOf({ json });
	const again = `0:${(second.startSeconds + 0.2).toFixed(1)}, ${fourth.startSeconds + 0.2}`;
	sim.charges.length = 0;
	// Another file has them, too.
	const files = { ...binary, other: binary!.data };
	const items = [{ json: { text: textOf('generate', WORDS) }, binary: files }];
	const options = { previousBinaryPropertyName: 'data, other', speakAgainAt: again };
	await expectPrice('mp3', options, items[0], [WORDS[1], WORDS[3]]);
	const { outputs } = await run({ parameters: NODES.generate('mp3', options), items });
	expect(sim.charged().sort()).toEqual([WORDS[1], WORDS[3]].sort());
	await expectSound(outputs[0][0], WORDS);
	for (const [speakAgainAt, message] of [
		['9:59', 'names second 599, but'],
		['1:01:01.5', 'names second 3661.5, but'],
		['61:01.5', 'names second 3661.5, but'],
		['1:75', 'must be times'],
		['soon', 'must be times'],
	]) {
		const parameters = NODES.generate('mp3', { ...options, speakAgainAt });
		const { error } = await run({ parameters, items });
		expect(error?.message).toContain(message);
	}
	expect(sim.charges).toHaveLength(2);
});

test.each(['other', 'subtitles'])(
	'a file without a record is passed over, with a hint: %s',
	async (field) => {
		const speakAll = async (text: string, options: IDataObject, from = {}) =>
			await run({
				parameters: NODES.generate('mp3', options),
				items: [{ json: { text }, binary: from }],
			});
		const made = await speakAll(textOf('generate', WORDS), { subtitles: 'srt' });
		const other = await speakAll('One.', {});
		const files = { ...made.outputs[0][0].binary, other: other.outputs[0][0].binary!.data };
		sim.charges.length = 0;
		const options = { previousBinaryPropertyName: `${field}, data` };
		const { outputs, hints } = await speakAll(textOf('generate', CORRECTED), options, files);
		expect(sim.charged()).toEqual([CORRECTED[6]]);
		expect(outputs[0][0].json).toMatchObject({ reusedSegments: 11 });
		expect(hints.join()).toContain(`in "${field}" of item 1 has no record of its segments`);
	},
);

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
			...options,
			chapters: 'headings',
			subtitles: 'srt',
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

test.each(['mp3', 'wav', 'opus'])(
	'%s: a pause within what is spoken already is left out, with a hint',
	async (format) => {
		const words = ['Here is the first of two sentences.', 'The other one comes after it.'];
		const options = { maxSegmentCharacters: 1000, textFormat: 'plain', timings: false };
		const first = { ...options, previousBinaryPropertyName: '' };
		const made = await run({
			parameters: NODES.generate(format, first),
			items: [item({ text: words.join(' ') })],
		});
		sim.charges.length = 0;
		const from = { ...options, previousBinaryPropertyName: 'data' };
		const again = await run({
			parameters: NODES.generate(format, from),
			items: [{ json: { text: words.join(' [pause 2s] ') }, binary: made.outputs[0][0].binary }],
		});
		expect(sim.charges).toEqual([]);
		expect(again.hints.join()).toContain('A pause was left out within segment 1 of item 1');
		const { durationSeconds, contentHash } = made.outputs[0][0].json;
		expect(again.outputs[0][0].json).toMatchObject({ reusedSegments: 1, contentHash });
		expect(again.outputs[0][0].json.durationSeconds).toBeCloseTo(Number(durationSeconds), 1);
	},
);

test('a voice cloned anew under its title is another voice', async () => {
	const voice = { voice: { __rl: true, mode: 'title', value: 'Anna' } };
	const node = (options: IDataObject = {}) =>
		speechNode({ ...OPTIONS, ...options }, { ...voice, responseFormat: 'wav' });
	const text = textOf('generate', WORDS);
	const made = await run({ parameters: node(), items: [item({ text })] });
	const items = [{ json: { text }, binary: made.outputs[0][0].binary }];
	const from = { previousBinaryPropertyName: 'data' };
	sim.charges.length = 0;
	await run({ parameters: node(from), items });
	expect(sim.charges).toEqual([]);
	const [anna] = sim.voices.splice(0);
	sim.voices.push({ ...anna, _id: 'a2' });
	const estimate = await run({ parameters: fitting('speech', 'estimate', node(from)), items });
	expect(estimate.outputs[0][0].json).toMatchObject({ reusedSegments: 12 });
	expect(estimate.outputs[0][0].json).not.toHaveProperty('contentHash');
	const { hints } = await run({ parameters: node(from), items });
	expect(sim.charges).toHaveLength(12);
	expect(hints.join()).toContain('The voice "Anna" is another one');
});

test.each([
	[
		'another ID',
		'voice_anna',
		'Of its present segments, 0 were sent before and not again, 2 are new.',
	],
	[
		'one cloned anew',
		undefined,
		'The voice "Anna" is another one than before, so all of its segments',
	],
])('a retry in another voice (%s) speaks all parts, and a hint says so', async (_, id, hint) => {
	const voice = { voice: { __rl: true, mode: 'title', value: 'Anna' } };
	const parameters = { ...NODES.generate('wav', { concurrency: 1 }), ...voice };
	sim.fault({ input: 'two', status: 422 });
	const items = [item({ text: textOf('generate', ['one', 'two'].map(sentence)) })];
	const first = await run({ parameters, items });
	const [anna] = sim.voices.splice(0);
	sim.voices.push({ ...anna, _id: id ?? 'a2' });
	const { hints } = await retry(first, { parameters: { ...parameters, ...(id && { voice: id }) } });
	expect(hints).toEqual([expect.stringContaining(hint)]);
	expect(sim.charges).toHaveLength(3);
});

test('a voice that is gone is looked up before the rest is sent: nothing is, and what is done is named', async () => {
	const voice = { voice: { __rl: true, mode: 'title', value: 'Anna' } };
	const parameters = { ...NODES.generate('wav', { concurrency: 1 }), ...voice };
	sim.fault({ input: 'two', status: 422 });
	const items = [item({ text: textOf('generate', ['one', 'two', 'three'].map(sentence)) })];
	const first = await run({ parameters, items });
	const voices = sim.voices.splice(0);
	const sent = sim.requests.length;
	const second = await retry(first, { parameters });
	expect(second.error?.message).toContain('no voice with the title "Anna"');
	expect(second.error?.context).toMatchObject({ segments: { total: 3, completed: 1 } });
	expect(sim.requests.slice(sent).map(({ method }) => method)).toEqual(['GET']);
	sim.voices.push(...voices);
	const { outputs } = await retry(second, { parameters });
	await expectSound(outputs[0][0], ['one', 'two', 'three'].map(sentence));
	expect(sim.charges).toHaveLength(3);
});

test('a retry with other settings hands over what was finished, and a hint says so', async () => {
	sim.fault({ input: 'two', status: 422, times: 2 });
	const items = ['one', 'two'].map((words) => item({ text: sentence(words) }));
	const first = await run({ parameters: speechNode({ concurrency: 1 }), items });
	const same = await retry(first, { parameters: speechNode({ concurrency: 1 }) });
	expect(same.hints).toEqual([]);
	const { hints, outputs } = await retry(first, { parameters: speechNode({ fileName: 'new' }) });
	expect(hints).toEqual([expect.stringContaining('changed after some items had been finished')]);
	expect(outputs[0]).toHaveLength(2);
	expect(sim.charges).toHaveLength(2);
});

const name = fc.constantFrom(...NAMES.slice(0, 5));
const texts = fc.array(name, { minLength: 2, maxLength: 6 });
const story = fc.record({
	node: fc.constantFrom('generate', 'dialogue'),
	format: fc.constantFrom('wav', 'mp3', 'opus'),
	/** What an earlier file says, if there is one. */
	previous: fc.option(fc.array(name, { minLength: 1, maxLength: 3 }), { nil: undefined }),
	first: texts,
	corrections: fc.array(
		fc.record({
			words: texts,
			chapters: fc.constantFrom('headings', 'none'),
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

type Story = typeof story extends fc.Arbitrary<infer S> ? S : never;

/** A sentence as somebody says it: what a request asks for. */
type Said = string;
const countOf = (all: Said[], one: Said) => all.filter((said) => said === one).length;

test('corrected once and refused again, the next retry still finds what is on record, wherever it stands now', async () => {
	sim.fault({ input: 'one', status: 402 });
	sim.fault({ input: 'two', status: 402 });
	const asked = (words: string[], options: IDataObject = {}) => ({
		parameters: {
			...NODES.generate('wav', { concurrency: 3, maxRetries: 0, ...options }),
			text: textOf('generate', words.map(sentence)),
		},
	});
	const first = await run(asked(['one', 'one', 'one']));
	const corrected = asked(['one', 'two', 'one'], { maxSegmentCharacters: 110 });
	const refused = await retry(first, corrected);
	expect(refused.error?.message).toContain('402');
	const { outputs } = await retry(refused, corrected);
	expect(outputs[0]).toHaveLength(1);
	expect(sim.charges.map(({ input }) => input)).toEqual(['one', 'one', 'two'].map(sentence));
});

test('whatever is edited, refused, unknown and retried: nothing on record is paid for again, and the words are heard', async () => {
	const tell = async ({
		node,
		format,
		previous,
		first,
		corrections,
		faults,
		unknownAt,
		concurrency,
	}: Story) => {
		sim.reset();
		addVoices();
		const voiceOf = (index: number) =>
			node === 'dialogue' ? SPEAKERS[index % 3].toLowerCase() : 'default';
		const saidIn = (words: string[]): Said[] =>
			words.map((one, index) => `${voiceOf(index)}: ${sentence(one)}`);
		const parametersFor = (words: string[], options: IDataObject) => ({
			...NODES[node](format, { concurrency, maxRetries: 0, ...options }),
			[node === 'dialogue' ? 'script' : 'text']: textOf(node, words.map(sentence)),
		});
		const none = { previousBinaryPropertyName: '' };
		const earlier = previous && (await run({ parameters: parametersFor(previous, none) }));
		const items = [{ json: {}, binary: earlier?.outputs[0][0].binary }];
		const from = earlier ? { previousBinaryPropertyName: 'data' } : none;
		sim.requests.length = 0;
		sim.charges.length = 0;
		for (const { nth, status } of faults) sim.fault({ method: 'POST', nth, status });
		if (unknownAt !== undefined)
			sim.fault({ method: 'POST', nth: unknownAt, status: 504, charge: true });
		/** Sentences that were sent alone, and may have been charged. */
		const onRecord: Said[] = [];
		const inFile = saidIn(previous ?? []);
		let [result, words] = [undefined as EngineResult | undefined, first];
		const retries = [...corrections, corrections[0], corrections[0]];
		for (const attempt of [undefined, ...retries]) {
			if (result && !result.error) break;
			const { words: now, ...options } = attempt ?? { words: first };
			words = now;
			const sent = sim.requests.length;
			const asked = { parameters: parametersFor(now, { ...from, ...options }), items };
			result = result ? await retry(result, asked) : await run(asked);
			const paid = sim.requests
				.slice(sent)
				.filter(({ method, status = 0 }) => method === 'POST' && (status < 300 || status === 504));
			const paidFor = paid.map(({ input = '', body }) => {
				const { voice = 'default' } = body as { voice?: string };
				return input.split(/\s*\n\s*/).map((one): Said => `${voice}: ${one}`);
			});
			const said = saidIn(now);
			for (const one of new Set(paidFor.flat())) {
				expect(inFile).not.toContain(one);
				const left = Math.max(0, countOf(said, one) - countOf(onRecord, one));
				expect(countOf(paidFor.flat(), one)).toBeLessThanOrEqual(left);
			}
			onRecord.push(...paidFor.filter(({ length }) => length === 1).flat());
		}
		const [done] = result!.outputs?.[0] ?? [];
		if (!done || result!.error) return;
		const parts = partsOf(done).map(({ text }) => text);
		expect(parts.join(' ').replace(/\s+/g, ' ')).toBe(words.map(sentence).join(' '));
		// Sent with the line breaks of the text, which end a sentence in the timings.
		const even = (text: string) => text.replace(/\s+/g, ' ');
		const sent = sim.charges.map(({ input = '' }) => input);
		const asSent = parts.map((part) => sent.find((input) => even(input) === even(part)) ?? part);
		expect(await heardIn(done, asSent)).toEqual(asSent);
	};
	await fc.assert(fc.asyncProperty(story, tell), { numRuns: 40 });
});
