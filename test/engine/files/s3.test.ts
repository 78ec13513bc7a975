/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** n8n's own client of S3, as its binary data mode "s3" uses it, in front of a store that answers 503 for a while. */
import { ObjectStoreConfig, type ObjectStoreService, S3ByteStore } from '@n8n/blob-storage';
import { Container } from '@n8n/di';
import { BinaryDataBlobManager, BinaryDataService, ErrorReporter } from 'n8n-core';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { now } from '../../support/clock';
import { readStored, runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim);

const objects = new Map<string, Buffer>();
let awayUntil = 0;
let refused = 0;

async function answer(request: IncomingMessage): Promise<[status: number, body?: Buffer | string]> {
	const body = await buffer(request);
	if (now() < awayUntil) {
		refused++;
		return [503, '<Error><Code>SlowDown</Code><Message>Please reduce your rate</Message></Error>'];
	}
	if (request.method === 'PUT') objects.set(request.url!.split('?')[0], body);
	const kept = objects.get(request.url!.split('?')[0]);
	return kept ? [200, request.method === 'GET' ? kept : ''] : [404];
}

const server = createServer(async (request, response) => {
	const [status, body] = await answer(request);
	response.writeHead(status).end(body);
});

beforeAll(async () => {
	await run(); // sets up n8n's stores
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const config = Object.assign(new ObjectStoreConfig(), {
		host: `127.0.0.1:${port}`,
		protocol: 'http',
		forcePathStyle: true,
		maxAttempts: 1, // of the client itself: the node's are what is tested
		bucket: { name: 'n8n', region: 'eu-central-1' },
		credentials: { accessKey: 'key', accessSecret: 'secret', authAutoDetect: false },
	});
	// TypeScript 5.9 does not find its types as this project resolves modules.
	const { ObjectStoreService: Service } = jest.requireActual<{
		ObjectStoreService: new (logger: object, config: ObjectStoreConfig) => ObjectStoreService;
	}>('@n8n/blob-storage/object-store');
	const store = new S3ByteStore(new Service({ debug() {}, error() {} }, config));
	const service = Container.get(BinaryDataService);
	service.setManager('s3', new BinaryDataBlobManager(store, Container.get(ErrorReporter)));
	Object.assign(service, { mode: 's3' });
});
beforeEach(() => {
	sim.reset();
	objects.clear();
	refused = 0;
});
afterAll(() => void server.close().closeAllConnections());

test('away for 12 s: every file is stored there, and paid for once', async () => {
	awayUntil = now() + 12_000;
	const { outputs } = await run({ items: texts(8) });
	expect(outputs[0]).toHaveLength(8);
	expect(sim.charges).toHaveLength(8);
	expect(refused).toBeGreaterThan(0);
	for (const { binary, json } of outputs[0]) {
		expect(binary!.data.id).toMatch(/^s3:/);
		expect(await readStored(binary!.data)).toHaveLength(json.bytes as number);
	}
});

test('away for good: what is paid for is on the items, and the words are those of the store', async () => {
	awayUntil = Infinity;
	const { outputs, hints } = await run({
		items: texts(8),
		parameters: speechNode({ concurrency: 2 }),
		onError: 'continueErrorOutput',
	});
	const [success, unknown, errors] = outputs;
	expect(success).toHaveLength(2);
	expect(sim.charges).toHaveLength(2);
	for (const { binary, json } of success)
		expect(await readStored(binary!.data)).toHaveLength(json.bytes as number);
	expect(unknown).toEqual([]);
	expect(errors).toHaveLength(6);
	expect(hints.join()).toContain('Please reduce your rate');
});
