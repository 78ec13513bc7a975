/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** The simulator against the API description, with clients that know nothing of it. */
import { once } from 'node:events';

import axios, { type AxiosRequestConfig } from 'axios';
import OpenAI from 'openai';

import { decode } from './listen';
import { useVirtualTime, wait } from './clock';
import { type Account, type Simulator, startSimulator } from './simulator';

useVirtualTime();

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator({ timeScale: 0.001 })));
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

const bearer = (apiKey = sim.apiKey) => ({ authorization: `Bearer ${apiKey}` });

/** One request; every status is an answer, bodies are buffers. */
async function ask(method: string, path: string, data?: unknown, config: AxiosRequestConfig = {}) {
	const { status, headers, ...rest } = await axios.request<Buffer>({
		...{ method, url: sim.url + path, data, headers: bearer(), responseType: 'arraybuffer' },
		...{ validateStatus: () => true, maxRedirects: 0, proxy: false, ...config },
	});
	const body = Buffer.from(rest.data);
	const json = () => JSON.parse(body.toString());
	return { status, headers: headers as Record<string, string>, body, json };
}

const speech = { model: 'fish-speech', input: 'Hello, world' };
const say = async (more: object = {}, config?: AxiosRequestConfig) =>
	await ask('POST', '/v1/audio/speech', { ...speech, ...more }, config);
const submit = async (more: object = {}, config?: AxiosRequestConfig) =>
	await ask('POST', '/v1/audio/speech/jobs', { ...speech, ...more }, config);
const as = ({ apiKey }: Account) => ({ headers: bearer(apiKey) });

describe('speech', () => {
	it('charges the real duration and the text, times the multiplier', async () => {
		sim.options.multiplier = 3;
		await say({ speed: 0.5 }).finally(() => (sim.options.multiplier = 1));
		const tokens = (((12 * 0.02) / 0.5 / 60) * 1000 + 3) * 3;
		expect(sim.charges).toEqual([
			{
				index: 0,
				at: expect.any(Number),
				account: 'account-1',
				kind: 'speech',
				tokens,
				input: speech.input,
				requestIndex: 0,
			},
		]);
		expect(sim.requests[0]).toMatchObject({ status: 200, charged: tokens, input: speech.input });
	});

	it.each([
		[400, { input: '' }, 'input'],
		[400, { input: undefined }, 'input'],
		[400, { input: 'x'.repeat(10_001) }, 'input'],
		[400, { model: undefined }, 'model'],
		[404, { model: 'no-such-model' }, 'model'],
		[404, { model: 'sim-chat' }, 'model'],
		[422, { stream: true }, 'stream'],
		[422, { instructions: 'slowly' }, 'instructions'],
		[422, { response_format: 'flac' }, 'response_format'],
		[422, { speed: 2.1 }, 'speed'],
		[422, { speed: '1' }, 'speed'],
		[403, { voice: 'nobody' }, 'voice'],
	])('refuses with %d: %j', async (status, more, param) => {
		for (const send of [say, submit]) {
			const reply = await send(more);
			expect(reply.status).toBe(status);
			expect(reply.json()).toEqual({
				error: {
					message: expect.any(String),
					type: expect.any(String),
					code: expect.any(String),
					param,
				},
			});
		}
		expect(sim.charges).toEqual([]);
	});

	it('passes 1310 characters, cuts 3275 with 524 and charges nothing for it', async () => {
		expect((await say({ input: 'x'.repeat(1310) })).status).toBe(200);
		const cut = await say({ input: 'x'.repeat(3275) });
		expect(cut.status).toBe(524);
		expect(cut.headers['content-type']).toContain('text/html');
		expect(sim.charges).toHaveLength(1);
	});

	it('answers 402 when the balance does not suffice', async () => {
		sim.accounts[0].balanceTokens = 6; // it costs 7
		expect((await say()).status).toBe(402);
		sim.topUp(1);
		expect((await say()).status).toBe(200);
	});

	it('works on and charges when the client leaves', async () => {
		const controller = new AbortController();
		const charged = once(sim, 'charge');
		sim.once('request', () => controller.abort());
		await expect(say({ input: 'x'.repeat(1000) }, { signal: controller.signal })).rejects.toThrow();
		await charged;
		await sim.waitFor(([request]) => request.aborted);
		expect(sim.requests[0]).toMatchObject({ aborted: true, status: undefined });
		expect(sim.requests[0].charged).toBeGreaterThan(0);
	});
});

describe('keys, accounts and addresses', () => {
	it.each([undefined, 'Bearer', 'Bearer sk-wrong', 'Basic eDp5'])(
		'401 with %s',
		async (authorization) => {
			const headers = authorization ? { authorization } : {};
			const reply = await ask('GET', '/v1/models', undefined, { headers });
			expect(reply.status).toBe(401);
			expect(reply.headers['x-request-id']).toMatch(/^req_/);
		},
	);

	it('403 without the capability, whose models are not listed', async () => {
		const account = sim.addAccount({ capabilities: ['chat'] });
		expect((await say({}, as(account))).status).toBe(403);
		const { data } = (await ask('GET', '/v1/models', undefined, as(account))).json();
		expect(data.map(({ id }: { id: string }) => id)).toEqual(['sim-chat', 'sim-chat-mini']);
	});
});

describe('speech jobs', () => {
	const poll = async (id: string, config?: AxiosRequestConfig) =>
		await ask('GET', `/v1/audio/speech/jobs/${id}`, undefined, config);
	const download = async (id: string, config?: AxiosRequestConfig) =>
		await ask('GET', `/v1/audio/speech/jobs/${id}/content`, undefined, config);

	it('goes from pending over processing to completed, charged once, up front, whatever the speed', async () => {
		sim.fault({ path: '/v1/audio/speech/jobs', jobSeconds: 0.5 });
		const created = (await submit({ input: 'x'.repeat(500), speed: 2 })).json();
		expect(created).toEqual({
			id: expect.stringMatching(/^spj_/),
			object: 'audio.speech.job',
			status: 'pending',
			created_at: expect.any(Number),
		});
		expect(sim.charges).toMatchObject([{ kind: 'job', tokens: (500 / 250) * 1000 + 125 }]);

		expect((await download(created.id)).status).toBe(409);
		const seen: string[] = [];
		let last: ReturnType<typeof JSON.parse>;
		for (const milliseconds of [0, 99, 1, 399, 1]) {
			await wait(milliseconds);
			last = (await poll(created.id)).json();
			seen.push(last.status);
		}
		expect(seen).toEqual(['pending', 'pending', 'processing', 'processing', 'completed']);
		expect(last).toMatchObject({
			...created,
			status: 'completed',
			error: null,
			model: 'fish-speech',
		});

		const { headers, body } = await download(created.id);
		expect(headers['content-type']).toBe('audio/mpeg');
		expect((await decode(body)).length / 24_000).toBeCloseTo((500 * 0.02) / 2, 3);
		expect(sim.charges).toHaveLength(1);
	});

	it('is for its account only', async () => {
		const { id } = (await submit()).json();
		const other = as(sim.addAccount());
		expect((await poll(id, other)).status).toBe(403);
		expect((await download(id, other)).status).toBe(403);
		expect((await poll('spj_unknown')).status).toBe(404);
	});
});

describe('chat, with the openai client', () => {
	const client = () => new OpenAI({ apiKey: sim.apiKey, baseURL: `${sim.url}/v1`, maxRetries: 0 });
	const messages = [
		{ role: 'system' as const, content: 'Be brief.' },
		{ role: 'user' as const, content: 'Say 你好 to the world' },
	];
	const text = 'You said: Say 你好 to the world';
	const tools = [
		{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } },
	];

	it('completes, and charges prompt and reply', async () => {
		const reply = await client().chat.completions.create({ model: 'sim-chat', messages });
		expect(reply.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: text } });
		const { prompt_tokens, completion_tokens, total_tokens } = reply.usage!;
		expect(prompt_tokens + completion_tokens).toBe(total_tokens);
		expect(sim.charges).toMatchObject([{ kind: 'chat', tokens: total_tokens }]);
		expect(sim.requests[0].input).toBe('Be brief.\nSay 你好 to the world');
	});

	it('streams token by token, to [DONE]', async () => {
		const stream = await client().chat.completions.create({
			...{ model: 'sim-chat', messages, stream: true as const },
			stream_options: { include_usage: true },
		});
		let said = '';
		let usage: unknown;
		const reasons: unknown[] = [];
		for await (const chunk of stream) {
			said += chunk.choices[0]?.delta.content ?? '';
			if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason);
			usage = chunk.usage ?? usage;
		}
		expect(said).toBe(text);
		expect(reasons).toEqual(['stop']);
		expect(usage).toMatchObject({ total_tokens: sim.charges[0].tokens });
	});

	it('calls a tool when asked to, also in a stream, and says what the tool said', async () => {
		const asked = [{ role: 'user' as const, content: 'Please call tool weather {"city":"Oslo"}' }];
		const request = { model: 'sim-chat', messages: asked, tools };
		const { choices } = await client().chat.completions.create(request);
		expect(choices[0].finish_reason).toBe('tool_calls');
		const [call] = choices[0].message.tool_calls!;
		expect(call).toMatchObject({ function: { name: 'weather', arguments: '{"city":"Oslo"}' } });

		const streamed = await client().chat.completions.stream(request).finalChatCompletion();
		expect(streamed.choices[0].message.tool_calls).toMatchObject([
			{ function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
		]);

		const told = await client().chat.completions.create({
			...request,
			messages: [
				...asked,
				choices[0].message,
				{ role: 'tool', tool_call_id: call.id, content: 'Sunny' },
			],
		});
		expect(told.choices[0].message.content).toBe('The tool said: Sunny');
	});
});

describe('faults', () => {
	it('concern requests by method, path, text and number', async () => {
		sim.fault({ method: 'get', status: 500 });
		sim.fault({ path: /videos/, status: 501 });
		sim.fault({ path: '/v1/audio', status: 502 });
		sim.fault({ path: '/v1/audio/speech', input: 'Hello', nth: 2, times: 2, status: 503 });
		sim.fault({ input: /^never$/, status: 505 });
		const statuses = [];
		for (const input of ['Hello', 'other', 'Hello', 'Hello', 'Hello'])
			statuses.push((await say({ input })).status);
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
	});

	it('break the body off in the middle, or only seem to leave it whole', async () => {
		sim.fault({ truncate: 'half' });
		sim.fault({ nth: 2, truncate: 500, truncateClean: true });
		await expect(say()).rejects.toThrow(/aborted|hang up|ECONNRESET/);
		expect(sim.requests[0]).toMatchObject({ status: 200, aborted: false });
		expect((await say()).body).toHaveLength(500);
		expect(sim.charges).toHaveLength(2);
	});
});

it('forgets everything on reset, and what was in work then', async () => {
	sim.once('request', () => sim.reset());
	await expect(say({ input: 'x'.repeat(2000) })).rejects.toThrow();
	expect(sim.requests).toEqual([]);
	expect((await say()).status).toBe(200);
	expect(sim.charges).toHaveLength(1);
});

it('shows other processes what it knows', async () => {
	await say();
	const { json } = await ask('GET', '/__sim/charges');
	expect(json()).toMatchObject([{ kind: 'speech', input: speech.input }]);
	expect((await ask('GET', '/__sim/nonsense')).status).toBe(404);
});
