import { readSql, runSql } from '../../support/n8n/database';
import { type BenchCase, itemsOf, oursSpeech, round, type Stage } from '../stage';
import { type Measured, runner } from './floor';

const ROWS = 1_000;
const TIMES = 5;
/** Of 5,000 rows a night. */
const MONTH = 30 * 5_000;

const NEW = '={{ $execution.id + " " + $itemIndex }}';
const SAME = '={{ "row " + $itemIndex }}';
const again = (sendOnceKey: string) =>
	oursSpeech({ concurrency: 10, sendOnceKey, whenSentBefore: 'again' });

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** The medians of runs that take turns: the machine is as busy for one as for the other. */
async function inTurns(times: number, runs: Array<() => Promise<Measured>>): Promise<Measured[]> {
	const all = runs.map((): Measured[] => []);
	for (let turn = 0; turn <= times; turn++)
		for (const [index, run] of runs.entries()) {
			const measured = await run();
			// The first of each makes the table, the list and the keys.
			if (turn > 0) all[index].push(measured);
		}
	const of = (index: number, field: keyof Measured) =>
		median(all[index].map((measured) => measured[field]));
	return runs.map((_, index) => ({
		wall: of(index, 'wall'),
		cpu: of(index, 'cpu'),
		grown: of(index, 'grown'),
	}));
}

/** Fills the table of results as a month of nights does. */
async function fill({ n8n }: Stage): Promise<string> {
	const [{ id }] = await readSql(n8n, 'SELECT id FROM data_table');
	const table = `data_table_user_${String(id)}`;
	await runSql(
		n8n,
		`INSERT INTO "${table}" (name, content, taker, execution, result)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MONTH})
		SELECT hex(randomblob(32)), r.content, r.taker, r.execution, r.result
		FROM n, (SELECT * FROM "${table}" WHERE result <> '' LIMIT 1) r`,
	);
	const [{ bytes }] = await readSql(
		n8n,
		`SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = '${table}'`,
	).catch(() => [{ bytes: NaN }]);
	return `${round(Number(bytes) / 2 ** 20)} MB`;
}

/** What a result that is given again costs, and what it costs to keep it. */
export const sameKey: BenchCase = {
	name: 'sameKey',
	title: `Give the Result Again: ${ROWS.toLocaleString('en')} rows`,
	async run(stage) {
		const items = itemsOf(ROWS);
		const [none, keys, first, given] = await inTurns(TIMES, [
			await runner(stage, oursSpeech({ concurrency: 10 }), items),
			await runner(stage, oursSpeech({ concurrency: 10, sendOnceKey: NEW }), items),
			await runner(stage, again(NEW), items),
			await runner(stage, again(SAME), items),
		]);
		const rowOf = (what: string, { cpu, wall }: Measured) => [what, round(cpu), round(wall)];
		const claims = await Promise.all(
			[1, 20, 200].map(async (count) => await runner(stage, again(NEW), itemsOf(count))),
		);
		const few = await inTurns(TIMES, claims);
		const size = await fill(stage);
		const many = await inTurns(2, claims);
		return {
			head: ['', 'CPU, ms', 'in the node, ms'],
			rows: [
				rowOf('without keys', none),
				rowOf('with keys', keys),
				rowOf('results kept', first),
				rowOf('results given again', given),
				...[1, 20, 200].map((count, index) => rowOf(`${count} new keys`, few[index])),
				...[1, 20, 200].map((count, index) =>
					rowOf(`${count} new keys, after a month (${size})`, many[index]),
				),
			],
			checks: [
				{
					what: 'results kept, over those with keys (CPU)',
					value: first.cpu / keys.cpu,
					limit: 1.5,
				},
			],
		};
	},
};
