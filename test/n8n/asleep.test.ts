/* While Waiting: Sleep, in an n8n that is stopped and killed: every job is submitted once and delivered. */
import { type Bench, openBench } from '../support/n8n/bench';
import { type Execution, nodeOutputs } from '../support/n8n/client';
import { wakeAll } from '../support/n8n/database';
import { type N8n, startN8n } from '../support/n8n/server';
import { N8N_VERSION, n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';
import { seededRandom } from '../support/simulator/world';
import { NODE_NAME, sleepingBatch } from '../support/workflow';

const JOBS = 20;
const SEED = 7;
const random = seededRandom(SEED);
const TEST_LIMIT_MS = 300_000;

let n8n: N8n;
let bench: Bench;
beforeAll(async () => {
	const { tarball } = sharedN8n();
	n8n = await startN8n({ tarball, version: N8N_VERSION });
	bench = await openBench({ jobSeconds: Infinity, latencyMs: 20 }, n8n.api);
}, TEST_LIMIT_MS);
beforeEach(() => bench.sim.reset());
afterAll(async () => {
	await bench?.close();
	await n8n?.stop();
});

/** Starts a batch in production; it has submitted its jobs and sleeps when this returns its id. */
async function asleep(): Promise<string> {
	const workflow = await bench.save(sleepingBatch(JOBS, { concurrency: 5 }));
	const id = await bench.api.trigger(workflow);
	expect((await bench.api.waitForExecution(id)).status).toBe('waiting');
	expect(bench.sim.jobs).toHaveLength(JOBS);
	return id;
}

function delivered(execution: Execution) {
	const runs = execution.data.resultData.runData[NODE_NAME].length;
	const [items] = nodeOutputs(execution, NODE_NAME, runs - 1);
	return {
		status: execution.status,
		delivered: new Set(items.filter(({ binary }) => binary?.data).map(({ json }) => json.id)).size,
		// n8n 1.100 counts what it skips when it wakes up as an empty run.
		runs: n8nIsAtLeast('1.123') ? runs : 1,
		next: nodeOutputs(execution, 'Success')[0].length,
		submitted: bench.sim.charges.length,
		kept: Object.keys(execution.data.executionData?.contextData?.[`node:${NODE_NAME}`] ?? {})
			.length,
	};
}
const ALL = { status: 'success', delivered: JOBS, runs: 1, next: JOBS, submitted: JOBS, kept: 0 };

const SIGNALS = [
	['kill -9', 'SIGKILL'],
	['SIGTERM', 'SIGTERM'],
] as const;

test.each(SIGNALS)(
	'%s while it sleeps: it goes on by itself',
	async (_, signal) => {
		const id = await asleep();
		const shown = nodeOutputs(await bench.api.execution(id), NODE_NAME)[0];
		expect(shown.map(({ json }) => json.id).sort()).toEqual(
			bench.sim.jobs.map((job) => job.id).sort(),
		);
		bench.sim.finish();
		await n8n.kill(signal);
		await wakeAll(n8n);
		await n8n.restart();
		expect(delivered(await bench.api.waitForResumed(id))).toEqual(ALL);
	},
	TEST_LIMIT_MS,
);

test.each(SIGNALS)(
	'%s while it looks after a sleep: a retry goes on with the same jobs',
	async (_, signal) => {
		const id = await asleep();
		await n8n.kill();
		await wakeAll(n8n);
		// Some are done and fetched; the look at one more is never answered.
		const done = 1 + Math.floor(random() * (JOBS - 2));
		for (const { id: job } of bench.sim.jobs.slice(0, done)) bench.sim.finish(job);
		const hung = bench.sim.jobs[done].id;
		bench.sim.fault({
			path: `/v1/audio/speech/jobs/${hung}`,
			connection: 'stall',
			times: Infinity,
		});
		await n8n.restart();
		await bench.sim.waitFor(
			(requests) => requests.filter((request) => request.path.endsWith('/content')).length === done,
		);
		await n8n.kill(signal);
		bench.sim.clearFaults();
		bench.sim.finish();
		await n8n.restart();
		expect((await bench.api.waitForExecution(id)).status).toBe('crashed');
		expect(delivered(await bench.api.retry(id))).toEqual(ALL);
	},
	TEST_LIMIT_MS,
);
