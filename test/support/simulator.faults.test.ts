/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/** The simulator's faults, controls and program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

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

it('answers 504 although the work was done and charged', async () => {
	sim.fault({ status: 504, charge: true });
	const unknown = await say();
	expect(unknown.status).toBe(504);
	expect(JSON.parse(unknown.body.toString()).error.code).toBe('upstream_outcome_unknown');
	expect(unknown.headers['x-request-id']).toBe(sim.requests[0].requestId);
	expect(sim.charges).toHaveLength(1);
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

	it('answers without a body, and before anything was done', async () => {
		sim.fault({ status: 502, proxy: 'empty' });
		const { status, body } = await say();
		expect({ status, body: body.toString() }).toEqual({ status: 502, body: '' });
		expect(sim.charges).toEqual([]);
		expect(sim.requests[0].fault).toMatchObject({ proxy: 'empty' });
	});

	it.each([true, false])('gives up with 408 (charged: %s)', async (charge) => {
		sim.fault({ status: 408, charge });
		expect((await say()).status).toBe(408);
		expect(sim.charges).toHaveLength(charge ? 1 : 0);
	});
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

it('draws by probability, the same for the same seed', async () => {
	const round = async () => {
		sim.clearFaults();
		sim.seed(7);
		sim.fault({ probability: 0.5, status: 500 });
		const statuses = [];
		for (let i = 0; i < 20; i++) statuses.push((await say()).status);
		return statuses;
	};
	const first = await round();
	expect(new Set(first)).toEqual(new Set([200, 500]));
	expect(await round()).toEqual(first);
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

it('cuts a stream of events', async () => {
	const chat = async () =>
		await axios.post<string>(
			`${sim.url}/v1/chat/completions`,
			{ model: 'sim-chat', stream: true, messages: [{ role: 'user', content: 'Hello' }] },
			{ headers: { authorization: `Bearer ${sim.apiKey}` }, proxy: false, responseType: 'text' },
		);
	const whole = (await chat()).data;
	sim.fault({ truncate: 'half', truncateClean: true });
	expect((await chat()).data.length).toBe(Math.floor(whole.length / 2));
	sim.fault({ truncate: 'half' });
	await expect(chat()).rejects.toThrow();
});

it('sends rubbish, a wrong type, another body', async () => {
	sim.fault({ corrupt: true });
	sim.fault({ nth: 2, contentType: 'application/json' });
	sim.fault({ nth: 3, status: 200, body: { ok: true }, headers: { 'x-extra': '1' } });
	const rubbish = await say();
	expect(rubbish.body.toString('latin1')).toMatch(/^rubbish rubbish/);
	const typed = await say();
	expect(typed.headers['content-type']).toBe('application/json');
	expect(typed.body).toHaveLength(rubbish.body.length);
	const other = await say();
	expect(other.body.toString()).toBe('{"ok":true}');
	expect(other.headers['x-extra']).toBe('1');
});

it('asks to come again, or to go elsewhere', async () => {
	sim.fault({ retryAfter: 3 });
	sim.fault({ nth: 2, status: 503, retryAfter: 'Fri, 31 Dec 1999 23:59:59 GMT' });
	sim.fault({ nth: 3, redirect: 'http://elsewhere.example/' });
	expect(await say()).toMatchObject({ status: 429, headers: { 'retry-after': '3' } });
	expect((await say()).headers['retry-after']).toContain('1999');
	expect(await say()).toMatchObject({
		status: 307,
		headers: { location: 'http://elsewhere.example/' },
	});
	expect(sim.charges).toEqual([]);
});

it('delays and drips without harm to the body', async () => {
	const whole = await say();
	sim.fault({ delayMs: 5, dripMs: 1 });
	expect((await say()).body).toEqual(whole.body);
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

it('runs as a program that other processes control', async () => {
	const cli = join(__dirname, 'simulator', 'cli.ts');
	const args = ['--import', 'tsx', cli, '--port', '0', '--timeScale', '0.001'];
	const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
	try {
		const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
		const { url, apiKey } = JSON.parse(line) as { url: string; apiKey: string };
		const http = axios.create({ baseURL: url, proxy: false, validateStatus: () => true });
		const post = async () =>
			await http.post(
				PATH,
				{ model: 'fish-speech', input },
				{ headers: { authorization: `Bearer ${apiKey}` } },
			);

		const fault = { path: { regex: 'SPEECH$', flags: 'i' }, times: 'Infinity', status: 503 };
		expect((await http.post('/__sim/faults', [fault])).status).toBe(200);
		expect([(await post()).status, (await post()).status]).toEqual([503, 503]);
		await http.post('/__sim/clear');
		expect((await post()).status).toBe(200);
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
	} finally {
		child.kill();
		await once(child, 'exit');
	}
});
