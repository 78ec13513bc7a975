/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installN8n } from '../../support/n8n/install';
import { run } from '../../support/n8n/steps';
import { bestOfEach, round, type BenchCase, type Stage } from '../case';
import { itemsOf, oursSpeech, saveWith, timeOf } from '../workflows';

const FULL = 39_900;
const MANY = 2_000;
/** A run of one item with a new key writes the list so often. */
const WRITES = 3;

const md5 = (text: string) => createHash('md5').update(text).digest('base64');

/** Writes a statement's values into a database; with n8n's own SQLite. */
const WRITE = `
	const [file, ...values] = require(process.argv[1]);
	const database = new (require('sqlite3').Database)(file);
	database.run('UPDATE processed_data SET value = ? WHERE workflowId = ?', values);
	database.close();`;

/** Replaces what n8n has on record for the node of a workflow by so many other keys. */
async function setKeys({ n8n }: Stage, workflowId: string, count: number): Promise<void> {
	const { node, folder } = await installN8n('2.41');
	const file = path.join(n8n.userFolder, '.n8n/database.sqlite');
	const data = Array.from({ length: count }, (_, index) => md5(`Key ${index} of before`));
	const given = path.join(n8n.userFolder, 'keys.json');
	const values = [file, JSON.stringify({ mode: 'entries', data }), workflowId];
	await writeFile(given, JSON.stringify(values));
	await run(node, ['-e', WRITE, given], { env: { NODE_PATH: path.join(folder, 'node_modules') } });
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
