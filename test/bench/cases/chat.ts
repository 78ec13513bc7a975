import { buildWorkflow } from '../../support/workflow';
import { best, round, type BenchCase, type Stage } from '../case';

const THINKING_MS = 300;

/** Milliseconds from the gateway's first token to the one that n8n's client sees. */
async function delayThroughN8n({ bench }: Stage, stream: () => AsyncIterable<{ type: string }>) {
	bench.sim.reset();
	let first = NaN;
	for await (const { type } of stream())
		if (type === 'item' && Number.isNaN(first)) first = Date.now();
	return first - bench.sim.requests[0].at - THINKING_MS;
}

async function delayDirect({ bench }: Stage) {
	bench.sim.reset();
	const response = await fetch(`${bench.sim.url}/v1/chat/completions`, {
		method: 'POST',
		headers: { authorization: `Bearer ${bench.sim.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'sim-chat', stream: true, messages: MESSAGES }),
	});
	const reader = response.body!.getReader();
	await reader.read();
	const first = Date.now();
	while (!(await reader.read()).done);
	if (!response.ok) throw new Error(`chat → ${response.status}`);
	return first - bench.sim.requests[0].at - THINKING_MS;
}

const MESSAGES = [{ role: 'user', content: 'Tell me of the sea. '.repeat(20) }];

export const chat: BenchCase = {
	name: 'chat',
	title: 'Streaming chat: from the first token of the gateway to the first one in n8n’s answer',
	async run(stage) {
		const { bench } = stage;
		bench.sim.options.latencyMs = THINKING_MS;
		const built = buildWorkflow({
			parameters: {
				resource: 'chat',
				operation: 'complete',
				model: { __rl: true, mode: 'id', value: 'sim-chat' },
				messages: { values: MESSAGES },
				options: {},
			},
			trigger: 'webhook',
			responseMode: 'streaming',
		});
		const workflow = await bench.api.importWorkflow(built, [bench.credential]);
		await bench.api.activate(workflow);
		const own = await best(
			10,
			async () => await delayThroughN8n(stage, () => bench.api.stream(workflow)),
			(ms) => ms,
		);
		const direct = await best(
			10,
			async () => await delayDirect(stage),
			(ms) => ms,
		);
		return {
			head: ['', 'ms after the gateway began to answer'],
			rows: [
				['direct', round(direct)],
				['through n8n and the Speech Gateway node', round(own)],
			],
			checks: [{ what: 'delay more than direct', value: own - direct, limit: 20, unit: 'ms' }],
		};
	},
};
