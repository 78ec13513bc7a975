import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { keep } from '../../../nodes/SpeechGateway/run/keptResults';
import { RECORD_VERSION } from '../../../nodes/SpeechGateway/requests/records';
import { useVirtualTime, wait } from '../../support/clock';
import { Simulator } from '../../support/simulator';
import { DataTables } from '../dataTables';
import {
	deleteStored,
	type EngineRun,
	type EngineResult,
	item,
	jobNode,
	keyStore,
	NODE,
	readStored,
	runNode,
	saved,
	speechNode,
} from '../support';
import { startWorker } from '../workers';

useVirtualTime();
const sim = new Simulator();
beforeAll(async () => void (await sim.listen()));
afterAll(async () => await sim.close());

let tables: DataTables;
let nodes = 0;
beforeEach(() => {
	sim.reset();
	tables = new DataTables();
	nodes++;
});

/** Makes this process forget its results, as another worker, or n8n after a restart, has none. */
const elsewhere = () => keep('something large', ' '.repeat(64 * 2 ** 20));

const AGAIN = { sendOnceKey: '={{ $json.id }}', whenSentBefore: 'again' };
const run = async (more: Partial<EngineRun> = {}, options: IDataObject = {}) =>
	await runNode({
		url: sim.url,
		apiKey: sim.apiKey,
		nodeId: `again ${nodes}`,
		tables,
		parameters: speechNode({ ...AGAIN, ...options }),
		items: [item({ id: 'a', text: 'Good morning.' })],
		...more,
	});
const bytesOf = async ({ binary }: INodeExecutionData) => await readStored(binary!.data);
const only = ({ outputs, error }: EngineResult, output = 0): INodeExecutionData => {
	expect(error?.message).toBeUndefined();
	expect(outputs.map((items) => items.length)).toEqual(
		outputs.map((_, i) => (i === output ? 1 : 0)),
	);
	return outputs[output][0];
};

test('a key that was sent gets the first file again, as its own', async () => {
	const first = await run();
	const again = await run();
	const [one, two] = [only(first), only(again)];
	expect(sim.charges).toHaveLength(1);
	expect(two.json).toMatchObject({ replayed: true, sentIn: first.executionId, voice: 'default' });
	expect(one.json).not.toHaveProperty('replayed');
	expect(two.binary!.data.id).not.toBe(one.binary!.data.id);
	expect(await bytesOf(two)).toEqual(await bytesOf(one));
});

test('another worker knows the result from the table', async () => {
	const first = await run();
	elsewhere();
	const again = await run({}, { charges: true });
	expect(only(again).json).toMatchObject({
		replayed: true,
		sentIn: first.executionId,
		charges: [],
	});
	expect(await bytesOf(only(again))).toEqual(await bytesOf(only(first)));
	expect(sim.charges).toHaveLength(1);
	expect(tables.tables.map(({ name }) => name)).toEqual(['Speech Gateway Results']);
});

test('two executions at the same moment pay once', async () => {
	const both = await Promise.all([run(), run()]);
	expect(sim.charges).toHaveLength(1);
	expect(both.map((one) => only(one).json.replayed).sort()).toEqual([true, undefined]);
});

test('forty keys at the same moment on two workers: each is paid once, and both have all results', async () => {
	const items = Array.from({ length: 40 }, (_, id) => item({ id, text: `Sentence number ${id}.` }));
	const workers = [await startWorker(), await startWorker()];
	const both = await Promise.all(
		workers.map(async ({ nodeType }) => await run({ items, nodeType }, { concurrency: 10 })),
	);
	expect(both.map(({ outputs }) => outputs.map(({ length }) => length))).toEqual([
		[40, 0],
		[40, 0],
	]);
	expect(new Set(sim.charged()).size).toBe(40);
	expect(sim.charges).toHaveLength(40);
});

test('results of many items are written together, the last as soon as there are no others', async () => {
	const items = Array.from({ length: 40 }, (_, id) => item({ id, text: `Sentence number ${id}.` }));
	sim.options.latencyMs = 120;
	const [from, before] = [Date.now(), tables.calls];
	await run({ items }, { concurrency: 2 });
	sim.options.latencyMs = undefined;
	// 20 times 120 ms, in which all were sent.
	expect(Date.now() - from).toBeLessThan(2_600);
	expect(tables.calls - before).toBeLessThan(18);
	// None without a result stays behind.
	expect(tables.rows.map(({ result }) => result !== '')).toEqual(Array(40).fill(true));
});

test('a key that another worker is sending is waited for, however long that takes', async () => {
	const [one, other] = [await startWorker(), await startWorker()];
	sim.fault({ path: '/v1/audio/speech', delayMs: 900_000 });
	const parameters = speechNode({ ...AGAIN, timeout: 1000 });
	const first = run({ parameters, nodeType: one.nodeType });
	await wait(10_000);
	const second = only(await run({ parameters, nodeType: other.nodeType }));
	const { executionId } = await first;
	expect(second.json).toMatchObject({ replayed: true, sentIn: executionId });
	expect(sim.charges).toHaveLength(1);
	expect(tables.rows.map(({ result }) => result !== '')).toEqual([true]);
});

test('who loses a race for a name asks after 0.25, 0.5, 1, 2 and then every 5 s', async () => {
	sim.fault({ path: '/v1/audio/speech', delayMs: 20_000 });
	const asked: number[][] = [[], []];
	const workers = [await startWorker(), await startWorker()];
	const both = await Promise.all(
		workers.map(async ({ nodeType }, worker) => {
			const times = asked[worker];
			const own: DataTables = Object.assign(tables.with({}), {
				execute: async (...given: Parameters<DataTables['execute']>) => {
					const { parameters } = given[0].code!.nodes[1];
					const { conditions = [] } = (parameters.filters ?? {}) as { conditions?: IDataObject[] };
					if (parameters.operation === 'get' && conditions.length === 3) times.push(Date.now());
					return await tables.execute(...given);
				},
			});
			return await run({ nodeType, tables: own });
		}),
	);
	const loser = both.findIndex(({ outputs }) => outputs[0][0].json.replayed);
	// At first both find the name free; what the loser sees under the lock is its second look.
	const [, ...times] = asked[loser];
	const pauses = times.slice(1).map((at, i) => (at - times[i]) / 1000);
	expect(pauses.slice(0, 6)).toEqual([0.25, 0.5, 1, 2, 5, 5].map((s) => expect.closeTo(s, 1)));
	expect(sim.charges).toHaveLength(1);
});

test('an item that waits keeps no later item from being sent', async () => {
	const [one, other] = [await startWorker(), await startWorker()];
	sim.fault({ input: 'Good morning.', delayMs: 100_000 });
	const first = run({ nodeType: one.nodeType }, { timeout: 1000 });
	await wait(10_000);
	const items = ['a', 'b', 'c'].map((id) => item({ id, text: 'Good morning.' }));
	items[1].json.text = 'Good night.';
	items[2].json.text = 'Good day.';
	const second = run({ items, nodeType: other.nodeType }, { concurrency: 1 });
	await wait(20_000);
	expect(sim.charged().sort()).toEqual(['Good day.', 'Good morning.', 'Good night.']);
	expect((await second).outputs[0].map(({ json }) => json.replayed)).toEqual([
		true,
		undefined,
		undefined,
	]);
	await first;
});

test('something else under the same key is an error, and nothing is sent', async () => {
	await run();
	for (const go of [() => {}, elsewhere]) {
		go();
		const { error } = await run({ items: [item({ id: 'a', text: 'Good night.' })] });
		expect(error?.message).toContain('Something else was sent with this "Send Once Key"');
	}
	expect(sim.charges).toHaveLength(1);
});

test('a copied workflow has results of its own; a new API key changes nothing', async () => {
	const first = await run();
	expect(only(await run({ workflowId: 'a copy' })).json).not.toHaveProperty('replayed');
	const { apiKey } = sim.addAccount();
	expect(only(await run({ apiKey })).json.sentIn).toBe(first.executionId);
	sim.accounts.pop();
	expect(sim.charges).toHaveLength(2);
});

test("where the credential differs by row, a key is its account's own", async () => {
	const { apiKey } = sim.addAccount();
	const credential = () => ({ apiKey: '={{ $json.key }}', baseUrl: sim.url });
	const items = [sim.apiKey, apiKey].map((key) => item({ id: 1, key, text: 'Good morning.' }));
	for (const whenSentBefore of ['again', 'unknown']) {
		const { outputs } = await run({ items, credential }, { whenSentBefore });
		expect(outputs.map(({ length }) => length)).toEqual(
			whenSentBefore === 'again' ? [2, 0] : [0, 2],
		);
	}
	expect(sim.charges.map(({ account }) => account)).toHaveLength(2);
	expect(new Set(sim.charges.map(({ account }) => account)).size).toBe(2);
	sim.accounts.pop();
});

test('of two items with one key, the second gets the result of the first', async () => {
	const rows = ['Good morning.', 'Good morning.', 'Good night.'];
	const items = rows.map((text) => item({ id: 'a', text }));
	const { outputs } = await run({ items, onError: 'continueRegularOutput' });
	expect(sim.charges).toHaveLength(1);
	expect(outputs[0].map(({ json }) => [json.replayed, json.error !== undefined])).toEqual([
		[undefined, false],
		[true, false],
		[undefined, true],
	]);
});

test('an unknown outcome stays unknown, and says which execution has sent it', async () => {
	sim.fault({ path: '/v1/audio/speech', status: 504, charge: true });
	const first = await run();
	for (const go of [() => {}, elsewhere]) {
		go();
		const { json } = only(await run(), 1);
		expect(json).toMatchObject({ reason: 'already_sent', sentIn: first.executionId });
		expect(json).toMatchObject({ model: 'fish-speech' });
		expect(json.message).toContain('its outcome is unknown');
		expect(json.advice).toContain(`See execution ${first.executionId} for what became of it`);
	}
	expect(sim.charges).toHaveLength(1);
});

test('files that were deleted: unknown, nothing is sent', async () => {
	const first = await run();

	await deleteStored(only(first).binary!.data);
	const { json } = only(await run(), 1);
	expect(json).toMatchObject({ reason: 'already_sent', sentIn: first.executionId });
	expect(json.message).toContain('deleted');
	expect(sim.charges).toHaveLength(1);
});

test('a refused request frees its key, for every worker', async () => {
	sim.fault({ path: '/v1/audio/speech', status: 402 });
	expect((await run()).error?.message).toContain('402');
	expect(tables.rows).toEqual([]);
	elsewhere();
	expect(only(await run()).json.replayed).toBeUndefined();
	expect(sim.charges).toHaveLength(1);
});

test('where a run stops, rows that were not sent have free keys', async () => {
	sim.fault({ input: 'number 0', status: 400 });
	const items = [0, 1, 2].map((id) => item({ id, text: `Sentence number ${id}.` }));
	expect((await run({ items }, { concurrency: 1 })).error).toBeDefined();
	expect(tables.rows).toEqual([]);
	const { outputs } = await run({ items });
	expect(outputs[0]).toHaveLength(3);
	expect(sim.charges).toHaveLength(3);
});

test.each<EngineRun['onError']>(['stopWorkflow', 'continueErrorOutput'])(
	'where a run stops sending while a job is waited for, rows that were not sent have free keys: %s',
	async (onError) => {
		const texts = ['Waits for its turn.', 'Is a job.', 'Is refused.'];
		const items = texts.map((text, id) => item({ id, text }));
		sim.fault({ method: 'POST', input: texts[0], status: 521, retryAfter: 5 });
		sim.fault({ method: 'POST', input: texts[2], status: 402 });
		const parameters = jobNode({ ...AGAIN, concurrency: 2, maxRetries: 1 });
		const first = await run({ items, parameters, onError });
		expect(first.run.status).toBe(onError === 'stopWorkflow' ? 'error' : 'success');
		expect(sim.charged()).toEqual([texts[1]]);
		elsewhere();
		only(await run({ items: [items[0]], parameters, onError }));
		expect(sim.charged()).toEqual([texts[1], texts[0]]);
	},
);

test('an item that was charged in part before a run stopped is known by every worker', async () => {
	const [one, two] = ['The first half of a text.', 'The other half of that text.'];
	const items = [
		item({ id: 'a', text: `${one}\n\n${two}` }),
		item({ id: 'b', text: 'This is refused.' }),
	];
	sim.fault({ input: two, status: 521, retryAfter: 5 });
	sim.fault({ input: 'This is refused.', status: 400, delayMs: 100 });
	const split = { maxSegmentCharacters: 30, maxRetries: 1 };
	expect((await run({ items }, split)).error?.message).toContain('item 2 of 2');
	expect(sim.charged()).toEqual([one]);
	elsewhere();
	const { json } = only(await run({ items: [items[0]] }, split), 1);
	expect(json.message).toContain('it was charged in part and not finished');
	expect(sim.charges).toHaveLength(1);
});

test('where a worker that has the lock stands still, another takes it over, and each key is paid once', async () => {
	const [one, other] = [await startWorker(), await startWorker()];
	let calls = 0;
	/** The table of a worker that stands still for 20 s when it is about to add its rows. */
	const slow = async () => {
		await wait(5);
		if (++calls >= 5 && calls < 7) await wait(20_000);
	};
	await run({ items: [item({ id: 'before', text: 'Good day.' })] });
	const first = run({ nodeType: one.nodeType, tables: tables.with({ slow }) });
	await wait(1_000);
	const both = await Promise.all([first, run({ nodeType: other.nodeType })]);
	expect(both.map((each) => only(each).json.replayed).sort()).toEqual([true, undefined]);
	expect(sim.charged()).toEqual(['Good day.', 'Good morning.']);
	expect(tables.all.map(({ name }) => name)).not.toContain('#run');
});

test('rows that are seen late take no name twice', async () => {
	const [one, other] = [await startWorker(), await startWorker()];
	tables.beforeCommit = async (rows) => await wait(rows.length > 50 ? 8_000 : 5);
	const rows = Array.from({ length: 60 }, (_, id) => item({ id, text: `Sentence number ${id}.` }));
	const first = run({ items: rows, nodeType: one.nodeType });
	await wait(2_000);
	const second = await run({ items: rows.slice(0, 10), nodeType: other.nodeType });
	expect((await first).outputs[0]).toHaveLength(60);
	expect(second.outputs[0].map(({ json }) => json.replayed)).toEqual(Array(10).fill(true));
	expect(sim.charges).toHaveLength(60);
});

test('four runs on two workers want the same keys: each is paid once', async () => {
	const workers = [await startWorker(), await startWorker()];
	const rows = Array.from({ length: 200 }, (_, id) => item({ id, text: `Number ${id}.` }));
	const parts = [rows, rows.slice(0, 50), rows.slice(50, 120), rows.slice(180)];
	const all = await Promise.all(
		parts.map(
			async (items, index) =>
				await run({ items, nodeType: workers[index % 2].nodeType }, { concurrency: 20 }),
		),
	);
	expect(all.map(({ outputs }) => outputs[0].length)).toEqual([200, 50, 70, 20]);
	expect(sim.charges).toHaveLength(200);
});

test('a table without a lock gets one', async () => {
	await run();
	tables.tables[0].rows = tables.rows;
	expect(only(await run({ items: [item({ id: 'b', text: 'Good night.' })] })).binary).toBeDefined();
	expect(tables.all.filter(({ name }) => name === '#lock')).toHaveLength(1);
});

describe('without a table', () => {
	test('results of this process are given again, with a hint', async () => {
		tables.failure = new Error('the module is disabled');
		await run();
		const again = await run();
		expect(only(again).json.replayed).toBe(true);
		elsewhere();
		const { hints } = await run();
		expect(hints.join()).toContain('the module is disabled');
		expect(sim.charges).toHaveLength(1);
	});

	test('one round of a loop has the hint', async () => {
		tables.failure = new Error('the module is disabled');
		const rounds = ['a', 'b', 'c'].map((id) => [item({ id, text: `Row ${id}.` })]);
		const { run: ran } = await run({ rounds, items: undefined });
		const tasks = ran.data.resultData.runData[NODE];
		expect(tasks.map(({ hints = [] }) => hints.length)).toEqual([1, 0, 0]);
	});

	test('all tables together are full: as without one, with a hint', async () => {
		await run();
		tables.isFull = true;
		const items = ['a', 'b'].map((id) => item({ id, text: 'Good morning.' }));
		const { outputs, hints } = await run({ items });
		expect(outputs[0].map(({ json }) => json.replayed)).toEqual([true, undefined]);
		expect(hints.join()).toContain('Data table size limit exceeded');
		expect(sim.charges).toHaveLength(2);
	});
});

describe('a table that fails', () => {
	const away = (forMs: number) => {
		const from = Date.now();
		tables.slow = async () => {
			await wait(5);
			if (Date.now() - from < forMs) throw new Error('The database is away');
		};
	};

	test.each([true, false])(
		'is asked again for a minute, then keys are sent (table seen before: %s)',
		async (isKnown) => {
			if (isKnown) await run({ items: [item({ id: 'before', text: 'Good day.' })] });
			away(40_000);
			expect(only(await run()).json.replayed).toBeUndefined();
			expect(sim.charged().slice(-1)).toEqual(['Good morning.']);
		},
	);

	test('for longer: an error, nothing is sent, and the next run sends', async () => {
		away(200_000);
		const from = Date.now();
		const items = ['a', 'b'].map((id) => item({ id, text: 'Good morning.' }));
		const { outputs } = await run({ items, onError: 'continueErrorOutput' });
		expect(Date.now() - from).toBeLessThan(70_000);
		expect(outputs.map(({ length }) => length)).toEqual([0, 0, 2]);
		const { message } = outputs[2][0].json.error as { message: string };
		expect(message).toContain('could not read its data table');
		expect(sim.charges).toHaveLength(0);
		tables.slow = undefined;
		expect(only(await run()).binary).toBeDefined();
	});

	test('while a result is written: it is written once the table is back', async () => {
		await run({ items: [item({ id: 'before', text: 'Good day.' })] });
		sim.once('request', () => away(30_000));
		await run();
		elsewhere();
		expect(only(await run()).json.replayed).toBe(true);
		expect(sim.charges).toHaveLength(2);
	});

	test('while another worker is waited for: an error, nothing is sent', async () => {
		await takenByKilledWorker();
		let calls = 0;
		tables.slow = async () => {
			if (++calls > 1) throw new Error('the database is away');
		};
		expect((await run()).error?.message).toContain('could not read its data table');
		expect(sim.charges).toHaveLength(1);
	});

	test('a question that fails does not take the name of somebody who is at work', async () => {
		const [one, other] = [await startWorker(), await startWorker()];
		sim.fault({ path: '/v1/audio/speech', delayMs: 100_000 });
		const parameters = speechNode({ ...AGAIN, timeout: 1000 });
		const first = run({ parameters, nodeType: one.nodeType });
		await wait(10_000);
		let calls = 0;
		const slow = async () => {
			await wait(5);
			if (++calls % 3 === 1)
				throw new Error('synchronization error: result count changed during pagination');
		};
		const second = await run({
			parameters,
			nodeType: other.nodeType,
			tables: tables.with({ slow }),
		});
		expect(only(second).json.replayed).toBe(true);
		await first;
		expect(sim.charges).toHaveLength(1);
	});
});

test('a table that was deleted is made again', async () => {
	await run();
	tables.tables.length = 0;
	expect(only(await run({ items: [item({ id: 'b', text: 'Good night.' })] })).binary).toBeDefined();
	expect(tables.rows).toHaveLength(1);
});

test('a row that somebody has edited: unknown', async () => {
	await run();
	for (const row of tables.rows) if (row.result) row.result = 'mine';
	elsewhere();
	expect(only(await run(), 1).json.reason).toBe('already_sent');
	expect(sim.charges).toHaveLength(1);
});

/** Leaves of a run the row that took its name, as a worker does that was killed while it sent. */
async function takenByKilledWorker(): Promise<IDataObject> {
	await run();
	const [row] = tables.rows;
	tables.tables[0].rows.push({ ...row, result: '' });
	tables.keep((each) => (each.result === '' ? each : undefined));
	elsewhere();
	return row;
}

test('a worker that was killed while it sent: unknown, once it has shown no life for a minute', async () => {
	const row = await takenByKilledWorker();
	const from = Date.now();
	const { json } = only(await run(), 1);
	expect((Date.now() - from) / 1000).toBeGreaterThan(59);
	expect((Date.now() - from) / 1000).toBeLessThan(75);
	expect(json).toMatchObject({ reason: 'already_sent', sentIn: row.execution });
	expect(sim.charges).toHaveLength(1);
	// The next one need not wait.
	await run();
	expect((Date.now() - from) / 1000).toBeLessThan(80);
	expect(tables.rows).toEqual([]);
});

test('a worker that was killed more than an hour ago is dead at once', async () => {
	const row = await takenByKilledWorker();
	const content = new Date(Date.now() - 3_700_000).toISOString();
	tables.tables[0].rows.push({ ...row, name: '#run', content, result: '' });
	const from = Date.now();
	only(await run(), 1);
	expect(Date.now() - from).toBeLessThan(10_000);
});

test('workers that were killed before the first request left, twice: the third sends', async () => {
	await run({ items: [item({ id: 'before', text: 'Good day.' })] });
	const items = Array.from({ length: 30 }, (_, id) => item({ id, text: `Sentence number ${id}.` }));
	for (const worker of [await startWorker(), await startWorker()]) {
		const { nodeType } = worker;
		let calls = 0;
		let killed = () => {};
		const atEnd = new Promise<void>((resolve) => (killed = resolve));
		const slow = async () => {
			await wait(5);
			const own = tables.rows.filter(({ result }) => result === '').length;
			// Its rows are there; it never learns that it has given the lock back.
			if (own < 30 || ++calls < 2) return;
			killed();
			await new Promise(() => {});
		};
		void run({ items, nodeType, tables: tables.with({ slow }) });
		await atEnd;
	}
	expect(sim.charged()).toEqual(['Good day.']);
	const { outputs } = await run({ items }, { concurrency: 10 });
	expect(outputs.map(({ length }) => length)).toEqual([30, 0]);
	expect(sim.charges).toHaveLength(31);
});

test('something else under a key that another worker has taken is an error', async () => {
	const row = await takenByKilledWorker();
	const { error } = await run({ items: [item({ id: 'a', text: 'Good night.' })] });
	expect(error?.message).toContain(
		`Something else was sent with this "Send Once Key" in execution`,
	);
	expect(error?.message).toContain(String(row.execution));
	expect(sim.charges).toHaveLength(1);
});

describe('two items of a run with one key', () => {
	const items = ['a', 'K', 'K'].map((id) => item({ id, text: id === 'a' ? 'One.' : 'Two.' }));

	test('the first is not started: nor is the second, at once', async () => {
		sim.fault({ input: 'One.', status: 402 });
		const from = Date.now();
		const { outputs } = await run({ items, onError: 'continueErrorOutput' }, { concurrency: 1 });
		expect(outputs.map(({ length }) => length)).toEqual([0, 0, 3]);
		const [, one, two] = outputs[2].map(({ json }) => (json.error as IDataObject).message);
		expect(two).toBe(one);
		expect(Date.now() - from).toBeLessThan(5_000);
		expect(sim.charges).toHaveLength(0);
	});

	test('the first is refused: the second is sent', async () => {
		sim.fault({ input: 'Two.', status: 422 });
		const { outputs } = await run({ items, onError: 'continueErrorOutput' });
		expect(outputs.map(({ length }) => length)).toEqual([2, 0, 1]);
		expect(outputs[0].map(({ json }) => json.replayed)).toEqual([undefined, undefined]);
		expect(sim.charged()).toEqual(['One.', 'Two.']);
	});

	test('the spending limit counts them once, and refuses both', async () => {
		const twins = items.slice(1);
		const { outputs: estimated } = await run({
			items: twins.slice(1),
			parameters: speechNode({}, { operation: 'estimate' }),
		});
		const limit = estimated[0][0].json.estimatedTokens as number;
		const onError = 'continueErrorOutput';
		const low = await run({ items: twins, onError }, { maxEstimatedTokens: limit - 1 });
		expect(low.outputs.map(({ length }) => length)).toEqual([0, 0, 2]);
		expect(sim.charges).toHaveLength(0);
		const { outputs } = await run({ items: twins, onError }, { maxEstimatedTokens: limit });
		expect(outputs[0]).toHaveLength(2);
		expect(sim.charges).toHaveLength(1);
	});
});

test.each<[string, IDataObject, IDataObject]>([
	['a blank at its end', { text: 'Good morning. How are you? ' }, {}],
	['other spaces', { text: 'Good  morning.\nHow are you?' }, {}],
	['pauses', { text: 'Good morning. [pause 2s] How are you?' }, {}],
	['a price factor', {}, { modelMultiplier: 3 }],
	['smaller segments', {}, { maxSegmentCharacters: 15 }],
])('the same words with %s: the first result', async (_, json, options) => {
	const text = 'Good morning. How are you?';
	const first = await run({ items: [item({ id: 'a', text })] });
	const again = await run({ items: [item({ id: 'a', text, ...json })] }, options);
	expect(only(again).json.sentIn).toBe(first.executionId);
	expect(sim.charges).toHaveLength(1);
});

test.each<[string, IDataObject]>([
	['speed', { speed: 1.5 }],
	['body fields', { additionalBody: '{ "emotion": "happy" }' }],
])('another %s is something else', async (_, options) => {
	await run();
	expect((await run({}, options)).error?.message).toContain('Something else was sent');
	expect(sim.charges).toHaveLength(1);
});

test('another format is something else', async () => {
	await run();
	const { error } = await run({ parameters: speechNode(AGAIN, { responseFormat: 'wav' }) });
	expect(error?.message).toContain('Something else was sent');
});

test.each([
	['in memory', () => {}],
	['in the table', elsewhere],
])('what is given again %s has its present names, and a hint on what it lacks', async (_, go) => {
	await run();
	go();
	const now = { fileName: 'greeting', binaryPropertyName: 'sound', subtitles: 'srt' };
	const { outputs, hints } = await run({}, now);
	const [{ json, binary }] = outputs[0];
	expect(Object.keys(binary!)).toEqual(['sound']);
	expect(binary!.sound.fileName).toBe('greeting.mp3');
	expect(json).toMatchObject({ fileName: 'greeting.mp3', replayed: true });
	expect(hints.join()).toContain('which has no subtitles');
});

test('subtitles keep the name of their file', async () => {
	await run({}, { subtitles: 'srt', fileName: 'one' });
	const { outputs, hints } = await run({}, { subtitles: 'srt', fileName: 'two' });
	const { data, subtitles } = outputs[0][0].binary!;
	expect([data.fileName, subtitles.fileName]).toEqual(['two.mp3', 'two.srt']);
	expect(hints).toEqual([]);
});

test('what was sent before is heard of where nothing is connected to Unknown', async () => {
	sim.fault({ path: '/v1/audio/speech', status: 504, charge: true });
	const behind: EngineRun['behind'] = ['runs', undefined];
	const words = [await run({ behind }), await run({ behind })].map(({ error }) => error?.message);
	for (const said of words) expect(said).toContain('nobody knows yet whether it was charged');
	expect(sim.charges).toHaveLength(1);
});

test.each<EngineRun['onError']>(['stopWorkflow', 'continueErrorOutput', 'continueRegularOutput'])(
	'a time-out of the workflow awaits neither the table nor the list of keys: %s',
	async (onError) => {
		const items = Array.from({ length: 8 }, (_, id) =>
			item({ id, text: `Sentence number ${id}.` }),
		);
		sim.fault({ path: '/v1/audio/speech', delayMs: 5_000, times: Infinity });
		let isOver = false;
		let goOn = () => {};
		const later = new Promise<void>((resolve) => (goOn = resolve));
		const slow = async () => {
			await wait(5);
			if (isOver) await later;
		};
		tables.slow = keyStore.slow = slow;
		const started = ({ cancel }: { cancel: () => void }) =>
			void wait(17_000).then(() => {
				isOver = true;
				cancel();
			});
		const { outputs } = await run({ items, onError, started }, { concurrency: 2 });
		keyStore.slow = undefined;
		goOn();
		expect(outputs[0].filter(({ binary }) => binary)).toHaveLength(6);
		expect(outputs[1].map(({ json }) => json.reason)).toEqual(['interrupted', 'interrupted']);
	},
);

test('skipped rows say which execution has sent them, too', async () => {
	const first = await run({}, { whenSentBefore: 'unknown' });
	const { json } = only(await run({}, { whenSentBefore: 'unknown' }), 1);
	expect(json).toMatchObject({ reason: 'already_sent', sentIn: first.executionId });
	expect(tables.tables).toEqual([]);
});

test('rows are gone after thirty days, and not before', async () => {
	const first = await run();
	const stay = async (days: number) => {
		for (const row of tables.rows)
			row.createdAt = new Date(Date.now() - days * 86_400_000).toISOString();
		await wait(86_400_000);
		await run({ items: [item({ id: `after ${days} days`, text: 'Good night.' })] });
		return tables.rows.some(({ execution }) => execution === first.executionId);
	};
	expect([await stay(28.9), await stay(29.1)]).toEqual([true, false]);
});

test('behind an MCP Server Trigger, outside of an execution, a key gets its file again', async () => {
	const call = { asTool: true, outsideExecution: true };
	const first = only(await run(call));
	const again = only(await run(call));
	expect(again.json).toMatchObject({ replayed: true, segments: first.json.segments });
	expect(await bytesOf(again)).toEqual(await bytesOf(first));
	expect(sim.charges).toHaveLength(1);
});

test('Retry On Fail: what the first try has paid for comes out, each charged once', async () => {
	sim.fault({ input: 'number 1', status: 402 });
	const items = [0, 1, 2].map((id) => item({ id, text: `Sentence number ${id}.` }));
	const { outputs } = await run({ items, retryOnFail: true }, { concurrency: 1 });
	expect(outputs[0].map(({ json }) => json.replayed)).toEqual([undefined, undefined, undefined]);
	elsewhere();
	const again = await run({ items });
	expect(again.outputs[0].map(({ json }) => json.replayed)).toEqual([true, true, true]);
	expect(sim.charges).toHaveLength(3);
});

test('what a retry has finished is given again, wherever it had failed before', async () => {
	sim.fault({ input: 'One', status: 422 });
	const text = 'Number one stands here. Number two comes after it.';
	const items = [item({ id: 'a', text: text.replace('one', 'One') })];
	const options = { maxSegmentCharacters: 30, concurrency: 2 };
	const failed = await run({ items }, options);
	expect(failed.error?.message).toContain('422');
	const retryOf = saved(failed.run);
	expect(only(await run({ items, mode: 'retry', retryOf }, options)).binary).toBeDefined();
	// Another retry of the same fails.
	const again = await run({ items, mode: 'retry', retryOf: saved(failed.run) }, options);
	expect(only(again, 1).json.reason).toBe('already_sent');
	for (const go of [() => {}, elsewhere]) {
		go();
		expect(only(await run({ items }, options)).json.replayed).toBe(true);
	}
	expect(sim.charges).toHaveLength(2);
});

test('… also by this worker, while another has finished it', async () => {
	const other = await startWorker();
	const items = [item({ id: 'a', text: 'Number one stands here. Number two comes after it.' })];
	sim.fault({ input: 'one', status: 422 });
	const options = { maxSegmentCharacters: 30, concurrency: 2 };
	const failed = await run({ items }, options);
	const retry = { mode: 'retry', retryOf: saved(failed.run), nodeType: other.nodeType } as const;
	expect(only(await run({ items, ...retry }, options)).binary).toBeDefined();
	expect(only(await run({ items }, options)).json.replayed).toBe(true);
	expect(sim.charges).toHaveLength(2);
});

test('Retry On Fail: the second item of a key keeps the first from nothing', async () => {
	sim.fault({ input: 'one', status: 402 });
	const text = 'Number one stands here. Number two comes after it.';
	const items = [text, 'Something else.'].map((words) => item({ id: 'a', text: words }));
	const options = { maxSegmentCharacters: 30, concurrency: 2 };
	const first = { items, retryOnFail: true, maxTries: 2 };
	await run({ ...first, onError: 'continueRegularOutput' }, options);
	for (const go of [() => {}, elsewhere]) {
		go();
		expect(only(await run({ items: items.slice(0, 1) }, options)).json.replayed).toBe(true);
	}
	expect(sim.charges).toHaveLength(2);
});

test('a retry on another worker: two items of a key leave its name free', async () => {
	sim.fault({ input: 'one', status: 402 });
	const text = 'Number one stands here. Number two comes after it.';
	const items = [text, 'Something else.'].map((words) => item({ id: 'a', text: words }));
	const options = { maxSegmentCharacters: 30, concurrency: 2 };
	const first = await run({ items }, options);
	elsewhere();
	const retry = { items, mode: 'retry', retryOf: saved(first.run) } as const;
	await run({ ...retry, onError: 'continueErrorOutput' }, options);
	elsewhere();
	expect(only(await run({ items: items.slice(0, 1) }, options)).json.replayed).toBe(true);
	expect(sim.charges).toHaveLength(2);
});

test('a result that is given again costs nothing of the spending limit', async () => {
	await run();
	const { outputs } = await run({}, { maxEstimatedTokens: 1 });
	expect(outputs[0][0].json.replayed).toBe(true);
});

const chatParameters = {
	resource: 'chat',
	operation: 'complete',
	model: { __rl: true, mode: 'id', value: 'sim-chat' },
	messages: { values: [{ role: 'user', content: '={{ $json.text }}' }] },
	options: { maxRetries: 0, ...AGAIN },
};
const chat = async (id = 'a') =>
	await run({
		parameters: chatParameters,
		items: [item({ id, text: 'Good morning.' })],
	});

test('a chat answer is given again, too', async () => {
	const [one, two] = [only(await chat()), only(await chat())];
	expect(two.json).toMatchObject({ text: one.json.text, replayed: true });
	expect(sim.charges).toHaveLength(1);
});

test('a row of the table takes 64 KB: a longer result is known to its own process alone', async () => {
	const answer = async (id: string, characters: number) => {
		const message = { role: 'assistant', content: 'x'.repeat(characters) };
		const choices = [{ index: 0, message, finish_reason: 'stop' }];
		const body = { model: 'sim-chat', choices };
		sim.fault({ path: '/v1/chat/completions', status: 200, charge: true, body });
		expect(only(await chat(id)).json.text).toBe(message.content);
		expect(only(await chat(id)).json.replayed).toBe(true);
		elsewhere();
		return await chat(id);
	};
	expect(only(await answer('short', 60_000)).json.replayed).toBe(true);
	const { json } = only(await answer('long', 66_000), 1);
	expect(json.reason).toBe('already_sent');
	expect(json.message).toContain('too large to be kept');
	expect(sim.charges).toHaveLength(2);
});

test.each([
	['in memory', () => {}],
	['in the table', elsewhere],
])(
	'nothing of the first row is kept %s: the fields are those of the present row',
	async (_, go) => {
		const row = (customer: string) => [item({ id: 'a', text: 'Good morning.', customer })];
		await run({ items: row('Ada') });
		expect(JSON.stringify(tables.rows)).not.toContain('Ada');
		go();
		const { left } = await run({ items: row('Ben') });
		expect(left[0][0].json).toMatchObject({ customer: 'Ben', speech: { replayed: true } });
	},
);

test('a row of another version of the node is not read: the key was sent, its result is lost', async () => {
	await run();
	for (const row of tables.rows) {
		if (!row.result) continue;
		const kept = JSON.parse(row.result as string) as IDataObject;
		expect(kept.version).toBe(RECORD_VERSION);
		row.result = JSON.stringify({ ...kept, version: RECORD_VERSION - 1 });
	}
	elsewhere();
	const { json } = only(await run(), 1);
	expect(json).toMatchObject({ reason: 'already_sent' });
	expect(json.message).toContain('its row cannot be read');
	expect(sim.charges).toHaveLength(1);
});

test('a chat that is given again reaches a client that streams, in one piece', async () => {
	const first = only(await chat());
	const chunks: Array<[string, unknown]> = [];
	const again = await run({
		parameters: chatParameters,
		items: [item({ id: 'a', text: 'Good morning.' })],
		mode: 'webhook',
		onChunk: ({ type, content }) => chunks.push([type, content]),
	});
	expect(only(again).json.replayed).toBe(true);
	expect(chunks.map(([type]) => type)).toEqual(['begin', 'item', 'end']);
	expect(chunks[1][1]).toBe(first.json.text);
});

test.each([
	'mine',
	'{}',
	'{"item":{}}',
	'{"item":{"json":{}}}',
	'{"version":99,"item":{"json":{}}}',
])('a row whose result is %s: unknown', async (result) => {
	await run();
	tables.keep((row) => ({ ...row, result }));
	elsewhere();
	const { json } = only(await run(), 1);
	expect(json.reason).toBe('already_sent');
	expect(json.message).toContain('cannot be read');
	expect(sim.charges).toHaveLength(1);
});

test('of rows with results, the newest 10,000 stay, and the lock', async () => {
	await run();
	const [row] = tables.rows;
	const many = Array.from({ length: 10_050 }, (_, id) => ({
		...row,
		name: `old ${id}`,
		id: id - 20_000,
	}));
	tables.tables[0].rows.unshift(...many);
	await wait(86_400_000);
	await run({}, { whenSentBefore: 'unknown' });
	expect(tables.rows).toHaveLength(10_000);
	expect(tables.rows.map(({ name }) => name)).toContain(row.name);
	expect(tables.all.map(({ name }) => name)).toContain('#lock');
});

test('a run that gives nothing again makes no table', async () => {
	await wait(86_400_000);
	await run({}, { whenSentBefore: 'unknown' });
	expect(tables.tables).toEqual([]);
});
