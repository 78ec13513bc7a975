import { createHash } from 'node:crypto';
import { openBench, type Bench } from '../support/n8n/bench';
import { holdNextChat } from '../support/heldChat';
import { N8nClient, nodeOutputs, poll, type SavedWorkflow } from '../support/n8n/client';
import { packedPackage } from '../support/n8n/package';
import { startQueueMode, type QueueMode } from '../support/n8n/queue';
import { N8N_VERSION } from '../support/n8n/shared';
import { NODE_NAME, toldOf } from '../support/workflow';

let queue: QueueMode;
let bench: Bench;
beforeAll(async () => {
	const tarball = await packedPackage();
	const version = N8N_VERSION;
	queue = await startQueueMode({ version, tarball, workers: 2, binaryMode: 'database' });
	bench = await openBench({ latencyMs: 10 }, queue.main.api);
});
beforeEach(() => bench.sim.reset());
afterAll(async () => {
	await bench?.close();
	await queue?.stop();
});

const texts = ['one', 'two', 'three'].map((word) => `This is item ${word}.`);
const items = texts.map((text) => ({ text }));
const speech = {
	resource: 'speech',
	operation: 'generate',
	text: '={{ $json.text }}',
	options: { maxRetries: 0 },
};
/** Calls a workflow where the world would: at the process for webhooks. */
const callWebhook = async (workflow: SavedWorkflow) =>
	await new N8nClient(queue.webhooks.url).callWebhook(workflow);
const charged = () => bench.sim.charged().sort();

test('"Retry execution" goes to a worker, sends only what was refused, and its files outlive the failed execution', async () => {
	bench.sim.fault({ input: texts[2], status: 402 });
	const failed = await bench.run({ parameters: speech, items, trigger: 'webhook' });
	expect(failed.status).toBe('error');
	const retried = await bench.api.retry(failed.id);
	expect(retried.status).toBe('success');
	expect(charged()).toEqual([...texts].sort());
	await bench.api.deleteExecution(failed.id);
	const [narrated] = nodeOutputs(retried, NODE_NAME);
	expect(narrated).toHaveLength(items.length);
	for (const item of narrated)
		expect((await bench.api.binary(item.binary!.data)).length).toBe(toldOf(item).bytes);
});

test('two executions of 200 rows at once on two workers: each row is sent once, and n8n has their keys', async () => {
	const rows = Array.from({ length: 200 }, (_, row) => ({ row }));
	const workflow = await bench.save({
		parameters: {
			...speech,
			text: '=Row {{ $json.row }}.',
			options: {
				maxRetries: 0,
				concurrency: 8,
				sendOnceKey: '={{ $execution.id }}-{{ $json.row }}',
			},
		},
		items: rows,
		trigger: 'webhook',
	});
	await Promise.all([callWebhook(workflow), callWebhook(workflow)]);
	const found = await bench.api.executions(workflow.id);
	expect(found).toHaveLength(2);
	for (const { id } of found) expect((await bench.api.waitForExecution(id)).status).toBe('success');
	expect(bench.sim.charges).toHaveLength(400);
	const list = await queue.sql(
		`SELECT value FROM processed_data WHERE "workflowId" = '${workflow.id}'`,
	);
	const { data } = JSON.parse(list) as { data: string[] };
	const known = new Set(data);
	const isKnown = (name: string) => known.has(createHash('md5').update(name).digest('base64'));
	const keys = found.flatMap(({ id }) => rows.map(({ row }) => `${id}-${row}`));
	// A key has two names. n8n has no lock: an execution that ends while the other writes may lose the last of its keys.
	const kept = keys.filter((key) => isKnown(key) || isKnown(`${key} `));
	expect(kept.length).toBeGreaterThanOrEqual(399);
});

test('the same keys on two workers at once: each is paid for once, and both executions have all files', async () => {
	const rows = Array.from({ length: 20 }, (_, row) => ({ text: `This is the order ${row}.` }));
	const options = { maxRetries: 0, sendOnceKey: '={{ $json.text }}', whenSentBefore: 'again' };
	const parameters = { ...speech, options };
	const workflow = await bench.save({ parameters, items: rows, trigger: 'webhook' });
	await Promise.all([callWebhook(workflow), callWebhook(workflow)]);
	const found = await bench.api.executions(workflow.id);
	const both = await Promise.all(found.map(({ id }) => bench.api.waitForExecution(id)));
	const delivered = both.flatMap((execution) => nodeOutputs(execution, NODE_NAME)[0]);
	expect(delivered).toHaveLength(40);
	expect(delivered.filter((item) => toldOf(item).replayed)).toHaveLength(20);
	expect(new Set(delivered.map(({ binary }) => binary!.data.id)).size).toBe(40);
	expect(charged()).toEqual(rows.map(({ text }) => text).sort());
});

/** A workflow whose rows are sent once, and get their results again; the body of a call says which of them it brings. */
const keyed = async (what: string) =>
	await bench.save({
		parameters: {
			...speech,
			options: {
				maxRetries: 0,
				concurrency: 20,
				sendOnceKey: '={{ $json.text }}',
				whenSentBefore: 'again',
			},
		},
		code: `const { from, to } = $input.first().json.body;
			return Array.from({ length: to - from }, (_, i) => ({ json: { text: '${what} ' + (from + i) + '.' } }));`,
		trigger: 'webhook',
	});
const bring = async (workflow: SavedWorkflow, from: number, to: number) =>
	await new N8nClient(queue.webhooks.url).callWebhook(workflow, { from, to });
/** What the executions of a workflow have on each output, and how many of that were given again. */
async function given({ id }: SavedWorkflow, limitMs?: number) {
	const all: Array<{ outputs: number[]; replayed: number; seconds: number }> = [];
	for (const one of await bench.api.executions(id)) {
		const execution = await bench.api.waitForExecution(one.id, limitMs);
		const outputs = nodeOutputs(execution, NODE_NAME);
		const [run] = execution.data.resultData.runData[NODE_NAME];
		all.push({
			outputs: outputs.map(({ length }) => length),
			replayed: outputs[0].filter((item) => toldOf(item).replayed).length,
			seconds: run.executionTime / 1000,
		});
	}
	return all.sort((a, b) => a.outputs[0] - b.outputs[0]);
}
const chargedFor = (what: string) => charged().filter((text) => text.startsWith(what));

test('300 keys twice at once, while 2,000 rows keep the workers busy: each is paid once, and both have all', async () => {
	const beside = await bench.save({
		parameters: { ...speech, options: { maxRetries: 0, concurrency: 20 } },
		items: Array.from({ length: 2_000 }, (_, row) => ({ text: `Beside ${row}.` })),
		trigger: 'webhook',
	});
	const workflow = await keyed('Row');
	await callWebhook(beside);
	await bench.sim.waitFor((requests) => requests.length > 20);
	await Promise.all([bring(workflow, 0, 300), bring(workflow, 0, 300)]);
	await poll('both executions', async () => {
		return (await bench.api.executions(workflow.id)).length === 2 || undefined;
	});
	const both = await given(workflow);
	expect(both.map(({ outputs }) => outputs)).toEqual([
		[300, 0],
		[300, 0],
	]);
	expect(both[0].replayed + both[1].replayed).toBe(300);
	expect(chargedFor('Row')).toHaveLength(300);
	const [{ outputs }] = await given(beside);
	expect(outputs).toEqual([2_000, 0]);
	const left = await queue.sql(`SELECT id FROM execution_entity WHERE status = 'new'`);
	expect(left.trim()).toBe('');
});

/** A quiet machine takes a minute; one that is busy with other tests has taken eight. */
const FOUR_THOUSAND_MS = 20 * 60_000;

test(
	'4,000 keys and, while their names are taken, 100 of the same: each is paid once',
	async () => {
		const workflow = await keyed('Order');
		await bring(workflow, 0, 4_000);
		// The names are taken before the first request leaves.
		await poll('the first names', async () => {
			const id = await queue.sql(`SELECT id FROM data_table WHERE name = 'Speech Gateway Results'`);
			if (!id.trim()) return undefined;
			const rows = `"data_table_user_${id.trim()}"`;
			const count = await queue.sql(`SELECT count(*) FROM ${rows} WHERE result = ''`);
			return Number(count) > 500 || undefined;
		});
		await bring(workflow, 3_900, 4_000);
		await poll('both executions', async () => {
			return (await bench.api.executions(workflow.id)).length === 2 || undefined;
		});
		const both = await given(workflow, FOUR_THOUSAND_MS);
		expect(both.map(({ outputs }) => outputs)).toEqual([
			[100, 0],
			[4_000, 0],
		]);
		expect(chargedFor('Order')).toHaveLength(4_000);
	},
	FOUR_THOUSAND_MS,
);

test('the workflow times out, in all modes and with keys: what is charged is done or interrupted, and there', async () => {
	bench.sim.fault({ input: 'row 6', connection: 'stall', times: Infinity });
	bench.sim.fault({ input: 'row 7', connection: 'stall', times: Infinity });
	const key = { sendOnceKey: '={{ $execution.id }}-{{ $json.row }}' };
	const keys = [{}, key, { ...key, whenSentBefore: 'again' }];
	const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
	const ended = await Promise.all(
		modes
			.flatMap((onError) => keys.map((keyed) => ({ onError, keyed })))
			.map(async ({ onError, keyed }) => {
				const workflow = await bench.save({
					parameters: {
						...speech,
						text: '=Execution {{ $execution.id }}, row {{ $json.row }}.',
						options: { maxRetries: 0, concurrency: 2, ...keyed },
					},
					items: Array.from({ length: 8 }, (_, row) => ({ row })),
					onError,
					trigger: 'webhook',
					settings: { executionTimeout: 30 },
				});
				return await bench.api.waitForExecution(await bench.api.trigger(workflow));
			}),
	);
	for (const execution of ended) {
		expect(execution.status).toBe('canceled');
		const [success, unknown] = nodeOutputs(execution, NODE_NAME);
		expect(success.filter(({ binary }) => binary)).toHaveLength(success.length);
		expect(unknown.map((item) => toldOf(item).reason)).toEqual(unknown.map(() => 'interrupted'));
		const rows = [...success, ...unknown].map(
			({ pairedItem }) => (pairedItem as { item: number }).item,
		);
		const told = rows.map((row) => `Execution ${execution.id}, row ${row}.`);
		expect(told.sort()).toEqual(chargedFor(`Execution ${execution.id},`));
	}
	expect(ended.map((execution) => nodeOutputs(execution, NODE_NAME)[0].length)).toContain(6);
});

test('PostgreSQL, which keeps the files, is away for 12 s: 40 of 40 are paid for once, and all are there', async () => {
	bench.sim.fault({ method: 'POST', delayMs: 200, times: Infinity });
	const rows = Array.from({ length: 40 }, (_, row) => ({ text: `This is row ${row} of a night.` }));
	const workflow = await bench.save({ parameters: speech, items: rows, trigger: 'webhook' });
	const id = await bench.api.trigger(workflow);
	await bench.sim.waitFor((requests) => requests.length > 12);
	await queue.databaseAway(12_000);
	const execution = await bench.api.waitForExecution(id);
	expect(execution.status).toBe('success');
	const [narrated] = nodeOutputs(execution, NODE_NAME);
	const files = await Promise.all(narrated.map(({ binary }) => bench.api.binary(binary!.data)));
	expect(files.map(({ length }) => length)).toEqual(narrated.map((item) => toldOf(item).bytes));
	expect(narrated.map(({ binary }) => typeof binary!.data.id)).toEqual(Array(40).fill('string'));
	expect(charged()).toEqual(rows.map(({ text }) => text).sort());
});

test('a chat streams through the webhook process and a worker, piece by piece', async () => {
	const parameters = {
		resource: 'chat',
		operation: 'complete',
		model: 'sim-chat',
		messages: { values: [{ role: 'user', content: 'Tell me something.' }] },
	};
	const streaming = { trigger: 'webhook', responseMode: 'streaming' } as const;
	const workflow = await bench.save({ parameters, ...streaming });
	const held = holdNextChat(bench.sim);
	const chunks = new N8nClient(queue.webhooks.url).stream(workflow);
	const first = chunks.next();
	const answer = await held;
	answer.say('Light');
	expect((await first).value).toMatchObject({ type: 'begin' });
	expect((await chunks.next()).value).toMatchObject({ type: 'item', content: 'Light' });
	answer.say('house');
	expect((await chunks.next()).value).toMatchObject({ type: 'item', content: 'house' });
	answer.finish();
	expect((await chunks.next()).value).toMatchObject({ type: 'end' });
});

test('workers stopped with SIGTERM finish what they have begun', async () => {
	bench.sim.fault({ input: texts[0], delayMs: 2000 });
	const workflow = await bench.save({ parameters: speech, items, trigger: 'webhook' });
	const id = await bench.api.trigger(workflow);
	await bench.sim.waitFor((requests) => requests.length > 0);
	await Promise.all(queue.workers.map(async (worker) => await worker.restart()));
	expect((await bench.api.waitForExecution(id)).status).toBe('success');
	expect(charged()).toEqual([...texts].sort());
});

test('a worker killed in flight: an item with a Send Once Key is not sent again', async () => {
	bench.sim.fault({ input: texts[0], connection: 'stall' });
	const workflow = await bench.save({
		parameters: { ...speech, options: { sendOnceKey: '={{ $json.text }}' } },
		items: [items[0]],
		trigger: 'webhook',
	});
	await bench.api.trigger(workflow);
	await bench.sim.waitFor((requests) => requests.some(({ charged: tokens }) => tokens > 0));
	await Promise.all(queue.workers.map(async (worker) => await worker.kill()));
	await Promise.all(queue.workers.map(async (worker) => await worker.restart()));
	// The same row again, as after any crash: by hand, by a schedule or by the queue itself.
	const again = await bench.api.runProduction(workflow);
	expect(again.status).toBe('success');
	expect(nodeOutputs(again, NODE_NAME)[1].map((item) => toldOf(item).reason)).toEqual([
		'already_sent',
	]);
	expect(charged()).toEqual([texts[0]]);
});
