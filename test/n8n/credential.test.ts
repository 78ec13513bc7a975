import { openBench, type Bench } from '../support/n8n/bench';
import { nodeOutputs } from '../support/n8n/client';
import { connection, makeNode } from '../support/workflow';

let bench: Bench;
beforeAll(async () => (bench = await openBench()));
afterAll(async () => await bench?.close());

test("the credential works in n8n's HTTP Request node", async () => {
	const request = makeNode('HTTP Request', 'n8n-nodes-base.httpRequest', 4.2, 200, {
		url: `${bench.sim.url}/v1/models`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'speechGatewayApi',
		options: {},
	});
	const { type, id, name } = bench.credential;
	const workflow = await bench.api.importWorkflow({
		name: 'HTTP Request',
		nodes: [
			makeNode('Trigger', 'n8n-nodes-base.manualTrigger', 1, 0, {}),
			{ ...request, credentials: { [type]: { id, name } } },
		],
		connections: { Trigger: connection(['HTTP Request']) },
	});
	const execution = await bench.api.run(workflow);
	const [[{ json }]] = nodeOutputs(execution, 'HTTP Request');
	expect(json).toMatchObject({ object: 'list' });
	expect(bench.sim.requests.at(-1)).toMatchObject({ apiKey: bench.sim.apiKey, status: 200 });
});

// n8n 1 does not read the rules of a credential's test and uses words of its own. It also has but one node for all such
// tests, so one at a time: they are all in this file.
describe('the credential test says what is wrong', () => {
	const check = async (data: { apiKey: string; baseUrl: string }) =>
		await bench.api.testCredential(
			await bench.api.createCredential('speechGatewayApi', data),
			data,
		);

	test('a key that the gateway does not know', async () => {
		const { status, message } = await check({ apiKey: 'mistyped', baseUrl: bench.sim.url });
		expect(message).toMatch(/does not accept this API key|Authorization failed/);
		expect(status).toBe('Error');
	});

	test('an address without a gateway', async () => {
		const { apiKey } = bench.sim;
		const { message } = await check({ apiKey, baseUrl: `${bench.sim.url}/elsewhere` });
		expect(message).toMatch(/no gateway at this base URL|could not be found/);
	});

	test.each(['', '/', '/v1', '/v1/', '/V1', '/v1/?x=1#y', ' '])(
		'an address that ends in "%s" is understood',
		async (end) => {
			const { url, apiKey } = bench.sim;
			const { status } = await check({ apiKey, baseUrl: `${url}${end}` });
			expect(status).toBe('OK');
			expect(bench.sim.requests.at(-1)).toMatchObject({
				method: 'GET',
				path: '/v1/models',
				query: {},
				status: 200,
			});
		},
	);

	test('a login in the address is left out', async () => {
		const { url, apiKey } = bench.sim;
		const { status } = await check({ apiKey, baseUrl: url.replace('://', '://user:secret@') });
		expect(status).toBe('OK');
		expect(bench.sim.requests.at(-1)).toMatchObject({ apiKey });
	});
});
