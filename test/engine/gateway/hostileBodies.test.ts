/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/* What the table of a misbehaving gateway (hostile.test.ts) does not say: words, bytes and connections. */
import type { ServerResponse } from 'node:http';
import type { IDataObject, OnError } from 'n8n-workflow';
import { startHttp, type TestServer } from '../../support/hostileServers';
import { item, runNode, readStored } from '../support';

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

const run = async (parameters: IDataObject, options: IDataObject = {}, onError?: OnError) =>
	await runNode({
		parameters: { ...parameters, options: { maxRetries: 0, ...options } },
		url: `http://127.0.0.1:${server.port}`,
		apiKey: KEY,
		items: [item({})],
		onError,
	});
const values = [{ role: 'user', content: 'Hello' }];
const chat = { resource: 'chat', operation: 'complete', model: 'm', messages: { values } };
const speech = { resource: 'speech', operation: 'generate', model: 'm', text: 'Hello.' };
const remove = { resource: 'voice', operation: 'delete', model: 'm', voice: 'v1' };

/** No connection is left open: what has been done with is closed by us, not by the server. */
async function everythingClosed(): Promise<void> {
	while (server.open > 0) await new Promise((resolve) => setImmediate(resolve));
}

describe('connections end with what they were for', () => {
	test('a stream that stays open after [DONE]', async () => {
		serve = (response) =>
			response
				.writeHead(200, { 'content-type': 'text/event-stream' })
				.write('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
		expect((await run(chat, { stream: true })).outputs[0][0].json.text).toBe('Hi');
		await everythingClosed();
	});

	test('a success that is no audio, and does not end', async () => {
		serve = (response) =>
			response.writeHead(200, { 'content-type': 'text/html' }).write('<html>'.repeat(100));
		expect((await run(speech, { timeout: 1 })).outputs[1][0].json.reason).toBe('damaged_response');
		await everythingClosed();
	});
});

test('a job that names a stored file as its own: no item has that file', async () => {
	const binary = {
		id: 'filesystem-v2:workflows/1/executions/1/binary_data/1',
		mimeType: 'audio/mpeg',
	};
	const job = { id: 'job_1', status: 'failed', error: { message: 'No' }, binary };
	serve = (response) =>
		response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(job));
	const parameters = { ...speech, resource: 'speechJob', operation: 'createAndWait' };
	const { outputs } = await run(parameters, {}, 'continueRegularOutput');
	expect(outputs[0][0]).toMatchObject({ json: { error: { jobId: 'job_1' } } });
	expect(outputs[0][0].binary).toBeUndefined();
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
		const stored = await readStored(binary!.data);
		expect(stored.equals(film)).toBe(true);
	});

	test.each([
		['a page', 'text/html', '<html>Please log in</html>', 'this is not a video: Please log in'],
		['a page without words', 'text/html', '<html></html>', 'this is not a video: text/html'],
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
	test.each([200, 202, 204])('%i is a deletion', async (status) => {
		serve = (response) => response.writeHead(status).end();
		expect((await run(remove)).outputs[0][0].json).toEqual({ _id: 'v1', deleted: true });
	});
});
