import { useVirtualTime } from '../support/clock';
import { jobNode, runnerOf, saved, speechNode, texts, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const run = runnerOf(() => sim);
const inputs = () => sim.charges.map(({ input }) => input);

test('it is written before the request leaves', async () => {
	let written = '';
	await run({
		started: ({ data }) =>
			void sim.waitFor((all) => {
				if (all.length > 0) written ||= JSON.stringify(data.executionData!.contextData);
				return all.length > 0;
			}),
	});
	expect(written).toContain('"sending"');
});

test.each([undefined, 0, 1, 2, 3, 5])(
	'Retry On Fail with Max Tries %s: an item that is done is sent once, and nothing stays behind',
	async (maxTries) => {
		sim.fault({ status: 422, input: 'number 0.', times: Infinity });
		const { context } = await run({
			items: texts(2),
			onError: 'continueRegularOutput',
			retryOnFail: true,
			maxTries,
		});
		expect(inputs()).toEqual(['Sentence number 1.']);
		expect(context).toEqual({});
	},
);

test('without Retry On Fail, nothing stays behind of a run whose first item failed', async () => {
	sim.fault({ status: 422, input: 'number 0.' });
	const { context } = await run({ items: texts(2), onError: 'continueRegularOutput' });
	expect(context).toEqual({});
});

test.each([2, 3, undefined])(
	'"Retry execution" with Max Tries %s: its tries are counted anew, and an item that is done is sent once',
	async (maxTries) => {
		sim.fault({ status: 422, input: 'number 0.', times: Infinity });
		const first = await run({ items: texts(2), parameters: speechNode({ concurrency: 1 }) });
		expect(inputs()).toEqual([]);
		const { context } = await run({
			...{ items: texts(2), onError: 'continueRegularOutput', retryOnFail: true, maxTries },
			...{ retryOf: saved(first.run), mode: 'retry' },
		});
		expect(inputs()).toEqual(['Sentence number 1.']);
		expect(context).toEqual({});
	},
);

test.each([402, 524])('of what ended with %i, uncharged, no text is kept', async (status) => {
	sim.fault({ path: '/v1/audio/speech', status });
	const { error, context } = await run({ parameters: speechNode({ longText: 'single' }) });
	expect(error?.message).toContain(String(status));
	expect(JSON.stringify(context)).not.toMatch(/Sentence|speech\.generate/);
});

test('nothing paid for yet: a retry speaks the text as it is now', async () => {
	sim.fault({ status: 402 });
	const options = { maxSegmentCharacters: 30, concurrency: 1 };
	const first = await run({
		parameters: speechNode(options, { text: 'A first sentence. And a second one that is longer.' }),
	});
	expect(first.error).toBeDefined();
	const other = ['Quite a new first sentence.', 'And one more to follow it.'];
	await run({
		retryOf: saved(first.run),
		mode: 'retry',
		parameters: speechNode(options, { text: other.join(' ') }),
	});
	expect(inputs()).toEqual(other);
});

test('an item that is done is not read again: a value that has become bad does not stop the retry', async () => {
	sim.fault({ status: 402, input: 'number 1.' });
	const first = await run({ items: texts(2), parameters: speechNode({ concurrency: 1 }) });
	const second = await run({
		items: texts(2),
		parameters: speechNode({ speed: '={{ $json.id === 0 ? 9 : undefined }}' }),
		retryOf: saved(first.run),
		mode: 'retry',
	});
	expect(second.outputs[0]).toHaveLength(2);
});

test('still processing is not finished: a retry looks at the same job again', async () => {
	const jobs = { path: '/v1/audio/speech/jobs', method: 'POST' };
	sim.fault({ ...jobs, jobSeconds: Infinity, input: 'number 0' });
	sim.fault({ ...jobs, status: 402, input: 'number 1' });
	const parameters = jobNode({ maxWait: 1, whenMaxWaitReached: 'stillProcessing', concurrency: 1 });
	const first = await run({ parameters, items: texts(2) });
	expect(first.error?.message).toContain('402');
	sim.finish();
	const again = { parameters, items: texts(2), retryOf: saved(first.run), mode: 'retry' as const };
	const { outputs } = await run(again);
	expect(outputs.map(({ length }) => length)).toEqual([2, 0, 0]);
	expect(inputs()).toEqual(['Sentence number 0.', 'Sentence number 1.']);
});

test('what is finished is kept as it came out: a retry asks the gateway nothing about it', async () => {
	sim.fault({ path: '/v1/audio/speech/jobs', method: 'POST', status: 402, input: 'number 1' });
	const parameters = jobNode({ concurrency: 1 });
	const first = await run({ parameters, items: texts(2) });
	expect(first.error?.message).toContain('402');
	const [done] = sim.jobs;
	sim.requests.length = 0;
	const { outputs } = await run({
		...{ parameters, items: texts(2), retryOf: saved(first.run), mode: 'retry' },
	});
	expect(outputs[0].map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	expect(outputs[0][0].json.id).toBe(done.id);
	expect(sim.requests.filter(({ path }) => path.includes(done.id))).toEqual([]);
});

test('a credential that cannot be used is an error of the node, not of its first item', async () => {
	const { error } = await run({ items: texts(3), url: 'no address' });
	expect(error?.message).not.toContain('item');
	expect(error?.description).not.toContain('0 of 3');
	expect(sim.requests).toEqual([]);
});
