import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { brewChaos, chaosText, tally, type Delivered } from '../support/chaos';
import { type Simulator, startSimulator } from '../support/simulator';
import { item, runNode, saved, type EngineResult } from './support';

const ITEMS = 300;
const SEEDS = [1, 2, 3];
/** A storm of 300 items has a handful of 402, and each may end one execution. */
const MAX_EXECUTIONS = 40;

useVirtualTime();

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator({ latencyMs: 1 })));
afterAll(async () => await sim.close());

const parameters = (options: IDataObject): IDataObject => ({
	resource: 'speech',
	operation: 'generate',
	model: { __rl: true, mode: 'id', value: 'fish-speech' },
	text: '={{ $json.text }}',
	voice: { __rl: true, mode: 'list', value: 'default' },
	responseFormat: 'mp3',
	options: { timeout: 2, concurrency: 8, ...options },
});
const inputIndex = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;
const cameOut = ({
	outputs: [success = [], unknown = [], failed = []],
}: EngineResult): Delivered => ({
	delivered: success.map(inputIndex),
	unknown: unknown.map(inputIndex),
	failed: failed.map(inputIndex),
});
const items = Array.from({ length: ITEMS }, (_, index) => item({ text: chaosText(index) }));
const storm = (seed: number) => {
	sim.reset();
	brewChaos(sim, seed, ITEMS);
};

function expectSound(came: Delivered) {
	const figures = tally(sim, ITEMS, came);
	expect(figures).toMatchObject({ lost: 0 });
	expect(figures.mostOfOne).toBeLessThanOrEqual(1);
	expect(figures.delivered + figures.unknown + figures.failed).toBe(ITEMS);
	for (const indexes of Object.values(came) as number[][])
		expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
	expect(figures.unknown).toBeGreaterThan(0);
	return figures;
}

test.each(SEEDS)('seed %s: stopped by errors, retried until it succeeds', async (seed) => {
	storm(seed);
	const run = {
		parameters: parameters({ maxRetries: 1 }),
		url: sim.url,
		apiKey: sim.apiKey,
		items,
	};
	let result = await runNode({ ...run, retryOnFail: true });
	let executions = 1;
	for (; result.error && executions < MAX_EXECUTIONS; executions++)
		result = await runNode({
			...run,
			retryOnFail: true,
			mode: 'retry',
			retryOf: saved(result.run),
		});
	expect(result.error).toBeUndefined();
	expect(expectSound(cameOut(result)).failed).toBe(0);
	expect(result.context).toEqual({});
});

test('with the error output: one execution, and every item is on one of the branches', async () => {
	storm(4);
	const result = await runNode({
		parameters: parameters({ maxRetries: 1 }),
		url: sim.url,
		apiKey: sim.apiKey,
		items,
		onError: 'continueErrorOutput',
		retryOnFail: true,
	});
	expect(expectSound(cameOut(result)).failed).toBeGreaterThan(0);
	expect(result.context).toEqual({});
});
