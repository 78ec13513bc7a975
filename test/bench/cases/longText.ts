import { round, type BenchCase, type Stage } from '../case';
import { inFreshN8n } from '../fresh';
import { memoryOf, watchPeak } from '../process';
import { oursSpeech, saveWith, timeOf } from '../workflows';

const CONCURRENCY = 8;
/** The service takes 45 ms for a character; this is quicker, in the same proportion. */
const MS_PER_CHARACTER = 1;
const BOOK = 1_000_000;

const SENTENCE = 'The quick brown fox jumps over the lazy dog, and the dog does not mind at all. ';

/** Characters, segments, ideal seconds, seconds, their ratio, and MB by which n8n grew. */
async function narrated({ bench, n8n }: Stage, characters: number): Promise<number[]> {
	bench.sim.options.latencyMs = ({ input = '' }) => input.length * MS_PER_CHARACTER;
	const text = `${JSON.stringify(SENTENCE)}.repeat(${Math.ceil(characters / SENTENCE.length)}).slice(0, ${characters})`;
	const workflow = await saveWith(
		bench,
		oursSpeech({ concurrency: CONCURRENCY }),
		`[{ text: ${text} }]`,
	);
	bench.sim.reset();
	const before = memoryOf(n8n.pid);
	const peak = watchPeak(n8n.pid);
	const execution = await bench.api.runProduction(workflow);
	if (execution.status !== 'success') throw new Error(`ended as ${execution.status}`);
	const work = bench.sim.charges.reduce(
		(sum, { input }) => sum + input.length * MS_PER_CHARACTER,
		0,
	);
	const ideal = work / CONCURRENCY / 1000;
	const wall = timeOf(execution) / 1000;
	return [characters, bench.sim.charges.length, ideal, wall, wall / ideal, peak() - before];
}

export const longText: BenchCase = {
	name: 'long-text',
	title: `Long texts, ${MS_PER_CHARACTER} ms a character (the service takes 45), concurrency ${CONCURRENCY}`,
	async run(stage) {
		const rows = await inFreshN8n(stage, {}, async (fresh) => {
			const found: number[][] = [];
			for (const characters of [50_000, 100_000, BOOK])
				found.push(await narrated(fresh, characters));
			return found;
		});
		const [, , book] = rows;
		return {
			head: [
				'characters',
				'segments',
				'ideal s (sum of latencies / 8)',
				'seconds',
				'ratio',
				'n8n grew by at most, MB',
			],
			rows: rows.map((row) => row.map((value, at) => (at < 2 ? value : round(value)))),
			checks: [
				...rows.map(([characters, , , , ratio]) => ({
					what: `${characters} characters / ideal`,
					value: ratio,
					limit: characters === BOOK ? 1.1 : 1.3,
				})),
				{ what: 'memory for a book', value: book[5], limit: 150, unit: 'MB' },
			],
		};
	},
};
