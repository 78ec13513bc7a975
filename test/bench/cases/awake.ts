/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { poll } from '../../support/n8n/client';
import {
	round,
	type BenchCase,
	type Stage,
	inFreshN8n,
	memoryOf,
	watchPeak,
	floor,
	itemsOf,
	oursSpeech,
	saveWith,
} from '../stage';

const ITEMS = 20_000;

/** In a thread of its own, which nothing else keeps from looking: asks for n8n's health until it is told to end. */
const WATCH = `
	const { parentPort, workerData } = require('node:worker_threads');
	let longest = 0;
	let isOver = false;
	parentPort.once('message', () => (isOver = true));
	(async () => {
		while (!isOver) {
			const from = performance.now();
			await (await fetch(workerData)).text();
			longest = Math.max(longest, performance.now() - from);
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		parentPort.postMessage(longest);
	})();`;

/** The longest that n8n does not answer while the items run, ms, and by how much it grows, MB. */
async function watched({ n8n, bench }: Stage, node: Parameters<typeof saveWith>[1]) {
	const few = await saveWith(bench, node, itemsOf(200));
	for (let i = 0; i < 3; i++) await bench.api.runUndisturbed(few);
	const many = await saveWith(bench, node, itemsOf(ITEMS));
	const [before, peak] = [memoryOf(n8n.pid), watchPeak(n8n.pid)];
	const health = new Worker(WATCH, { eval: true, workerData: `${n8n.url}/healthz` });
	await (await bench.api.callWebhook(many)).text();
	// Without its data, which n8n would read in one go.
	await poll('the end of the items', async () => {
		const [{ status }] = await bench.api.executions(many.id);
		return status === 'running' ? undefined : status;
	});
	const found = once(health, 'message');
	health.postMessage('end');
	const [longest] = (await found) as [number];
	return [longest, peak() - before];
}

export const awake: BenchCase = {
	name: 'awake',
	title: `${ITEMS.toLocaleString('en')} items: how long n8n does not answer its health check`,
	async run({ tarball }) {
		const sent = oursSpeech({ concurrency: 10 });
		const own = await inFreshN8n(tarball, async (stage) => await watched(stage, sent));
		const least = await inFreshN8n(
			tarball,
			async (stage) => await watched(stage, floor(stage.bench, 10)),
		);
		const refused = await inFreshN8n(tarball, async (stage) => {
			stage.bench.sim.fault({ method: 'POST', status: 401, times: Infinity });
			return await watched(stage, sent);
		});
		const rows = { 'Speech Gateway': own, 'the floor': least, 'Speech Gateway, refused': refused };
		return {
			head: ['', 'longest, ms', 'n8n grew by, MB'],
			rows: Object.entries(rows).map(([name, figures]) => [name, ...figures.map(round)]),
			checks: [
				{ what: 'longest, refused', value: refused[0], limit: 500, unit: 'ms' },
				{ what: 'growth, refused', value: refused[1], limit: 400, unit: 'MB' },
				{ what: "longest, over the floor's", value: own[0] / least[0], limit: 1.2 },
			],
		};
	},
};
