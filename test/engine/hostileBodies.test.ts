/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/* What the table of a misbehaving gateway (hostile.test.ts) does not say: words, bytes and connections. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import {
	startHttp,
	startHttps,
	type TestServer,
	trustTestServers,
} from '../support/hostileServers';
import { item, runNode } from './support';

const KEY = ['sk', 'Test/0123456789'].join('-');

let server: TestServer;
/** What the gateway of the test does with a request. */
let serve: (response: ServerResponse, path: string, method: string) => void;
beforeAll(async () => {
	server = await startHttp((request, response) =>
		serve(response, request.url ?? '', request.method ?? ''),
	);
});
afterAll(async () => await server.close());
beforeEach(() => (server.seen.length = 0));

const run = async (parameters: IDataObject, options: IDataObject = {}) =>
	await runNode({
		parameters: { ...parameters, options: { maxRetries: 0, ...options } },
		url: `http://127.0.0.1:${server.port}`,
		apiKey: KEY,
		items: [item({})],
	});
const values = [{ role: 'user', content: 'Hello' }];
const chat = { resource: 'chat', operation: 'complete', model: 'm', messages: { values } };
const speech = { resource: 'speech', operation: 'generate', model: 'm', text: 'Hello.' };
const models = { resource: 'model', operation: 'getMany', returnAll: true };
const remove = { resource: 'voice', operation: 'delete', model: 'm', voice: 'v1' };

const json = (response: ServerResponse, body: unknown, status = 200) =>
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** No connection is left open: what has been done with is closed by us, not by the server. */
async function everythingClosed(): Promise<void> {
	while (server.open > 0) await new Promise((resolve) => setImmediate(resolve));
}

test('gzip that unpacks to a hundred times of itself is not collected', async () => {
	const packed = gzipSync(Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(20_000_000, 'x')]));
	serve = (response) =>
		response
			.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
			.end(packed);
	const { outputs } = await run(chat);
	expect(outputs[1][0].json).toMatchObject({ reason: 'damaged_response' });
	expect(outputs[1][0].json.message).toContain('larger than 16 MiB');
	const { error } = await run(models);
	expect(error?.message).toContain('larger than 16 MiB');
	await everythingClosed();
});

describe('connections end with what they were for', () => {
	test('a stream that stays open after [DONE]', async () => {
		serve = (response) =>
			response
				.writeHead(200, { 'content-type': 'text/event-stream' })
				.write('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
		expect((await run(chat, { stream: true })).outputs[0][0].json.text).toBe('Hi');
		await everythingClosed();
	});

	test('a redirect whose body does not end', async () => {
		serve = (response, path) => {
			if (path === '/there') return json(response, { data: [{ id: 'm' }] });
			return response.writeHead(302, { location: '/there' }).write('moved');
		};
		expect((await run(models)).outputs[0]).toHaveLength(1);
		await everythingClosed();
	});

	test('a success that is no audio, and does not end', async () => {
		serve = (response) =>
			response.writeHead(200, { 'content-type': 'text/html' }).write('<html>'.repeat(100));
		expect((await run(speech, { timeout: 1 })).outputs[1][0].json.reason).toBe('damaged_response');
		await everythingClosed();
	});
});

describe('videos', () => {
	const download = { resource: 'video', operation: 'download', videoId: 'video_1' };
	const film = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));

	test.each([
		['video/mp4', 'video/mp4', 'mp4'],
		['video/webm; codecs=vp9', 'video/webm', 'webm'],
		['Video/QuickTime', 'video/quicktime', 'mov'],
		['application/octet-stream', 'video/mp4', 'mp4'],
	])('of the type %s: every byte is stored, as %s', async (type, mimeType, fileExtension) => {
		serve = (response) => response.writeHead(200, { 'content-type': type }).end(film);
		const { outputs } = await run(download);
		const [[{ json: fields, binary }]] = outputs;
		expect(fields.bytes).toBe(film.length);
		expect(binary!.data).toMatchObject({ mimeType, fileExtension });
		const stored = await Container.get(BinaryDataService).getAsBuffer(binary!.data);
		expect(stored.equals(film)).toBe(true);
	});

	test('from a storage link with https', async () => {
		trustTestServers();
		const storage = await startHttps((_request, response) => response.end(film));
		serve = (response) =>
			response.writeHead(302, { location: `https://localhost:${storage.port}/film` }).end();
		const { outputs, error } = await run(download);
		jest.restoreAllMocks();
		await storage.close();
		expect(error).toBeUndefined();
		expect(outputs[0][0].json.bytes).toBe(film.length);
	});

	test.each([
		['a page', 'text/html', '<html>Please log in</html>', 'this is not a video: Please log in'],
		['nothing', 'video/mp4', '', 'the file is empty'],
	])('%s is no video', async (_, type, body, words) => {
		serve = (response) => response.writeHead(200, { 'content-type': type }).end(body);
		const { error } = await run(download);
		expect(error?.message).toContain(words);
		expect(error?.context?.jobId).toBe('video_1');
	});
});

test.each([`ftp://${KEY}@host`, KEY, `https://host/${KEY}/v1`, `https://${KEY}.example.com`])(
	'the key, pasted into the base URL, appears nowhere: %s',
	async (url) => {
		const key = ['sk', 'TestKey0123456789'].join('-');
		const pasted = url.replaceAll(KEY, key);
		const { run: failed } = await runNode({
			parameters: { ...speech, options: { maxRetries: 0 } },
			url: pasted,
			apiKey: key,
		});
		expect(failed.data.resultData.error?.message).toMatch(/base URL/);
		expect(JSON.stringify(failed.data.resultData).toLowerCase()).not.toContain(key.toLowerCase());
	},
);

describe('deleting', () => {
	test('follows no redirect', async () => {
		serve = (response, path) =>
			path === '/there'
				? json(response, {})
				: response.writeHead(302, { location: '/there' }).end();
		expect((await run(remove)).error?.message).toContain('redirects to another address (302)');
		expect(server.seen).toHaveLength(1);
	});

	test('a page with status 200 is no deletion', async () => {
		serve = (response) =>
			response
				.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
				.end('<html><h1>Please log in</h1></html>');
		const { error } = await run(remove);
		expect(error?.message).toContain('not deleted');
		expect(error?.description).toContain('Please log in');
	});

	test.each([200, 202, 204])('%i is a deletion', async (status) => {
		serve = (response) => response.writeHead(status).end();
		expect((await run(remove)).outputs[0][0].json).toEqual({ _id: 'v1', deleted: true });
	});
});
