/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { Container } from '@n8n/di';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { BinaryDataService } from 'n8n-core';
import { type Nginx, startNginx } from '../support/nginx';
import { type Simulator, startSimulator } from '../support/simulator';
import { renderAudio } from '../support/simulator/audio';
import { item, runNode, speechNode, storedFile, type EngineRun } from './support';

/** What a real nginx in front of the gateway makes of answers, and of those that do not come. Real time: it has its own. */
let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator({ latencyMs: 1, jobSeconds: 0, secondsPerCharacter: 1 });
});
afterAll(async () => await sim.close());

let nginx: Nginx | undefined;
beforeEach(() => sim.reset());
afterEach(async () => {
	await nginx?.stop();
	nginx = undefined;
});

const speech = speechNode({ maxRetries: 2, longText: 'single' });

async function run(directives: string, more: Partial<EngineRun>, upstream = sim.url) {
	nginx = await startNginx(upstream, directives);
	const items = [item({ text: 'Good morning.' })];
	return await runNode({ parameters: speech, items, url: nginx.url, apiKey: sim.apiKey, ...more });
}

const bytesOf = async (file: IBinaryData) =>
	await Container.get(BinaryDataService).getAsBuffer(file);
const posts = () => sim.requests.filter(({ method }) => method === 'POST').length;

const GZIP = 'gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;';

test('a file that nginx has compressed is whole', async () => {
	const { outputs } = await run(GZIP, { parameters: { ...speech, responseFormat: 'wav' } });
	const [{ json, binary }] = outputs[0];
	const audio = Buffer.concat([...renderAudio('Good morning.', 13, 'wav').chunks()]);
	expect((await bytesOf(binary!.data)).equals(audio)).toBe(true);
	expect(json.bytes).toBe(audio.length);
	// Both wanted it, and nginx did it.
	expect(sim.requests[0].headers['accept-encoding']).toContain('gzip');
	const models = await fetch(`${nginx!.url}/v1/models`, {
		headers: { authorization: `Bearer ${sim.apiKey}` },
	});
	expect(models.headers.get('content-encoding')).toBe('gzip');
});

test('a compressed file that breaks off is no whole one', async () => {
	sim.fault({ path: '/v1/audio/speech', truncate: 'half' });
	const { outputs } = await run(GZIP, { retryOnFail: true });
	expect(outputs[1][0].json).toMatchObject({ reason: 'damaged_response' });
	expect([posts(), sim.charges.length]).toEqual([1, 1]);
});

test.each([true, false])(
	'chat, compressed and with its stream held back: stream %s',
	async (stream) => {
		const parameters: IDataObject = {
			resource: 'chat',
			operation: 'complete',
			model: 'sim-chat',
			messages: { values: [{ role: 'user', content: 'Grüß Gott, wie geht es?' }] },
			options: { stream },
		};
		const { outputs } = await run(GZIP, { parameters });
		expect(outputs[0][0].json.text).toBe('You said: Grüß Gott, wie geht es?');
	},
);

test('jobs are polled and downloaded; nginx that cannot reach the gateway in between costs nothing', async () => {
	sim.fault({ path: /jobs\/[^/]+$/, connection: 'reset-before-work' });
	sim.fault({ path: /content$/, connection: 'reset-before-work' });
	const parameters = {
		...{ resource: 'speechJob', operation: 'createAndWait', text: 'Good morning.' },
		options: { pollInterval: 1, maxRetries: 2 },
	};
	const { outputs } = await run(GZIP, { parameters });
	expect(outputs[0][0].json).toMatchObject({
		status: 'completed',
		durationSeconds: expect.any(Number),
	});
	expect([posts(), sim.charges.length]).toEqual([1, 1]);
});

test.each([
	['502: the gateway is gone', '', { connection: 'reset-after-work' }, '502'],
	['504: the gateway is slow', 'proxy_read_timeout 1s;', { connection: 'stall' }, '504'],
] as const)(
	'%s; it may have charged, and is not asked again',
	async (_, directives, fault, httpCode) => {
		sim.fault({ path: '/v1/audio/speech', ...fault, times: Infinity });
		const { outputs, error } = await run(directives, { retryOnFail: true });
		expect(error).toBeUndefined();
		expect(outputs[1][0].json).toMatchObject({ reason: 'upstream_outcome_unknown', httpCode });
		expect(outputs[1][0].json.message).toMatch(/nginx/);
		expect([posts(), sim.charges.length]).toEqual([1, 1]);
	},
);

test("503: nginx's own limit goes to Unknown, and is not sent again", async () => {
	sim.fault({ path: '/v1/models', connection: 'stall' });
	nginx = await startNginx(sim.url, 'limit_conn all 1;');
	const hangUp = new AbortController();
	const first = fetch(`${nginx.url}/v1/models`, { signal: hangUp.signal });
	await sim.waitFor((requests) => requests.length === 1);
	const parameters = speechNode({ maxRetries: 10 });
	const items = [item({ text: 'Good morning.' })];
	const running = runNode({ parameters, items, url: nginx.url, apiKey: sim.apiKey });
	await nginx.answered(503);
	hangUp.abort();
	await expect(first).rejects.toThrow();
	const { outputs } = await running;
	expect(outputs[1][0].json).toMatchObject({
		reason: 'upstream_outcome_unknown',
		httpCode: '503',
	});
	expect(posts()).toBe(0);
});

test('413: a recording that nginx finds too large was not charged, and the error says so', async () => {
	const wav = Buffer.concat([...renderAudio('Anna', 40, 'wav').chunks()]);
	const data = await storedFile(wav, 'anna.wav', 'audio/wav');
	const { error, outputs } = await run('client_max_body_size 1m;', {
		parameters: { resource: 'voice', operation: 'create', title: 'Anna' },
		items: [{ json: {}, binary: { data } }],
		retryOnFail: true,
		onError: 'continueErrorOutput',
	});
	expect(error).toBeUndefined();
	expect(outputs[2][0].json.error).toMatchObject({
		message: 'The request is too large for a proxy between n8n and the gateway (413)',
		httpCode: '413',
	});
	expect(sim.requests).toEqual([]);
});
