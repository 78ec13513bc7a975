import type { Simulator } from '../../support/simulator';
import { executionError } from '../../support/n8n/client';
import { connection, makeNode } from '../../support/workflow';
import { round, type BenchCase, type Stage } from '../case';
import { activate, httpRequest, itemsOf, MEASURED, ours, saveWith, timeOf } from '../workflows';

const JOBS = 30;
const JOB_SECONDS = 5;

/** From the ledger of the simulator: polls, and seconds from each job's completion to its download. */
function figures({ jobs, requests }: Simulator) {
	const polls = requests.filter(
		({ method, path }) => method === 'GET' && !path.endsWith('/content'),
	);
	const delays = jobs.map(({ id, readyAt }) => {
		const download = requests.find(
			({ path, status }) => status === 200 && path.endsWith(`${id}/content`),
		);
		return ((download?.at ?? NaN) - readyAt) / 1000;
	});
	const [first] = jobs;
	const end = Math.max(...requests.map(({ endedAt = 0 }) => endedAt));
	return {
		wall: (end - first.createdAt) / 1000,
		pollsPerJob: polls.length / jobs.length,
		meanDelay: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
		maxDelay: Math.max(...delays),
	};
}

/** Submit → Wait → Get → If completed → Download, else back to Wait: what users build by hand. */
async function handMadeLoop({ bench }: Stage) {
	const url = `${bench.sim.url}/v1/audio/speech/jobs`;
	const http = (name: string, more: object) => ({ ...httpRequest(bench, { ...more }), name });
	const submit = http('Submit', { url, options: { response: {} } });
	const get = http('Get', {
		method: 'GET',
		url: `=${url}/{{ $json.id }}`,
		options: { response: {} },
	});
	const download = http(MEASURED, { method: 'GET', url: `=${url}/{{ $json.id }}/content` });
	const nodes = [
		makeNode('Trigger', 'n8n-nodes-base.webhook', 2.1, 0, {
			httpMethod: 'POST',
			path: `loop-${Date.now()}`,
			options: {},
		}),
		makeNode('Items', 'n8n-nodes-base.code', 2, 100, {
			jsCode: `return (${itemsOf(JOBS)}).map((json) => ({ json }));`,
		}),
		submit,
		makeNode('Wait', 'n8n-nodes-base.wait', 1.1, 300, { amount: 1, unit: 'seconds' }),
		get,
		makeNode('Completed?', 'n8n-nodes-base.if', 1, 500, {
			conditions: { string: [{ value1: '={{ $json.status }}', value2: 'completed' }] },
		}),
		download,
	];
	const workflow = await activate(bench, {
		name: 'Hand-made loop',
		nodes: nodes.map((node) => ({ ...node, webhookId: String(nodes[0].parameters && 'loop') })),
		connections: {
			Trigger: connection(['Items']),
			Items: connection(['Submit']),
			Submit: connection(['Wait']),
			Wait: connection(['Get']),
			Get: connection(['Completed?']),
			'Completed?': connection([MEASURED, 'Wait']),
		},
		settings: { executionOrder: 'v1' },
	});
	const execution = await bench.api.runProduction(workflow);
	if (execution.status !== 'success')
		throw new Error(`the loop: ${executionError(execution)?.message}`);
	return figures(bench.sim);
}

export const jobs: BenchCase = {
	name: 'jobs',
	title: `${JOBS} jobs of ${JOB_SECONDS} s each`,
	async run(stage) {
		const { bench } = stage;
		bench.sim.options.jobSeconds = JOB_SECONDS;
		const node = ours({
			resource: 'speechJob',
			operation: 'createAndWait',
			text: '={{ $json.text }}',
			options: { pollInterval: 1 },
		});
		const execution = await bench.api.runProduction(await saveWith(bench, node, itemsOf(JOBS)));
		if (execution.status !== 'success') throw new Error(`the node ended as ${execution.status}`);
		const own = figures(bench.sim);
		const wall = timeOf(execution) / 1000;
		bench.sim.reset();
		const loop = await handMadeLoop(stage);
		bench.sim.options.jobSeconds = undefined;
		return {
			head: ['', 'seconds', 'polls per job', 'mean s from ready to download', 'longest'],
			rows: [
				['Speech Gateway, poll interval 1 s', wall, own.pollsPerJob, own.meanDelay, own.maxDelay],
				[
					'HTTP Request + Wait 1 s + If',
					loop.wall,
					loop.pollsPerJob,
					loop.meanDelay,
					loop.maxDelay,
				],
			].map(([name, ...values]) => [
				name as string,
				...values.map((value) => round(value as number)),
			]),
			checks: [{ what: 'wall / the slowest job', value: wall / JOB_SECONDS, limit: 1.12 }],
		};
	},
};
