import { retrierOf, runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const run = runnerOf(sim);
const retry = retrierOf(run);

test.each([
	...[undefined, 0, 1, 2, 3, 5].map((tries) => ['Retry On Fail', tries] as const),
	// Its tries are counted anew.
	...[2, 3, undefined].map((tries) => ['Retry execution', tries] as const),
])(
	'%s with Max Tries %s: an item that is done is sent once, and nothing stays behind',
	async (which, maxTries) => {
		sim.fault({ status: 422, input: 'number 0.', times: Infinity });
		const items = texts(2);
		const more = { items, onError: 'continueRegularOutput', retryOnFail: true, maxTries } as const;
		const stopped = { items, parameters: speechNode({ concurrency: 1 }) };
		const isFirst = which === 'Retry On Fail';
		const { context } = isFirst ? await run(more) : await retry(await run(stopped), more);
		expect(sim.charged()).toEqual(['Sentence number 1.']);
		expect(context).toEqual({});
	},
);

test.each([402, 524])('of what ended with %i, uncharged, no text is kept', async (status) => {
	sim.fault({ path: '/v1/audio/speech', status });
	const { error, context } = await run({ parameters: speechNode({ longText: 'single' }) });
	expect(error?.message).toContain(String(status));
	expect(JSON.stringify(context)).not.toMatch(/Sentence|speech\.generate/);
});

test('an item that is done is not read again: a value that has become bad does not stop the retry', async () => {
	sim.fault({ status: 402, input: 'number 1.' });
	const first = await run({ items: texts(2), parameters: speechNode({ concurrency: 1 }) });
	const second = await retry(first, {
		items: texts(2),
		parameters: speechNode({ speed: '={{ $json.id === 0 ? 9 : undefined }}' }),
	});
	expect(second.outputs[0]).toHaveLength(2);
});

test('a credential that cannot be used is an error of the node, not of its first item', async () => {
	const { error } = await run({ items: texts(3), url: 'no address' });
	expect(error?.message).not.toContain('item');
	expect(error?.description).not.toContain('0 of 3');
	expect(sim.requests).toEqual([]);
});
