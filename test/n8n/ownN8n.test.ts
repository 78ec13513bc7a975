/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
/* What needs an n8n of its own: its disk is full, it blocks an address, it is killed and started again. The tests build on each other. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bench, openBench } from '../support/n8n/bench';
import {
	type Execution,
	executionError,
	nodeOutputs,
	type SavedWorkflow,
} from '../support/n8n/client';
import { wakeAll } from '../support/n8n/database';
import { type N8n, startN8n } from '../support/n8n/server';
import { n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';
import type { SimulatorOptions } from '../support/simulator';
import { NODE_NAME, sleepingBatch } from '../support/workflow';

const mount = (...args: string[]) => spawnSync('mount', args).status === 0;
const disk = mkdtempSync(path.join(tmpdir(), 'full-disk-'));
/** Only root may mount. */
const isMounted = mount('-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk);

let n8n: N8n;
const benches: Bench[] = [];
beforeAll(async () => {
	const { tarball, version } = sharedN8n();
	const env = {
		N8N_BINARY_DATA_STORAGE_PATH: isMounted ? disk : undefined,
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		N8N_SSRF_BLOCKED_IP_RANGES: '127.0.0.2/32',
	};
	n8n = await startN8n({ tarball, version, binaryMode: 'filesystem', env });
});
afterAll(async () => {
	for (const bench of benches) await bench.close();
	await n8n?.stop();
	if (isMounted) spawnSync('umount', [disk]);
	rmSync(disk, { recursive: true });
});

async function open(options?: SimulatorOptions): Promise<Bench> {
	const bench = await openBench(options, n8n.api);
	benches.push(bench);
	return bench;
}

const speech = (options: object) => ({
	...{ resource: 'speech', operation: 'generate', text: '={{ $json.text }}' },
	...{ responseFormat: 'wav', options },
});

(isMounted ? test : test.skip)(
	'a disk of 4 MB: 12 of 40 files fit, four more are paid for, none is lost, also if the failed execution is deleted',
	async () => {
		const { sim, api, run } = await open({ latencyMs: 20, secondsPerCharacter: 0.5 });
		const failed = await run({
			parameters: speech({ concurrency: 4 }),
			items: Array.from({ length: 40 }, (_, index) => ({ text: `This is row ${index + 10}.` })),
			trigger: 'webhook',
		});
		const { message, description } = executionError(failed)!;
		expect(sim.charges.length).toBeLessThanOrEqual(12 + 4);
		expect(message).toContain('not sent: n8n could not store a file that was paid for');
		expect(description).toContain('no space left on device');
		expect(description).toContain(`${sim.charges.length} of 40 items are done and kept`);

		mount('-o', 'remount,size=64m', disk);
		const [items] = nodeOutputs(await api.retry(failed.id), NODE_NAME);
		await api.deleteExecution(failed.id);
		const files = await Promise.all(
			items.map(async ({ binary }) => await api.binary(binary!.data)),
		);
		expect(files.map(({ length }) => length)).toEqual(items.map(({ json }) => json.bytes));
		expect(new Set(sim.charged()).size).toBe(40);
		expect([files.length, sim.charges.length]).toEqual([40, 40]);
	},
);

// n8n 1 blocks no addresses.
(n8nIsAtLeast('2.41') ? test : test.skip)(
	'an address that n8n blocks: a clear error, nothing sent, nothing unknown',
	async () => {
		const { sim, api, save } = await open();
		const workflow = await save({ parameters: speech({}), items: [{ text: 'Hello.' }] });
		const data = { apiKey: sim.apiKey, baseUrl: sim.url.replace('127.0.0.1', '127.0.0.2') };
		const blocked = await api.createCredential('speechGatewayApi', data);
		const execution = await api.run(await api.importWorkflow(workflow, [blocked]));
		expect(executionError(execution)?.message).toBe(
			'The gateway cannot be reached: n8n blocks this address (SSRF protection)',
		);
		expect(sim.requests).toEqual([]);
	},
);

const JOBS = 10;

/** Starts a batch in production; it has submitted its jobs, shows them, and sleeps when this returns its id. */
async function asleep({ sim, save, api }: Bench): Promise<string> {
	sim.reset();
	const id = await api.trigger(await save(sleepingBatch(JOBS, { concurrency: 5, timeout: 600 })));
	const execution = await api.waitForExecution(id);
	expect(execution.status).toBe('waiting');
	expect(sim.jobs).toHaveLength(JOBS);
	const shown = nodeOutputs(execution, NODE_NAME)[0].map(({ json }) => json.id);
	expect(shown.sort()).toEqual(sim.jobs.map((job) => job.id).sort());
	return id;
}

/** Each job was submitted once and delivered once, in one run of the node, and nothing of the ledger stays. */
function expectDelivered(execution: Execution, { sim }: Bench): void {
	const { resultData, executionData } = execution.data;
	const runs = resultData.runData[NODE_NAME].length;
	const [items] = nodeOutputs(execution, NODE_NAME, runs - 1);
	expect({
		status: execution.status,
		delivered: new Set(items.filter(({ binary }) => binary?.data).map(({ json }) => json.id)).size,
		// n8n 1.100 counts what it skips when it wakes up as an empty run.
		runs: n8nIsAtLeast('1.123') ? runs : 1,
		// The items of each run of the node behind it: what is skipped at a wake-up must send nothing on.
		next: resultData.runData.Success.map(
			(_, run) => nodeOutputs(execution, 'Success', run)[0]?.length,
		),
		submitted: sim.charges.length,
		ledger: executionData?.contextData?.[`node:${NODE_NAME}`] ?? {},
	}).toEqual({
		...{ status: 'success', delivered: JOBS, runs: 1, next: [JOBS], submitted: JOBS, ledger: {} },
	});
}

/** With the current workflow, n8n would skip the node for good, and send its input on. */
async function retriedAsItWas(id: string): Promise<Execution> {
	await expect(n8n.api.retry(id, { loadWorkflow: true })).rejects.toThrow(
		'use Retry with original workflow',
	);
	return await n8n.api.retry(id);
}

describe('jobs that are waited for asleep', () => {
	const options = { jobSeconds: Infinity, latencyMs: 20 };
	let sleeping: Bench;
	/** It looks after its jobs when n8n is killed again. */
	let looking: Bench;
	let lookingId: string;
	beforeAll(async () => {
		sleeping = await open(options);
		looking = await open(options);
	});

	test('Stop: a retry goes on with the same jobs', async () => {
		const id = await asleep(sleeping);
		await n8n.api.stop(id);
		sleeping.sim.finish();
		expectDelivered(await retriedAsItWas(id), sleeping);
	});

	test('kill -9: they go on by themselves; what was in flight is not sent again by a retry', async () => {
		const sleepingId = await asleep(sleeping);
		lookingId = await asleep(looking);
		const text = 'This is in flight.';
		const inFlight = await open();
		inFlight.sim.fault({ input: text, connection: 'stall' });
		const parameters = speech({ maxRetries: 0, sendOnceKey: '={{ $json.text }}' });
		const workflow = await inFlight.save({ parameters, items: [{ text }], trigger: 'webhook' });
		const inFlightId = await n8n.api.trigger(workflow);
		await inFlight.sim.waitFor((requests) => requests.some(({ charged }) => charged > 0));
		await n8n.kill();
		await wakeAll(n8n);
		sleeping.sim.finish();
		// Of the other, some are done and fetched; the look at one more is never answered.
		const done = JOBS / 2;
		for (const { id } of looking.sim.jobs.slice(0, done)) looking.sim.finish(id);
		looking.sim.fault({
			path: `/v1/audio/speech/jobs/${looking.sim.jobs[done].id}`,
			connection: 'stall',
			times: Infinity,
		});
		await n8n.restart();

		expectDelivered(await n8n.api.waitForResumed(sleepingId), sleeping);
		expect((await n8n.api.waitForExecution(inFlightId)).status).toBe('crashed');
		const [, unknown] = nodeOutputs(await n8n.api.retry(inFlightId), NODE_NAME);
		expect(unknown.map(({ json }) => json.reason)).toEqual(['already_sent']);
		expect(inFlight.sim.charged()).toEqual([text]);
		await looking.sim.waitFor(
			(requests) => requests.filter(({ path }) => path.endsWith('/content')).length === done,
		);
	});

	test('SIGTERM while it looks: a retry goes on with the same jobs', async () => {
		paying = await openRepeated();
		await n8n.kill('SIGTERM');
		looking.sim.clearFaults();
		looking.sim.finish();
		await n8n.restart();
		expect((await n8n.api.waitForExecution(lookingId)).status).toBe('crashed');
		expectDelivered(await retriedAsItWas(lookingId), looking);
	});
});

let paying: Repeated;

// n8n's nodes make tables from 2.3 on.
(n8nIsAtLeast('2.3') ? test : test.skip)(
	'a key that was paid for before n8n was restarted gets its file again, from a data table',
	async () => {
		const { bench, workflow, first } = paying;
		const again = await n8n.api.runProduction(workflow);
		const [[one], [two]] = [first, again].map((execution) => nodeOutputs(execution, NODE_NAME)[0]);
		expect(two.json).toMatchObject({ replayed: true, sentIn: first.id });
		expect(two.binary!.data.id).not.toBe(one.binary!.data.id);
		const [file, copy] = await Promise.all(
			[one, two].map(async ({ binary }) => await bench.api.binary(binary!.data)),
		);
		expect(copy.equals(file)).toBe(true);
		expect(bench.sim.charges).toHaveLength(1);
		// The sub-workflows that use the table leave no executions.
		expect(await bench.api.executions(workflow.id)).toHaveLength(2);
	},
);

interface Repeated {
	bench: Bench;
	workflow: SavedWorkflow;
	first: Execution;
}

/** A workflow that gives results again, and its first execution. */
async function openRepeated(): Promise<Repeated> {
	const bench = await open();
	const workflow = await bench.save({
		parameters: speech({ sendOnceKey: 'order 1', whenSentBefore: 'again' }),
		items: [{ text: 'Thank you for your order.' }],
		trigger: 'webhook',
	});
	return { bench, workflow, first: await n8n.api.runProduction(workflow) };
}
