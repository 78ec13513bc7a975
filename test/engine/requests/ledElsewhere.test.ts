/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** A gateway that answers speech with the address of the file (302, 303): it is charged, and fetched once, without the key. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { renderAudio } from '../../support/simulator/audio';
import { runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim);

const asked: IncomingMessage[] = [];
let serve: (response: ServerResponse) => void;
const server = createServer((request, response) => {
	asked.push(request);
	serve(response);
});
beforeAll(async () => await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)));
afterAll(() => void server.close());
beforeEach(() => (asked.length = 0));
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.mp3`;

const audio = Buffer.concat([...renderAudio('Sentence number 0.', 3, 'mp3').chunks()]);

async function ledBy(status: number, location = address()) {
	const headers = { location, 'x-request-id': 'req_led' };
	sim.fault({ path: '/v1/audio/speech', status, headers, body: '', charge: true });
	const parameters = speechNode({ maxRetries: 4, longText: 'single', charges: true });
	const all = { retryOnFail: true, maxTries: 2 };
	const { outputs } = await run({
		parameters,
		items: texts(1),
		onError: 'continueErrorOutput',
		...all,
	});
	return outputs;
}

test.each([302, 303])('%i to whole audio is a success', async (status) => {
	serve = (response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(audio);
	const [[success]] = await ledBy(status);
	expect(success.binary).toHaveProperty('data');
	expect(success.json.charges).toMatchObject([{ charged: 'yes', requestId: 'req_led' }]);
	expect(asked.map(({ method, headers }) => [method, headers.authorization])).toEqual([
		['GET', undefined],
	]);
	expect(JSON.stringify(asked[0].headers)).not.toContain(sim.apiKey);
	expect(sim.requests.length).toBe(1);
});

const SECRET = 'root:secret-of-the-house';
test.each<[string, (response: ServerResponse) => void]>([
	['a page', (response) => response.writeHead(200).end(`<html><body>${SECRET}</body></html>`)],
	['a text', (response) => response.writeHead(200).end(SECRET)],
	['an error', (response) => response.writeHead(500).end(SECRET)],
	[
		'half of the audio',
		(response) =>
			response
				.writeHead(200, { 'content-length': audio.length })
				.write(audio.subarray(0, 999), () => response.destroy()),
	],
	['no answer', (response) => response.destroy()],
])('to %s: unknown, with the address, and nothing of it is kept or told', async (_, answer) => {
	serve = answer;
	const [success, [unknown]] = await ledBy(302);
	expect(success).toEqual([]);
	expect(unknown.json).toMatchObject({ outcome: 'unknown', location: address(), httpCode: '302' });
	expect(JSON.stringify(unknown)).not.toContain('secret');
	expect(unknown.binary ?? {}).not.toHaveProperty('received');
	expect([asked.length, sim.requests.length]).toEqual([1, 1]);
});

test.each([
	[301, undefined],
	[307, undefined],
	[302, 'ftp://127.0.0.1/a.mp3'],
])('%i to %s is not followed', async (status, location) => {
	const [success] = await ledBy(status, location);
	expect([success.length, asked.length, sim.requests.length]).toEqual([0, 0, 1]);
});
