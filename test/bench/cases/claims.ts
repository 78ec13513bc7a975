import { createHash } from 'node:crypto';
import { runSql } from '../../support/n8n/database';
import {
	bestOfEach,
	round,
	type BenchCase,
	type Stage,
	itemsOf,
	oursSpeech,
	saveWith,
	timeOf,
} from '../stage';

const FULL = 39_900;
const MANY = 2_000;
/** A run of one item with a new key writes the list so often. */
const WRITES = 3;

const md5 = (text: string) => createHash('md5').update(text).digest('base64');

/** Replaces what n8n has on record for the node of a workflow by so many other keys. */
async function setKeys({ n8n }: Stage, workflowId: string, count: number): Promise<void> {
	const data = Array.from({ length: count }, (_, index) => md5(`Key ${index} of before`));
	const values = [JSON.stringify({ mode: 'entries', data }), workflowId];
	await runSql(n8n, 'UPDATE processed_data SET value = ? WHERE workflowId = ?', values);
}

/** Milliseconds of runs whose items have new keys, with as many keys on record before. */
async function claiming(stage: Stage, items: number) {
	const options = { concurrency: 32, sendOnceKey: '={{ $execution.id + " " + $itemIndex }}' };
	const workflow = await saveWith(stage.bench, oursSpeech(options), itemsOf(items));
	await stage.bench.api.runUndisturbed(workflow);
	return (before: number) => async () => {
		await setKeys(stage, workflow.id, before);
		return timeOf(await stage.bench.api.runUndisturbed(workflow));
	};
}

export const claims: BenchCase = {
	name: 'claims',
	title: `Send Once Key, with ${FULL.toLocaleString('en')} keys on record`,
	async run(stage) {
		const size = (milliseconds: number) => milliseconds;
		const one = await claiming(stage, 1);
		const [oneEmpty, oneFull] = await bestOfEach(9, size, one(0), one(FULL));
		const many = await claiming(stage, MANY);
		const [manyEmpty, manyFull] = await bestOfEach(3, size, many(0), many(FULL));
		return {
			head: ['items at concurrency 32', 'ms with an empty list', 'with a full one'],
			rows: [
				[1, round(oneEmpty), round(oneFull)],
				[MANY, round(manyEmpty), round(manyFull)],
			],
			checks: [
				{ what: 'a write', value: (oneFull - oneEmpty) / WRITES, limit: 45, unit: 'ms' },
				{ what: `${MANY} items, full / empty`, value: manyFull / manyEmpty, limit: 2.5 },
			],
		};
	},
};
