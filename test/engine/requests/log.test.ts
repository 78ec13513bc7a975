/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/* n8n's log has a line of each request: what became of it, and no word of it. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim);

const lines: Array<[message: string, facts: unknown]> = [];
const usual = Container.get(Logger);
beforeAll(() => {
	const debug = (message: string, facts: unknown) => {
		if (message.startsWith('Speech Gateway')) lines.push([message, facts]);
	};
	Container.set(Logger, Object.create(usual, { debug: { value: debug } }));
});
afterAll(() => void Container.set(Logger, usual));
beforeEach(() => void (lines.length = 0));

test('a request that was refused, one that is unknown and one that was answered', async () => {
	sim.fault({ status: 503, input: 'number 0', nth: 1 });
	sim.fault({ status: 504, input: 'number 1' });
	await run({
		parameters: speechNode({ maxRetries: 1, concurrency: 1 }),
		items: texts(2),
		onError: 'continueErrorOutput',
	});
	const facts = { kind: 'speech', method: 'POST', ms: expect.any(Number) };
	expect(lines.map(([, one]) => one)).toEqual([
		{ ...facts, status: '503', outcome: 'transient', requestId: expect.any(String) },
		{ ...facts, status: '504', outcome: 'unknown', requestId: expect.any(String) },
		{ ...facts, status: 200, outcome: 'answered', requestId: expect.any(String) },
	]);
	const all = JSON.stringify(lines);
	expect(all).not.toContain('Sentence');
	expect(all).not.toContain(sim.apiKey);
});

test('a request that was never answered', async () => {
	sim.fault({ connection: 'reset-before-work' });
	await run();
	expect(lines).toEqual([
		[
			expect.stringContaining('speech POST unknown'),
			expect.objectContaining({ outcome: 'unknown' }),
		],
	]);
});
