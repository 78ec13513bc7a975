import { useVirtualTime } from '../support/clock';
import { type Simulator, startSimulator } from '../support/simulator';
import { item, runNode } from './support';

useVirtualTime();

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator({ latencyMs: 1 })));
afterAll(async () => await sim.close());

test('a job that is asked for seldom does not hold back one that is asked for often', async () => {
	sim.fault({ input: 'seldom', jobSeconds: Infinity });
	sim.options.jobSeconds = 0;
	await runNode({
		parameters: {
			resource: 'speechJob',
			operation: 'createAndWait',
			model: { __rl: true, mode: 'id', value: 'fish-speech' },
			text: '={{ $json.text }}',
			voice: { __rl: true, mode: 'list', value: 'default' },
			responseFormat: 'mp3',
			options: { pollInterval: '={{ $json.interval }}', maxPollInterval: 600 },
		},
		items: [item({ text: 'seldom', interval: 600 }), item({ text: 'often', interval: 1 })],
		url: sim.url,
		apiKey: sim.apiKey,
		started: ({ cancel }) =>
			void sim
				.waitFor((requests) => requests.some(({ path }) => path.endsWith('/content')))
				.then(cancel, cancel),
	});
	expect(sim.requests.filter(({ path }) => path.endsWith('/content'))).toHaveLength(1);
});
