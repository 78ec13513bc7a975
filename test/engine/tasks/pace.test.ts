import { item, jobNode, runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });
afterEach(() => void (sim.options.latencyMs = 1));

const run = runnerOf(sim);

/** Most requests in flight at one moment. */
const most = () =>
	Math.max(
		...sim.requests.map(
			({ at }) =>
				sim.requests.filter((other) => other.at <= at && (other.endedAt ?? Infinity) > at).length,
		),
	);
/** From the start of each request to that of the next, ms. */
const gaps = () => sim.requests.slice(1).map(({ at }, index) => at - sim.requests[index].at);

test('a job that is asked for seldom does not hold back one that is asked for often', async () => {
	sim.fault({ input: 'seldom', jobSeconds: Infinity });
	sim.options.jobSeconds = 0;
	await run({
		parameters: jobNode({ pollInterval: '={{ $json.interval }}', maxPollInterval: 600 }),
		items: [item({ text: 'seldom', interval: 600 }), item({ text: 'often', interval: 1 })],
		started: ({ cancel }) =>
			void sim
				.waitFor((requests) => requests.some(({ path }) => path.endsWith('/content')))
				.then(cancel, cancel),
	});
	expect(sim.requests.filter(({ path }) => path.endsWith('/content'))).toHaveLength(1);
});

test.each([
	['by default', undefined, 4],
	['with Concurrency 6', 6, 6],
	['with Concurrency 1', 1, 1],
])('%s, that many requests are in flight and never more', async (_, concurrency, expected) => {
	sim.options.latencyMs = 150;
	await run({ items: texts(12), parameters: speechNode(concurrency ? { concurrency } : {}) });
	expect(most()).toBe(expected);
	expect(sim.charges).toHaveLength(12);
});

test('Retry-After of ten minutes is the longest that is waited for', async () => {
	sim.fault({ status: 429, retryAfter: 600 });
	const { outputs } = await run({ parameters: speechNode({ maxRetries: 1 }) });
	expect(outputs[0]).toHaveLength(1);
	expect(gaps()[0]).toBeGreaterThanOrEqual(600_000);
	sim.reset();
	sim.fault({ status: 429, retryAfter: 601 });
	expect((await run({ parameters: speechNode({ maxRetries: 1 }) })).error?.message).toContain(
		'429',
	);
});

describe('free requests', () => {
	test('while a poll waits out a 429, nobody asks, and then fewer at once', async () => {
		sim.options.jobSeconds = 60;
		sim.options.latencyMs = 400;
		sim.fault({ method: 'GET', status: 429, retryAfter: 30 });
		const { outputs } = await run({ items: texts(4), parameters: jobNode({ pollInterval: 1 }) });
		expect(outputs[0]).toHaveLength(4);
		const told = sim.requests.find(({ status }) => status === 429)!.endedAt!;
		const later = sim.requests.filter(({ at }) => at > told);
		expect(later[0].at - told).toBeGreaterThanOrEqual(29_900);
		expect(later.length).toBeGreaterThan(4);
	});

	test('polls of many jobs are spread: 40 a second, however many there are, and 100 once one is done', async () => {
		sim.options.jobSeconds = 3;
		const parameters = jobNode({ pollInterval: 1, concurrency: 100 });
		await run({ items: texts(80), parameters });
		const polls = sim.requests.filter(
			({ method, path }) => method === 'GET' && !/content$/.test(path),
		);
		for (const { at } of polls) {
			const within = polls.filter((other) => other.at >= at && other.at < at + 1000);
			// One more where the second begins, and what a poll that waited for its turn takes.
			expect(within.length).toBeLessThanOrEqual(at + 1000 < sim.jobs[0].readyAt ? 45 : 105);
		}
	});

	test('one that fails for good holds back billed ones until it is known how its item ends', async () => {
		sim.options.latencyMs = 900;
		// One of the two segments of an item is refused while the other still takes its time.
		const long = `First. ${'It goes on. '.repeat(70)}\n\nSecond. ${'It goes on. '.repeat(70)}`;
		sim.fault({ input: 'First', status: 422 });
		sim.fault({ input: 'Second', delayMs: 60_000 });
		const { error } = await run({
			parameters: speechNode({ concurrency: 3 }),
			items: texts(60).map(({ json }, index) => item(index === 0 ? { text: long } : json)),
		});
		expect(error?.message).toContain('422');
		const refused = sim.requests.find(({ status }) => status === 422)!;
		// What had begun by then takes 0.9 s.
		const after = sim.requests.filter(({ at }) => at > refused.endedAt! + 500);
		expect(after).toEqual([]);
		expect(sim.charges.length).toBeGreaterThan(1);
		expect(
			sim.requests.find(({ input }) => input?.includes('Second'))!.endedAt! - refused.at,
		).toBeGreaterThan(30_000);
	});
});

test('Timeout is 180 seconds by default, and bounds the wait for an answer', async () => {
	sim.fault({ connection: 'stall' });
	const { outputs } = await run({ parameters: { ...speechNode(), options: {} } });
	expect(outputs[1][0].json.reason).toBe('client_timeout');
	const [{ at, endedAt }] = await sim.waitFor(([request]) => request.endedAt !== undefined);
	expect((endedAt! - at) / 1000).toBeCloseTo(180, 0);
});
