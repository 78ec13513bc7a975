/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { item, saved, useSimulator, runnerOf, speechNode, texts } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0.05 });

const job = (operation: string, more: IDataObject = {}, options: IDataObject = {}) =>
	speechNode(
		{ maxRetries: 1, pollInterval: 1, ...options },
		{ resource: 'speechJob', operation, ...more },
	);
const runOne = runnerOf(() => sim);
const run: typeof runOne = async (more) =>
	await runOne({ parameters: job('createAndWait'), items: texts(3), ...more });
const created = () => sim.charges.filter(({ kind }) => kind === 'job').length;

test.each([
	['409 too early', { status: 409 }],
	['a cut download', { truncate: 'half' as const }],
	['a damaged download', { corrupt: true as const }],
	['a lost connection', { connection: 'reset-after-work' as const }],
])('%s is fetched again', async (_, fault) => {
	sim.fault({ method: 'GET', path: /content$/, ...fault });
	const { outputs } = await run({ items: texts(1) });
	expect(outputs[0]).toHaveLength(1);
	expect(created()).toBe(1);
});

test('a failed job: an error with the message and the id, never submitted again', async () => {
	sim.fault({
		path: '/v1/audio/speech/jobs',
		method: 'POST',
		jobFails: { code: 'bad', message: 'The voice broke' },
	});
	const first = await run({ items: texts(1), retryOnFail: true });
	expect(first.error?.message).toMatch(/spj_.*failed.*The voice broke/);
	expect(created()).toBe(1);
	const second = await run({ items: texts(1), retryOf: saved(first.run), mode: 'retry' });
	expect(second.error?.message).toContain('failed');
	expect(created()).toBe(1);
});

test.each([
	['none', { corrupt: true }, 'it looks like text: "rubbish rubbish '],
	['cut short', { truncate: 'half' as const, truncateClean: true }, 'file is cut short'],
])('of a download that is %s, nothing stays in the store', async (_, fault, words) => {
	sim.fault({ path: /content$/, times: Infinity, ...fault });
	const store = jest.spyOn(Container.get(BinaryDataService), 'store');
	const { error } = await run({ items: texts(1) });
	const { calls } = store.mock;
	store.mockRestore();
	expect(error?.message).toContain("The gateway's answer was damaged");
	expect(error?.message).toContain(words);
	expect(calls).toEqual([]);
});

test.each(['..', '.', '../../models', 'spj_made_up', 'a/b', 'a%2Fb?x=1#y'])(
	'the id %s never reaches another path',
	async (jobId) => {
		const { error } = await run({
			parameters: job('get', { jobId }, { maxRetries: 0 }),
			items: texts(1),
		});
		expect(error?.message).toBeTruthy();
		for (const { path } of sim.requests) expect(path).toMatch(/^\/v1\/audio\/speech\/jobs\/[^/]+$/);
	},
);

test('after Stop there is no further poll', async () => {
	sim.options.jobSeconds = Infinity;
	const { outputs } = await run({
		items: texts(3),
		started: ({ cancel }) =>
			void sim.waitFor((all) => all.some(({ method }) => method === 'GET')).then(cancel),
	});
	sim.options.jobSeconds = 0.05;
	// What is paid for is named: by its job, and when it was asked for.
	const names = outputs[1].map(({ json }) => [json.reason, json.jobId, typeof json.inputHash]);
	expect(names).toEqual(sim.jobs.map(({ id }) => ['interrupted', id, 'string']));
	for (const { json } of outputs[1]) {
		expect(Date.parse(String(json.sentAt))).toBeGreaterThan(0);
		expect(json).not.toHaveProperty('jobIds');
	}
	const polls = sim.requests.length;
	await new Promise((resolve) => setImmediate(resolve));
	expect(sim.requests).toHaveLength(polls);
});

test('waiting for a job that was made elsewhere leaves nothing in the execution data', async () => {
	const made = await run({ parameters: job('create'), items: texts(1) });
	sim.options.jobSeconds = 60;
	const slow = await run({ parameters: job('create'), items: texts(1) });
	sim.options.jobSeconds = 0.05;
	const ids = [made, slow].map(({ outputs }) => item({ id: outputs[0][0].json.id }));
	const { outputs, context } = await run({
		parameters: job(
			'wait',
			{ jobId: '={{ $json.id }}' },
			{ maxWait: 2, whenMaxWaitReached: 'stillProcessing' },
		),
		items: ids,
	});
	expect(outputs.map(({ length }) => length)).toEqual([1, 1]);
	expect(context).toEqual({});
});
