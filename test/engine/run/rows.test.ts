/* The fields and files of a row come along with what the node makes of it, and only there; the record never holds a row. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fitting } from '../form';
import { item, retrierOf, runnerOf, speechNode, storedFile, useSimulator } from '../support';

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
/** Of tasks. */
const BAG: IDataObject = {
	model: 'sim-video',
	prompt: '={{ $json.text }}',
	text: '={{ $json.text }}',
	jobId: '={{ $json.task }}',
	videoId: '={{ $json.task }}',
	options: { pollInterval: 1, maxRetries: 0 },
};
const video = (operation: string, options: IDataObject = {}): IDataObject =>
	fitting('video', operation, BAG, { options });
const job = (operation: string, options: IDataObject = {}): IDataObject =>
	fitting('speechJob', operation, { ...BAG, model: 'fish-speech' }, { options });

const CHAT: IDataObject = {
	resource: 'chat',
	operation: 'complete',
	model: 'sim-chat',
	messages: { values: [{ role: 'user', content: 'Hello' }] },
};

/** The ID of a task that is done. */
async function submitted(parameters: IDataObject): Promise<string> {
	const { left } = await run({ parameters, items: [item(ROW)] });
	return String(left[0][0].json.id);
}

test.each<[string, string, IDataObject, IDataObject?]>([
	['a text', 'speech', speechNode()],
	['a dialogue', 'speech', dialogue],
	['a job that is waited for', 'speech', job('createAndWait')],
	['a job that was submitted', 'speech', job('wait'), job('create')],
	['a job that is done', 'speech', job('download'), job('create')],
	['a video that is waited for', 'video', video('createAndWait')],
	['a video that was submitted', 'video', video('wait'), video('create')],
	['a video that is done', 'video', video('download'), video('create')],
])('the file of %s has the row beside it, and one field of ours', async (_, ...rest) => {
	const [field, parameters, first] = rest;
	const row = { ...ROW, task: first && (await submitted(first)) };
	const { left } = await run({ parameters, items: [await rowWithFile(row)] });
	const [{ json, binary }] = left[0];
	const { [field]: own, ...others } = json;
	expect(others).toEqual(row);
	expect((own as IDataObject).bytes).toBeGreaterThan(17);
	expect(Object.keys(binary!).sort()).toEqual(['cover', 'data']);
	expect(binary!.cover.fileName).toBe('cover.png');
});

test.each(['job', 'video'])(
	'%s: its ID is found behind each operation that has it',
	async (kind) => {
		const make = kind === 'job' ? job : video;
		const get = make('get');
		delete get.jobId;
		delete get.videoId;
		const created = await run({ parameters: make('create'), items: [item(ROW)] });
		const { id } = created.left[0][0].json;
		const known = await run({ parameters: get, items: created.left[0] });
		expect(known.left[0][0].json).toMatchObject({ id });
		const done = await run({ parameters: make('createAndWait'), items: [item(ROW)] });
		const again = await run({ parameters: get, items: done.left[0] });
		expect(again.left[0][0].json.id).toBe(done.outputs[0][0].json.id);
		expect(again.left[0][0].json.id).not.toBe(ROW.id);
	},
);

test("the node's own file wins", async () => {
	const items = [{ json: ROW, binary: { data: await cover() } }];
	const { left } = await run({ items });
	expect(left[0][0].binary).toMatchObject({ data: { mimeType: 'audio/mpeg' } });
});

test.each<[string, IDataObject, string]>([
	['a chat', { ...CHAT, options: { charges: true } }, 'text'],
	['an ID without a file', job('create'), 'id'],
	['a list', { resource: 'model', operation: 'getMany', returnAll: true }, 'id'],
	['an estimate', speechNode({}, { operation: 'estimate' }), 'characters'],
])('%s comes flat, without the row', async (_, parameters, name) => {
	const { left } = await run({ parameters, items: [await rowWithFile()] });
	for (const { json, binary } of left[0]) {
		expect(json).toHaveProperty(name);
		for (const other of ['title', 'speech', 'chat', 'model.id'])
			expect(json).not.toHaveProperty(other);
		expect(binary).toBeUndefined();
	}
});

test.each<[string, string, IDataObject]>([
	['a text', 'speech', speechNode({ charges: true })],
	['a chat', 'chat', { ...CHAT, options: { charges: true } }],
	['a job', 'speech', job('create', { charges: true })],
	['a video', 'video', video('create', { charges: true })],
])('unknown, %s: all that the node says is in its field', async (_, field, parameters) => {
	sim.fault({ method: 'POST', status: 504, charge: true });
	const row = { ...ROW, row: 12, outcome: 'won', charges: 'none' };
	const { left } = await run({ parameters, items: [await rowWithFile(row)] });
	const [{ json, binary }] = left[1];
	const { [field]: own, ...others } = json;
	expect(others).toEqual(row);
	expect(Object.keys(own as object).slice(0, 5)).toEqual([
		'outcome',
		'message',
		'advice',
		'item',
		'input',
	]);
	expect(own).toMatchObject({ outcome: 'unknown', charges: [{ charged: 'unknown' }] });
	expect(Object.keys(binary!)).toEqual(['cover']);
});

test('on Unknown, what only Settle needs is apart, at the end', async () => {
	sim.fault({ input: 'Two', status: 504, charge: true, headers: { 'x-request-id': 'r-2' } });
	const parameters = speechNode({ maxSegmentCharacters: 5 });
	const { outputs } = await run({ parameters, items: [item({ text: 'One.\n\nTwo.' })] });
	const [{ json }] = outputs[1];
	expect(Object.keys(json)).toEqual([
		'outcome',
		'message',
		'advice',
		'item',
		'input',
		'reason',
		'operation',
		'httpCode',
		'requestId',
		'code',
		'sentAt',
		'endedAt',
		'inputHash',
		'model',
		'characters',
		'estimatedTokens',
		'segments',
		'runs',
		'remainingText',
		'failedPart',
		'settle',
	]);
	expect(json.runs).toEqual([
		{ from: 1, to: 1, status: 'done', binary: 'completed' },
		{ from: 2, to: 2, status: 'unknown' },
	]);
	expect(json.remainingText).toBe('Two.');
	expect(json.settle).toEqual({
		neighbours: expect.objectContaining({ charged: 1, unknown: 0 }),
		paidBy: expect.stringMatching(/^[0-9a-f]{16}$/),
		idHeader: 'x-request-id',
	});
});

describe('a row that a node like this one has made', () => {
	test('keeps the fields of other resources; the field of the same one is replaced', async () => {
		const chat = { text: 'An answer.', charges: [] };
		const { left } = await run({ items: [item({ ...ROW, chat, speech: { voice: 'old' } })] });
		expect(left[0][0].json).toMatchObject({ ...ROW, chat, speech: { voice: 'default' } });
	});

	test('a chain: the row stays as it is, however long', async () => {
		let items = [item(ROW)];
		for (let link = 0; link < 4; link++) items = (await run({ items })).left[0];
		const [{ json }] = items;
		expect(json).toEqual({ ...ROW, speech: expect.any(Object) });
		expect(json.speech).not.toHaveProperty('speech');
	});

	test('only its `error` stays behind: n8n would take the item for a failed one', async () => {
		sim.fault({ input: 'Two', status: 422 });
		const options = { maxSegmentCharacters: 5 };
		const row = { ...ROW, text: 'One.\n\nTwo.', reason: 'A reader has asked for it.' };
		const failed = await run({
			parameters: speechNode(options),
			items: [item(row)],
			onError: 'continueErrorOutput',
		});
		const items = failed.left.at(-1)!;
		expect(items[0].binary).toHaveProperty('completed');
		const parameters = speechNode({ ...options, previousBinaryPropertyName: 'completed' });
		const [{ json, binary }] = (await run({ parameters, items })).left[0];
		expect(json).toEqual({ ...row, speech: expect.objectContaining({ reusedSegments: 1 }) });
		expect(Object.keys(binary!).sort()).toEqual(['completed', 'data']);
	});

	test.each<[string, (files: INodeExecutionData) => INodeExecutionData, object]>([
		['', (one) => one, {}],
		[
			', in combined mode',
			({ json, binary }) => ({ json: { ...json, _files: binary } as unknown as IDataObject }),
			{ binaryMode: 'combined' },
		],
	])('its partial files do not come where this node attaches some%s', async (_, row, more) => {
		const fields = ['cover', 'completed', 'completed_2', 'received', 'received_11', 'completed_by'];
		const file = await cover();
		const binary = Object.fromEntries(fields.map((field) => [field, file]));
		const parameters = speechNode({ maxSegmentCharacters: 5 });
		const filesOf = async () => {
			const items = [row({ json: { text: 'One.\n\nTwo.' }, binary })];
			const { left } = await run({ parameters, items, ...more });
			const [{ json, binary: made }] = left.flat();
			return Object.keys({ ...(json._files as object), ...made }).sort();
		};
		expect(await filesOf()).toEqual([...fields, 'data'].sort());
		sim.fault({ input: 'Two', status: 504, charge: true });
		expect(await filesOf()).toEqual(['completed', 'completed_by', 'cover']);
		sim.fault({ status: 200, charge: true, body: 'no audio', times: 2 });
		expect(await filesOf()).toEqual(expect.not.arrayContaining(['completed']));
	});
});

describe('Waiting', () => {
	const waiting = { maxWait: 1, whenMaxWaitReached: 'stillProcessing' };
	beforeEach(() => void Object.assign(sim.options, { jobSeconds: 60 }));
	afterEach(() => void Object.assign(sim.options, { jobSeconds: 0 }));

	test("has the job's ID beside the row", async () => {
		const { left } = await run({
			parameters: job('createAndWait', waiting),
			items: [await rowWithFile()],
		});
		const [{ json, binary }] = left[2];
		const { speech, ...row } = json;
		expect(speech).toMatchObject({ id: sim.jobs[0].id, waitedSeconds: 1 });
		expect(row).toEqual(ROW);
		expect(binary).toHaveProperty('cover');
	});
});

describe('a failed run', () => {
	const two = [item({ ...ROW, text: 'One.' }), item({ ...ROW, text: 'Two.', title: 'Second' })];

	test('is retried by hand: each item has its row, and the record none', async () => {
		sim.fault({ input: 'Two', status: 402 });
		const failed = await run({ items: two });
		expect(failed.error?.message).toContain('402');
		expect(JSON.stringify(failed.context)).not.toContain(ROW.title);
		const { left } = await retry(failed);
		expect(left[0].map(({ json }) => json.title)).toEqual([ROW.title, 'Second']);
		expect(sim.charges).toHaveLength(2);
	});

	test('with Retry On Fail: each item has its row', async () => {
		sim.fault({ input: 'One', status: 402 });
		const { left } = await run({ items: two, retryOnFail: true });
		expect(left[0].map(({ json }) => json.title)).toEqual([ROW.title, 'Second']);
		expect(sim.charges).toHaveLength(2);
	});
});

test('as a tool: its field alone, with links to the files', async () => {
	const { left } = await run({ items: [await rowWithFile()], asTool: true });
	const [{ json, binary }] = left[0];
	expect(Object.keys(json)).toEqual(['speech']);
	expect(json.speech).toMatchObject({ links: { data: expect.stringContaining('http') } });
	expect(Object.keys(binary!)).toEqual(['data']);
});

test('combined binary mode: the files of the row are beside the new one', async () => {
	const json = { ...ROW, _files: { cover: { ...(await cover()) }, data: { ...(await cover()) } } };
	const { left } = await run({ items: [{ json }], binaryMode: 'combined' });
	expect(left[0][0].json).toMatchObject({
		...ROW,
		_files: { cover: { fileName: 'cover.png' }, data: { mimeType: 'audio/mpeg' } },
	});
});

test('Join: of each item with the fields of its row, of all items with none', async () => {
	const { left } = await run({ items: [await rowWithFile()] });
	const join = async (combine: string) =>
		await run({
			parameters: { resource: 'audio', operation: 'join', combine },
			items: left[0],
		});
	const [[each]] = (await join('eachItem')).left;
	expect(each.json).toMatchObject({ ...ROW, speech: { voice: 'default' }, audio: { files: 1 } });
	expect(Object.keys(each.binary!)).toEqual(['data']);
	const [[all]] = (await join('allItems')).left;
	expect(Object.keys(all.json)).toEqual(['audio']);
	expect(all.binary).not.toHaveProperty('cover');
});

test('Settle takes nothing of the row for what the gateway said', async () => {
	sim.fault({ status: 504, charge: false });
	const said = {
		jobId: 'spj_9',
		requestId: 'r',
		charged: 'no',
		settle: {},
		otherUnknown: [{}],
		chat: { outcome: 'unknown', jobId: 'spj_9', sentAt: '2020-01-01T00:00:00.000Z' },
	};
	const row = { ...ROW, ...said };
	const first = await run({ items: [item(row)] });
	const parameters = { resource: 'account', operation: 'settle', options: {} };
	const { left } = await run({ parameters, items: first.left[1] });
	const { speech, ...others } = left[0][0].json as { speech: IDataObject };
	expect(others).toEqual(row);
	expect(Object.keys(speech).slice(0, 2)).toEqual(['charged', 'why']);
	expect(speech.why).not.toContain('spj_9');
});
