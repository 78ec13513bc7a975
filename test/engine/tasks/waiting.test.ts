/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/* Whatever polls and downloads answer, it neither costs a paid job its id or its file nor stretches Max Wait. */
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../support/simulator';
import { fitting } from '../form';
import { item, saved, useSimulator, runnerOf, jobNode, texts, type EngineRun } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const runOne = runnerOf(sim);
const ofJob = (operation: string, options: IDataObject = {}, jobId = 'spj_1') =>
	fitting('speechJob', operation, { ...jobNode({ pollInterval: 1 }), jobId }, { options });
const run = async (operation: string, options: IDataObject = {}, more: Partial<EngineRun> = {}) =>
	await runOne({
		parameters: ofJob(operation, options),
		...more,
	});
const POLL = /jobs\/[^/]+$/;
const CREATE: Fault = { method: 'POST', path: '/v1/audio/speech/jobs' };
const CONTENT = /content$/;
const charged = () => sim.charges.length;

const page = (status: number) => ({ status, body: '<html><h1>Please log in</h1></html>' });
const noNews: Fault[] = [
	{ redirect: 'http://[' },
	{ redirect: 'ftp://127.0.0.1/' },
	{ redirect: '/v1/circle' },
	{ status: 300, body: { error: { message: 'Choose one' } } },
	page(404),
	page(403),
	page(401),
	page(200),
	{ status: 204 },
	{ status: 200, body: { status: { toString: 1 } } },
	{ status: 200, body: 'null' },
	{ status: 200, body: [] },
	{ status: 500, body: { detail: [{ loc: [{ toString: 1 }] }] } },
	{ connection: 'reset-after-work' },
	{ truncate: 10 },
];

test('after submission, no answer of a poll is more than no news', async () => {
	for (const fault of noNews) sim.fault({ path: POLL, ...fault });
	sim.fault({ path: '/v1/circle', redirect: '/v1/circle', times: Infinity });
	const { outputs, error } = await run(
		'createAndWait',
		{},
		{ items: texts(noNews.length), onError: 'continueRegularOutput' },
	);
	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(noNews.length);
	for (const { json } of outputs[0]) expect(json).toMatchObject({ status: 'completed' });
	expect(charged()).toBe(noNews.length);
});

test('the longest Max Wait leaves polls time to be answered', async () => {
	sim.fault({ path: POLL, delayMs: 200, times: Infinity });
	const { outputs, error } = await run('createAndWait', { maxWait: 2_592_000 });
	expect(error).toBeUndefined();
	expect(outputs[0][0].json).toMatchObject({ status: 'completed' });
	expect(sim.requests.filter(({ path }) => POLL.test(path))).toHaveLength(1);
});

test.each<[string, Fault]>([
	['are a redirect to no address', { redirect: 'http://[' }],
	['have a status that is no text', { status: 200, body: { status: { toString: 1 } } }],
	['are the page of a proxy', page(403)],
	['ask to wait for longer', { retryAfter: 500 }],
	['come byte by byte', { dripMs: 20_000 }],
	['are nothing but headers', { connection: 'stall' }],
])('polls that %s end at Max Wait, with the id', async (_, fault) => {
	sim.fault({ path: POLL, times: Infinity, ...fault });
	const from = Date.now();
	const { error } = await run('createAndWait', { maxWait: 3 });
	expect(error?.context?.jobId).toMatch(/^spj_/);
	expect(error?.message).toMatch(/^The job "spj_\w+" is still "\w+" after [3-6](\.\d)? seconds/);
	expect(Date.now() - from).toBeLessThan(10_000);
	if (fault.status === 403)
		expect(error?.description).toContain('The last poll failed: A proxy or firewall');
});

test.each<[string, Fault]>([
	['the gateway, as JSON', { status: 404, body: { error: { message: 'No such task' } } }],
	['a page, at the first look', page(404)],
])('a job that is not known to %s ends a Wait at once', async (_, fault) => {
	sim.fault({ path: POLL, times: Infinity, ...fault });
	const { error } = await run('wait');
	expect(error?.message).toBe('The gateway has no job "spj_1" (404)');
	expect(error?.context?.jobId).toBe('spj_1');
	expect(sim.requests).toHaveLength(1);
});

test('a job that was submitted here may be unknown for a minute: it is asked for again, and not for longer', async () => {
	const unknown: Fault = { path: POLL, status: 404, body: { error: { message: 'No such task' } } };
	sim.fault({ ...unknown, times: 3 });
	const found = await run('createAndWait');
	expect(found.error).toBeUndefined();
	expect(found.outputs[0]).toHaveLength(1);
	sim.fault({ ...unknown, times: Infinity });
	const from = Date.now();
	const { error } = await run('createAndWait', { maxWait: 600, maxPollInterval: 1 });
	expect(error?.message).toMatch(/^The gateway has no job "spj_\w+" \(404\)$/);
	expect(error?.context?.jobId).toMatch(/^spj_/);
	expect(Date.now() - from).toBeGreaterThanOrEqual(60_000);
	expect(Date.now() - from).toBeLessThan(80_000);
	expect(charged()).toBe(2);
});

test('after submission, what the gateway itself refuses ends the wait at once, with the id', async () => {
	sim.fault({ path: POLL, status: 400, body: { error: { message: 'No such task' } } });
	const { error } = await run('createAndWait');
	expect(error?.message).toContain('(400)');
	expect(error?.context?.jobId).toMatch(/^spj_/);
	expect(sim.requests).toHaveLength(2);
});

test.each([
	['..', '..'],
	['.', '.'],
	['half a surrogate pair', 'spj_\ud83d'],
	['a megabyte', 'x'.repeat(1_000_000)],
	['the word that ends an execution', 'job_canceled_1'],
])('a job whose id is %s is not lost, and not asked for elsewhere', async (_, id) => {
	sim.fault({ ...CREATE, status: 200, charge: true, body: { id, status: 'pending' } });
	sim.fault({ path: POLL, status: 404, body: { error: { message: 'No such task' } } });
	const first = await run('createAndWait', { maxWait: 1 });
	expect(first.run.status).toBe('error');
	expect(first.error?.context?.jobId).toBe(id);
	expect(first.error!.message.length).toBeLessThan(300);
	for (const { method, path } of sim.requests.slice(1))
		expect([method, path]).toEqual(['GET', `/v1/audio/speech/jobs/${id}`]);
	await run('createAndWait', { maxWait: 1 }, { retryOf: saved(first.run), mode: 'retry' });
	expect(charged()).toBe(1);
});

test.each([
	[{ task_id: 't', job_id: 'j', id: 'spj_1' }, 'spj_1'],
	[{ task_id: 't', job_id: 'spj_2' }, 'spj_2'],
	[{ id: {}, job_id: 'spj_2' }, 'spj_2'],
	[{ id: null, task_id: 7 }, '7'],
	[{ id: ' ', data: { id: 'no' }, job_id: 'spj_3' }, 'spj_3'],
	[{ status: undefined, job: { id: 'spj_4' } }, 'spj_4'],
	[{ status: 'success', data: { task_id: 'spj_5', status: 'queued' } }, 'spj_5'],
])('the id is found in %j', async (body, id) => {
	sim.fault({ ...CREATE, status: 200, charge: true, body: { status: 'pending', ...body } });
	const { outputs } = await run('create');
	expect(outputs[0][0].json.id).toBe(id);
});

test.each([
	[{ status: 'success', data: { id: 'spj_1', status: 'processing' } }, 'processing'],
	[{ status: 'completed', data: { id: 'file_1' } }, 'completed'],
	[{ status: 'completed', job: { status: 'processing' } }, 'completed'],
	[{ job: { id: 'spj_1', status: 'failed' } }, 'failed'],
])('the status is found in %j', async (body, status) => {
	sim.fault({ path: POLL, status: 200, body });
	const { outputs } = await run('get');
	expect(outputs[0][0].json).toMatchObject({ id: 'spj_1', status });
});

test.each([
	['SUCCEEDED', undefined],
	// The execution must not end as canceled.
	['canceled', /^The job "spj_\w+" failed \(cancelled\)$/],
])('a status word of another gateway: %s', async (status, message) => {
	sim.fault({ path: POLL, status: 200, body: { status } });
	const { run: done, error, outputs } = await run('createAndWait', { maxWait: 60 });
	expect(done.status).toBe(message ? 'error' : 'success');
	if (message) expect(error?.message).toMatch(message);
	else expect(outputs[0][0].json).toMatchObject({ status, bytes: expect.any(Number) });
	expect(sim.requests).toHaveLength(message ? 2 : 3);
});

test('a download that is too early, cut short, damaged or lost is fetched again', async () => {
	const faults: Fault[] = [
		{ status: 409 },
		{ truncate: 'half' },
		{ corrupt: true },
		{ connection: 'reset-after-work' },
	];
	for (const fault of faults) sim.fault({ method: 'GET', path: CONTENT, ...fault });
	const { outputs } = await run('createAndWait', { maxRetries: 4 });
	expect(outputs[0]).toHaveLength(1);
	expect(charged()).toBe(1);
});

test.each([
	['none', { corrupt: true }, 'it looks like text: "rubbish rubbish '],
	['cut short', { truncate: 'half' as const, truncateClean: true }, 'file is cut short'],
])('of a download that is %s, nothing stays in the store', async (_, fault, words) => {
	sim.fault({ path: CONTENT, times: Infinity, ...fault });
	const store = jest.spyOn(Container.get(BinaryDataService), 'store');
	const { error } = await run('createAndWait', { maxRetries: 1 });
	const { calls } = store.mock;
	store.mockRestore();
	expect(error?.message).toContain("The gateway's answer was damaged");
	expect(error?.message).toContain(words);
	expect(calls).toEqual([]);
});

test('no id reaches another path', async () => {
	for (const jobId of ['..', '.', '../../models', 'spj_made_up', 'a/b', 'a%2Fb?x=1#y']) {
		expect((await runOne({ parameters: ofJob('get', {}, jobId) })).error?.message).toBeTruthy();
	}
	for (const { path } of sim.requests) expect(path).toMatch(/^\/v1\/audio\/speech\/jobs\/[^/]+$/);
});

test('after Stop there is no further poll, and what is paid for is named', async () => {
	sim.fault({ ...CREATE, jobSeconds: Infinity, times: 3 });
	const { outputs } = await run(
		'createAndWait',
		{},
		{
			items: texts(3),
			started: ({ cancel }) =>
				void sim.waitFor((all) => all.some(({ method }) => method === 'GET')).then(cancel),
		},
	);
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
	sim.fault({ ...CREATE, nth: 2, jobSeconds: 60 });
	const made = await run('create', {}, { items: texts(2) });
	const waiting = { maxWait: 2, whenMaxWaitReached: 'stillProcessing' };
	const { outputs, context } = await runOne({
		parameters: ofJob('wait', waiting, '={{ $json.id }}'),
		items: made.outputs[0].map(({ json }) => item({ id: json.id })),
	});
	expect(outputs.map(({ length }) => length)).toEqual([1, 1]);
	expect(context).toEqual({});
});

test('polls of jobs submitted together are spread evenly from the first on', async () => {
	sim.fault({ ...CREATE, jobSeconds: 10, times: 16 });
	await run('createAndWait', { pollInterval: 2 }, { items: texts(16) });
	const first = sim.jobs.map(({ id, createdAt }) => {
		const poll = sim.requests.find(({ path }) => path.endsWith(`jobs/${id}`))!;
		return poll.at - createdAt;
	});
	expect(Math.min(...first)).toBeGreaterThanOrEqual(1_000);
	const inQuarter = [0, 1, 2, 3].map(
		(quarter) => first.filter((ms) => Math.floor((ms - 1_000) / 500) === quarter).length,
	);
	expect(Math.min(...inQuarter)).toBeGreaterThanOrEqual(3);
});
