import type { IDataObject } from 'n8n-workflow';
import { type HeldAnswer, holdNextChat } from '../../support/heldChat';
import type { Fault } from '../../support/simulator';
import { type EngineRun, item, runnerOf, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

const MODEL = 'sim-chat';
const values = [
	{ role: 'system', content: 'You are an echo.' },
	{ role: 'user', content: '={{ $json.question }}' },
];
const chat = (options: IDataObject = {}, messages: IDataObject = { values }): IDataObject => ({
	resource: 'chat',
	operation: 'complete',
	model: { __rl: true, mode: 'id', value: MODEL },
	messages,
	options: { maxRetries: 0, ...options },
});
const run = runnerOf(sim, () => ({
	parameters: chat(),
	items: [item({ question: 'Is anybody there?' })],
}));
const fault = (what: Omit<Fault, 'path'>) => sim.fault({ path: '/v1/chat/completions', ...what });
const sent = () => sim.requests.length;
const body = () => sim.requests[0].body as IDataObject;

const completion = (message: IDataObject, more: IDataObject = {}) => ({
	id: 'chatcmpl-1',
	model: MODEL,
	choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
	...more,
});

/** A run that streams, and the chunks that reached the client. */
async function stream(more: Partial<EngineRun> = {}) {
	const chunks: Array<{ type: string; content?: unknown; itemIndex: number }> = [];
	const result = await run({
		mode: 'webhook',
		onChunk: ({ type, content, metadata }) =>
			chunks.push({ type, content, itemIndex: metadata.itemIndex }),
		...more,
	});
	const text = chunks.flatMap(({ type, content }) => (type === 'item' ? [content] : [])).join('');
	return { ...result, chunks, types: chunks.map(({ type }) => type), text };
}

describe('an answer', () => {
	test('is simplified; only what the user set is sent', async () => {
		const { outputs, context } = await run();
		const said = { text: 'You said: Is anybody there?', model: MODEL, finishReason: 'stop' };
		const usage = expect.objectContaining({ total_tokens: expect.any(Number) });
		expect(outputs).toEqual([[{ json: { ...said, usage }, pairedItem: { item: 0 } }], []]);
		expect(body()).toEqual({
			model: MODEL,
			messages: [
				{ role: 'system', content: 'You are an echo.' },
				{ role: 'user', content: 'Is anybody there?' },
			],
		});
		expect(context).toEqual({});
	});

	test('options are sent under the names of the gateway, and win over additional fields', async () => {
		await run({
			parameters: chat({
				temperature: 0.5,
				maxTokens: 100,
				additionalBody: '{ "top_p": 0.9, "model": "another", "max_tokens": 1 }',
			}),
		});
		expect(body()).toMatchObject({ model: MODEL, temperature: 0.5, max_tokens: 100, top_p: 0.9 });
	});

	test('tool calls', async () => {
		const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
		const { outputs } = await run({
			parameters: chat({ tools: JSON.stringify(tools) }),
			items: [item({ question: 'call tool weather {"city":"Oslo"}' })],
		});
		expect(body().tools).toEqual(tools);
		expect(outputs[0][0].json).toMatchObject({
			text: '',
			finishReason: 'tool_calls',
			toolCalls: [{ function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
		});
	});

	test('not simplified: no key `error`', async () => {
		fault({ status: 200, charge: true, body: completion({ content: 'Hi' }, { error: null }) });
		const { outputs } = await run({ parameters: chat({ simplify: false }), retryOnFail: true });
		expect(sent()).toBe(1);
		expect(outputs[0][0].json).toEqual(completion({ content: 'Hi' }));
	});

	test('that is whole but without text is a success with its usage', async () => {
		const message = { role: 'assistant', content: '' };
		const choices = [{ index: 0, message, finish_reason: 'length' }];
		const usage = { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 };
		fault({ status: 200, charge: true, body: { model: MODEL, choices, usage } });
		const { outputs } = await run();
		expect(outputs).toMatchObject([
			[{ json: { text: '', model: MODEL, finishReason: 'length', usage } }],
			[],
		]);
	});

	const streamed = (body: string) =>
		fault({ status: 200, charge: true, body, contentType: 'text/event-stream' });

	test.each([
		['[DONE] alone, without text', { content: '' }, null],
		['the reason "error"', { content: 'Hal' }, 'error'],
	])('a stream that ends with %s is damaged', async (_, delta, finish_reason) => {
		const choices = [{ delta, finish_reason }];
		streamed(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
		const { json } = (await run({ parameters: chat({ stream: true }) })).outputs[1][0];
		expect(json).toMatchObject({ reason: 'damaged_response' });
		expect(json.text).toBe(delta.content || undefined);
	});

	test('a stream that ends with [DONE] alone: a success that may be cut short', async () => {
		streamed('data: {"choices":[{"delta":{"content":"Hal"}}]}\n\ndata: [DONE]\n\n');
		const { outputs, hints } = await run({ parameters: chat({ stream: true }) });
		expect(outputs[0][0].json).toMatchObject({ text: 'Hal', finishReason: null });
		expect(hints).toEqual([expect.stringContaining('may be cut short')]);
		const whole = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
		streamed(`${whole}data: [DONE]\n\n`);
		expect((await run({ parameters: chat({ stream: true }) })).hints).toEqual([]);
	});

	const said = { error: { message: 'too busy', type: 'server_error' } };
	test.each([
		['JSON', JSON.stringify(said), 'application/json'],
		['a bare line after pings', `: PING\n\n${JSON.stringify(said)}\n\n`, 'text/event-stream'],
		['an event', `data: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`, 'text/event-stream'],
	])(
		'a 200 that brings nothing but an error was probably not charged: %s',
		async (_, body, contentType) => {
			fault({ status: 200, body, contentType });
			const { json } = (await run({ parameters: chat({ stream: true }) })).outputs[1][0];
			expect(json).toMatchObject({
				reason: 'damaged_response',
				message: expect.stringMatching(/error, and was probably not charged: "too busy"/),
				advice: expect.stringMatching(/^It was probably not charged/),
			});
			expect(json).not.toHaveProperty('probablyFree');
			expect(sent()).toBe(1);
		},
	);

	test('an error after some text is the end of it, and was charged', async () => {
		const text = 'data: {"choices":[{"delta":{"content":"Hal"}}]}';
		streamed(`${text}\n\ndata: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`);
		const { json } = (await run({ parameters: chat({ stream: true }) })).outputs[1][0];
		expect(json).toMatchObject({
			text: 'Hal',
			message: expect.stringContaining('ends with an error: too busy'),
			advice: expect.stringContaining('most likely charged'),
		});
	});

	const called = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
	test.each([
		['text', { content: 'Hi' }, { text: 'Hi' }],
		['calls of tools', { content: null, tool_calls: [called] }, { toolCalls: [called] }],
	])('of %s alone, without a reason to end, is whole', async (_, message, json) => {
		const choices = [{ index: 0, message: { role: 'assistant', ...message } }];
		fault({ status: 200, charge: true, body: { model: MODEL, choices } });
		const { outputs } = await run();
		expect(outputs[0][0]?.json).toMatchObject(json);
	});

	test('wrapped in data', async () => {
		const body = { code: 0, data: completion({ content: 'Hi' }) };
		fault({ status: 200, charge: true, body, times: 2 });
		expect((await run()).outputs[0][0]?.json).toMatchObject({ text: 'Hi', finishReason: 'stop' });
		const { outputs } = await run({ parameters: chat({ simplify: false }) });
		expect(outputs[0][0]?.json).toEqual(body);
	});
});

describe('streamed', () => {
	/** Outcomes of all kinds, not streamed, are in everyBilledEndpoint. */
	test.each<[string, Omit<Fault, 'path'>, string]>([
		['reset after the work', { connection: 'reset-after-work' }, 'connection_lost'],
		['no answer in time', { connection: 'stall' }, 'client_timeout'],
		['cut short', { truncate: 'half' }, 'damaged_response'],
		['cut short, cleanly', { truncate: 'half', truncateClean: true }, 'damaged_response'],
		['empty', { truncate: 0, truncateClean: true }, 'damaged_response'],
		[
			'JSON that is no answer of a chat',
			{ status: 200, charge: true, body: { id: 'chatcmpl-1', choices: [] } },
			'damaged_response',
		],
	])('%s is unknown, and never sent again', async (_, what, reason) => {
		fault({ ...what, times: Infinity });
		const { outputs } = await run({
			parameters: chat({ maxRetries: 4, timeout: 1, stream: true }),
			retryOnFail: true,
		});
		expect(outputs).toMatchObject([
			[],
			[{ json: { outcome: 'unknown', reason, operation: 'chat.complete' } }],
		]);
		expect(outputs[1][0].json).not.toHaveProperty('error');
		expect(sent()).toBe(1);
	});

	test.each([
		['in the words of the gateway: an error', { error: { message: 'cut' } }, [0, 0, 1]],
		['of a proxy: unknown', '<html>A timeout occurred</html>', [0, 1, 0]],
	])('524 is not sent again, not even by Retry On Fail; %s', async (_, body, items) => {
		fault({ status: 524, body, times: Infinity });
		const { outputs } = await run({
			parameters: chat({ maxRetries: 4, stream: true }),
			onError: 'continueErrorOutput',
			retryOnFail: true,
		});
		expect(outputs.map(({ length }) => length)).toEqual(items);
		expect(sent()).toBe(1);
	});
});

describe('bad input: nothing is sent, and the message names it', () => {
	const bad: Array<[string, IDataObject, RegExp]> = [
		['no message', chat({}, {}), /"Messages" is empty/],
		[
			'an unknown role',
			chat({}, { values: [{ role: 'robot', content: 'Hi' }] }),
			/Role of message 1.*system, user, assistant.*"robot"/,
		],
		[
			'an empty message',
			chat({}, { values: [...values.slice(0, 1), { role: 'user', content: ' ' }] }),
			/Content of message 2.*empty/,
		],
		['no model', { ...chat(), model: '={{ $json.nothing }}' }, /"Model"/],
		['maxTokens 0', chat({ maxTokens: 0 }), /"Max Tokens".*at least 1.*0/],
		['temperature', chat({ temperature: 'hot' }), /"Temperature".*number.*"hot"/],
		['tools no array', chat({ tools: '{}' }), /"Tools" must be a JSON array/],
		['additional body', chat({ additionalBody: '[1]' }), /"Additional Body Fields".*object/],
	];
	test.each(bad)('%s', async (_, parameters, message) => {
		const { error } = await run({ parameters });
		expect(error?.message).toMatch(message);
		expect(sim.requests).toEqual([]);
	});
});

describe('streaming', () => {
	test('is on exactly when the workflow streams', async () => {
		await run({ mode: 'webhook' });
		expect(body()).not.toHaveProperty('stream');
		sim.reset();
		const { outputs, types, text } = await stream();
		expect(body().stream).toBe(true);
		expect(text).toBe('You said: Is anybody there?');
		expect(types).toEqual(['begin', ...types.slice(1, -1).fill('item'), 'end']);
		expect(types.length).toBeGreaterThan(4);
		expect(outputs[0][0].json).toMatchObject({ text, model: MODEL, finishReason: 'stop' });
	});

	test('"Stream" off keeps the answer out of the chat', async () => {
		const { chunks, outputs } = await stream({ parameters: chat({ stream: false }) });
		expect(body()).not.toHaveProperty('stream');
		expect(chunks).toEqual([]);
		expect(outputs[0][0].json.text).toBe('You said: Is anybody there?');
	});

	test('a JSON answer to a stream request is understood', async () => {
		fault({ status: 200, charge: true, body: completion({ content: 'All at once.' }) });
		const { outputs, types, text } = await stream();
		expect(text).toBe('All at once.');
		expect(types).toEqual(['begin', 'item', 'end']);
		expect(outputs[0][0].json.text).toBe('All at once.');
	});

	const endings: Array<[string, (answer: HeldAnswer) => void]> = [
		['ends without [DONE] or a finish reason', (answer) => answer.end()],
		['breaks off', (answer) => answer.breakOff()],
		['falls silent', () => {}],
	];
	test.each(endings)(
		'whose pieces go on at once and that then %s is unknown, keeps its text, and is not sent again',
		async (_, end) => {
			const passedOn: string[] = [];
			let heard = () => {};
			const firstWords = new Promise<void>((resolve) => (heard = resolve));
			const chunks: string[] = [];
			const held = holdNextChat(sim);
			const running = run({
				mode: 'webhook',
				parameters: chat({ timeout: 1, maxRetries: 4 }),
				retryOnFail: true,
				onChunk: ({ type, content }) => {
					chunks.push(type);
					if (type === 'item' && passedOn.push(content as string) === 2) heard();
				},
			});
			const answer = await held;
			answer.say('Once upon ');
			answer.say('a time');
			await firstWords;
			end(answer);
			const { outputs } = await running;
			expect(outputs).toMatchObject([
				[],
				[{ json: { outcome: 'unknown', reason: 'damaged_response', text: 'Once upon a time' } }],
			]);
			expect(sent()).toBe(1);
			expect(chunks).toEqual(['begin', 'item', 'item', 'error']);
		},
	);

	test('a client that has gone away does not cost the answer', async () => {
		const { outputs } = await run({
			mode: 'webhook',
			onChunk: () => {
				throw new Error('write after end');
			},
		});
		expect(outputs[0][0].json.text).toBe('You said: Is anybody there?');
		expect(sent()).toBe(1);
	});

	test('an answer that is there is not streamed again by Retry On Fail', async () => {
		fault({ status: 503, input: 'two' });
		const { text, types, outputs } = await stream({
			items: ['one', 'two'].map((question) => item({ question })),
			parameters: chat({ concurrency: 1, maxRetries: 0 }),
			retryOnFail: true,
		});
		expect(outputs[0]).toHaveLength(2);
		expect(text).toBe('You said: oneYou said: two');
		expect(types.filter((type) => type === 'begin')).toHaveLength(2);
		expect(sim.charges).toHaveLength(2);
	});

	test('Stop breaks the stream off, and nothing more is sent', async () => {
		const held = holdNextChat(sim);
		let cancel = () => {};
		const running = run({
			mode: 'webhook',
			retryOnFail: true,
			started: (execution) => (cancel = execution.cancel),
			onChunk: ({ type }) => type === 'item' && cancel(),
		});
		const answer = await held;
		answer.say('Never ');
		await answer.closed;
		await running;
		expect(sent()).toBe(1);
	});
});
