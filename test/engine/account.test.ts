import type { IDataObject } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { type EngineRun, runNode, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, multiplier: 3 });
afterEach(() => void Object.assign(sim.options, { pricing: undefined, usageLog: {} }));

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
