/** The machine's clock is stepped while requests are on their way: durations must not notice. */
import { stepClock, wait } from '../../support/clock';
import { jobNode, runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim);

const FIVE_MINUTES = 300_000;

test.each([FIVE_MINUTES, -FIVE_MINUTES])(
	'a step of %i ms ends no request that is on its way',
	async (step) => {
		sim.fault({ times: 4, delayMs: 20_000 });
		sim.once('charge', () => stepClock(step));
		const { outputs } = await run({ parameters: speechNode({ timeout: 60 }), items: texts(4) });
		expect(outputs.map(({ length }) => length)).toEqual([4, 0]);
		expect(sim.charges).toHaveLength(4);
	},
);

test.each([FIVE_MINUTES, -FIVE_MINUTES])(
	'a step of %i ms leaves Retry-After as long as it is, for all items',
	async (step) => {
		sim.fault({ status: 429, retryAfter: 30 });
		sim.once('response', () => void wait(1_000).then(() => stepClock(step)));
		const parameters = speechNode({ maxRetries: 1, concurrency: 1 });
		await run({ parameters, items: texts(2) });
		const [first, ...others] = sim.requests.map(({ at }) => at);
		expect(others).toHaveLength(2);
		for (const at of others) {
			expect(at - first).toBeGreaterThanOrEqual(30_000);
			expect(at - first).toBeLessThan(60_000);
		}
	},
);

test.each([FIVE_MINUTES, -FIVE_MINUTES])(
	'a step of %i ms neither ends Max Wait nor extends it',
	async (step) => {
		const stepWhilePolling = () => {
			const polled = ({ method }: { method: string }) => {
				if (method !== 'GET') return;
				sim.off('request', polled);
				stepClock(step);
			};
			sim.on('request', polled);
		};
		sim.options.jobSeconds = 100;
		stepWhilePolling();
		const done = await run({ parameters: jobNode({ maxWait: 120 }) });
		expect(done.outputs[0]).toHaveLength(1);

		sim.reset();
		sim.options.jobSeconds = 200;
		stepWhilePolling();
		const { error } = await run({ parameters: jobNode({ maxWait: 120 }) });
		expect(error?.message).toMatch(/is still "processing" after 12\d/);
	},
);
