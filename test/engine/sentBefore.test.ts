import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { keep } from '../../nodes/SpeechGateway/run/keptResults';
import { RECORD_VERSION } from '../../nodes/SpeechGateway/requests/records';
import { useVirtualTime, wait } from '../support/clock';
import { Simulator } from '../support/simulator';
import { DataTables } from './dataTables';
import {
	deleteExecutions,
	deleteStored,
	type EngineRun,
	type EngineResult,
	item,
	jobNode,
	NODE,
	readStored,
	runNode,
	saved,
	showRunning,
	speechNode,
} from './support';
import { startWorker } from './workers';

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
		...{ url: sim.url, apiKey: sim.apiKey, nodeId: `again ${nodes}`, tables },
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
	expect(tables.calls - before).toBeLessThan(12);
	// None without a result stays behind.
	expect(tables.rows.map(({ result }) => result !== '')).toEqual(Array(40).fill(true));
});

test('a name that another worker has taken is waited for', async () => {
	const first = await run();
	elsewhere();
	const [taken, done] = tables.rows;
	tables.tables[0].rows = [taken];
	showRunning(first.executionId);
	const running = run();
	await wait(20_000);
	expect(sim.charges).toHaveLength(1);
	tables.tables[0].rows.push(done);
	expect(only(await running).json).toMatchObject({ replayed: true, sentIn: first.executionId });
	expect(sim.charges).toHaveLength(1);
});

test('an execution that takes more than three minutes is named', async () => {
	sim.fault({ path: '/v1/audio/speech', delayMs: 900_000 });
	const parameters = speechNode({ ...AGAIN, timeout: 1000 });
	const first = run({ parameters });
	await wait(100);
	const from = Date.now();
	const { json } = only(await run({ parameters }), 1);
	expect((Date.now() - from) / 1000).toBeCloseTo(180, 0);
	expect(json).toMatchObject({ reason: 'already_sent', sentIn: (await first).executionId });
	expect(json.message).toContain('it is not done yet');
	expect(sim.charges).toHaveLength(1);
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

test('a copied workflow has results of its own, and so has another account', async () => {
	await run();
	expect(only(await run({ workflowId: 'a copy' })).json).not.toHaveProperty('replayed');
	const { apiKey } = sim.addAccount();
	// n8n's list has the key, whoever pays.
	expect(only(await run({ apiKey }), 1).json.reason).toBe('already_sent');
	sim.accounts.pop();
	expect(sim.charges).toHaveLength(2);
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

test('a row that came too late keeps no key from being sent', async () => {
	tables.slow = async () => await wait(5);
	const workers = [await startWorker(), await startWorker()];
	sim.fault({ path: '/v1/audio/speech', status: 400, delayMs: 1_000 });
	const texts = ['Good morning.', 'Good evening.'];
	const both = await Promise.all(
		workers.map(async ({ nodeType }, index) => {
			return await run({ items: [item({ id: 'a', text: texts[index] })], nodeType });
		}),
	);
	expect(both.map(({ error }) => error?.message)).toEqual([
		expect.stringContaining('400'),
		expect.stringContaining('Something else was sent'),
	]);
	expect(tables.rows).toEqual([]);
	expect(only(await run()).json.replayed).toBeUndefined();
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

	test('a table that fails in the middle costs no result', async () => {
		let calls = 0;
		tables.slow = async () => {
			if (++calls > 4) throw new Error('the database is away');
		};
		const first = await run();
		expect(only(first).binary).toBeDefined();
		tables.slow = undefined;
		elsewhere();
		expect(only(await run(), 1).json.reason).toBe('already_sent');
		expect(sim.charges).toHaveLength(1);
	});
});

test('a table that was deleted is made again', async () => {
	await run();
	tables.tables.length = 0;
	expect(only(await run({ items: [item({ id: 'b', text: 'Good night.' })] })).binary).toBeDefined();
	expect(tables.rows).toHaveLength(2);
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
	tables.tables[0].rows = [{ ...row, result: '' }];
	deleteExecutions();
	elsewhere();
	return row;
}

test('a worker that was killed while it sent: unknown, once its execution is known to be over', async () => {
	const row = await takenByKilledWorker();
	const { json } = only(await run(), 1);
	expect(json).toMatchObject({ reason: 'already_sent', sentIn: row.execution });
	expect(sim.charges).toHaveLength(1);
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

test('a table that goes away while another worker is waited for: unknown, nothing is sent', async () => {
	const row = await takenByKilledWorker();
	let calls = 0;
	tables.slow = async () => {
		if (++calls > 1) throw new Error('the database is away');
	};
	const { outputs, hints } = await run();
	expect(outputs[1][0].json).toMatchObject({ reason: 'already_sent', sentIn: row.execution });
	expect(hints.join()).toContain('the database is away');
	expect(sim.charges).toHaveLength(1);
});

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

const chat = async (id = 'a') =>
	await run({
		parameters: {
			...{ resource: 'chat', operation: 'complete' },
			model: { __rl: true, mode: 'id', value: 'sim-chat' },
			messages: { values: [{ role: 'user', content: '={{ $json.text }}' }] },
			options: { maxRetries: 0, ...AGAIN },
		},
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
