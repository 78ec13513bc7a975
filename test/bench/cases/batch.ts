import { best, round, type BenchCase, type Stage } from '../case';
import { cpuOf, memoryOf, watchPeak } from '../process';
import { rawPool } from '../rawPool';
import {
	batching,
	httpRequest,
	itemsOf,
	openAi,
	oursSpeech,
	saveWith,
	timeOf,
	MEASURED,
} from '../workflows';
import { makeNode } from '../../support/workflow';

const texts = (count: number) =>
	Array.from({ length: count }, (_, index) => `Text number ${index} of the bench.`);

type Node = Parameters<typeof saveWith>[1];

/** Runs a workflow with one node over `count` items; ms within the node, and CPU ms of n8n over the whole execution. */
export async function measure(
	{ bench, n8n }: Stage,
	node: Node,
	count: number,
	times = 1,
	by: 'wall' | 'cpu' = 'wall',
) {
	const workflow = await saveWith(bench, node, itemsOf(count));
	return await best(
		times,
		async () => {
			bench.sim.reset();
			const cpu = cpuOf(n8n.pid);
			const execution = await bench.api.runProduction(workflow);
			if (execution.status !== 'success')
				throw new Error(`${node.type} ended as ${execution.status}`);
			return {
				wall: timeOf(execution),
				cpu: cpuOf(n8n.pid) - cpu,
				billed: bench.sim.charges.length,
			};
		},
		(result) => result[by],
	);
}

/** A hundred texts of 100 ms, ten at a time. */
export const batch: BenchCase = {
	name: 'batch',
	title: '100 texts, 100 ms each, concurrency 10',
	async run(stage) {
		const { bench } = stage;
		bench.sim.options.latencyMs = 100;
		const own = await measure(stage, oursSpeech({ concurrency: 10 }), 100, 5);
		const bounded = httpRequest(bench, { options: batching(10, 100) });
		const http = await measure(stage, bounded, 100, 3);
		const openai = await measure(stage, await openAi(bench), 100);
		const raw = await best(
			5,
			async () =>
				await rawPool({
					url: bench.sim.url,
					apiKey: bench.sim.apiKey,
					texts: texts(100),
					concurrency: 10,
				}),
			({ milliseconds }) => milliseconds,
		);
		return {
			head: ['client', 'seconds', 'over the raw pool'],
			rows: [
				['raw pooled client, outside n8n', raw.milliseconds],
				['Speech Gateway', own.wall],
				['HTTP Request, batches of 10 each 100 ms', http.wall],
				['OpenAI node', openai.wall],
			].map(([name, ms]) => [
				name as string,
				round((ms as number) / 1000),
				round((ms as number) / raw.milliseconds),
			]),
			checks: [
				{ what: 'Speech Gateway / raw pool', value: own.wall / raw.milliseconds, limit: 1.3 },
				{
					what: 'OpenAI node / Speech Gateway',
					value: openai.wall / own.wall,
					limit: 6,
					kind: 'least',
				},
			],
			notes: [
				'HTTP Request does not bound its requests in flight: the next batch starts on time, whether or not the last is done.',
				'Where the rest goes: all items are read and checked before the first request (an expression is about 1 ms), and n8n reads and decrypts the credential for each request, opens a connection for each, and writes two files for each result.',
			],
		};
	},
};

/** A thousand small items: what the node costs beside the network. */
export const small: BenchCase = {
	name: 'small',
	title: '1,000 small items, 5 ms each, concurrency 10: CPU per item',
	async run(stage) {
		const { bench } = stage;
		const COUNT = 1000;
		bench.sim.options.latencyMs = 5;
		const nothing = await measure(
			stage,
			makeNode(MEASURED, 'n8n-nodes-base.noOp', 1, 400, {}),
			COUNT,
			5,
			'cpu',
		);
		const own = await measure(stage, oursSpeech({ concurrency: 10 }), COUNT, 5, 'cpu');
		const bounded = httpRequest(bench, { options: batching(10, 20) });
		const http = await measure(stage, bounded, COUNT, 5, 'cpu');
		const { url, apiKey } = bench.sim;
		const raw = await best(
			5,
			async () => await rawPool({ url, apiKey, texts: texts(COUNT), concurrency: 10 }),
			({ cpu }) => cpu,
		);
		const perItem = (cpu: number) => (cpu - nothing.cpu) / COUNT;
		return {
			head: ['client', 'seconds', 'CPU ms per item', 'more than the raw pool'],
			rows: [
				['raw pooled client, outside n8n', raw.milliseconds, raw.cpu / COUNT] as const,
				['Speech Gateway', own.wall, perItem(own.cpu)] as const,
				['HTTP Request, batches of 10 each 20 ms', http.wall, perItem(http.cpu)] as const,
			].map(([name, ms, cpu]) => [
				name,
				round(ms / 1000),
				round(cpu),
				round(cpu - raw.cpu / COUNT),
			]),
			checks: [
				{
					what: 'Speech Gateway, CPU per item over the raw pool',
					value: perItem(own.cpu) - raw.cpu / COUNT,
					limit: 3,
					unit: 'ms',
				},
			],
			notes: ['The CPU of a workflow with a No Operation node in its place is taken off.'],
		};
	},
};

/** Ten to five thousand items: nothing may grow faster than the items. */
export const growth: BenchCase = {
	name: 'growth',
	title: '10 to 5,000 items, 1 ms each, concurrency 10',
	fresh: true,
	async run(stage) {
		stage.bench.sim.options.latencyMs = 1;
		await measure(stage, oursSpeech({ concurrency: 10 }), 200, 3); // n8n's code is compiled, its heap has grown
		const rows: number[][] = [];
		for (const count of [10, 100, 1000, 5000]) {
			const held = memoryOf(stage.n8n.pid);
			const peak = watchPeak(stage.n8n.pid);
			const { wall } = await measure(
				stage,
				oursSpeech({ concurrency: 10 }),
				count,
				count > 1000 ? 1 : 2,
			);
			rows.push([count, wall / count, peak() - held]);
		}
		const [, , thousand, most] = rows;
		return {
			head: ['items', 'ms per item', 'peak memory above before, MB'],
			rows: rows.map((row) => row.map(round)),
			checks: [
				{ what: 'time per item, 5,000 / 1,000 items', value: most[1] / thousand[1], limit: 1.3 },
			],
		};
	},
};
