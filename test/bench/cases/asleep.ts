/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { setTimeout as wait } from 'node:timers/promises';
import { openBench } from '../../support/n8n/bench';
import { query } from '../../support/n8n/database';
import { startN8n, type N8n } from '../../support/n8n/server';
import { round, type BenchCase } from '../case';
import { held, PROBED } from '../process';
import { itemsOf, ours, oursSpeech, saveWith } from '../workflows';

const EXECUTIONS = 50;
const JOBS = 10;
const CHARACTERS = 5_000;
/** n8n's code and caches have settled after so many. */
const FIRST = 10;
/** By then, those that sleep have not woken up yet. */
const PATIENCE_MS = 20_000;

type Mode = 'stay' | 'sleep';

async function waiting(tarball: string, whileWaiting: Mode) {
	const n8n = await startN8n({
		tarball,
		env: {
			N8N_CONCURRENCY_PRODUCTION_LIMIT: String(EXECUTIONS),
			...PROBED,
		},
	});
	const bench = await openBench({ latencyMs: 1, jobSeconds: 0 }, n8n.api);
	try {
		const { api, sim } = bench;
		const node = ours({
			resource: 'speechJob',
			operation: 'createAndWait',
			text: '={{ $json.text }}',
			options: { whileWaiting, pollInterval: 10 },
		});
		const text = `'x'.repeat(${CHARACTERS})`;
		const jobs = `Array.from({ length: ${JOBS} }, () => ({ text: ${text} }))`;
		const workflow = await saveWith(bench, node, jobs);
		const single = await saveWith(bench, oursSpeech(), itemsOf(1));
		// What the first executions load is not that of waiting.
		await api.runProduction(single);
		sim.options.jobSeconds = Infinity;
		const state = whileWaiting === 'stay' ? 'running' : 'waiting';
		const startUpTo = async (count: number) => {
			for (let i = sim.jobs.length / JOBS; i < count; i++) {
				await api.callWebhook(webhookOf(workflow));
				await sim.waitFor(() => sim.jobs.length === (i + 1) * JOBS);
			}
			while ((await countOf(n8n))[state] < count) await wait(100);
			return await held(n8n);
		};
		const before = await startUpTo(FIRST);
		const after = await startUpTo(EXECUTIONS);
		const counted = await countOf(n8n);
		const [{ bytes }] = await query<{ bytes: number }>(
			n8n,
			`SELECT sum(length(d.data)) AS bytes FROM execution_data d JOIN execution_entity e ON e.id = d.executionId WHERE e.status = '${state}'`,
		);

		// One more, while all of them wait. n8n answers its caller when it may begin, or not at all.
		const from = Date.now();
		api.callWebhook(webhookOf(single)).catch(() => {});
		const spoken = () => sim.charges.some(({ kind }, at) => kind === 'speech' && at > 0);
		while (!spoken() && Date.now() - from < PATIENCE_MS) await wait(20);
		return {
			...counted,
			rows: counted[state],
			kilobytes: (bytes ?? 0) / 1024 / EXECUTIONS,
			heap: ((after.heap - before.heap) * 1024) / (EXECUTIONS - FIRST),
			rss: ((after.rss - before.rss) * 1024) / (EXECUTIONS - FIRST),
			next: spoken() ? `${round((Date.now() - from) / 1000)} s` : 'not while they wait',
		};
	} finally {
		await bench.close();
		await n8n.kill();
		await n8n.stop();
	}
}

const webhookOf = ({ nodes }: { nodes: Array<{ type: string; parameters: object }> }): string =>
	(nodes.find(({ type }) => type.endsWith('.webhook'))!.parameters as { path: string }).path;

async function countOf(n8n: N8n) {
	const rows = await query<{ status: string; count: number }>(
		n8n,
		'SELECT status, count(*) AS count FROM execution_entity GROUP BY status',
	);
	const of = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
	return {
		running: of('running'),
		waiting: of('waiting'),
	};
}

/** What an execution costs n8n while it waits: in n8n's memory, or in its database. */
export const asleep: BenchCase = {
	name: 'asleep',
	title: `${EXECUTIONS} executions wait, each for ${JOBS} jobs of ${CHARACTERS.toLocaleString('en')} characters`,
	async run({ tarball }) {
		const stay = await waiting(tarball, 'stay');
		const sleep = await waiting(tarball, 'sleep');
		type Key = keyof typeof stay;
		const both = (key: Key) =>
			[stay, sleep].map(({ [key]: value }) => (typeof value === 'number' ? round(value) : value));
		return {
			head: ['', 'Stay Awake', 'Sleep'],
			rows: [
				['heap of n8n for one of them, KB', ...both('heap')],
				['resident memory of n8n for one of them, KB', ...both('rss')],
				['executions that run', ...both('running')],
				['executions that are parked', ...both('waiting')],
				[`one more, when n8n may run ${EXECUTIONS}, is spoken after`, ...both('next')],
				['rows in the table of executions', ...both('rows')],
				['data in the database for one of them, KB', ...both('kilobytes')],
			],
			checks: [
				{ what: 'executions that run while they sleep', value: sleep.running, limit: 0 },
				{ what: 'heap, asleep / awake', value: sleep.heap / stay.heap, limit: 0.5 },
			],
		};
	},
};
