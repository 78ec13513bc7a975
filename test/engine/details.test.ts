import type { IDataObject } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { type Simulator, startSimulator } from '../support/simulator';
import { runnerOf } from './support';

useVirtualTime();

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator({ latencyMs: 1 })));
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

/** What goes along with an outcome: ids, codes, sizes. */
const run = runnerOf(() => sim);

test.each([
	['a 504', { status: 504, charge: true }, '504'],
	['a damaged result', { corrupt: true as const }, '200'],
])(
	'%s: the unknown item has the request id, the status, characters and the estimate',
	async (_, fault, httpCode) => {
		sim.fault(fault);
		const { json } = (await run()).outputs[1][0];
		expect(json).toMatchObject({ httpCode, requestId: sim.requests[0].requestId, characters: 18 });
		expect(json.estimatedTokens).toBeGreaterThan(18);
	},
);

test('an error has the request id, in its context and in its words', async () => {
	sim.fault({ status: 402 });
	const { error } = await run();
	expect(error?.context?.requestId).toBe(sim.requests[0].requestId);
	expect(error?.description).toContain(sim.requests[0].requestId);
});

test('a 2xx that repeats the API key: it is blotted out of the unknown item', async () => {
	const body = { error: { message: `key ${sim.apiKey}` } };
	sim.fault({ path: '/v1/audio/speech', status: 200, charge: true, body });
	const { outputs } = await run();
	expect(outputs[1]).toHaveLength(1);
	expect(JSON.stringify(outputs)).not.toContain(sim.apiKey);
});

test('a chat answer of 100 KB is read whole', async () => {
	const content = 'word '.repeat(20_000);
	const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
	const body = { id: 'c', model: 'sim-chat', choices };
	sim.fault({ path: '/v1/chat/completions', status: 200, charge: true, body });
	const parameters: IDataObject = {
		resource: 'chat',
		operation: 'complete',
		model: 'sim-chat',
		messages: { values: [{ role: 'user', content: 'Hi' }] },
		options: { maxRetries: 0 },
	};
	expect((await run({ parameters })).outputs[0]?.[0]?.json.text).toBe(content);
});
