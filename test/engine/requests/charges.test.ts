/** What items say that they were charged. The model (model/judge) compares it with the books of the gateway. */
import type { IDataObject } from 'n8n-workflow';
import type { Charge } from '../../../nodes/SpeechGateway/requests/records';
import { type EngineResult, runnerOf, saved, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 1 });
const run = runnerOf(sim);

const chargesIn = ({ error, ...json }: IDataObject): Charge[] =>
	((error as IDataObject | undefined)?.charges ?? json.charges) as Charge[];
/** Of all items that have left the node in an execution. */
const chargesOf = ({ rounds }: EngineResult): Charge[] =>
	rounds.flat(2).flatMap(({ json }) => chargesIn(json));

test.each([
	['generate', {}],
	['create', { resource: 'speechJob', operation: 'create' }],
])('%s: the factor of the model is in the tokens, of whole seconds', async (_, operation) => {
	sim.options.multiplier = 2.5;
	const parameters = speechNode({ charges: true, modelMultiplier: 2.5 }, operation);
	const [{ tokens }] = chargesOf(await run({ parameters }));
	sim.options.multiplier = 1;
	const [charge] = sim.charges;
	expect(tokens).toBeGreaterThanOrEqual(charge.tokens);
	expect(tokens).toBeLessThan(charge.tokens + 2.5 * (1 + 1000 / 60) + 1);
});

test('the error that ends an execution tells all of its charges', async () => {
	sim.fault({ input: 'number 1', status: 504, charge: true });
	sim.fault({ input: 'number 2', status: 402 });
	const parameters = speechNode({ charges: true, concurrency: 1 });
	const { error } = await run({ items: texts(3), parameters });
	expect(error?.context?.charges).toMatchObject([{ charged: 'yes' }, { charged: 'unknown' }]);
});

test('each retry that delivers an item tells its charges again, but none that another retry has sent', async () => {
	const all = {
		items: ['One.', 'Two.', 'Three.'].map((text) => ({ json: { text } })),
		parameters: speechNode({ charges: true, concurrency: 1 }),
		nodeId: 'siblings',
	};
	sim.fault({ input: 'Two', status: 422 });
	const failed = await run(all);
	sim.fault({ input: 'Three', status: 422 });
	const again = { ...all, mode: 'retry' } as const;
	const first = await run({ ...again, retryOf: saved(failed.run) });
	expect([failed, first].map(({ run: { status } }) => status)).toEqual(['error', 'error']);
	const others = [
		await run({ ...again, retryOf: saved(first.run) }),
		await run({ ...again, retryOf: saved(failed.run) }),
		await run({ ...again, retryOf: saved(first.run) }),
	];
	expect(others.map((one) => chargesOf(one).length)).toEqual([3, 1, 2]);
	expect(sim.charges).toHaveLength(3);
});

test('a call of an agent that is answered with an earlier result, or refused again, has no charges', async () => {
	sim.fault({ input: 'Unknown', status: 504, charge: true });
	const calls = ['Spoken.', 'Spoken.', 'Unknown.', 'Unknown.'];
	const { rounds } = await run({
		parameters: speechNode({ charges: true }),
		asTool: true,
		rounds: calls.map((text) => [{ json: { text } }]),
	});
	expect(rounds.map(([[{ json }]]) => chargesIn(json).length)).toEqual([1, 0, 1, 0]);
	expect(sim.charges).toHaveLength(2);
});

test('in a retry, a call of an agent that is refused again tells its charge again', async () => {
	sim.fault({ input: 'Unknown', status: 504, charge: true });
	sim.fault({ input: 'Refused', status: 402 });
	const calls = ['Unknown.', 'Refused.', 'Unknown.'];
	const agent = {
		parameters: speechNode({ charges: true }),
		asTool: true,
		nodeId: 'told again',
		rounds: calls.map((text) => [{ json: { text } }]),
	};
	const failed = await run(agent);
	const { rounds } = await run({ ...agent, mode: 'retry', retryOf: saved(failed.run) });
	expect(chargesIn(rounds[2][0][0].json)).toMatchObject([{ charged: 'unknown' }]);
	expect(sim.charges).toHaveLength(2);
});

test('what another execution has sent is no charge of this one', async () => {
	const parameters = speechNode({ charges: true, sendOnceKey: 'charged elsewhere' });
	expect(chargesOf(await run({ parameters }))).toHaveLength(1);
	const { outputs } = await run({ parameters });
	expect(outputs[1][0].json).toMatchObject({ reason: 'already_sent', charges: [] });
});

test('an expression says for each item whether it tells its charges', async () => {
	const items = [false, true].map((told) => ({ json: { text: 'Hello.', told } }));
	const parameters = speechNode({ charges: '={{ $json.told }}' });
	const { outputs } = await run({ parameters, items });
	expect(outputs[0].map(({ json }) => 'charges' in json)).toEqual([false, true]);
});

test('without the option, nothing is said of charges', async () => {
	const { outputs } = await run({ parameters: speechNode({ charges: false }) });
	expect(outputs[0][0].json).not.toHaveProperty('charges');
});
