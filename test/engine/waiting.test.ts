/* What a poll answers, whatever it is, neither costs a paid job its id nor stretches Max Wait. */
import type { IDataObject } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import type { Fault } from '../support/simulator';
import { saved, useSimulator, runnerOf, jobNode, texts, type EngineRun } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const runOne = runnerOf(() => sim);
const run = async (operation: string, options: IDataObject = {}, more: Partial<EngineRun> = {}) =>
	await runOne({
		parameters: { ...jobNode({ pollInterval: 1, ...options }), operation, jobId: 'spj_1' },
		...more,
	});
const POLL = /jobs\/[^/]+$/;
const CREATE: Fault = { method: 'POST', path: '/v1/audio/speech/jobs' };
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

test.each<[string, Fault]>([
	['a redirect to no address', { redirect: 'http://[' }],
	['a status that is no text', { status: 200, body: { status: { toString: 1 } } }],
	['the 404 page of a proxy', page(404)],
])('polls that all answer with %s end at Max Wait, with the id', async (_, fault) => {
	sim.fault({ path: POLL, times: Infinity, ...fault });
	const { error } = await run('createAndWait', { maxWait: 1 });
	expect(error?.context?.jobId).toMatch(/^spj_/);
	expect(error?.message).toMatch(/^The job "spj_\w+" is still "unknown" after/);
});

test('why there was no news is said', async () => {
	sim.fault({ path: POLL, times: Infinity, ...page(403) });
	const { error } = await run('createAndWait', { maxWait: 1 });
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

test('Max Wait holds although the gateway asks to wait for longer', async () => {
	sim.fault({ path: POLL, retryAfter: 500, times: Infinity });
	const { error } = await run('createAndWait', { maxWait: 3 });
	expect(error?.message).toMatch(/is still "unknown" after 3(\.\d)? seconds/);
});

test('Max Wait holds although a poll comes byte by byte', async () => {
	sim.fault({ path: POLL, dripMs: 20_000, times: Infinity });
	const from = Date.now();
	const { outputs } = await run('createAndWait', {
		maxWait: 1,
		whenMaxWaitReached: 'stillProcessing',
	});
	expect(outputs[2][0].json.id).toMatch(/^spj_/);
	expect(Date.now() - from).toBeLessThan(10_000);
});

test('Max Wait holds although nothing but headers comes', async () => {
	sim.fault({ path: POLL, connection: 'stall', times: Infinity });
	const from = Date.now();
	const { error } = await run('createAndWait', { maxWait: 1 });
	expect(error?.message).toContain('is still');
	expect(Date.now() - from).toBeLessThan(10_000);
});

test('a status word of another gateway: completed', async () => {
	sim.fault({ path: POLL, status: 200, body: { status: 'SUCCEEDED' } });
	const { outputs } = await run('createAndWait', { maxWait: 60 });
	expect(outputs[0][0].json).toMatchObject({ status: 'SUCCEEDED', bytes: expect.any(Number) });
	expect(sim.requests).toHaveLength(3);
});

test('a status word of another gateway: failed, and the execution does not end as canceled', async () => {
	sim.fault({ path: POLL, status: 200, body: { status: 'canceled' } });
	const ran = await run('createAndWait', { maxWait: 60 });
	expect(ran.run.status).toBe('error');
	expect(ran.error?.message).toMatch(/^The job "spj_\w+" failed \(cancelled\)$/);
	expect(sim.requests).toHaveLength(2);
});
