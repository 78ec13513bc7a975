/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/* The example `nightly-table`: night after night, with faults, without a store, and with n8n killed in the middle. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { openBench, type Bench, useBench } from '../support/n8n/bench';
import {
	executionError,
	nodeOutputs,
	type SavedWorkflow,
	type WorkflowJson,
} from '../support/n8n/client';
import { readExample, storeOnDisk } from '../support/n8n/examples';
import { startN8n, type N8n } from '../support/n8n/server';
import { N8N_VERSION, n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';

const TEST_LIMIT_MS = 600_000;
/** Rows that the example sends at once. */
const BATCH = 20;
/** Requests that the node has in flight by default. */
const CONCURRENCY = 4;

interface Row {
	id: number;
	title: string;
	text: string;
	done: string | null;
	link: string | null;
	note: string | null;
}

/** A data table as the example's notes describe it, with rows, and the example reading it. */
async function openTable(
	{ api, credential }: Bench,
	userFolder: string,
	texts: string[],
	change: (example: WorkflowJson) => void = () => {},
) {
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
	// Before, the node finds a table only by its ID, which the user chooses from a list.
	const example = exampleWith(n8nIsAtLeast('2.3') ? name : id);
	const folder = storeOnDisk(example, userFolder);
	for (const node of example.nodes) if (node.retryOnFail) node.waitBetweenTries = 0;
	change(example);
	return {
		workflow: await api.importWorkflow(example, [credential]),
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

const exampleWith = (table: string) =>
	JSON.parse(
		JSON.stringify(readExample('nightly-table.json')).replaceAll(
			'"Narrations"',
			JSON.stringify(table),
		),
	) as WorkflowJson;

/** Before, n8n has no data tables. */
const inTables = n8nIsAtLeast('1.113') ? describe : describe.skip;

const night = async ({ api }: Bench, workflow: SavedWorkflow) =>
	await api.run(workflow, 'Every night');
const textsOf = (count: number) =>
	Array.from({ length: count }, (_, i) => `This is the text of row ${i + 1}.`);
const numbers = (rows: Row[]) => rows.map(({ id }) => id);

inTables('nightly-table', () => {
	const bench = useBench({ latencyMs: 5 });

	test('each row is spoken once, stored and marked; what is unknown or refused is on one list', async () => {
		const { userFolder } = sharedN8n();
		const texts = textsOf(BATCH + 3);
		texts[BATCH] = '';
		const { workflow, folder, rows, edit } = await openTable(bench, userFolder, texts);
		bench.sim.fault({ input: texts[1], status: 504, charge: true });

		const first = await night(bench, workflow);
		const message = executionError(first)?.message;
		expect(message).toMatch(/^2 rows of the table need a look/);
		expect(message).toContain('2 row-2: upstream_outcome_unknown');
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

	test('without a store, no row is done, and the note says where its file is', async () => {
		const { workflow, rows } = await openTable(
			bench,
			sharedN8n().userFolder,
			textsOf(2),
			({ nodes }) => (nodes.find(({ name }) => name === 'Disk')!.disabled = true),
		);
		const execution = await night(bench, workflow);
		expect(executionError(execution)?.message).toMatch(/no store is active/);
		const note = expect.stringContaining(`in execution ${execution.id}`) as string;
		const notStored = { done: 'check', link: '', note };
		expect(await rows()).toMatchObject([notStored, notStored]);
	});

	test('a folder that is not there: the row says why it is not stored', async () => {
		const { workflow, rows } = await openTable(
			bench,
			sharedN8n().userFolder,
			textsOf(1),
			({ nodes }) => {
				const { parameters } = nodes.find(({ name }) => name === 'Disk')!;
				Object.assign(parameters, { fileName: '/no/such/folder/1.mp3' });
			},
		);
		const execution = await night(bench, workflow);
		expect(execution.status).toBe('error');
		const [{ done, note }] = await rows();
		expect(done).toBe('check');
		expect(note).toMatch(/^Paid for, but not stored: .+\. The file is in execution/);
	});

	if (n8nIsAtLeast('2.3')) {
		test('the table is made by the example', async () => {
			const name = `Narrations ${randomUUID()}`;
			const workflow = await bench.api.importWorkflow(exampleWith(name), [bench.credential]);
			const execution = await bench.api.run(workflow, 'Once: make the table');
			expect(executionError(execution)?.message).toBeUndefined();
			expect(nodeOutputs(execution, 'A sample row')[0][0].json).toMatchObject({
				title: 'welcome',
				done: null,
			});
		});
	}

	describe('n8n is killed in the second batch', () => {
		let n8n: N8n;
		let own: Bench;
		beforeAll(async () => {
			n8n = await startN8n({ tarball: sharedN8n().tarball, version: N8N_VERSION });
			own = await openBench({ latencyMs: 5 }, n8n.api);
		}, TEST_LIMIT_MS);
		afterAll(async () => {
			await own?.close();
			await n8n?.stop();
		});

		test(
			'the first batch is stored, what was paid for in the second is on the list, and all else is spoken the next night',
			async () => {
				const texts = textsOf(2 * BATCH + 5);
				const { workflow, folder, rows } = await openTable(own, n8n.userFolder, texts);
				own.sim.fault({ input: texts[BATCH + 9], connection: 'stall' });
				await n8n.api.start(workflow, 'Every night');
				await own.sim.waitFor((requests) =>
					requests.some(({ input, charged }) => input === texts[BATCH + 9] && charged > 0),
				);
				await n8n.kill();
				const paid = own.sim.charges.map(({ input }) => input).slice(BATCH);
				expect(paid.length).toBeGreaterThan(0);
				await n8n.restart();

				const crashed = await rows();
				expect(numbers(crashed.filter(({ link }) => link))).toHaveLength(BATCH);
				expect(crashed.slice(BATCH).every(({ done }) => done === null)).toBe(true);

				const next = await night(own, workflow);
				const after = await rows();
				const lost = after.filter(({ done }) => done === 'check');
				const lostTexts = lost.map(({ text }) => text);
				expect(lostTexts).toEqual(expect.arrayContaining(paid));
				// A key is on record before its request leaves, so a few more rows are on the list.
				expect(lost.length - paid.length).toBeLessThanOrEqual(CONCURRENCY);
				for (const { note } of lost) expect(note).toMatch(/^already_sent: /);
				expect(executionError(next)?.message).toContain(`${lost.length} rows`);
				expect(readdirSync(folder)).toHaveLength(texts.length - lost.length);
				const sent = own.sim.charges.map(({ input }) => input);
				expect(new Set(sent).size).toBe(sent.length);
				expect([...new Set([...sent, ...lostTexts])].sort()).toEqual([...texts].sort());
			},
			TEST_LIMIT_MS,
		);
	});
});
