/* The fields and files of a row come along with what the node makes of it, and only there; the record never holds a row. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	item,
	jobNode,
	retrierOf,
	runnerOf,
	speechNode,
	storedFile,
	useSimulator,
} from './support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const run = runnerOf(sim);
const retry = retrierOf(run);

/** A row as it comes from a chat: its `message` is an object, its `id` its own. */
const ROW: IDataObject = {
	id: 4711,
	title: 'Harbour news',
	text: 'The ferry leaves at nine.',
	message: { chat: { id: 99 }, text: 'Read this aloud' },
	link: 'https://example.org/ferry',
	bytes: 17,
};
const cover = async () => await storedFile(Buffer.from('a picture'), 'cover.png', 'image/png');
const rowWithFile = async (json: IDataObject = ROW): Promise<INodeExecutionData> => ({
	json: { ...json },
	binary: { cover: await cover() },
});

const dialogue = speechNode(
	{},
	{
		operation: 'dialogue',
		script: '={{ "Anna: " + $json.text }}',
		speakers: { values: [{ name: 'Anna', voice: 'default' }] },
	},
);
const video = (operation: string, options: IDataObject = {}): IDataObject => ({
	...{ resource: 'video', operation, model: 'sim-video' },
	...{ prompt: '={{ $json.text }}', videoId: '={{ $json.task }}' },
	options: { pollInterval: 1, ...options },
});
const job = (operation: string, options: IDataObject = {}): IDataObject => ({
	...jobNode({ pollInterval: 1, ...options }),
	...{ operation, jobId: '={{ $json.task }}' },
});

/** The ID of a task that is done. */
async function submitted(parameters: IDataObject): Promise<string> {
	const { outputs } = await run({ parameters, items: [item(ROW)] });
	return String(outputs[0][0].json.id);
}

test.each<[string, IDataObject, string[], IDataObject | undefined]>([
	['a text', speechNode(), ['bytes'], undefined],
	['a dialogue', dialogue, ['bytes'], undefined],
	['a job that is waited for', job('createAndWait'), ['id', 'bytes'], undefined],
	['a job that was submitted', job('wait'), ['id', 'bytes'], job('create')],
	['a job that is done', job('download'), ['id', 'bytes'], job('create')],
	['a video that is waited for', video('createAndWait'), ['id', 'bytes'], undefined],
	['a video that was submitted', video('wait'), ['id', 'bytes'], video('create')],
	['a video that is done', video('download'), ['id', 'bytes'], video('create')],
])('the file of %s has the row beside it', async (_, parameters, displaced, first) => {
	const task = first && (await submitted(first));
	const { outputs } = await run({ parameters, items: [await rowWithFile({ ...ROW, task })] });
	const [{ json, binary }] = outputs[0];
	const { title, text, message, link } = ROW;
	expect(json).toMatchObject({ title, text, message, link });
	expect(json.row).toEqual(Object.fromEntries(displaced.map((name) => [name, ROW[name]])));
	expect(json.bytes).toBeGreaterThan(17);
	expect(Object.keys(binary!).sort()).toEqual(['cover', 'data']);
	expect(binary!.cover.fileName).toBe('cover.png');
});

test("the node's own file wins", async () => {
	const items = [{ json: ROW, binary: { data: await cover() } }];
	const { outputs } = await run({ items });
	expect(outputs[0][0].binary).toMatchObject({ data: { mimeType: 'audio/mpeg' } });
});

test.each<[string, IDataObject]>([
	['a chat', { resource: 'chat', operation: 'complete', model: 'sim-chat' }],
	['an ID without a file', job('create')],
	['a list', { resource: 'model', operation: 'getMany', returnAll: true }],
	['an estimate', speechNode({}, { operation: 'estimate' })],
])('%s comes without the row', async (_, parameters) => {
	const messages = { values: [{ role: 'user', content: 'Hello' }] };
	const { outputs } = await run({
		parameters: { messages, ...parameters },
		items: [await rowWithFile()],
	});
	for (const { json, binary } of outputs[0]) {
		expect(json).not.toHaveProperty('title');
		expect(binary).toBeUndefined();
	}
});

test.each<[string, IDataObject]>([
	['a text', speechNode()],
	['a chat', { resource: 'chat', operation: 'complete', model: 'sim-chat' }],
	['a job', job('create')],
	['a video', video('create')],
])('unknown, %s: the row, behind what the node says of it', async (_, parameters) => {
	sim.fault({ method: 'POST', status: 504, charge: true });
	const messages = { values: [{ role: 'user', content: 'Hello' }] };
	const { outputs } = await run({
		parameters: { messages, ...parameters },
		items: [await rowWithFile()],
	});
	const [{ json, binary }] = outputs[1];
	expect(Object.keys(json).slice(0, 4)).toEqual(['outcome', 'message', 'advice', 'item']);
	const { id, title, link, message, bytes } = ROW;
	expect(json).toMatchObject({ id, title, link, row: { message, bytes } });
	expect(json.message).toContain('not known whether');
	expect(Object.keys(binary!)).toEqual(['cover']);
});

test('a row has its own `row`: it stands within ours, or stays where it is', async () => {
	const rows = [
		{ text: 'One.', row: 12, message: 'a' },
		{ text: 'Two.', row: { number: 3 }, message: 'b' },
		{ text: 'Three.', row: 5 },
	];
	sim.fault({ method: 'POST', status: 504, charge: true, times: 2 });
	const { outputs } = await run({
		parameters: speechNode({ concurrency: 1 }),
		items: rows.map(item),
	});
	expect(outputs[1].map(({ json }) => json.row)).toEqual([
		{ message: 'a', row: 12 },
		{ message: 'b', row: { number: 3 } },
	]);
	expect(outputs[0][0].json.row).toBe(5);
});

/** What an item of a node like this one says of that node's work. */
const SAID_OF_ITSELF = [
	...['outcome', 'reason', 'charged', 'why', 'logEntry', 'charges', 'paidBy', 'waitedSeconds'],
	...['replayed', 'sentIn', 'link', 'parts', 'segments', 'remainingText', 'warnings'],
];

describe('a row that a node like this one has made', () => {
	test('does not bring what that node said of itself, nor its finished parts', async () => {
		sim.fault({ input: 'Two', status: 504, charge: true });
		const parts = speechNode({ longText: 'split', maxSegmentCharacters: 5, charges: true });
		const first = await run({ parameters: parts, items: [item({ ...ROW, text: 'One.\n\nTwo.' })] });
		const [unknown] = first.outputs[1];
		expect(unknown.binary).toHaveProperty('completed');
		const settled = { ...unknown.json, charged: 'no', why: 'so', logEntry: {}, error: 'old' };
		const items = [{ ...unknown, json: settled }];
		const { outputs } = await run({ items });
		const [{ json, binary }] = outputs[0];
		expect(Object.keys(binary!)).toEqual(['data']);
		for (const name of ['outcome', 'reason', 'charged', 'why', 'logEntry', 'charges', 'error'])
			expect(json).not.toHaveProperty(name);
		for (const name of ['parts', 'remainingText']) expect(json).not.toHaveProperty(name);
		expect(json.segments).toBe(1);
		expect(json).toMatchObject({ title: ROW.title, link: ROW.link });
	});

	test('from Unknown, is as it was before that', async () => {
		sim.fault({ input: 'Two', status: 504, charge: true, times: 2 });
		const row = { ...ROW, text: 'Two.', row: { place: 1 }, outcome: 'won', input: 'mine' };
		const unknown = (await run({ items: [item(row)] })).outputs[1];
		expect(unknown[0].json.row).toMatchObject({ message: ROW.message, outcome: 'won' });
		const parameters = speechNode({}, { text: 'Another.' });
		const { outputs } = await run({ parameters, items: unknown });
		const plain = await run({ parameters, items: [item(row)] });
		expect(outputs[0][0].json).toEqual(plain.outputs[0][0].json);
		expect(outputs[0][0].json).toMatchObject({ message: ROW.message, outcome: 'won' });
		const again = (await run({ items: unknown })).outputs[1];
		expect(again[0].json.row).toEqual(unknown[0].json.row);
	});

	test('brings none of its words, and none of the files that came with an error', async () => {
		const link = 'https://n8n.example/rest/binary-data/signed?token=earlier';
		const said = Object.fromEntries(SAID_OF_ITSELF.map((name) => [name, 'earlier']));
		const file = await cover();
		const fields = ['cover', 'completed', 'completed_2', 'completed_11', 'received'];
		const binary = Object.fromEntries(fields.map((field) => [field, file]));
		const json = { ...ROW, ...said, link, charges: ['earlier'] };
		const { outputs } = await run({ items: [{ json, binary }] });
		expect(outputs[0][0].json.title).toBe(ROW.title);
		expect(JSON.stringify(outputs[0][0].json)).not.toContain('earlier');
		expect(Object.keys(outputs[0][0].binary!).sort()).toEqual(['cover', 'data']);
	});

	test('nor those of an item from the Error output, whose own fields it keeps', async () => {
		sim.fault({ input: 'Two', status: 422 });
		const options = { longText: 'split', maxSegmentCharacters: 5 };
		const row = { ...ROW, text: 'One.\n\nTwo.', reason: 'A reader has asked for it.' };
		const failed = await run({
			...{ parameters: speechNode(options), items: [item(row)] },
			onError: 'continueErrorOutput',
		});
		const items = failed.outputs.at(-1)!;
		expect(items[0].binary).toHaveProperty('completed');
		const parameters = speechNode({ ...options, previousBinaryPropertyName: 'completed' });
		const [{ json, binary }] = (await run({ parameters, items })).outputs[0];
		expect(Object.keys(binary!)).toEqual(['data']);
		expect(json).toMatchObject({ reason: row.reason, reusedSegments: 1 });
		expect(json).not.toHaveProperty('error');
	});

	test('a chain: the first row stays within reach, however long', async () => {
		let items = [item(ROW)];
		for (let link = 0; link < 4; link++) items = (await run({ items })).outputs[0];
		const [{ json }] = items;
		expect(json).toMatchObject({ id: ROW.id, text: ROW.text, message: ROW.message });
		expect(json.row).toMatchObject({ bytes: 17, voice: 'default' });
		expect(json.row).not.toHaveProperty('row');
	});

	test('charges of one node are not counted as those of the next', async () => {
		const messages = { values: [{ role: 'user', content: 'Hello' }] };
		const chat = { resource: 'chat', operation: 'complete', model: 'sim-chat', messages };
		const first = await run({ parameters: { ...chat, options: { charges: true } } });
		expect(first.outputs[0][0].json.charges).toHaveLength(1);
		const { outputs } = await run({ items: first.outputs[0] });
		expect(outputs[0][0].json).not.toHaveProperty('charges');
	});
});

describe('Waiting', () => {
	const waiting = { maxWait: 1, whenMaxWaitReached: 'stillProcessing' };
	beforeEach(() => void Object.assign(sim.options, { jobSeconds: 60 }));
	afterEach(() => void Object.assign(sim.options, { jobSeconds: 0 }));

	test("has the job's ID beside the row", async () => {
		const { outputs } = await run({
			parameters: job('createAndWait', waiting),
			items: [await rowWithFile()],
		});
		const [{ json, binary }] = outputs[2];
		expect(json).toMatchObject({ id: sim.jobs[0].id, title: ROW.title, waitedSeconds: 1 });
		expect(json.row).toMatchObject({ id: ROW.id, bytes: 17 });
		expect(json).not.toHaveProperty('bytes');
		expect(binary).toHaveProperty('cover');
	});
});

describe('a failed run', () => {
	const two = [item({ ...ROW, text: 'One.' }), item({ ...ROW, text: 'Two.', title: 'Second' })];

	test('is retried by hand: what is done has the present row, and the record none', async () => {
		sim.fault({ input: 'Two', status: 402 });
		const failed = await run({ items: two });
		expect(failed.error?.message).toContain('402');
		expect(JSON.stringify(failed.context)).not.toContain(ROW.title);
		const items = two.map(({ json }) => item({ ...json, title: `New ${String(json.text)}` }));
		const { outputs } = await retry(failed, { items });
		// n8n keeps the input of the node that failed.
		expect(outputs[0].map(({ json }) => json.title)).toEqual([ROW.title, 'Second']);
		expect(sim.charges).toHaveLength(2);
	});

	test('with Retry On Fail: each item has its row', async () => {
		sim.fault({ input: 'One', status: 402 });
		const { outputs } = await run({ items: two, retryOnFail: true });
		expect(outputs[0].map(({ json }) => json.title)).toEqual([ROW.title, 'Second']);
		expect(sim.charges).toHaveLength(2);
	});
});

test('as a tool: an agent pays for each word, and gets what the node made', async () => {
	const { outputs } = await run({ items: [await rowWithFile()], asTool: true });
	expect(outputs[0][0].json).not.toHaveProperty('title');
	expect(Object.keys(outputs[0][0].binary!)).toEqual(['data']);
});

test('combined binary mode: the files of the row are beside the new one', async () => {
	const json = { ...ROW, _files: { cover: { ...(await cover()) }, data: { ...(await cover()) } } };
	const { outputs } = await run({ items: [{ json }], binaryMode: 'combined' });
	expect(outputs[0][0].json).toMatchObject({
		title: ROW.title,
		_files: { cover: { fileName: 'cover.png' }, data: { mimeType: 'audio/mpeg' } },
	});
	expect(outputs[0][0].json.row).toEqual({ bytes: 17 });
});

test('Join: of each item with the fields of its row, of all items with none', async () => {
	const { outputs } = await run({ items: [await rowWithFile()] });
	const join = async (combine: string) =>
		await run({
			parameters: { resource: 'audio', operation: 'join', combine },
			items: outputs[0],
		});
	const [[each]] = (await join('eachItem')).outputs;
	expect(each.json).toMatchObject({ title: ROW.title, files: 1 });
	expect(Object.keys(each.binary!)).toEqual(['data']);
	const [[all]] = (await join('allItems')).outputs;
	expect(all.json).not.toHaveProperty('title');
	expect(all.binary).not.toHaveProperty('cover');
});

test('Settle takes nothing of the row for what the gateway said', async () => {
	sim.fault({ status: 504, charge: false });
	const said = {
		jobId: 'spj_9',
		requestId: 'r',
		charged: 'no',
		neighbours: {},
		otherUnknown: [{}],
	};
	const first = await run({ items: [item({ ...ROW, ...said })] });
	const [{ json }] = first.outputs[1];
	for (const name of ['jobId', 'charged', 'otherUnknown']) expect(json).not.toHaveProperty(name);
	expect(json.row).toMatchObject(said);
	const parameters = { resource: 'account', operation: 'settle', options: {} };
	const { outputs } = await run({ parameters, items: first.outputs[1] });
	expect(outputs[0][0].json).toMatchObject({ title: ROW.title, charged: expect.any(String) });
	expect(outputs[0][0].json.why).not.toContain('spj_9');
});
