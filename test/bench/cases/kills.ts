import { openBench, type Bench } from '../../support/n8n/bench';
import { nodeOutputs, type Execution } from '../../support/n8n/client';
import { wakeAll } from '../../support/n8n/database';
import { N8N_VERSIONS } from '../../support/n8n/install';
import { startN8n, type N8n } from '../../support/n8n/server';
import { NODE_NAME, sleepingBatch } from '../../support/workflow';
import type { BenchCase } from '../case';

const JOBS = 20;
/** Of those, so many are submitted, or looked at, when n8n is killed. */
const SOME = 8;

interface Stage {
	n8n: N8n;
	bench: Bench;
	/** More options of the node. */
	options?: object;
}

async function start({ bench, options }: Stage): Promise<string> {
	const workflow = await bench.save(sleepingBatch(JOBS, { concurrency: 2, ...options }));
	return await bench.api.trigger(workflow);
}

async function asleep(stage: Stage): Promise<string> {
	const id = await start(stage);
	await stage.bench.api.waitForExecution(id);
	return id;
}

/** n8n goes on by itself with what sleeps; waits for the end. */
async function wakeUp({ n8n, bench }: Stage, id: string): Promise<Execution> {
	await wakeAll(n8n);
	await n8n.restart();
	return await bench.api.waitForResumed(id);
}

/** "Retry execution"; should it go to sleep again, until its end. */
async function retry(stage: Stage, id: string): Promise<Execution> {
	const { n8n, bench } = stage;
	await n8n.restart();
	await bench.api.waitForExecution(id);
	const retried = await bench.api.retry(id);
	return retried.status === 'waiting' ? await wakeUp(stage, retried.id) : retried;
}

/** What is killed when, and how it goes on. */
const MOMENTS: Record<string, (stage: Stage) => Promise<Execution>> = {
	async 'asleep | by itself'(stage) {
		const id = await asleep(stage);
		await stage.n8n.kill();
		stage.bench.sim.finish();
		return await wakeUp(stage, id);
	},
	async 'looking and downloading after a sleep | Retry'(stage) {
		const { n8n, bench } = stage;
		const id = await asleep(stage);
		await n8n.kill();
		for (const job of bench.sim.jobs.slice(0, SOME)) bench.sim.finish(job.id);
		const path = `/v1/audio/speech/jobs/${bench.sim.jobs[SOME].id}`;
		bench.sim.fault({ path, connection: 'stall', times: Infinity });
		await wakeAll(n8n);
		await n8n.restart();
		await bench.sim.waitFor(
			(requests) => requests.filter((one) => one.path.endsWith('/content')).length === SOME,
		);
		await n8n.kill();
		bench.sim.clearFaults();
		bench.sim.finish();
		return await retry(stage, id);
	},
	'submitting, with a Send Once Key | Retry': async (stage) =>
		await whileSubmitting({ ...stage, options: { sendOnceKey: '={{ $json.text }}' } }),
	'submitting, without | Retry': async (stage) => await whileSubmitting(stage),
};

async function whileSubmitting(stage: Stage): Promise<Execution> {
	const { n8n, bench } = stage;
	const { sim } = bench;
	sim.fault({ method: 'POST', connection: 'stall', nth: SOME + 1, times: Infinity });
	const id = await start(stage);
	await sim.waitFor(() => sim.jobs.length >= SOME);
	await n8n.kill();
	sim.clearFaults();
	sim.finish();
	sim.options.jobSeconds = 0;
	return await retry(stage, id);
}

/** What is kept of a batch of jobs when n8n is killed. */
export const kills: BenchCase = {
	name: 'kills',
	title: `kill -9 of n8n in a batch of ${JOBS} jobs with While Waiting: Sleep`,
	asked: true,
	async run({ tarball, log }) {
		const rows: Array<Array<string | number>> = [];
		for (const version of N8N_VERSIONS) {
			const n8n = await startN8n({ tarball, version });
			const bench = await openBench({ jobSeconds: Infinity, latencyMs: 20 }, n8n.api);
			try {
				for (const [moment, kill] of Object.entries(MOMENTS)) {
					bench.sim.reset();
					bench.sim.options.jobSeconds = Infinity;
					const execution = await kill({ n8n, bench });
					const texts = bench.sim.charges.map(({ input }) => input);
					const [success, unknown] = nodeOutputs(execution, NODE_NAME);
					const row = [
						version,
						...moment.split(' | '),
						execution.status,
						success.filter(({ binary }) => binary).length,
						unknown.length,
						new Set(texts).size,
						texts.length - new Set(texts).size,
					];
					rows.push(row);
					log(row.join(' '));
				}
			} finally {
				await bench.close();
				await n8n.stop();
			}
		}
		return {
			head: [
				'n8n',
				'killed while',
				'goes on',
				'ends as',
				'delivered',
				'on Unknown',
				'submitted',
				'submitted twice',
			],
			rows,
			checks: [
				{
					what: 'jobs submitted twice, where the table does not say “without”',
					value: rows
						.filter(([, moment]) => !String(moment).includes('without'))
						.reduce((sum, row) => sum + Number(row.at(-1)), 0),
					limit: 0,
				},
			],
		};
	},
};
