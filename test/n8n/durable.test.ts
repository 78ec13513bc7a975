/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/* n8n is killed once and started again, while one execution sleeps and another has a request in flight. */
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
let inFlight: Bench;
const ids = { asleep: '', inFlight: '' };
beforeAll(async () => {
	n8n = await startN8n({ tarball: sharedN8n().tarball, version: N8N_VERSION });
	asleep = await openBench({ jobSeconds: Infinity }, n8n.api);
	inFlight = await openBench({ latencyMs: 10 }, n8n.api);

	if (isCurrent) ids.asleep = await narrationAsleep();
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
