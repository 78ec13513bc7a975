/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
/* What needs an n8n of its own: its disk is full, it blocks an address, it is killed and started again. The tests build on each other. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CERTIFICATE, startHttps } from '../support/hostileServers';
import { type Bench, openBench } from '../support/n8n/bench';
import {
	type Execution,
	executionError,
	nodeOutputs,
	type SavedWorkflow,
} from '../support/n8n/client';
import { type N8n, startN8n } from '../support/n8n/server';
import { sharedN8n } from '../support/n8n/shared';
import type { SimulatorOptions } from '../support/simulator';
import { NODE_NAME, toldOf } from '../support/workflow';

const mount = (...args: string[]) => spawnSync('mount', args).status === 0;
const disk = mkdtempSync(path.join(tmpdir(), 'full-disk-'));
/** Only root may mount. */
const isMounted = mount('-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk);

const certificates = path.join(mkdtempSync(path.join(tmpdir(), 'trusted-')), 'certificate.pem');
writeFileSync(certificates, CERTIFICATE);

let n8n: N8n;
const benches: Bench[] = [];
beforeAll(async () => {
	const { tarball, version } = sharedN8n();
	const env = {
		N8N_BINARY_DATA_STORAGE_PATH: isMounted ? disk : undefined,
		NODE_EXTRA_CA_CERTS: certificates,
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		N8N_SSRF_BLOCKED_IP_RANGES: '127.0.0.2/32',
	};
	n8n = await startN8n({ tarball, version, binaryMode: 'filesystem', env });
});
afterAll(async () => {
	for (const bench of benches) await bench.close();
	await n8n?.stop();
	if (isMounted) spawnSync('umount', [disk]);
	for (const folder of [disk, path.dirname(certificates)]) rmSync(folder, { recursive: true });
});

async function open(options?: SimulatorOptions): Promise<Bench> {
	const bench = await openBench(options, n8n.api);
	benches.push(bench);
	return bench;
}

const speech = (options: object) => ({
	resource: 'speech',
	operation: 'generate',
	text: '={{ $json.text }}',
	responseFormat: 'wav',
	options,
});

(isMounted ? test : test.skip)(
	'a disk of 4 MB: 12 of 40 files fit, four more are paid for, none is lost, also if the failed execution is deleted',
	async () => {
		const { sim, api, run } = await open({ latencyMs: 20, secondsPerCharacter: 0.5 });
		const failed = await run({
			parameters: speech({ concurrency: 4 }),
			items: Array.from({ length: 40 }, (_, index) => ({ text: `This is row ${index + 10}.` })),
			trigger: 'webhook',
		});
		const { message, description } = executionError(failed)!;
		expect(sim.charges.length).toBeLessThanOrEqual(12 + 4);
		expect(message).toContain('not sent: n8n could not store a file that was paid for');
		expect(description).toContain('no space left on device');
		expect(description).toContain(`${sim.charges.length} of 40 items are done, paid and kept`);

		mount('-o', 'remount,size=64m', disk);
		const [items] = nodeOutputs(await api.retry(failed.id), NODE_NAME);
		await api.deleteExecution(failed.id);
		const files = await Promise.all(
			items.map(async ({ binary }) => await api.binary(binary!.data)),
		);
		expect(files.map(({ length }) => length)).toEqual(items.map((item) => toldOf(item).bytes));
		expect(new Set(sim.charged()).size).toBe(40);
		expect([files.length, sim.charges.length]).toEqual([40, 40]);
	},
);

test('an address that n8n blocks: a clear error, nothing sent, nothing unknown', async () => {
	const { sim, api, save } = await open();
	const workflow = await save({ parameters: speech({}), items: [{ text: 'Hello.' }] });
	const data = { apiKey: sim.apiKey, baseUrl: sim.url.replace('127.0.0.1', '127.0.0.2') };
	const blocked = await api.createCredential('speechGatewayApi', data);
	const execution = await api.run(await api.importWorkflow(workflow, [blocked]));
	expect(executionError(execution)?.message).toBe(
		'The gateway cannot be reached: n8n blocks this address (SSRF protection)',
	);
	expect(sim.requests).toEqual([]);
});

test('over https, what a gateway answers with a status that proxies have, too, is its answer', async () => {
	const { api, sim, save } = await open();
	const body = JSON.stringify({ error: { message: 'No such voice', code: 'overloaded' } });
	const statuses = [503, 403];
	const gateway = await startHttps((_, response) =>
		response.writeHead(statuses.shift() ?? 500, { 'content-type': 'application/json' }).end(body),
	);
	const workflow = await save({
		parameters: speech({ maxRetries: 1 }),
		items: [{ text: 'Hello.' }],
	});
	const data = { apiKey: sim.apiKey, baseUrl: `https://localhost:${gateway.port}` };
	const credential = await api.createCredential('speechGatewayApi', data);
	const execution = await api.run(await api.importWorkflow(workflow, [credential]));
	await gateway.close();
	expect(executionError(execution)?.message).toContain('403');
	expect(JSON.stringify(executionError(execution))).toContain('No such voice');
	expect(gateway.seen).toHaveLength(2);
});

test('kill -9: what was in flight is not sent again by a retry', async () => {
	const text = 'This is in flight.';
	const { sim, save } = await open();
	sim.fault({ input: text, connection: 'stall' });
	const parameters = speech({ maxRetries: 0, sendOnceKey: '={{ $json.text }}' });
	const id = await n8n.api.trigger(
		await save({ parameters, items: [{ text }], trigger: 'webhook' }),
	);
	await sim.waitFor((requests) => requests.some(({ charged }) => charged > 0));
	paying = await openRepeated();
	await n8n.kill();
	await n8n.restart();
	expect((await n8n.api.waitForExecution(id)).status).toBe('crashed');
	const [, unknown] = nodeOutputs(await n8n.api.retry(id), NODE_NAME);
	expect(unknown.map((item) => toldOf(item).reason)).toEqual(['already_sent']);
	expect(sim.charged()).toEqual([text]);
});

let paying: Repeated;

test('a key that was paid for before n8n was restarted gets its file again, from a data table', async () => {
	const { bench, workflow, first } = paying;
	const again = await n8n.api.runProduction(workflow);
	const [[one], [two]] = [first, again].map((execution) => nodeOutputs(execution, NODE_NAME)[0]);
	expect(toldOf(two)).toMatchObject({ replayed: true, sentIn: first.id });
	expect(two.binary!.data.id).not.toBe(one.binary!.data.id);
	const [file, copy] = await Promise.all(
		[one, two].map(async ({ binary }) => await bench.api.binary(binary!.data)),
	);
	expect(copy.equals(file)).toBe(true);
	expect(bench.sim.charges).toHaveLength(1);
	// The sub-workflows that use the table leave no executions.
	expect(await bench.api.executions(workflow.id)).toHaveLength(2);
});

interface Repeated {
	bench: Bench;
	workflow: SavedWorkflow;
	first: Execution;
}

/** A workflow that gives results again, and its first execution. */
async function openRepeated(): Promise<Repeated> {
	const bench = await open();
	const workflow = await bench.save({
		parameters: speech({ sendOnceKey: 'order 1', whenSentBefore: 'again' }),
		items: [{ text: 'Thank you for your order.' }],
		trigger: 'webhook',
	});
	return { bench, workflow, first: await n8n.api.runProduction(workflow) };
}
