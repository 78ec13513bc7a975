/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { setTimeout as wait } from 'node:timers/promises';
import { round, type BenchCase, type Stage } from '../case';
import { inFreshN8n } from '../fresh';
import { held, memoryOf, PROBED, watchPeak } from '../process';
import { oursSpeech, saveWith, timeOf } from '../workflows';

const CONCURRENCY = 8;
/** The service takes 45 ms for a character; this is quicker, in the same proportion. */
const MS_PER_CHARACTER = 1;
/** Where memory alone is looked at. */
const QUICK_MS_PER_CHARACTER = 0.2;
const LOOK_EACH_MS = 500;
const BOOK = 1_000_000;

const SENTENCE = 'The quick brown fox jumps over the lazy dog, and the dog does not mind at all. ';

/** A book, or less, to be spoken; n8n is not asked for anything meanwhile. */
async function saveText({ bench }: Stage, characters: number, msPerCharacter: number) {
	bench.sim.options.latencyMs = ({ input = '' }) => input.length * msPerCharacter;
	const text = `${JSON.stringify(SENTENCE)}.repeat(${Math.ceil(characters / SENTENCE.length)}).slice(0, ${characters})`;
	bench.sim.reset();
	const node = oursSpeech({ concurrency: CONCURRENCY });
	return await saveWith(bench, node, `[{ text: ${text} }]`, 'lastNode');
}

/** The least time that whole segments take, ms: each begins in the place that is free first. */
function leastFor(latencies: number[]): number {
	const places = Array<number>(CONCURRENCY).fill(0);
	for (const latency of latencies) {
		places.sort((one, other) => one - other);
		places[0] += latency;
	}
	return Math.max(...places);
}

/** Characters, segments, ideal seconds, seconds, their ratio, that of whole segments at best, and MB by which n8n grew. */
async function narrated(stage: Stage, characters: number): Promise<number[]> {
	const { bench, n8n } = stage;
	const workflow = await saveText(stage, characters, MS_PER_CHARACTER);
	const before = memoryOf(n8n.pid);
	const peak = watchPeak(n8n.pid);
	const execution = await bench.api.runUndisturbed(workflow);
	if (execution.status !== 'success') throw new Error(`ended as ${execution.status}`);
	const grown = peak() - before;
	const latencies = bench.sim.charges.map(({ input }) => input.length * MS_PER_CHARACTER);
	const ideal = latencies.reduce((sum, latency) => sum + latency, 0) / CONCURRENCY / 1000;
	const least = leastFor(latencies) / 1000;
	const wall = timeOf(execution) / 1000;
	return [characters, latencies.length, ideal, wall, wall / ideal, least / ideal, grown];
}

/** MB that n8n holds at most of a book, while it is spoken and joined: what it grows by besides is garbage. */
async function needed(stage: Stage): Promise<number> {
	const { bench, n8n } = stage;
	await bench.api.runUndisturbed(await saveText(stage, 50_000, QUICK_MS_PER_CHARACTER));
	const workflow = await saveText(stage, BOOK, QUICK_MS_PER_CHARACTER);
	const before = await held(n8n);
	let most = 0;
	let isOver = false;
	const run = bench.api.runUndisturbed(workflow).finally(() => (isOver = true));
	while (!isOver) {
		most = Math.max(most, (await held(n8n)).heap);
		await wait(LOOK_EACH_MS);
	}
	await run;
	return most - before.heap;
}

export const longText: BenchCase = {
	name: 'long-text',
	title: `Long texts, ${MS_PER_CHARACTER} ms a character (the service takes 45), concurrency ${CONCURRENCY}`,
	async run(stage) {
		const rows = await inFreshN8n(stage, {}, async (fresh) => {
			const found: number[][] = [];
			for (const characters of [50_000, 50_000, 100_000, BOOK])
				found.push(await narrated(fresh, characters));
			return found;
		});
		const book = rows[rows.length - 1];
		const live = await inFreshN8n(stage, {}, needed, PROBED);
		return {
			head: [
				'characters',
				'segments',
				'ideal s (sum of latencies / 8)',
				'seconds',
				'ratio',
				'of whole segments, at best',
				'n8n grew by at most, MB',
			],
			rows: rows.map((row) => row.map((value, at) => (at < 2 ? value : round(value)))),
			checks: [
				...rows.map(([characters, , , , ratio], at) => ({
					what: `${characters} characters / ideal${at === 0 ? ", n8n's first execution" : ''}`,
					value: ratio,
					limit: characters === BOOK ? 1.1 : 1.3,
				})),
				{ what: 'memory for a book', value: book[6], limit: 150, unit: 'MB' },
				{ what: 'of which is no garbage', value: live, limit: 60, unit: 'MB' },
			],
			notes: [
				'Nothing is asked of n8n while it works: each look at the running execution leaves garbage, and keeps n8n from collecting it, which it does when it is idle for a moment (with two looks a second, n8n grew by 365 MB). What is no garbage is what is left, at most, when n8n is made to collect it twice a second.',
			],
		};
	},
};
