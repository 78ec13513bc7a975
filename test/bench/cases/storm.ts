import { round, type BenchCase, type Stage } from '../case';
import { batching, httpRequest, itemsOf, oursSpeech, saveWith, timeOf } from '../workflows';

const ITEMS = 60;
const AT_ONCE = 3;
const LATENCY_MS = 100;

async function through({ bench }: Stage, node: Parameters<typeof saveWith>[1]) {
	bench.sim.reset();
	const execution = await bench.api.runProduction(await saveWith(bench, node, itemsOf(ITEMS)));
	return {
		seconds: timeOf(execution) / 1000,
		wasted: bench.sim.requests.filter(({ status }) => status === 429).length,
		billed: bench.sim.charges.length,
		status: execution.status,
	};
}

export const storm: BenchCase = {
	name: 'storm',
	title: `A gateway that takes ${AT_ONCE} requests at once (429 above), ${ITEMS} items of ${LATENCY_MS} ms`,
	async run(stage) {
		const { options } = stage.bench.sim;
		Object.assign(options, { latencyMs: LATENCY_MS, maxConcurrent: AT_ONCE });
		const ideal = (ITEMS * LATENCY_MS) / AT_ONCE / 1000;
		const settings = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1000 };
		const runs = {
			'Speech Gateway, concurrency 10': await through(stage, oursSpeech({ concurrency: 10 })),
			'Speech Gateway, default concurrency (4)': await through(stage, oursSpeech()),
			'HTTP Request, all at once, Retry On Fail': await through(
				stage,
				httpRequest(stage.bench, { settings }),
			),
			'HTTP Request, batches of 3 each 100 ms, Retry On Fail': await through(
				stage,
				httpRequest(stage.bench, { settings, options: batching(AT_ONCE, LATENCY_MS) }),
			),
		};
		options.maxConcurrent = Infinity;
		return {
			head: ['', 'ended as', 'seconds', 'over the ideal', '429s', 'billed'],
			rows: Object.entries(runs).map(([name, { status, seconds, wasted, billed }]) => [
				name,
				status,
				round(seconds),
				round(seconds / ideal),
				wasted,
				billed,
			]),
			checks: [
				{
					what: 'Speech Gateway, concurrency 10, over the ideal',
					value: runs['Speech Gateway, concurrency 10'].seconds / ideal,
					limit: 3,
				},
				{
					what: 'Speech Gateway, charges per item',
					value: runs['Speech Gateway, concurrency 10'].billed / ITEMS,
					limit: 1,
				},
			],
			notes: [`Ideal: ${ITEMS} × ${LATENCY_MS} ms / ${AT_ONCE} = ${ideal} s.`],
		};
	},
};
