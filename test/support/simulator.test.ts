/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** The simulator against the API description, with clients that know nothing of it: what our reading of it shares, they do not. */
import { once } from 'node:events';
import axios, { type AxiosRequestConfig } from 'axios';
import FormData from 'form-data';
import OpenAI from 'openai';
import { type Simulator, startSimulator } from './simulator';

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator({ timeScale: 0.001 })));
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

/** Every status is an answer. */
const ask = async (method: string, path: string, data?: unknown, config: AxiosRequestConfig = {}) =>
	await axios.request({
		method,
		url: `${sim.url}/v1${path}`,
		data,
		proxy: false,
		validateStatus: () => true,
		headers: { authorization: `Bearer ${sim.apiKey}` },
		...config,
	});
const SPEECH = '/audio/speech';
const say = async (more: object = {}, config?: AxiosRequestConfig, path = SPEECH) =>
	await ask('POST', path, { model: 'fish-speech', input: 'Hello, world', ...more }, config);

describe('speech', () => {
	it('charges the real duration and the text, times the multiplier', async () => {
		sim.options.multiplier = 3;
		await say({ speed: 0.5 }).finally(() => (sim.options.multiplier = 1));
		const tokens = (((12 * 0.02) / 0.5 / 60) * 1000 + 3) * 3;
		const input = 'Hello, world';
		expect(sim.charges).toMatchObject([{ kind: 'speech', tokens, input, requestIndex: 0 }]);
		expect(sim.requests[0]).toMatchObject({ status: 200, charged: tokens, input });
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
		const text = expect.any(String) as string;
		for (const path of [SPEECH, `${SPEECH}/jobs`]) {
			const reply = await say(more, {}, path);
			expect(reply.status).toBe(status);
			expect(reply.data).toEqual({ error: { message: text, type: text, code: text, param } });
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

	it('401 for a wrong key, 402 when the balance does not suffice', async () => {
		const headers = { authorization: 'Bearer sk-wrong' };
		expect((await say({}, { headers })).status).toBe(401);
		sim.accounts[0].balanceTokens = 6; // it costs 7
		expect((await say()).status).toBe(402);
		expect(sim.charges).toEqual([]);
	});

	it('works on and charges when the client leaves', async () => {
		const controller = new AbortController();
		const charged = once(sim, 'charge');
		sim.once('request', () => controller.abort());
		const { signal } = controller;
		await expect(say({ input: 'x'.repeat(1000) }, { signal })).rejects.toThrow('canceled');
		await charged;
		expect(sim.requests[0].charged).toBeGreaterThan(0);
	});

	it.each([
		['reset-before-work', 0],
		['reset-after-work', 1],
	] as const)('%s', async (connection, charges) => {
		sim.fault({ connection });
		await expect(say()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(sim.charges).toHaveLength(charges);
	});
});

it('a job is charged by its characters when it is submitted, whatever its speed, and can be fetched when it is done', async () => {
	sim.fault({ path: `/v1${SPEECH}/jobs`, jobSeconds: 0.5 });
	const input = 'x'.repeat(500);
	const { data } = await say({ input, speed: 2 }, {}, `${SPEECH}/jobs`);
	const job = `${SPEECH}/jobs/${data.id}`;
	expect(data).toMatchObject({ object: 'audio.speech.job', status: 'pending' });
	expect(sim.charges).toMatchObject([{ kind: 'job', tokens: (500 / 250) * 1000 + 125 }]);
	expect((await ask('GET', `${job}/content`)).status).toBe(409);
	sim.jobs[0].readyAt = 0;
	expect((await ask('GET', job)).data).toMatchObject({ id: data.id, status: 'completed' });
	const { status, headers } = await ask('GET', `${job}/content`);
	expect([status, headers['content-type']]).toEqual([200, 'audio/mpeg']);
	expect(sim.charges).toHaveLength(1);
});

it('a voice is cloned from a form, listed, and deleted', async () => {
	const form = new FormData();
	for (const [name, value] of Object.entries({ model: 'fish-speech', title: 'Ann' }))
		form.append(name, value);
	form.append('audio', Buffer.alloc(1000, 7), { filename: 'ann "1".wav' });
	const headers = { authorization: `Bearer ${sim.apiKey}`, ...form.getHeaders() };
	const { data } = await ask('POST', '/audio/voices', form.getBuffer(), { headers });
	expect(data).toMatchObject({ title: 'Ann', state: 'trained' });
	expect(sim.voices).toMatchObject([{ _id: data._id, size: 1000 }]);
	expect(sim.charges).toMatchObject([{ kind: 'voice', tokens: 1000 }]);
	const list = '/audio/voices?model=fish-speech';
	expect((await ask('GET', list)).data.items).toMatchObject([{ _id: data._id, title: 'Ann' }]);
	await ask('DELETE', `/audio/voices/${data._id}?model=fish-speech`);
	expect((await ask('GET', list)).data.items).toEqual([]);
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

	it('streams token by token, to [DONE]', async () => {
		const stream = await client().chat.completions.create({
			model: 'sim-chat',
			messages,
			stream: true as const,
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
