/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** What goes wrong once the money is spent: whatever it is, what was paid for is named and handed over. */
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	deleteStored,
	type EngineResult,
	item,
	useSimulator,
	readStored,
	retrierOf,
	runnerOf,
} from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const TEXT = 'The first of the sentences. Here is the second one. The third one ends it.';
const speech = { model: 'fish-speech', text: '={{ $json.text }}', responseFormat: 'wav' };
const generate = (options: IDataObject = {}): IDataObject => ({
	resource: 'speech',
	operation: 'generate',
	...speech,
	options: { maxRetries: 0, maxSegmentCharacters: 28, concurrency: 1, ...options },
});
const createAndWait = (options: IDataObject = {}): IDataObject => ({
	resource: 'speechJob',
	operation: 'createAndWait',
	...speech,
	options: { maxRetries: 0, pollInterval: 1, ...options },
});
let nodes = 0;
let nodeId = '';
beforeEach(() => void (nodeId = `after-payment-${++nodes}`));
const run = runnerOf(sim, () => ({
	parameters: generate(),
	items: [item({ text: TEXT })],
	nodeId,
}));
const retry = retrierOf(run);
const errorOf = ({ json }: INodeExecutionData) => json.error as IDataObject;

describe('a retry with a lower limit for the cost', () => {
	const again = { onError: 'continueErrorOutput' } as const;

	test('the error names the job that is paid for', async () => {
		sim.fault({ method: 'POST', jobSeconds: Infinity });
		const first = await run({ parameters: createAndWait({ maxWait: 1 }) });
		expect(first.error?.context?.jobId).toBe(sim.jobs[0].id);
		const parameters = createAndWait({ maxEstimatedTokens: 1 });
		const second = await retry(first, { parameters, ...again });
		expect(JSON.stringify(second.outputs)).toContain(sim.jobs[0].id);
		expect(sim.charges).toHaveLength(1);
	});

	test('the error brings the segments that are paid for', async () => {
		sim.fault({ input: 'third', status: 402 });
		const parameters = generate({ maxEstimatedTokens: 1 });
		const second = await retry(await run(), { parameters, ...again });
		const [error] = second.outputs.at(-1)!;
		expect(errorOf(error).message).toBeTruthy();
		const files = await Promise.all(Object.values(error.binary ?? {}).map(readStored));
		expect(files.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(48_000);
		expect(sim.charges).toHaveLength(2);
	});
});

test('a limit for the cost that was lowered keeps nothing back that is done, and no other error', async () => {
	const items = ['One.', 'Two.', 'Three.'].map((text) => item({ text }));
	sim.fault({ input: 'Two', status: 402 });
	const first = await run({ items, parameters: generate({ speed: '=1' }) });
	const speed = '={{ $json.text === "Three." ? 9 : 1 }}';
	const parameters = generate({ speed, maxEstimatedTokens: 1 });
	const second = await retry(first, { items, parameters, onError: 'continueRegularOutput' });
	const [done, refused, bad] = second.outputs[0];
	expect(done.json.characters).toBe(4);
	expect(errorOf(refused).message).toContain('Spending Limit (Tokens)');
	expect(errorOf(bad).message).toContain('Speed');
	expect(sim.charged()).toEqual(['One.']);
});

test('a finished item under another operation: the error says what it was, and brings its file', async () => {
	sim.fault({ input: 'Other', status: 402 });
	const items = [item({ text: 'One.' }), item({ text: 'Two.' }), item({ text: 'Other.' })];
	sim.fault({ input: 'Two', status: 504, charge: true });
	const first = await run({ items });
	const { outputs } = await retry(first, {
		items,
		parameters: createAndWait(),
		onError: 'continueErrorOutput',
	});
	const [done, unknown] = outputs[2];
	expect(errorOf(done)).toMatchObject({ paid: { characters: 4, segments: 1 } });
	expect(Object.keys(done.binary!)).toEqual(['data']);
	expect(errorOf(unknown)).toMatchObject({ paid: { outcome: 'unknown', httpCode: '504' } });
	expect(sim.charged()).toEqual(['One.', 'Two.', 'Other.']);
});

describe("a retry's files are its own", () => {
	const items = ['One.', TEXT, 'Damaged.', 'Cloned.'].map((text) => item({ text }));
	const remove = async ({ executionId }: EngineResult) =>
		await Container.get(BinaryDataService).deleteMany([
			{ type: 'execution', workflowId: 'workflow-under-test', executionId },
		]);
	const stores = () => jest.spyOn(Container.get(BinaryDataService), 'store');
	const fail = async () => {
		sim.fault({ input: 'Damaged', truncate: 'half' });
		sim.fault({ input: 'third', status: 402 });
		return await run({ items, parameters: generate({ concurrency: 1 }) });
	};
	const opened = async ({ outputs }: EngineResult) => {
		const [success, unknown] = outputs;
		expect([success.length, unknown.length]).toEqual([3, 1]);
		for (const { json, binary } of success)
			expect(await readStored(binary!.data)).toHaveLength(json.bytes as number);
		expect((await readStored(unknown[0].binary!.received)).length).toBeGreaterThan(0);
		expect(sim.charged()).toHaveLength(items.length + 2);
	};

	test('all of them open when the failed executions are gone, whatever was retried', async () => {
		const first = await fail();
		sim.fault({ input: 'third', status: 402 });
		const again = await retry(first, { items });
		await remove(first);
		const last = await retry(again, { items });
		await remove(again);
		await opened(last);
		expect(last.context).toEqual({});
	});

	test('Retry On Fail stores them once', async () => {
		const first = await fail();
		sim.fault({ input: 'third', status: 503 });
		const store = stores();
		const last = await retry(first, { items, retryOnFail: true });
		const names = store.mock.calls.map(([, , { fileName }]) => fileName);
		expect(names.filter((name) => /^speech-1-[0-9a-f]{8}\.wav$/.test(name ?? ''))).toHaveLength(1);
		expect(names.filter((name) => name?.endsWith('segment-1.wav'))).toHaveLength(1);
		store.mockRestore();
		await remove(first);
		await opened(last);
	});

	test('what n8n cannot store stays where it is, nothing more is sent, and a hint says so', async () => {
		const first = await fail();
		const sent = sim.charged();
		const store = stores().mockRejectedValue(new Error('no space left on device'));
		const second = await retry(first, { items, onError: 'continueErrorOutput' });
		store.mockRestore();
		expect(sim.charged()).toEqual(sent);
		expect(second.hints.join()).toMatch(/files of the failed execution.*no space left on device/);
		const [[one]] = second.outputs;
		expect(await readStored(one.binary!.data)).toHaveLength(one.json.bytes as number);
	});
});

test.each([false, true])(
	'files that were deleted since: an error in every try (Retry On Fail: %s), with the id of the job',
	async (retryOnFail) => {
		sim.fault({ method: 'POST', input: 'Other', status: 402 });
		const items = [item({ text: TEXT }), item({ text: 'Other.' })];
		const parameters = createAndWait({ concurrency: 1 });
		const first = await run({ items, parameters });
		await Container.get(BinaryDataService).deleteManyByBinaryDataId(filesIn(first.context));
		const second = await retry(first, { items, parameters, retryOnFail });
		expect(second.error?.message).toContain('is no longer in n8n');
		expect(second.error?.context?.jobId).toBe(sim.jobs[0].id);
	},
);

test('a file whose bytes alone are gone: an error of its item, and the others are sent', async () => {
	sim.fault({ method: 'POST', input: 'Other', status: 402 });
	const items = [item({ text: TEXT }), item({ text: 'Other.' })];
	const parameters = createAndWait({ concurrency: 1 });
	const first = await run({ items, parameters });
	const ids = filesIn(first.context).filter((id) => id.includes(':'));
	for (const id of new Set(ids)) await deleteStored({ id, data: '', mimeType: '' });
	const { outputs } = await retry(first, { items, parameters, onError: 'continueErrorOutput' });
	expect(outputs.map(({ length }) => length)).toEqual([1, 0, 1]);
	expect(outputs[2][0].json.error).toMatchObject({
		message: expect.stringContaining('is no longer in n8n'),
	});
});

test('the subtitles cannot be stored: the audio comes along', async () => {
	breakStore('application/x-subrip');
	const { outputs, hints } = await run({ parameters: generate({ subtitles: 'srt' }) });
	const { data, subtitles } = outputs[0][0].binary!;
	expect([data.id, subtitles.id]).toEqual([expect.any(String), undefined]);
	expect(hints.join()).toContain('no space left');
	expect(sim.charged()).toHaveLength(3);
});

test('the disk is full when what is done is joined: an unknown item stays unknown, with its segments', async () => {
	sim.fault({ input: 'third', status: 504, charge: true });
	let stores = 0;
	breakStore('audio/wav', () => ++stores > 2);
	const { outputs } = await run({
		parameters: generate({ subtitles: 'srt' }),
		onError: 'continueErrorOutput',
	});
	expect(outputs.map(({ length }) => length)).toEqual([0, 1, 0]);
	const [{ json, binary }] = outputs[1];
	expect(json).toMatchObject({ segments: { total: 3, completed: 2, unknown: 1 } });
	expect(Object.keys(binary!)).toEqual(['completed', 'completed_2']);
});

/** Ids of the files that are named anywhere in a value. */
const filesIn = (value: unknown): string[] =>
	[...JSON.stringify(value).matchAll(/"(filesystem[^"]*)"/g)].map(([, id]) => id);

let mendStore = () => {};
afterEach(() => mendStore());

/** From now on, n8n's store takes no files of a type, as when the disk is full. */
function breakStore(mimeType: string, when: () => boolean = () => true): void {
	const store = Container.get(BinaryDataService);
	const { store: before } = store;
	store.store = async (...[place, bytes, file]) => {
		if (file.mimeType === mimeType && when())
			throw new Error('ENOSPC: no space left on device, write');
		return await before.call(store, place, bytes, file);
	};
	mendStore = () => void (store.store = before);
}
