import { bestOfEach, round, type BenchCase, type Stage } from '../case';
import { inFreshN8n } from '../fresh';
import { cpuOf, memoryOf, watchPeak } from '../process';
import { profiled, PROFILED } from '../profile';
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

interface Measured {
	/** Milliseconds within the node. */
	wall: number;
	/** CPU of n8n over the whole execution, ms. */
	cpu: number;
}

/** A workflow with one node over `count` items, to be run and measured any number of times. */
export async function runner({ bench, n8n }: Stage, node: Node, count: number) {
	const workflow = await saveWith(bench, node, itemsOf(count), 'lastNode');
	return async (): Promise<Measured> => {
		bench.sim.reset();
		const cpu = cpuOf(n8n.pid);
		const execution = await bench.api.runUndisturbed(workflow);
		if (execution.status !== 'success')
			throw new Error(`${node.type} ended as ${execution.status}`);
		return { wall: timeOf(execution), cpu: cpuOf(n8n.pid) - cpu };
	};
}

const rawRunner =
	({ bench }: Stage, count: number) =>
	async (): Promise<Measured> => {
		const { url, apiKey } = bench.sim;
		const { milliseconds, cpu } = await rawPool({
			url,
			apiKey,
			texts: texts(count),
			concurrency: 10,
		});
		return { wall: milliseconds, cpu };
	};

/** A hundred texts of 100 ms, ten at a time. */
export const batch: BenchCase = {
	name: 'batch',
	title: '100 texts, 100 ms each, concurrency 10',
	async run(stage) {
		const { bench } = stage;
		bench.sim.options.latencyMs = 100;
		const bounded = httpRequest(bench, { options: batching(10, 100) });
		const [own, raw, http] = await bestOfEach(
			5,
			({ wall }) => wall,
			await runner(stage, oursSpeech({ concurrency: 10 }), 100),
			rawRunner(stage, 100),
			await runner(stage, bounded, 100),
		);
		const openai = await (await runner(stage, await openAi(bench), 100))();
		return {
			head: ['client', 'seconds', 'over the raw pool'],
			rows: [
				['raw pooled client, outside n8n', raw.wall],
				['Speech Gateway', own.wall],
				['HTTP Request, batches of 10 each 100 ms', http.wall],
				['OpenAI node', openai.wall],
			].map(([name, ms]) => [
				name as string,
				round((ms as number) / 1000),
				round((ms as number) / raw.wall),
			]),
			checks: [
				{ what: 'Speech Gateway / raw pool', value: own.wall / raw.wall, limit: 1.1 },
				{
					what: 'OpenAI node / Speech Gateway',
					value: openai.wall / own.wall,
					limit: 6,
					kind: 'least',
				},
			],
			notes: [
				'HTTP Request does not bound its requests in flight: the next batch starts on time, whether or not the last is done.',
				'Where the rest goes: all that n8n does for ten answers that come at the same time, it does one after the other, in about the CPU time per item that the next table shows; and the expressions of all texts are evaluated before the first is sent. The place of a request is free only when its file is stored: where the store fails, nothing more may be sent that is paid for.',
			],
		};
	},
};

const profileOf = (count: number) => async (stage: Stage) => {
	const run = await runner(stage, oursSpeech({ concurrency: 10 }), count);
	for (let i = 0; i < 2; i++) await run();
	return await profiled(stage.n8n, run);
};

/** A thousand small items: what the node costs beside the network. */
export const small: BenchCase = {
	name: 'small',
	title: '1,000 small items, 5 ms each, concurrency 10: CPU per item',
	async run(stage) {
		const { bench } = stage;
		const COUNT = 1000;
		bench.sim.options.latencyMs = 5;
		const bounded = httpRequest(bench, { options: batching(10, 20) });
		const [nothing, own, http, raw] = await bestOfEach(
			3,
			({ cpu }) => cpu,
			await runner(stage, makeNode(MEASURED, 'n8n-nodes-base.noOp', 1, 400, {}), COUNT),
			await runner(stage, oursSpeech({ concurrency: 10 }), COUNT),
			await runner(stage, bounded, COUNT),
			rawRunner(stage, COUNT),
		);
		const perItem = (cpu: number) => (cpu - nothing.cpu) / COUNT;
		const work = await inFreshN8n(stage, { latencyMs: 5 }, profileOf(COUNT), PROFILED);
		const all = work.reduce((sum, [, milliseconds]) => sum + milliseconds, 0);
		const shares = work.map(
			([owner, milliseconds]) => `${owner} ${Math.round((100 * milliseconds) / all)} %`,
		);
		return {
			head: ['client', 'seconds', 'CPU ms per item', 'more than the raw pool'],
			rows: [
				['raw pooled client, outside n8n', raw.wall, raw.cpu / COUNT] as const,
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
					limit: 2,
					unit: 'ms',
				},
			],
			notes: [
				'The CPU of a workflow with a No Operation node in its place is taken off.',
				`Whose CPU it is, by a profile of n8n’s main thread: ${shares.join('; ')}. n8n opens a connection for each request, evaluates the expression of each text, and writes, closes and renames two files for each result.`,
			],
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
		const node = oursSpeech({ concurrency: 10 });
		await warmUp(stage, node);
		const rows: number[][] = [];
		for (const count of [10, 100, 1000, 5000]) rows.push(await grown(stage, node, count));
		const [, , thousand, most] = rows;
		const http = await inFreshN8n(stage, { latencyMs: 1 }, async (fresh) => {
			const bounded = httpRequest(fresh.bench, { options: batching(10, 20) });
			await warmUp(fresh, bounded);
			return await grown(fresh, bounded, 5000);
		});
		return {
			head: ['items', 'ms per item', 'peak memory above before, MB', 'for an item'],
			rows: [
				...rows.map((row) => row.map(round)),
				['5000, HTTP Request in batches of 10 each 20 ms', ...http.slice(1).map(round)],
			],
			checks: [
				{ what: 'time per item, 5,000 / 1,000 items', value: most[1] / thousand[1], limit: 1.3 },
				{ what: 'memory for an item of 5,000', value: most[3], limit: 0.1, unit: 'MB' },
			],
		};
	},
};

/** n8n's code is compiled, its heap has grown. */
async function warmUp(stage: Stage, node: Node) {
	const run = await runner(stage, node, 200);
	for (let i = 0; i < 3; i++) await run();
}

async function grown(stage: Stage, node: Node, count: number): Promise<number[]> {
	const run = await runner(stage, node, count);
	const held = memoryOf(stage.n8n.pid);
	const peak = watchPeak(stage.n8n.pid);
	const { wall } = await run();
	const growth = peak() - held;
	return [count, wall / count, growth, growth / count];
}
