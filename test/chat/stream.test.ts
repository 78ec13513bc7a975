import {
	ChatStreamReader,
	readChatReply,
	type ChatReply,
} from '../../nodes/SpeechGateway/chat/stream';

const bytes = (text: string) => new TextEncoder().encode(text);
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (fields: object, finishReason: string | null = null) =>
	event({
		id: 'c1',
		created: 7,
		model: 'm1',
		choices: [{ index: 0, delta: fields, finish_reason: finishReason }],
	});
const DONE = 'data: [DONE]\n\n';

interface Read {
	deltas: string[];
	whole: boolean;
	reply: ChatReply;
}

/** Reads a stream whole and split at every byte; the results must agree. */
function read(stream: string): Read {
	const once = (chunks: Uint8Array[]): Read => {
		const reader = new ChatStreamReader();
		const deltas = chunks.flatMap((chunk) => reader.feed(chunk));
		const reply = reader.end();
		return { deltas, whole: reader.whole, reply };
	};
	const all = bytes(stream);
	const result = once([all]);
	for (let cut = 1; cut < all.length; cut++) {
		expect(once([all.subarray(0, cut), all.subarray(cut)])).toEqual(result);
	}
	return result;
}

const tool = (name: string, args: string, id?: string) => ({
	...(id ? { id } : {}),
	type: 'function',
	function: { name, arguments: args },
});

describe('streams', () => {
	test('text, usage, finish reason, and the body rebuilt', () => {
		const usage = { prompt_tokens: 3, completion_tokens: 2 };
		const { deltas, whole, reply } = read(
			delta({ role: 'assistant', content: '' }) +
				': keep-alive\n\n' +
				delta({ content: 'Hé' }) +
				delta({ content: 'llo 👋' }) +
				delta({}, 'stop') +
				event({ id: 'c1', model: 'm1', choices: [], usage }) +
				DONE,
		);
		expect(deltas).toEqual(['Hé', 'llo 👋']);
		expect(whole).toBe(true);
		expect(reply).toMatchObject({ text: 'Héllo 👋', model: 'm1', finishReason: 'stop', usage });
		expect(reply.raw).toEqual({
			id: 'c1',
			object: 'chat.completion',
			created: 7,
			model: 'm1',
			usage,
			choices: [
				{ index: 0, message: { role: 'assistant', content: 'Héllo 👋' }, finish_reason: 'stop' },
			],
		});
		expect(readChatReply(reply.raw)).toEqual(reply);
	});

	test.each([
		['[DONE] without a finish_reason', delta({ content: 'a' }) + DONE, true],
		['a finish_reason without [DONE]', delta({ content: 'a' }, 'stop'), true],
		[
			'a last event without its blank line',
			delta({ content: 'a' }) + delta({}, 'stop').trimEnd(),
			true,
		],
		['neither', delta({ content: 'a' }), false],
		['cut within an event', delta({ content: 'a' }) + delta({}, 'stop').slice(0, 30), false],
		[
			'an unreadable event before the end',
			delta({ content: 'a' }) + 'data: {"choices":[{"del\n\n' + DONE,
			false,
		],
		[
			'a finish_reason for one of two choices',
			event({
				choices: [
					{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' },
					{ index: 1, delta: { content: 'b' } },
				],
			}),
			false,
		],
	])('whole: %s', (_name, stream, whole) => {
		const result = read(stream);
		expect(result.whole).toBe(whole);
		expect(result.reply.text).toBe('a');
		expect(result.deltas).toEqual(['a']);
	});

	test('events without blank lines between them', () => {
		const { whole, reply } = read(
			[delta({ content: 'a' }), delta({ content: 'b' }), DONE].join('').replace(/\n\n/g, '\n'),
		);
		expect([whole, reply.text]).toEqual([true, 'ab']);
	});

	test('nothing at all', () => {
		expect(read('')).toMatchObject({ deltas: [], whole: false, reply: { text: '' } });
		expect(read(' \n\n').whole).toBe(false);
		expect(read('<html><body>Bad gateway</body></html>').whole).toBe(false);
	});

	test('content as parts; reasoning is ignored', () => {
		const { deltas } = read(
			delta({ reasoning_content: 'hm', reasoning: 'hm', content: null }) +
				delta({
					content: [
						{ type: 'thinking', text: 'hm' },
						{ type: 'text', text: 'a' },
						'b',
						{ text: 'c' },
						{ type: 'image_url' },
					],
				}) +
				DONE,
		);
		expect(deltas).toEqual(['abc']);
	});

	test('tool calls are merged by index', () => {
		const call = (fields: object) => delta({ tool_calls: [fields] });
		const { reply, deltas } = read(
			call({ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '' } }) +
				call({
					index: 0,
					id: 'a',
					type: 'function',
					function: { name: 'one', arguments: '{"x"' },
				}) +
				call({ index: 0, function: { arguments: ':1}' } }) +
				call({ index: 1, function: { name: 'two', arguments: '{}' } }) +
				delta({}, 'tool_calls') +
				DONE,
		);
		expect(deltas).toEqual([]);
		expect(reply.toolCalls).toEqual([tool('one', '{"x":1}', 'a'), tool('two', '{}', 'b')]);
		expect(reply.raw).toMatchObject({
			choices: [{ message: { content: null, tool_calls: reply.toolCalls } }],
		});
	});

	test.each([
		[
			'no index',
			[
				{ id: 'a', function: { name: 'one', arguments: '{' } },
				{ function: { arguments: '}' } },
				{ id: 'b', function: { name: 'two', arguments: '{}' } },
			],
		],
		[
			'index 0 for all',
			[
				{ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } },
				{ index: 0, id: 'b', function: { name: 'two', arguments: '{}' } },
			],
		],
		[
			'a new id with every delta',
			[
				{ index: 0, id: 'a', function: { name: 'one', arguments: '{' } },
				{ index: 0, id: 'z', function: { arguments: '}' } },
				{ index: 1, id: 'b', function: { name: 'two', arguments: '{}' } },
			],
		],
		[
			'null and the name once more',
			[
				{ index: 0, id: 'a', function: { name: 'one', arguments: '{' } },
				{ index: 0, id: null, type: null, function: { name: 'one', arguments: '}' } },
				{ index: 1, id: 'b', function: { name: 'two', arguments: '{}' } },
			],
		],
		[
			'arguments as an object',
			[
				{ index: 0, id: 'a', function: { name: 'one', arguments: {} } },
				{ index: 1, id: 'b', function: { name: 'two', arguments: {} } },
			],
		],
	])('tool calls of other providers: %s', (_name, calls) => {
		const { reply } = read(calls.map((call) => delta({ tool_calls: [call] })).join('') + DONE);
		expect(reply.toolCalls).toEqual([tool('one', '{}', 'a'), tool('two', '{}', 'b')]);
	});

	test.each([
		[
			'in an event',
			event({ error: { message: 'Overloaded', code: 503 } }),
			{ message: 'Overloaded', code: '503' },
		],
		[
			'as an error event',
			'event: error\ndata: {"message":"Overloaded","type":"busy"}\n\n',
			{ message: 'Overloaded', code: 'busy' },
		],
		[
			'as an error event that wraps',
			'event: error\ndata: {"error":{"message":"Overloaded"}}\n\n',
			{ message: 'Overloaded' },
		],
		['as text', 'event: error\ndata: Overloaded\n\n', { message: 'Overloaded' }],
		[
			'as an object of type error',
			event({ object: 'error', message: 'Overloaded' }),
			{ message: 'Overloaded' },
		],
	])('an error %s', (_name, sent, error) => {
		const { reply, whole } = read(delta({ content: 'a' }) + sent);
		expect(reply).toMatchObject({ text: 'a', error });
		expect(whole).toBe(false);
	});

	const busy = '{"error":{"message":"Overloaded"}}';
	const a = delta({ content: 'a' });
	test.each([
		['without a blank line behind it', `${a}data: ${busy}`],
		['without one before it', `${a.trimEnd()}\ndata: ${busy}\n\n`],
		['in the line of an event', `${a.trimEnd()}${busy}\n\n`],
		['in the line of an event, with a field', `${a.trimEnd()} data: ${busy}\n\n`],
		['in the line of the end', `${a}data: ${busy}[DONE]\n\n`],
		['behind the end', `${a}${DONE}data: ${busy}\n\n`],
		['behind the end, bare', `${a}${DONE}${busy}`],
		['bare, right behind an event', `${a.trimEnd()}\n${busy}\n\n${DONE}`],
		['bare, with other fields first', `${a}{"status":503,${busy.slice(1)}\n\n${DONE}`],
		['with a number instead of words', `${a}data: {"error":503}\n\n${DONE}`],
		['in a list', `${a}data: {"error":[{"message":"Overloaded"}]}\n\n${DONE}`],
	])('an error %s', (_name, stream) => {
		const { reply, deltas } = read(stream);
		expect(deltas).toEqual(['a']);
		expect(reply.error?.message).toMatch(/^(Overloaded|503)$/);
	});

	test.each([
		['JSON over several lines', '{\n  "error": {\n    "message": "no"\n  }\n}\n\n'],
		['an error in an array', `[${busy}]\n\n`],
		['an error in an array, as an event', `data: [${busy}]\n\n`],
	])('%s is no end of an answer', (_name, sent) => {
		expect(read(a + sent + DONE)).toMatchObject({ whole: false, reply: { text: 'a' } });
	});

	test('events without `data:` have their text, too', () => {
		const stream = a + delta({ content: 'b' }).slice('data: '.length) + DONE;
		expect(read(stream).deltas).toEqual(['a', 'b']);
	});

	test('an error behind an answer that is whole, and its end, takes nothing from it', () => {
		const { reply, whole } = read(`${a}${delta({}, 'stop')}${DONE}data: ${busy}\n\n{"bro`);
		expect([whole, reply.text, reply.error]).toEqual([true, 'a', undefined]);
	});

	test.each([null, false, '', []])('"error": %j is none', (error) => {
		expect(read(a + event({ error, choices: [] }) + DONE).reply.error).toBeUndefined();
	});

	test('several choices: the first is the reply', () => {
		const { reply, deltas } = read(
			event({
				choices: [
					{ index: 1, delta: { content: 'b' } },
					{ index: 0, delta: { content: 'a' } },
				],
			}) + DONE,
		);
		expect(deltas).toEqual(['a']);
		expect(reply.text).toBe('a');
		expect(reply.raw).toMatchObject({
			choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }],
		});
	});

	test('a whole message after the deltas is not added to them', () => {
		const message = (content: string) =>
			event({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] });
		expect(read(delta({ content: 'a' }) + message('a')).deltas).toEqual(['a']);
		expect(read(message('a')).deltas).toEqual(['a']);
	});
});

describe('a JSON body', () => {
	const body = {
		id: 'c1',
		model: 'm1',
		choices: [{ message: { content: 'Hé 👋' }, finish_reason: 'stop' }],
	};

	test.each(['', ' \r\n', '\ufeff'])('instead of a stream, after %j', (before) => {
		const { deltas, whole, reply } = read(before + JSON.stringify(body, null, 2));
		expect(deltas).toEqual([]);
		expect(whole).toBe(true);
		expect(reply).toEqual({ text: 'Hé 👋', model: 'm1', finishReason: 'stop', raw: body });
	});
	test.each(['\n\ndata: [DONE]\n\n', '{"error":{"message":"never"}}'])(
		'that is an error, before %j',
		(rest) => {
			expect(read(`{"error":{"message":"no"}}${rest}`)).toMatchObject({
				whole: false,
				reply: { error: { message: 'no' } },
			});
		},
	);
	test('that breaks off is not whole', () => {
		expect(read(JSON.stringify(body).slice(0, -1))).toMatchObject({
			whole: false,
			reply: { text: '' },
		});
	});

	test.each<[string, unknown, Partial<ChatReply>]>([
		[
			'parts',
			{
				choices: [
					{
						message: {
							content: [
								{ type: 'text', text: 'a' },
								{ type: 'text', text: 'b' },
							],
						},
					},
				],
			},
			{ text: 'ab' },
		],
		[
			'tool calls',
			{
				choices: [
					{
						message: { content: null, tool_calls: [tool('one', '{}', 'a')] },
						finish_reason: 'tool_calls',
					},
				],
			},
			{ text: '', toolCalls: [tool('one', '{}', 'a')], finishReason: 'tool_calls' },
		],
		['a refusal', { choices: [{ message: { content: null, refusal: 'No.' } }] }, { text: 'No.' }],
		['a text completion', { choices: [{ text: 'a' }] }, { text: 'a' }],
		[
			'an error',
			{ error: { message: 'Bad', code: null, type: 'x' } },
			{ text: '', error: { message: 'Bad' } },
		],
		['no error', { error: null, choices: [] }, { text: '' }],
	])('%s', (_name, value, expected) => {
		const reply = readChatReply(value);
		expect(reply).toMatchObject(expected);
		expect(reply.raw).toBe(value);
		for (const key of ['toolCalls', 'error'] as const)
			expect(reply[key] !== undefined).toBe(key in expected);
	});

	test.each([null, undefined, 'text', 3, [], {}, { choices: 'x' }, { choices: [null] }])(
		'%j is no reply',
		(value) => {
			expect(readChatReply(value)).toEqual({ text: '', raw: value });
		},
	);
});
