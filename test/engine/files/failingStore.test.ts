/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** A store of n8n that fails must not cost what is paid for, nor more than a few items. */
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, OnError } from 'n8n-workflow';
import { readStored, runnerOf, saved, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 1 });
const run = runnerOf(sim);

/** Which of n8n's stores fail, by their number from 1; what it says then. */
let fails: (nth: number, fileName: string) => boolean;
const WORDS = 'ENOSPC: no space left on device, write';
beforeEach(async () => {
	fails = () => false;
	await run();
	sim.reset();
	let count = 0;
	const service = Container.get(BinaryDataService);
	const { store } = BinaryDataService.prototype;
	jest.spyOn(service, 'store').mockImplementation(async (...given) => {
		if (fails(++count, given[2].fileName ?? '')) throw new Error(`${WORDS} (file ${count})`);
		return await store.apply(service, given);
	});
});
afterEach(() => jest.restoreAllMocks());

const errorsIn = (items: Array<{ json: IDataObject }>) =>
	items.map(({ json }) => (json.error as IDataObject).message);

test('away for a while: everything is stored, nothing is paid twice', async () => {
	const since = Date.now();
	fails = () => Date.now() - since < 12_000;
	const { outputs, context } = await run({ items: texts(8) });
	expect(outputs[0]).toHaveLength(8);
	for (const { binary } of outputs[0]) expect(binary!.data.id).toBeDefined();
	expect(sim.charges).toHaveLength(8);
	expect(context).toEqual({});
});

test('full: what is paid for is on the items, and nothing more is sent, in later rounds either', async () => {
	fails = () => true;
	const { rounds, hints } = await run({
		rounds: [texts(12), texts(3)],
		parameters: speechNode({ concurrency: 4 }),
		onError: 'continueErrorOutput',
	});
	const [success, unknown, errors] = rounds[0];
	expect(success.length).toBeGreaterThan(0);
	expect(sim.charges).toHaveLength(success.length);
	expect(success.length).toBeLessThanOrEqual(4);
	for (const { binary, json } of success) {
		expect(binary!.data.id).toBeUndefined();
		expect(await readStored(binary!.data)).toHaveLength(json.bytes as number);
	}
	expect(unknown).toEqual([]);
	expect(errors).toHaveLength(12 - success.length);
	expect(errorsIn([...errors, ...rounds[1][2]])).toEqual(
		Array(15 - success.length).fill(
			'This item was not sent: n8n could not store a file that was paid for',
		),
	);
	expect(hints.join() + JSON.stringify(errors)).toContain(WORDS);
});

/** WAV of the simulator has 48,000 bytes a second, a text here 18 characters. */
test.each([
	['just below 16 MB: three are on items, which is all that 64 MB hold as base64', 19.2, 3],
	['just above: none is', 19.43, 0],
])('files of %s; the others are unknown, in the words of the store', async (_, pace, onItems) => {
	fails = () => true;
	const { secondsPerCharacter } = sim.options;
	sim.options.secondsPerCharacter = pace;
	const { outputs, hints } = await run({
		items: texts(4),
		parameters: speechNode({ charges: true, concurrency: 4 }, { responseFormat: 'wav' }),
	});
	sim.options.secondsPerCharacter = secondsPerCharacter;
	expect(outputs.map(({ length }) => length)).toEqual([onItems, 4 - onItems]);
	expect(hints.filter((hint) => hint.includes('on the items'))).toHaveLength(Math.min(1, onItems));
	for (const { json, binary } of outputs[1]) {
		const description = expect.stringContaining(WORDS);
		expect(json).toMatchObject({ reason: 'not_stored', description });
		expect(json.charges).toMatchObject([{ requestId: expect.any(String) }]);
		expect(JSON.stringify(json)).not.toMatch(/attached|abort/i);
		expect(binary).toBeUndefined();
	}
});

test('full: a file whose bytes are gone is unknown at once, and nothing more is sent', async () => {
	fails = () => true;
	const { secondsPerCharacter } = sim.options;
	sim.options.secondsPerCharacter = 19.43;
	const { outputs } = await run({
		items: texts(3),
		onError: 'continueErrorOutput',
		parameters: speechNode({ concurrency: 1 }, { responseFormat: 'wav' }),
	});
	sim.options.secondsPerCharacter = secondsPerCharacter;
	expect(outputs.map(({ length }) => length)).toEqual([0, 1, 2]);
	for (const message of errorsIn(outputs[2])) expect(message).toContain('not sent');
	expect(sim.charges).toHaveLength(1);
});

const LONG_JOB = {
	...speechNode({}, { text: 'A long job.', responseFormat: 'wav' }),
	resource: 'speechJob',
	operation: 'createAndWait',
};
const VIDEO = {
	resource: 'video',
	operation: 'createAndWait',
	prompt: 'A pier',
	model: 'sim-video',
};

describe.each([
	['audio of a job that is too large for the item', LONG_JOB],
	['a video', VIDEO],
])('%s', (_, parameters) => {
	let pace: number;
	beforeEach(() => {
		pace = sim.options.secondsPerCharacter;
		sim.options.secondsPerCharacter = 40;
	});
	afterEach(() => (sim.options.secondsPerCharacter = pace));

	test('away for a while: it is fetched again, which is free', async () => {
		const since = Date.now();
		fails = () => Date.now() - since < 12_000;
		const { outputs } = await run({ parameters });
		expect(outputs[0][0].binary!.data.id).toBeDefined();
		expect(sim.charges).toHaveLength(1);
	});

	test('full: the error says that it is still at the gateway, and the next round submits nothing', async () => {
		fails = () => true;
		const { rounds, hints } = await run({
			rounds: [texts(1), texts(2)],
			parameters,
			onError: 'continueErrorOutput',
		});
		expect(rounds[0][2][0].json.error).toMatchObject({
			message: 'n8n could not store the file',
			description: expect.stringMatching(`^The file is still at the gateway.*${WORDS}`),
			jobId: expect.any(String),
		});
		expect(errorsIn(rounds[1][2])).toEqual(
			Array(2).fill('This item was not sent: n8n could not store a file that was paid for'),
		);
		expect(hints.join()).toContain('n8n could not store a file');
		expect(sim.charges).toHaveLength(1);
	});

	test('away, and then refused by the gateway: its words are told, and it is not asked on', async () => {
		fails = () => {
			sim.fault({ path: /content/, status: 403, times: 9 });
			return true;
		};
		const { outputs } = await run({ parameters, onError: 'continueErrorOutput' });
		const { message } = outputs[2][0].json.error as IDataObject;
		expect(message).toMatch(/403/);
		expect(sim.requests.filter(({ path }) => /content/.test(path))).toHaveLength(2);
	});
});

test.each([
	['away for a while: they are stored again', 5_000],
	['full: they are on the item', Infinity],
])('subtitles and chapters cost no paid audio; %s', async (_, milliseconds) => {
	const since = Date.now();
	fails = (_, fileName) => !fileName.endsWith('.mp3') && Date.now() - since < milliseconds;
	const text = '# One\n\nThe first part.\n\n# Two\n\nThe second part.';
	const parameters = speechNode({ subtitles: 'srt', chapters: 'headings' }, { text });
	const [{ json, binary }] = (await run({ parameters })).outputs[0];
	const { data, subtitles, chapters } = binary!;
	expect(await readStored(data)).toHaveLength(json.bytes as number);
	expect(String(await readStored(subtitles))).toContain('The first part.');
	expect(String(await readStored(chapters))).toContain('Two');
});

test('away when parts are joined: the file is stored again', async () => {
	const since = Date.now();
	fails = (_, fileName) => !fileName.includes('segment') && Date.now() - since < 5_000;
	const text = 'The first part is here. And the second is there.';
	const { outputs } = await run({ parameters: speechNode({ maxSegmentCharacters: 25 }, { text }) });
	expect(outputs[0][0].binary!.data.id).toBeDefined();
	expect(sim.charges).toHaveLength(2);
});

test('the file that is joined cannot be stored: its parts are kept and handed over, and joined for free', async () => {
	fails = (_, fileName) => !fileName.includes('segment');
	const text = 'The first part is here. And the second is there.';
	const parameters = speechNode({ maxSegmentCharacters: 25 }, { text });
	const failed = await run({ parameters });
	expect(failed.error?.description).toContain('2 of 2 segments are done, paid and kept');
	const retry = async (onError?: OnError) =>
		await run({ parameters, retryOf: saved(failed.run), mode: 'retry', onError });
	const { outputs } = await retry('continueErrorOutput');
	expect(outputs.map(({ length }) => length)).toEqual([0, 0, 1]);
	const [{ json, binary }] = outputs[2];
	expect(errorsIn([{ json }])[0]).toContain('n8n could not store the file');
	expect(Object.keys(binary!)).toEqual(['completed', 'completed_2']);
	fails = () => false;
	const [whole] = (await retry()).outputs[0];
	expect(await readStored(whole.binary!.data)).toHaveLength(whole.json.bytes as number);
	expect(sim.charges).toHaveLength(2);
});

test('a text of which a part could not be sent says how many requests were charged', async () => {
	fails = (_, fileName) => fileName.includes('segment');
	const { outputs } = await run({
		items: [{ json: { text: 'The first part is here. And the second is there.' } }],
		parameters: speechNode({ maxSegmentCharacters: 25, concurrency: 1 }),
		onError: 'continueErrorOutput',
	});
	expect(sim.charges).toHaveLength(1);
	const { description } = outputs[2][0].json.error as IDataObject;
	expect(description).toContain('Nothing more was charged for it.');
	expect(description).toContain('1 of 2 requests was charged.');
});

test('a retry sends what was not sent, and tries with one item', async () => {
	fails = () => true;
	const all = { items: texts(6), parameters: speechNode({ concurrency: 2 }) };
	const failed = await run(all);
	expect(failed.error?.message).toContain('n8n could not store a file');
	fails = () => false;
	const { outputs } = await run({ ...all, retryOf: saved(failed.run), mode: 'retry' });
	expect(outputs[0]).toHaveLength(6);
	expect(sim.charges).toHaveLength(6);
});
