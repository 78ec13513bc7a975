/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { IncomingHttpHeaders } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { startHttp, type TestServer } from '../../support/hostileServers';
import { renderAudio } from '../../support/simulator/audio';
import { fitting } from '../form';
import { runnerOf, speechNode, jobNode, useSimulator, type EngineRun } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

/** A host that is not the gateway, such as the file store that a download may be redirected to. */
let store: TestServer;
let storeUrl: string;
const seen: IncomingHttpHeaders[] = [];

beforeAll(async () => {
	const audio = Buffer.concat([...renderAudio('Stored.', 1, 'mp3').chunks()]);
	store = await startHttp(({ headers }, response) => {
		seen.push(headers);
		response.setHeader('content-type', 'audio/mpeg').end(audio);
	});
	storeUrl = `http://127.0.0.1:${store.port}/file.mp3`;
});
afterAll(async () => await store.close());
beforeEach(() => void (seen.length = 0));

const runOne = runnerOf(sim);
const run = async (parameters: IDataObject, more: Partial<EngineRun> = {}) =>
	await runOne({ parameters, ...more });
const speech = speechNode;
const job = jobNode({ pollInterval: 1 });

test('a download that is redirected to another host is followed without the key', async () => {
	sim.fault({ path: /content$/, redirect: storeUrl });
	const { outputs } = await run(job);
	expect(outputs[0]).toHaveLength(1);
	expect(seen).toHaveLength(1);
	expect(JSON.stringify(seen)).not.toContain(sim.apiKey);
	expect(seen[0]).not.toHaveProperty('authorization');
});

/** A gateway without an address for the file of a job, whose status says where it is. */
const keepsFileAt = (url: unknown) => {
	sim.reset();
	const body = { error: { message: 'Invalid URL (GET /v1/x)', type: 'invalid_request_error' } };
	sim.fault({ path: /content$/, status: 404, body, times: Infinity });
	const status = { id: 'audjob_1', status: 'succeeded', url };
	sim.fault({ path: /jobs\/[^/]+$/, method: 'GET', status: 200, body: status, times: Infinity });
};
const ofJob = (operation: string) =>
	fitting('speechJob', operation, { ...job, jobId: 'audjob_1', responseFormat: 'mp3' });

test.each(['createAndWait', 'download'])(
	'%s: a file where the status of its job says: fetched without the key',
	async (operation) => {
		for (const url of [storeUrl, storeUrl.replace('http:', '')]) {
			keepsFileAt(url);
			seen.length = 0;
			const { outputs } = await run(ofJob(operation));
			expect(outputs[0][0].json.bytes).toBeGreaterThan(1000);
			expect(seen).toHaveLength(1);
			expect(JSON.stringify(seen)).not.toContain(sim.apiKey);
			expect(seen[0]).not.toHaveProperty('authorization');
		}
	},
);

test.each([
	['/files/a b.mp3', '/files/a%20b.mp3'],
	['audjob_1/file', '/v1/audio/speech/jobs/audjob_1/file'],
])('a file at the relative address %s', async (url, path) => {
	keepsFileAt(url);
	const body = Buffer.concat([...renderAudio('Kept.', 1, 'mp3').chunks()]);
	sim.fault({ path, status: 200, body, contentType: 'audio/mpeg' });
	const { outputs } = await run(ofJob('download'));
	expect(outputs[0][0].json.bytes).toBe(body.length);
	expect(sim.requests.at(-1)).toMatchObject({ method: 'GET', path });
});

test.each([
	[401, '/files/1'],
	[410, 'http://localhost:PORT/files/1'],
])(
	'a file that is not where the status of its job says (%i): the error has the id, and what to do',
	async (status, url) => {
		keepsFileAt(url.replace('PORT', new URL(sim.url).port));
		sim.fault({ path: '/files/1', status, body: '<html>Gone</html>', times: Infinity });
		for (const operation of ['createAndWait', 'download']) {
			const { error } = await run(ofJob(operation));
			expect(error?.message).toMatch(
				new RegExp(`The file of the job ".+" is not at the address .*\\(${status}\\)`),
			);
			expect(error?.description).toMatch(/charged.*"Get".*operator/);
			expect(error?.context?.jobId).toMatch(/job_1$|^spj_/);
		}
	},
);

test.each([undefined, 7, '', 'file:///etc/passwd', 'https://['])(
	'a status with %j for an address: the 404 stays',
	async (url) => {
		keepsFileAt(url);
		const { error } = await run(ofJob('download'));
		expect(error?.message).toContain('(404)');
		expect(error?.context?.jobId).toBe('audjob_1');
	},
);

test('a redirect within the gateway keeps the key; a circle ends with an error', async () => {
	sim.fault({ path: '/v1/models', redirect: '/v1/models' });
	const models = { resource: 'model', operation: 'getMany', options: { maxRetries: 0 } };
	expect((await run(models)).outputs[0].length).toBeGreaterThan(0);
	sim.fault({ path: '/v1/models', redirect: '/v1/models', times: Infinity });
	expect((await run(models)).error?.message).toContain('redirects to another address');
	expect(sim.requests.length).toBeLessThan(20);
});

test.each([301, 307])(
	'a billed request is not sent again by a %i: its outcome is unknown',
	async (status) => {
		sim.fault({ path: '/v1/audio/speech', status, redirect: storeUrl });
		const { outputs } = await run(speech());
		expect(outputs[1][0].json).toMatchObject({ location: storeUrl, httpCode: String(status) });
		expect(seen).toEqual([]);
		expect(sim.requests).toHaveLength(1);
	},
);

test('a huge error page ends up as one bounded line', async () => {
	sim.fault({
		status: 503,
		body: `<html><script>${'x'.repeat(1000)}</script>${'<b>no</b> '.repeat(500_000)}</html>`,
	});
	const { outputs } = await run(speech());
	const message = String(outputs[1][0].json.message);
	expect(message).toContain("A server error that is not the gateway's own answer (503)");
	expect(message.length).toBeLessThan(1000);
});

test.each([
	['../../etc/passwd', 'etc_passwd.mp3'],
	['..\\..\\boot.ini', 'boot.ini.mp3'],
	['.hidden', 'hidden.mp3'],
	['a\u0000b:c?.mp3', 'a_b_c_.mp3'],
	['x'.repeat(500), `${'x'.repeat(200)}.mp3`],
])('the file name %j stays in its folder', async (fileName, expected) => {
	const { outputs } = await run(speech({ fileName }));
	expect(String(outputs[0][0].json.fileName).replace(/^_+/, '')).toBe(expected);
	expect(outputs[0][0].json.fileName).not.toMatch(/[/\\]|\.\./);
});

test('keys of JSON fields cannot reach the prototype', async () => {
	const additionalBody =
		'{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}, "seconds": 4}';
	const video = { resource: 'video', operation: 'create', model: 'sim-video', prompt: 'A boat' };
	await run({ ...video, options: { additionalBody } });
	expect(({} as IDataObject).polluted).toBeUndefined();
	expect(sim.requests[0].body).toMatchObject({ model: 'sim-video', prompt: 'A boat', seconds: 4 });
});

test('a model, voice or title with odd characters stays a value', async () => {
	const odd = 'x/../../y?a=1&b=2#c';
	const ofVoice = { resource: 'voice', model: odd, options: { maxRetries: 0 } };
	await run({ ...ofVoice, operation: 'getMany', returnAll: true });
	await run({ ...ofVoice, operation: 'delete', voice: odd });
	expect(sim.requests.map(({ path }) => path)).toEqual([
		// Where there is no list, it is looked for elsewhere.
		'/v1/audio/voices',
		'/v1/voices',
		'/v1/models',
		expect.stringMatching(/^\/v1\/audio\/voices\/[^/]+$/),
	]);
	for (const { path, query } of sim.requests)
		if (path.startsWith('/v1/audio/')) expect(query).toEqual({ model: odd });
});
