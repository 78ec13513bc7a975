/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/* A table that is read night after night, in batches, with faults. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { type Bench, useBench } from '../support/n8n/bench';
import {
	executionError,
	nodeOutputs,
	type SavedWorkflow,
	type WorkflowJson,
} from '../support/n8n/client';
import { readFixture, storeOnDisk } from '../support/n8n/examples';
import { sharedN8n } from '../support/n8n/shared';

/** Rows that the workflow sends at once. */
const BATCH = 20;

interface Row {
	id: number;
	title: string;
	text: string;
	done: string | null;
	link: string | null;
	note: string | null;
}

/** A data table with rows, and the workflow that reads it. */
async function openTable({ api, credential }: Bench, texts: string[]) {
	const name = `Narrations ${randomUUID()}`;
	const { id: project } = await api.request<{ id: string }>('GET', '/rest/projects/personal');
	const tables = `/rest/projects/${project}/data-tables`;
	const { id } = await api.request<{ id: string }>('POST', tables, {
		name,
		columns: ['title', 'text', 'done', 'link', 'note'].map((column) => ({
			name: column,
			type: 'string',
		})),
	});
	const data = texts.map((text, i) => ({ title: `row-${i + 1}`, text }));
	await api.request('POST', `${tables}/${id}/insert`, { data, returnType: 'all' });
	const json = workflowWith(name);
	const folder = storeOnDisk(json, sharedN8n().userFolder);
	for (const node of json.nodes) if (node.retryOnFail) node.waitBetweenTries = 0;
	return {
		workflow: await api.importWorkflow(json, [credential]),
		folder,
		async rows(): Promise<Row[]> {
			const path = `${tables}/${id}/rows?take=100&sortBy=id:asc`;
			return (await api.request<{ data: Row[] }>('GET', path)).data;
		},
		async edit(row: number, change: Partial<Row>) {
			const filters = [{ columnName: 'id', condition: 'eq', value: row }];
			await api.request('PATCH', `${tables}/${id}/rows`, {
				filter: { type: 'and', filters },
				data: change,
			});
		},
	};
}

const workflowWith = (table: string) =>
	JSON.parse(
		JSON.stringify(readFixture('nightly-table.json')).replaceAll(
			'"Narrations"',
			JSON.stringify(table),
		),
	) as WorkflowJson;

const night = async ({ api }: Bench, workflow: SavedWorkflow) =>
	await api.run(workflow, 'Every night');
const textsOf = (count: number) =>
	Array.from({ length: count }, (_, i) => `This is the text of row ${i + 1}.`);
const numbers = (rows: Row[]) => rows.map(({ id }) => id);

describe('nightly-table', () => {
	const bench = useBench({ latencyMs: 5 });

	test('each row is spoken once, stored and marked; what is unknown or refused is on one list', async () => {
		const texts = textsOf(BATCH + 3);
		texts[BATCH] = '';
		const { workflow, folder, rows, edit } = await openTable(bench, texts);
		bench.sim.fault({ input: texts[1], status: 504, charge: true });

		const first = await night(bench, workflow);
		const message = executionError(first)?.message;
		expect(message).toMatch(/^2 rows of the table need a look/);
		expect(message).toContain('2 row-2: upstream outcome unknown');
		expect(message).toContain(`${BATCH + 1} row-${BATCH + 1}: `);
		expect(nodeOutputs(first, 'One list')[0]).toHaveLength(1);
		const after = await rows();
		expect(numbers(after.filter(({ done }) => done === 'check'))).toEqual([2]);
		expect(numbers(after.filter(({ done }) => !done))).toEqual([BATCH + 1]);
		await edit(BATCH + 1, { text: 'This text is there now.' });
		const stored = after.filter(({ link }) => link);
		expect(stored).toHaveLength(BATCH + 1);
		for (const { id, link, done, note } of stored) {
			expect(link).toBe(`${folder}/${id}-row-${id}.mp3`);
			expect(Date.parse(done!)).toBeGreaterThan(0);
			expect(note).toBe('');
		}
		expect(readdirSync(folder).sort()).toEqual(
			stored.map(({ id }) => `${id}-row-${id}.mp3`).sort(),
		);

		const second = await night(bench, workflow);
		expect(second.status).toBe('success');
		expect((await rows()).filter(({ done }) => !done)).toEqual([]);
		expect(bench.sim.charges).toHaveLength(texts.length);

		await edit(3, { text: 'This text is new.', done: '' });
		const third = await night(bench, workflow);
		expect(third.status).toBe('success');
		expect(bench.sim.charges.at(-1)!.input).toBe('This text is new.');
		expect(bench.sim.charges).toHaveLength(texts.length + 1);

		const quiet = await night(bench, workflow);
		expect(quiet.status).toBe('success');
		expect(nodeOutputs(quiet, 'Generate')).toEqual([]);
	});

	test('the workflow makes its table', async () => {
		const name = `Narrations ${randomUUID()}`;
		const workflow = await bench.api.importWorkflow(workflowWith(name), [bench.credential]);
		const execution = await bench.api.run(workflow, 'Once: make the table');
		expect(executionError(execution)?.message).toBeUndefined();
		expect(nodeOutputs(execution, 'A sample row')[0][0].json).toMatchObject({
			title: 'welcome',
			done: null,
		});
	});
});
