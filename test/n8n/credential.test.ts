import { startHttp, type TestServer } from '../support/hostileServers';
import { useBench } from '../support/n8n/bench';
import { nodeOutputs } from '../support/n8n/client';
import { connection, makeNode } from '../support/workflow';

const bench = useBench();

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

describe('the credential test says what is wrong', () => {
	const check = async (data: { apiKey: string; baseUrl: string; costsNothing?: boolean }) =>
		await bench.api.testCredential(
			await bench.api.createCredential('speechGatewayApi', data),
			data,
		);

	const servers: TestServer[] = [];
	afterAll(async () => await Promise.all(servers.map(async ({ close }) => await close())));

	/** The address of a server that answers everything with this. */
	async function serve(type: string, body: string, status = 200): Promise<string> {
		const headers = { 'content-type': type, location: '/elsewhere' };
		const server = await startHttp((_, response) => response.writeHead(status, headers).end(body));
		servers.push(server);
		return `http://127.0.0.1:${server.port}`;
	}

	const PAGE = '<!doctype html><title>Console</title><div id="app"></div>';

	test.each([
		["n8n's own", () => bench.api.url, /no gateway at this base URL/],
		['a static web page', () => serve('text/html', PAGE, 404), /no gateway at this base URL/],
		['a console, which answers any path with its page', () => serve('text/html', PAGE), /website/],
		['another API', () => serve('application/json', '{"status":"ok"}'), /no gateway/],
		['a list of something else', () => serve('application/json', '[{"a":1}]'), /no gateway/],
		['a firewall that shows a page', () => serve('text/html', PAGE, 403), /proxy or firewall/],
		['one that shows nothing', () => serve('text/plain', '', 403), /not about the API key \(403\)/],
		['a redirect', () => serve('text/html', '', 301), /redirects to another address \(301\)/],
		[
			'a port that refuses',
			() => 'http://127.0.0.1:1',
			/connection refused\)\. Check the base URL/,
		],
		[
			'https:// of a server without',
			() => bench.sim.url.replace('http:', 'https:'),
			/http:\/\/ or another port/,
		],
		[
			"a server's without a list of models",
			() => serve('application/json', '{"detail":"Not Found"}', 404),
			/^This service has no list of models, so the address cannot be tested\. Save it/,
		],
		['no address', () => 'the key', /not a web address\. It should look like https/],
	])('the address is %s', async (_, address, words) => {
		const { status, message } = await check({ apiKey: 'key', baseUrl: await address() });
		expect(message).toMatch(words);
		expect(status).toBe('Error');
	});

	test.each(['{"object":"list","data":[]}', '[]', '[{"id":"fish-speech"}]', '{"models":["a"]}'])(
		'a gateway that lists its models as %s is one',
		async (body) => {
			const baseUrl = await serve('application/json', body);
			expect(await check({ apiKey: 'key', baseUrl })).toMatchObject({ status: 'OK' });
		},
	);

	test('a key that the gateway does not know', async () => {
		const { status, message } = await check({ apiKey: 'mistyped', baseUrl: bench.sim.url });
		expect(message).toMatch(/does not accept this API key/);
		expect(status).toBe('Error');
	});

	test('its own words come first', async () => {
		const said = '{"detail":"Invalid API key. Ask for another."}';
		const baseUrl = await serve('application/json', said, 403);
		const { message } = await check({ apiKey: 'a-key-of-twelve', baseUrl });
		expect(message).toMatch(
			/^The service says: "Invalid API key\. Ask for another\." \(403\)\. The gateway does not accept this API key/,
		);
	});

	test('an empty key is told, unless requests cost nothing', async () => {
		const baseUrl = await serve('application/json', '{"data":[{"id":"kokoro"}]}');
		const { message } = await check({ apiKey: ' ', baseUrl });
		expect(message).toMatch(/^The API key in the credential has no value.*Requests Cost Nothing/);
		const { status } = await check({ apiKey: '', baseUrl, costsNothing: true });
		expect(status).toBe('OK');
	});

	test.each(['/', '/v1/', '/v1/audio/speech', '/v1/?x=1#y', ' '])(
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
