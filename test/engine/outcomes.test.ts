import type { OnError } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { type Fault } from '../support/simulator';
import { item, saved, useSimulator, runnerOf, speechNode, texts } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1 });

const run = runnerOf(() => sim);
const speech = (fault: Omit<Fault, 'path'>): void =>
	sim.fault({ path: '/v1/audio/speech', ...fault });

describe('what counts as what, for one billed request', () => {
	test('what came of a result that is cut short goes along: it was paid for', async () => {
		speech({ truncate: 'half' });
		const { outputs } = await run();
		expect(outputs[1][0].binary).toMatchObject({
			received: { mimeType: 'audio/mpeg', fileExtension: 'mp3' },
		});
	});

	test('524 goes on as a job when long text is automatic', async () => {
		speech({ status: 524 });
		sim.options.jobSeconds = 0;
		const { outputs } = await run();
		expect(outputs[0]).toHaveLength(1);
		expect(sim.charges.map(({ kind }) => kind)).toEqual(['job']);
	});
});

describe('stop mode', () => {
	test('one error that names the item and what is kept; a retry sends only what was never charged', async () => {
		speech({ status: 402, input: 'number 3', times: 1 });
		const first = await run({ items: texts(6), parameters: speechNode({ concurrency: 2 }) });
		expect(first.error?.message).toContain('item 4 of 6');
		const charged = sim.charges.length;
		expect(first.error?.description).toContain(`${charged} of 6 items are done and kept`);
		const second = await run({ items: texts(6), retryOf: saved(first.run), mode: 'retry' });
		expect(second.outputs[0].map(({ json }) => json.characters)).toHaveLength(6);
		expect(second.outputs[0].map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3, 4, 5].map((index) => ({ item: index })),
		);
		expect(sim.charges).toHaveLength(6);
		expect(new Set(sim.charges.map(({ input }) => input)).size).toBe(6);
		expect(second.context).toEqual({});
	});
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as OnError[])(
	'%s: items that fail become error items, wherever they are; the others are delivered and billed once',
	async (onError) => {
		const failing = [0, 4, 9];
		for (const id of failing) speech({ status: 422, input: `number ${id}.`, times: Infinity });
		const { outputs, error, context } = await run({
			items: [...texts(10), item({ text: '' })],
			onError,
			retryOnFail: true,
		});
		expect(error).toBeUndefined();
		const errors =
			onError === 'continueErrorOutput' ? outputs[2] : outputs[0].filter(({ json }) => json.error);
		expect(errors.map(({ pairedItem }) => pairedItem)).toEqual(
			[...failing, 10].map((index) => ({ item: index })),
		);
		expect(errors[0].json.error).toMatchObject({
			httpCode: '422',
			message: expect.any(String),
			description: expect.any(String),
		});
		expect(outputs[0].filter(({ json }) => !json.error)).toHaveLength(7);
		expect(sim.charges).toHaveLength(7);
		expect(context).toEqual({});
	},
);

test('the same text in several items is sent and charged for each', async () => {
	const { outputs } = await run({ items: [1, 2, 3].map(() => item({ text: 'Again.' })) });
	expect(outputs[0]).toHaveLength(3);
	expect(sim.charges).toHaveLength(3);
});

test('after Stop nothing billed is sent, not even by Retry On Fail', async () => {
	sim.options.latencyMs = 200;
	const running = run({
		items: texts(20),
		parameters: speechNode({ concurrency: 2 }),
		retryOnFail: true,
		started: ({ cancel }) =>
			void sim.waitFor((requests) => requests.length >= 2).then(cancel, () => {}),
	});
	await running;
	const seen = sim.requests.length;
	expect(seen).toBeLessThanOrEqual(3);
	sim.options.latencyMs = 1;
});
