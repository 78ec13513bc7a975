/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { ffprobe } from '../support/listen';
import { openBench, type Bench } from '../support/n8n/bench';
import { nodeOutputs } from '../support/n8n/client';
import { packPackage } from '../support/n8n/package';
import { startQueueMode, type QueueMode } from '../support/n8n/queue';
import { N8N_VERSION } from '../support/n8n/shared';
import { NODE_NAME } from '../support/workflow';

const START_LIMIT_MS = 300_000;

let queue: QueueMode;
let bench: Bench;
beforeAll(async () => {
	const tarball = process.env.PACKAGE_TARBALL ?? (await packPackage());
	queue = await startQueueMode({ version: N8N_VERSION, tarball });
	bench = await openBench({ latencyMs: 10 }, queue.main.api);
}, START_LIMIT_MS);
beforeEach(() => bench.sim.reset());
afterAll(async () => {
	await bench?.close();
	await queue?.stop();
});

const texts = ['one', 'two', 'three'].map((word) => `This is item ${word}.`);
const items = texts.map((text) => ({ text }));
const speech = {
	resource: 'speech',
	operation: 'generate',
	text: '={{ $json.text }}',
	options: { maxRetries: 0 },
};
const charged = () => bench.sim.charges.map(({ input }) => input).sort();

test('a worker makes the audio, and the main process serves it', async () => {
	const execution = await bench.run({ parameters: speech, items, trigger: 'webhook' });
	expect(execution.status).toBe('success');
	const [narrated] = nodeOutputs(execution, NODE_NAME);
	expect(narrated).toHaveLength(items.length);
	for (const { json, binary } of narrated) {
		const { seconds } = await ffprobe(await bench.api.binary(binary!.data));
		expect(Math.abs(seconds - (json.durationSeconds as number))).toBeLessThan(0.1);
	}
});

test('Retry On Fail on a worker sends only the item that failed', async () => {
	bench.sim.fault({ input: texts[1], status: 503 });
	const execution = await bench.run({
		parameters: speech,
		items,
		trigger: 'webhook',
		retryOnFail: true,
	});
	expect(execution.status).toBe('success');
	expect(charged()).toEqual([...texts].sort());
	expect(bench.sim.requests).toHaveLength(items.length + 1);
});

test('"Retry execution" goes to a worker and sends only what was refused', async () => {
	bench.sim.fault({ input: texts[2], status: 402 });
	const failed = await bench.run({ parameters: speech, items, trigger: 'webhook' });
	expect(failed.status).toBe('error');
	const retried = await bench.api.retry(failed.id);
	expect(retried.status).toBe('success');
	expect(nodeOutputs(retried, NODE_NAME)[0]).toHaveLength(items.length);
	expect(charged()).toEqual([...texts].sort());
});

test('a worker killed in flight: an item with a Send Once Key is not sent again', async () => {
	bench.sim.fault({ input: texts[0], connection: 'stall' });
	const workflow = await bench.save({
		parameters: { ...speech, options: { sendOnceKey: '={{ $json.text }}' } },
		items: [items[0]],
		trigger: 'webhook',
	});
	await bench.api.trigger(workflow);
	await bench.sim.waitFor((requests) => requests.some(({ charged: tokens }) => tokens > 0));
	await queue.workers[0].kill();
	await queue.workers[0].restart();
	// The same row again, as after any crash: by hand, by a schedule or by the queue itself.
	const again = await bench.api.runProduction(workflow);
	expect(again.status).toBe('success');
	expect(nodeOutputs(again, NODE_NAME)[1].map(({ json }) => json.reason)).toEqual(['already_sent']);
	expect(charged()).toEqual([texts[0]]);
});
