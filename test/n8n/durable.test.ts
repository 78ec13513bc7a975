/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/* n8n is killed once and started again, while two executions sleep and another has a request in flight. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openBench, type Bench } from '../support/n8n/bench';
import { nodeOutputs, type WorkflowJson } from '../support/n8n/client';
import { REPOSITORY } from '../support/n8n/install';
import { startN8n, type N8n } from '../support/n8n/server';
import { N8N_VERSION, n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';
import { NODE_NAME } from '../support/workflow';

/** A minute and more, as n8n wakes it up in its own time; asleep.test.ts has both versions. */
const isCurrent = n8nIsAtLeast('2.41');
const onCurrent = isCurrent ? test : test.skip;

const TEXT = 'This is in flight.';

let n8n: N8n;
let asleep: Bench;
let settling: Bench;
let inFlight: Bench;
const ids = { asleep: '', settling: '', inFlight: '' };
beforeAll(async () => {
	n8n = await startN8n({ tarball: sharedN8n().tarball, version: N8N_VERSION });
	asleep = await openBench({ jobSeconds: Infinity }, n8n.api);
	settling = await openBench({}, n8n.api);
	inFlight = await openBench({ latencyMs: 10 }, n8n.api);

	if (isCurrent) ids.asleep = await narrationAsleep();
	if (isCurrent) ids.settling = await settleAsleep();
	inFlight.sim.fault({ input: TEXT, connection: 'stall' });
	const options = { maxRetries: 0, sendOnceKey: '={{ $json.text }}' };
	const text = '={{ $json.text }}';
	const workflow = await inFlight.save({
		parameters: { resource: 'speech', operation: 'generate', text, options },
		items: [{ text: TEXT }],
		trigger: 'webhook',
	});
	ids.inFlight = await n8n.api.trigger(workflow);
	await inFlight.sim.waitFor((requests) => requests.some(({ charged }) => charged > 0));

	await n8n.kill();
	asleep.sim.finish();
	await n8n.restart();
});
afterAll(async () => {
	await asleep?.close();
	await settling?.close();
	await inFlight?.close();
	await n8n?.stop();
});

/** Starts the example; it has submitted its jobs and sleeps when this returns the id. */
async function narrationAsleep(): Promise<string> {
	const { api, sim, credential } = asleep;
	const workflow = await api.importWorkflow(durableNarration(), [credential]);
	await api.activate(workflow);
	const id = await api.trigger(workflow);
	expect((await api.waitForExecution(id)).status).toBe('waiting');
	expect(sim.jobs).toHaveLength(2);
	return id;
}

/** Settle, with one item that was charged and one that was not, asleep until both are certain. */
async function settleAsleep(): Promise<string> {
	const { api, sim, save } = settling;
	const now = Date.now();
	const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString();
	const unknown = (sentAgo: number) => ({
		...{ outcome: 'unknown', reason: 'client_timeout', model: 'fish-speech' },
		...{ sentAt: at(sentAgo), endedAt: at(sentAgo - 20) },
		neighbours: { charged: 0, unknown: 0, sent: [] },
	});
	const entry = (sentAgo: number) => {
		const use_time = 22;
		const created_at = Math.floor(now / 1000) - sentAgo + use_time;
		return { created_at, type: 2, model_name: 'fish-speech', quota: 49, use_time };
	};
	sim.options.usageLog = { others: [entry(7200), entry(120)] };
	const workflow = await save({
		trigger: 'webhook',
		parameters: {
			resource: 'account',
			operation: 'settle',
			options: { whileWaiting: 'sleep' },
		},
		items: [unknown(120), unknown(180)],
		outputs: ['Success'],
	});
	const id = await api.trigger(workflow);
	expect((await api.waitForExecution(id)).status).toBe('waiting');
	expect(sim.requests).toEqual([]);
	return id;
}

test('killed in flight: an item with a Send Once Key is not sent again by the retry', async () => {
	expect((await n8n.api.waitForExecution(ids.inFlight)).status).toBe('crashed');
	const retried = await n8n.api.retry(ids.inFlight);
	expect(retried.status).toBe('success');
	expect(nodeOutputs(retried, NODE_NAME)[1].map(({ json }) => json.reason)).toEqual([
		'already_sent',
	]);
	expect(inFlight.sim.charges.map(({ input }) => input)).toEqual([TEXT]);
});

onCurrent(
	'durable narration: n8n is killed while jobs run; after the restart every job is delivered, none submitted twice',
	async () => {
		const { sim } = asleep;
		const execution = await n8n.api.waitForResumed(ids.asleep);
		expect(execution.status).toBe('success');
		const files = nodeOutputs(execution, 'Narrate')[0];
		expect(files.map(({ json }) => json.id).sort()).toEqual(sim.jobs.map((job) => job.id).sort());
		expect(files.map(({ binary }) => binary?.data.mimeType)).toEqual(['audio/mpeg', 'audio/mpeg']);
		expect(sim.charges).toHaveLength(2);
	},
);

onCurrent(
	'Settle: n8n is killed while it sleeps; it reads the log once, when it is certain',
	async () => {
		const execution = await n8n.api.waitForResumed(ids.settling);
		expect(execution.status).toBe('success');
		const settled = nodeOutputs(execution, NODE_NAME)[0].map(({ json }) => json);
		expect(settled.map(({ charged }) => charged)).toEqual(['yes', 'no']);
		expect(settling.sim.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /api/log/token',
		]);
		const [{ at }] = settling.sim.requests;
		expect(at).toBeGreaterThanOrEqual(Date.parse(String(settled[0].endedAt)) + 180_000);
	},
);

/** The example, started by a webhook instead of a click. */
function durableNarration(): WorkflowJson {
	const file = path.join(REPOSITORY, 'examples', 'durable-narration.json');
	const workflow = JSON.parse(readFileSync(file, 'utf8')) as WorkflowJson;
	for (const node of workflow.nodes) {
		if (node.type.endsWith('.manualTrigger')) {
			Object.assign(node, {
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: 'durable-narration',
				parameters: { path: 'durable-narration', httpMethod: 'POST', responseMode: 'onReceived' },
			});
		}
	}
	return workflow;
}
