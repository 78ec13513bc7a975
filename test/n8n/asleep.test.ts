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

let n8n: N8n;
/** One execution each time n8n is killed while both sleep, and one that looks when n8n is killed again. */
let sleeping: Bench;
let looking: Bench;
beforeAll(async () => {
	const { tarball } = sharedN8n();
	n8n = await startN8n({ tarball, version: N8N_VERSION });
	const options = { jobSeconds: Infinity, latencyMs: 20 };
	sleeping = await openBench(options, n8n.api);
	looking = await openBench(options, n8n.api);
});
afterAll(async () => {
	await sleeping?.close();
	await looking?.close();
	await n8n?.stop();
});

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

function delivered(execution: Execution, { sim }: Bench) {
	const runs = execution.data.resultData.runData[NODE_NAME].length;
	const [items] = nodeOutputs(execution, NODE_NAME, runs - 1);
	return {
		status: execution.status,
		delivered: new Set(items.filter(({ binary }) => binary?.data).map(({ json }) => json.id)).size,
		// n8n 1.100 counts what it skips when it wakes up as an empty run.
		runs: n8nIsAtLeast('1.123') ? runs : 1,
		// The items of each run of the node behind it: what is skipped at a wake-up must send nothing on.
		next: execution.data.resultData.runData.Success.map(
			(_, run) => nodeOutputs(execution, 'Success', run)[0]?.length,
		),
		submitted: sim.charges.length,
		kept: Object.keys(execution.data.executionData?.contextData?.[`node:${NODE_NAME}`] ?? {})
			.length,
	};
}
const ALL = { status: 'success', delivered: JOBS, runs: 1, next: [JOBS], submitted: JOBS, kept: 0 };

const SIGNALS = [
	['kill -9', 'SIGKILL'],
	['SIGTERM', 'SIGTERM'],
] as const;

test("Stop while it sleeps: a retry through n8n's API goes on with the same jobs", async () => {
	const id = await asleep(sleeping);
	await n8n.api.stop(id);
	sleeping.sim.finish();
	await expect(n8n.api.retry(id, { loadWorkflow: true })).rejects.toThrow(
		'use Retry with original workflow',
	);
	expect(delivered(await n8n.api.retry(id), sleeping)).toEqual(ALL);
});

// The tests build on each other: a start of n8n takes as long as all the rest.
describe.each(SIGNALS)('%s', (_, signal) => {
	let ids: { sleeping: string; looking: string };

	test('while it sleeps: it goes on by itself', async () => {
		ids = { sleeping: await asleep(sleeping), looking: await asleep(looking) };
		await n8n.kill(signal);
		await wakeAll(n8n);
		sleeping.sim.finish();
		// Of the other, some are done and fetched; the look at one more is never answered.
		const done = 1 + Math.floor(random() * (JOBS - 2));
		for (const { id } of looking.sim.jobs.slice(0, done)) looking.sim.finish(id);
		looking.sim.fault({
			path: `/v1/audio/speech/jobs/${looking.sim.jobs[done].id}`,
			connection: 'stall',
			times: Infinity,
		});
		await n8n.restart();
		const execution = await n8n.api.waitForResumed(ids.sleeping);
		expect(delivered(execution, sleeping)).toEqual(ALL);
		await looking.sim.waitFor(
			(requests) => requests.filter(({ path }) => path.endsWith('/content')).length === done,
		);
	});

	test('while it looks after a sleep: a retry goes on with the same jobs', async () => {
		await n8n.kill(signal);
		looking.sim.clearFaults();
		looking.sim.finish();
		await n8n.restart();
		expect((await n8n.api.waitForExecution(ids.looking)).status).toBe('crashed');
		// It would skip the node for good, and send its input on.
		await expect(n8n.api.retry(ids.looking, { loadWorkflow: true })).rejects.toThrow(
			'use Retry with original workflow',
		);
		expect(delivered(await n8n.api.retry(ids.looking), looking)).toEqual(ALL);
	});
});
