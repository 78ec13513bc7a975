/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/** The simulator's faults and controls. */
import axios, { type AxiosRequestConfig } from 'axios';

import { type Simulator, startSimulator } from './simulator';

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator({ timeScale: 0.001 })));
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

const PATH = '/v1/audio/speech';
const input = 'A sentence to speak';

async function say(more: object = {}, config: AxiosRequestConfig = {}) {
	const response = await axios.post<Buffer>(
		sim.url + PATH,
		{ model: 'fish-speech', input, ...more },
		{
			...{ headers: { authorization: `Bearer ${sim.apiKey}` }, responseType: 'arraybuffer' },
			...{ validateStatus: () => true, maxRedirects: 0, proxy: false, ...config },
		},
	);
	const { status, headers } = response;
	return { status, headers: headers as Record<string, string>, body: Buffer.from(response.data) };
}

it('answers with a status instead of working, once', async () => {
	sim.fault({ status: 503 });
	const refused = await say();
	expect(refused.status).toBe(503);
	expect(JSON.parse(refused.body.toString()).error).toMatchObject({ code: 'upstream_error' });
	expect(sim.charges).toEqual([]);
	expect((await say()).status).toBe(200);
});

describe('a proxy in front of the gateway', () => {
	it.each([500, 502, 520, 522])(
		'answers %s although the work was done and charged',
		async (status) => {
			sim.fault({ status, proxy: 'page', charge: true });
			const { status: seen, headers, body } = await say();
			expect(seen).toBe(status);
			expect(headers['content-type']).toContain('text/html');
			expect(headers).not.toHaveProperty('x-request-id');
			expect(body.toString()).toMatch(new RegExp(`<title>${status} .*nginx`, 's'));
			expect(sim.charges).toHaveLength(1);
		},
	);
});

it('picks requests by method, path, text, and number', async () => {
	sim.fault({ method: 'get', status: 500 });
	sim.fault({ path: /videos/, status: 501 });
	sim.fault({ path: '/v1/audio', status: 502 });
	sim.fault({ path: PATH, input: 'speak', nth: 2, times: 2, status: 503 });
	sim.fault({ input: /^never$/, status: 505 });
	const statuses = [];
	for (const text of [input, 'other', input, input, input]) {
		statuses.push((await say({ input: text })).status);
	}
	expect(statuses).toEqual([200, 200, 503, 503, 200]);
});

it.each([
	['reset-before-work', 0],
	['reset-after-work', 1],
] as const)('%s', async (connection, charges) => {
	sim.fault({ connection });
	await expect(say()).rejects.toMatchObject({ code: 'ECONNRESET' });
	expect(sim.charges).toHaveLength(charges);
	await sim.waitFor(([request]) => request.endedAt !== undefined);
	expect(sim.requests[0]).toMatchObject({ aborted: false, status: undefined });
	expect((await say()).status).toBe(200);
});

it.each([
	[undefined, 1],
	[false, 0],
])('stalls (charge: %s)', async (charge, charges) => {
	sim.fault({ connection: 'stall', charge });
	const controller = new AbortController();
	sim.once(charges ? 'charge' : 'request', () => controller.abort());
	await expect(say({}, { signal: controller.signal })).rejects.toThrow('canceled');
	await sim.waitFor(([request]) => request.aborted);
	expect(sim.charges).toHaveLength(charges);
});

it('breaks the body off in the middle, or only seems whole', async () => {
	sim.fault({ truncate: 'half' });
	sim.fault({ nth: 2, truncate: 500, truncateClean: true });
	const { body } = await say({}, { url: undefined }).catch((error: Error) => ({
		body: error.message,
	}));
	expect(body).toMatch(/aborted|hang up|ECONNRESET/);
	expect(sim.requests[0]).toMatchObject({ status: 200, aborted: false });
	const clean = await say();
	expect(clean.body).toHaveLength(500);
	expect(clean.headers['content-length']).toBe('500');
	expect(sim.charges).toHaveLength(2);
});

it('sends 300 MB in little memory, at the pace of the reader', async () => {
	sim.fault({ contentBytes: 300e6 });
	const before = process.memoryUsage().rss;
	const { data } = await axios.post<AsyncIterable<Buffer>>(
		sim.url + PATH,
		{ model: 'fish-speech', input, response_format: 'wav' },
		{ headers: { authorization: `Bearer ${sim.apiKey}` }, responseType: 'stream', proxy: false },
	);
	let bytes = 0;
	let peak = 0;
	for await (const chunk of data) {
		bytes += chunk.length;
		peak = Math.max(peak, process.memoryUsage().rss);
	}
	expect(bytes / 300e6).toBeCloseTo(1, 2);
	expect((peak - before) / 2 ** 20).toBeLessThan(150);
});

it('forgets everything on reset, and what was in work then', async () => {
	sim.once('request', () => sim.reset());
	await expect(say({ input: 'x'.repeat(2000) })).rejects.toThrow();
	expect(sim.requests).toEqual([]);
	expect((await say()).status).toBe(200);
	expect(sim.charges).toHaveLength(1);
	expect(sim.requests).toHaveLength(1);
});

it('says so when it breaks itself', async () => {
	sim.options.latencyMs = () => {
		throw new Error('bad test');
	};
	const reply = await say().finally(() => delete sim.options.latencyMs);
	expect(reply.status).toBe(500);
	expect(JSON.parse(reply.body.toString()).error).toMatchObject({
		code: 'simulator_broke',
		message: expect.stringContaining('bad test'),
	});
});

it('is controlled by other processes', async () => {
	const http = axios.create({ baseURL: sim.url, proxy: false, validateStatus: () => true });
	const fault = { path: { regex: 'SPEECH$', flags: 'i' }, times: 'Infinity', status: 503 };
	expect((await http.post('/__sim/faults', [fault])).status).toBe(200);
	expect([(await say()).status, (await say()).status]).toEqual([503, 503]);
	await http.post('/__sim/clear');
	expect((await say()).status).toBe(200);
	const state = (await http.get('/__sim/state')).data;
	expect(state.requests.map(({ status }: { status: number }) => status)).toEqual([503, 503, 200]);
	expect((await http.get('/__sim/charges')).data).toHaveLength(1);

	const balance = state.accounts[0].balanceTokens as number;
	await http.post('/__sim/topup', { tokens: 500 });
	expect((await http.get('/__sim/accounts')).data[0].balanceTokens).toBe(balance + 500);
	expect((await http.post('/__sim/accounts', { balanceTokens: 1 })).data.apiKey).toMatch(/^sk-/);
	await http.post('/__sim/reset');
	expect((await http.get('/__sim/requests')).data).toEqual([]);
	expect((await http.post('/__sim/nonsense')).status).toBe(404);
});
