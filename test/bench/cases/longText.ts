import { round, type BenchCase } from '../case';
import { oursSpeech, saveWith, timeOf } from '../workflows';

const CONCURRENCY = 8;
/** The service takes 45 ms for a character; this is quicker, in the same proportion. */
const MS_PER_CHARACTER = 1;

const SENTENCE = 'The quick brown fox jumps over the lazy dog, and the dog does not mind at all. ';

export const longText: BenchCase = {
	name: 'long-text',
	title: `Long texts, ${MS_PER_CHARACTER} ms a character (the service takes 45), concurrency ${CONCURRENCY}`,
	async run({ bench }) {
		bench.sim.options.latencyMs = ({ input = '' }) => input.length * MS_PER_CHARACTER;
		const rows: number[][] = [];
		for (const characters of [50_000, 100_000]) {
			const code = `[{ text: ${JSON.stringify(SENTENCE)}.repeat(${Math.ceil(characters / SENTENCE.length)}).slice(0, ${characters}) }]`;
			const workflow = await saveWith(bench, oursSpeech({ concurrency: CONCURRENCY }), code);
			bench.sim.reset();
			const execution = await bench.api.runProduction(workflow);
			if (execution.status !== 'success') throw new Error(`ended as ${execution.status}`);
			const work = bench.sim.charges.reduce(
				(sum, { input }) => sum + input.length * MS_PER_CHARACTER,
				0,
			);
			const ideal = work / CONCURRENCY / 1000;
			const wall = timeOf(execution) / 1000;
			rows.push([characters, bench.sim.charges.length, ideal, wall, wall / ideal]);
		}
		return {
			head: ['characters', 'segments', 'ideal s (sum of latencies / 8)', 'seconds', 'ratio'],
			rows: rows.map((row) => row.map((value, at) => (at < 2 ? value : round(value)))),
			checks: rows.map(([characters, , , , ratio]) => ({
				what: `${characters} characters / ideal`,
				value: ratio,
				limit: 1.3,
			})),
		};
	},
};
