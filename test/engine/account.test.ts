import type { IDataObject } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { type EngineRun, runNode, speechNode, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, multiplier: 3 });
afterEach(
	() => void Object.assign(sim.options, { pricing: undefined, usageLog: {}, latencyMs: 1 }),
);

const account = async (operation: string, more: Partial<EngineRun> = {}) =>
	await runNode({
		parameters: { resource: 'account', operation, options: { maxRetries: 0 } },
		url: sim.url,
		apiKey: sim.apiKey,
		...more,
	});

describe('account.getPrices', () => {
	test('an item a model', async () => {
		sim.options.pricing = {
			data: [
				{ model_name: 'fish-speech', quota_type: 0, model_ratio: 7.5, enable_groups: ['default'] },
				{ model_name: 'video', quota_type: 1, model_ratio: 0, model_price: 5, owner_by: 'sim' },
			],
			group_ratio: { default: 2, vip: 0.5 },
		};
		const { outputs } = await account('getPrices', { url: `${sim.url}/v1/` });
		expect(outputs).toHaveLength(1);
		expect(outputs[0].map(({ json }) => json)).toEqual([
			{ model: 'fish-speech', multiplier: 7.5, groups: { default: 2 } },
			{
				model: 'video',
				multiplier: 0,
				perRequest: 5,
				groups: { default: 2, vip: 0.5 },
				ownedBy: 'sim',
			},
		]);
	});

	test.each<[string, IDataObject]>([
		['no such address', { status: 404 }],
		['a web page', { status: 200, body: '<html>Log in</html>' }],
		['another JSON', { status: 200, body: { data: [{ id: 'fish-speech' }] } }],
		['a list of nothing', { status: 200, body: { data: [] } }],
	])('%s: this gateway publishes no prices', async (_, fault) => {
		sim.fault({ path: '/api/pricing', times: 2, ...fault });
		const { error } = await account('getPrices');
		expect(error?.message).toBe(`This gateway publishes no prices at ${sim.url}/api/pricing`);
		expect(sim.requests).toHaveLength(1);
	});

	test('its words, without the key', async () => {
		const body = { success: false, message: `no prices for ${sim.apiKey}` };
		sim.fault({ path: '/api/pricing', status: 200, body });
		const { error } = await account('getPrices');
		expect(error?.description).toContain('It says: "no prices for ***"');
	});

	test('an error of the gateway is that error', async () => {
		sim.fault({ path: '/api/pricing', status: 401 });
		const { error } = await account('getPrices');
		expect(error?.message).toContain('does not accept the API key (401)');
	});

	test('is asked for once, however many items there are', async () => {
		const { outputs } = await account('getPrices', { items: [{ json: {} }, { json: {} }] });
		expect(outputs[0].map(({ json }) => json.multiplier)).toEqual([3, 3, 3, 0, 3, 3, 3, 0]);
		expect(sim.requests).toHaveLength(1);
	});
});

describe('what Unknown items say of their neighbours', () => {
	const say = (...texts: string[]) => texts.map((text) => ({ json: { text } }));
	const speak = async (more: Partial<EngineRun>, options: IDataObject = {}) =>
		await runNode({
			parameters: speechNode({ timeout: 5, ...options }, { text: '={{ $json.text }}' }),
			url: sim.url,
			apiKey: sim.apiKey,
			...more,
		});

	test('those of the run with the same model, sent within 10 s', async () => {
		sim.options.latencyMs = ({ input }) => (input === 'Slow.' ? 9_700 : 1_000);
		sim.fault({ input: 'Lost.', connection: 'reset-after-work' });
		sim.fault({ input: 'Given up.', connection: 'stall' });
		sim.fault({ input: 'Refused.', status: 400 });
		const items = say('Lost.', 'Given up.', 'Refused.', 'Said.', 'Slow.', 'Said again.', 'Late.');
		const { outputs } = await speak(
			{ items, onError: 'continueRegularOutput' },
			{ concurrency: 1, timeout: 30 },
		);
		const [lost, givenUp] = outputs[1].map(({ json }) => json);
		expect(lost).toMatchObject({ model: 'fish-speech', neighbours: { charged: 0, unknown: 1 } });
		expect(lost.neighbours).toMatchObject({ sent: [[1, 30, 0]] });
		// The refused one was not charged; the last was sent 10.7 s later.
		expect(givenUp.neighbours).toEqual({ charged: 0, unknown: 1, sent: [[-1, 1, 0]] });
	});

	test('with the IDs of those that were charged', async () => {
		sim.options.latencyMs = 1_000;
		sim.fault({ input: 'Lost.', connection: 'reset-after-work' });
		const { outputs } = await speak({ items: say('Said.', 'Lost.', 'Again.') });
		expect(outputs[1][0].json.neighbours).toEqual({
			charged: 2,
			unknown: 0,
			sent: [
				[0, 1, 1],
				[0, 1, 1],
			],
			requestIds: expect.arrayContaining([sim.requests[0].requestId, sim.requests[2].requestId]),
		});
	});

	test('over the tries of Retry On Fail', async () => {
		sim.options.latencyMs = 1_000;
		sim.fault({ input: 'Lost.', connection: 'reset-after-work' });
		sim.fault({ input: 'Later.', status: 400 });
		const { outputs } = await speak({
			items: say('Lost.', 'Later.'),
			...{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});
		expect(outputs[1][0].json.neighbours).toMatchObject({ charged: 1, sent: [[1, 1, 1]] });
	});

	test('segments of one text are neighbours, and each that is unknown is named', async () => {
		sim.options.latencyMs = 1_000;
		sim.fault({ input: 'One', connection: 'reset-after-work' });
		sim.fault({ input: 'Two', connection: 'stall' });
		const { outputs } = await speak(
			{ items: say('One is here. Two is here. Three is here.') },
			{ maxSegmentCharacters: 15 },
		);
		const { neighbours, otherUnknown } = outputs[1][0].json;
		expect(neighbours).toMatchObject({ charged: 1, unknown: 1 });
		expect(otherUnknown).toMatchObject([{ reason: 'client_timeout', neighbours: { charged: 1 } }]);
	});
});
