/** The simulator against the API description: what the tests of the node, which share our reading of it, would not notice. */
import OpenAI from 'openai';
import { type Simulator, startSimulator } from './simulator';

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator({ timeScale: 0.001 })));
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

const post = async (path: string, more: object = {}) =>
	await fetch(sim.url + path, {
		method: 'POST',
		headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'fish-speech', input: 'Hello, world', ...more }),
	});
const SPEECH = '/v1/audio/speech';

describe('speech', () => {
	it('charges the real duration and the text, times the multiplier', async () => {
		sim.options.multiplier = 3;
		await post(SPEECH, { speed: 0.5 }).finally(() => (sim.options.multiplier = 1));
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
			const reply = await post(path, more);
			expect(reply.status).toBe(status);
			expect(await reply.json()).toEqual({
				error: { message: text, type: text, code: text, param },
			});
		}
		expect(sim.charges).toEqual([]);
	});

	it('passes 1310 characters, cuts 3275 with 524 and charges nothing for it', async () => {
		expect((await post(SPEECH, { input: 'x'.repeat(1310) })).status).toBe(200);
		const cut = await post(SPEECH, { input: 'x'.repeat(3275) });
		expect(cut.status).toBe(524);
		expect(cut.headers.get('content-type')).toContain('text/html');
		expect(sim.charges).toHaveLength(1);
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
