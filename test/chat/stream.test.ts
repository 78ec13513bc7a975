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

const tool = (name: string, args: unknown, id?: string | null, index?: number) => ({
	...(index !== undefined && { index }),
	...(id !== undefined && { id }),
	function: { name, arguments: args },
});
const finished = (calls: object[]) => calls.map((call) => ({ type: 'function', ...call }));
const toolCalls = (...calls: object[]) =>
	calls.map((call) => delta({ tool_calls: [call] })).join('');
const OVERLOADED = '{"error":{"message":"Overloaded"}}';
const a = delta({ content: 'a' });

describe('streams', () => {
	test('text, usage, finish reason, and the body rebuilt', () => {
		const usage = { prompt_tokens: 3, completion_tokens: 2 };
		const { deltas, whole, reply } = read(
			delta({ role: 'assistant', content: '' }) +
				': keep-alive\n\n' +
				delta({ content: 'Hé' }) +
				delta({ content: 'llo 👋' }) +
				delta({}, 'stop') +
				delta({}) +
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

	const cutEvent = 'data: {"choices":[{"del\n\n';
	const stopped = { index: 0, delta: { content: 'a' }, finish_reason: 'stop' };
	const goingOn = { index: 1, delta: { content: 'b' } };
	test.each([
		['[DONE] without a finish_reason', a + DONE, true],
		['a finish_reason without [DONE]', delta({ content: 'a' }, 'stop'), true],
		['a last event without its blank line', a + delta({}, 'stop').trimEnd(), true],
		['neither', a, false],
		['cut within an event', a + delta({}, 'stop').slice(0, 30), false],
		['an unreadable event before the end', a + cutEvent + DONE, false],
		['one of two choices goes on', event({ choices: [stopped, goingOn] }), false],
	])('whole: %s', (_name, stream, whole) => {
		expect(read(stream)).toMatchObject({ whole, reply: { text: 'a' }, deltas: ['a'] });
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
		const parts = [{ type: 'thinking', text: 'hm' }, { type: 'text', text: 'a' }, 'b'];
		const reasoning = delta({ reasoning_content: 'hm', reasoning: 'hm', content: null });
		const content = [...parts, { text: 'c' }, { type: 'image_url' }];
		expect(read(reasoning + delta({ content }) + DONE).deltas).toEqual(['abc']);
	});

	test('tool calls are merged by index, and sorted by it', () => {
		const pieces = [tool('two', '', 'b', 1), tool('one', '{"x"', 'a', 0)];
		const rest = [{ index: 0, function: { arguments: ':1}' } }, tool('two', '{}', undefined, 1)];
		const { reply, deltas } = read(toolCalls(...pieces, ...rest) + delta({}, 'tool_calls') + DONE);
		expect(deltas).toEqual([]);
		const calls = finished([tool('one', '{"x":1}', 'a'), tool('two', '{}', 'b')]);
		expect(reply.toolCalls).toEqual(calls);
		expect(reply.raw).toMatchObject({
			choices: [{ message: { content: null, tool_calls: calls } }],
		});
	});

	test.each([
		[
			'no index',
			[
				tool('one', '{', 'a'),
				tool('two', '{', 'b'),
				{ id: 'a', function: { arguments: '}' } },
				{ function: { arguments: '}' } },
			],
		],
		['index 0 for all', [tool('one', '{}', 'a', 0), tool('two', '{}', 'b', 0)]],
		[
			'a new id with every delta',
			[
				tool('one', '{', 'a', 0),
				{ index: 0, id: 'z', function: { arguments: '}' } },
				tool('two', '{}', 'b', 1),
			],
		],
		[
			'null and the name once more',
			[
				tool('one', '{', 'a', 0),
				{ ...tool('one', '}', null, 0), type: null },
				tool('two', '{}', 'b', 1),
			],
		],
		['arguments as an object', [tool('one', {}, 'a', 0), tool('two', {}, 'b', 1)]],
	])('tool calls of other providers: %s', (_name, calls) => {
		const expected = finished([tool('one', '{}', 'a'), tool('two', '{}', 'b')]);
		expect(read(toolCalls(...calls) + DONE).reply.toolCalls).toEqual(expected);
	});

	test.each([
		['an event', event({ error: { message: 'Overloaded', code: 503 } }), '503'],
		['an error event', 'event: error\ndata: {"message":"Overloaded","type":"busy"}\n\n', 'busy'],
		['an error event that wraps', `event: error\ndata: ${OVERLOADED}\n\n`, undefined],
		['text', 'event: error\ndata: Overloaded\n\n', undefined],
		['an object of type error', event({ object: 'error', message: 'Overloaded' }), undefined],
	])('an error as %s', (_name, sent, code) => {
		const { reply, whole } = read(a + sent);
		expect([whole, reply.text]).toEqual([false, 'a']);
		expect(reply.error).toEqual({ message: 'Overloaded', code });
	});

	test.each([
		['without a blank line behind it', `${a}data: ${OVERLOADED}`],
		['without one before it', `${a.trimEnd()}\ndata: ${OVERLOADED}\n\n`],
		['in the line of an event', `${a.trimEnd()}${OVERLOADED}\n\n`],
		['in the line of an event, with a field', `${a.trimEnd()} data: ${OVERLOADED}\n\n`],
		['in the line of the end', `${a}data: ${OVERLOADED}[DONE]\n\n`],
		['behind the end', `${a}${DONE}data: ${OVERLOADED}\n\n`],
		['behind the end, bare', `${a}${DONE}${OVERLOADED}`],
		['bare, right behind an event', `${a.trimEnd()}\n${OVERLOADED}\n\n${DONE}`],
		['bare, with other fields first', `${a}{"status":503,${OVERLOADED.slice(1)}\n\n${DONE}`],
		['with a number instead of words', `${a}data: {"error":503}\n\n${DONE}`],
		['in a list', `${a}data: {"error":[{"message":"Overloaded"}]}\n\n${DONE}`],
	])('an error %s', (_name, stream) => {
		const { reply, deltas } = read(stream);
		expect(deltas).toEqual(['a']);
		expect(reply.error?.message).toMatch(/^(Overloaded|503)$/);
	});

	test.each([
		['JSON over several lines', '{\n  "error": {\n    "message": "no"\n  }\n}\n\n'],
		['an error in an array', `[${OVERLOADED}]\n\n`],
		['an error in an array, as an event', `data: [${OVERLOADED}]\n\n`],
	])('%s is no end of an answer', (_name, sent) => {
		expect(read(a + sent + DONE)).toMatchObject({ whole: false, reply: { text: 'a' } });
	});

	test('events without `data:` have their text, too', () => {
		const stream = a + delta({ content: 'b' }).slice('data: '.length) + DONE;
		expect(read(stream).deltas).toEqual(['a', 'b']);
	});

	test('an error behind an answer that is whole, and its end, takes nothing from it', () => {
		const { reply, whole } = read(`${a}${delta({}, 'stop')}${DONE}data: ${OVERLOADED}\n\n{"bro`);
		expect([whole, reply.text, reply.error]).toEqual([true, 'a', undefined]);
	});

	test.each([null, false, '', []])('"error": %j is none', (error) => {
		expect(read(a + event({ error, choices: [] }) + DONE).reply.error).toBeUndefined();
	});

	test('several choices: the first is the reply', () => {
		const choices = ['b', 'a'].map((content, at) => ({ index: 1 - at, delta: { content } }));
		const { reply, deltas } = read(event({ choices }) + DONE);
		expect([deltas, reply.text]).toEqual([['a'], 'a']);
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

describe('events', () => {
	const json = JSON.stringify({ choices: [{ index: 0, delta: { content: 'é👋' } }] });
	test.each([
		['a mix of line ends', `data: ${json}\r\n\r\ndata: ${json}\r\rdata: ${json}\n\n`],
		['a byte order mark', `\ufeffdata: ${json}\n\ndata:${json}\n\ndata: ${json}\n\n`],
		['names, ids and comments', `: a\nid: 1\nevent: x\n${`data: ${json}\n\n`.repeat(3)}`],
		['JSON without a field', `data: ${json}\n\n${json}\n\n [${json}]\n${json}\n\n`],
	])('%s, split at every byte', (_what, stream) => {
		expect(read(stream).deltas).toEqual(['é👋', 'é👋', 'é👋']);
	});
	test.each([
		['one endless line', 'data: xxx'],
		['an endless comment', ':xxx'],
		['endless data lines', 'data: xxx\n'],
	])('%s ends the stream', (_what, text) => {
		const reader = new ChatStreamReader();
		reader.feed(bytes(delta({ content: 'a' }, 'stop')));
		const more = bytes(text + (text.endsWith('\n') ? text : 'x').repeat(60_000));
		reader.feed(more);
		expect(() => {
			for (let n = 0; n < 20; n++) reader.feed(more);
		}).toThrow('max buffer size');
		expect([reader.whole, reader.end().text]).toEqual([true, 'a']);
	});
	test('the last one may lack its end', () => {
		expect(read(`data: ${json}\n\ndata: ${json}`).reply.text).toBe('é👋é👋');
	});
	test('the bound is of one event', () => {
		const reader = new ChatStreamReader();
		const chunk = bytes(delta({ content: 'a'.repeat(10_000) }).repeat(20));
		for (let n = 0; n < 20; n++) expect(reader.feed(chunk)).toHaveLength(20);
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

	/** Parts, calls and refusals are read as in a stream. */
	test.each<[string, unknown, Partial<ChatReply>]>([
		['a refusal', { choices: [{ message: { content: null, refusal: 'No.' } }] }, { text: 'No.' }],
		['a text completion', { choices: [{ text: 'a' }] }, { text: 'a' }],
		[
			'an error',
			{ error: { message: 'Bad', code: null, type: 'x' } },
			{ text: '', error: { message: 'Bad', code: 'x' } },
		],
		['no error', { error: null, choices: [] }, { text: '' }],
	])('%s', (_name, value, expected) => {
		expect(readChatReply(value)).toEqual({ ...expected, raw: value });
	});

	test.each([null, undefined, 'text', 3, [], {}, { choices: 'x' }, { choices: [null] }])(
		'%j is no reply',
		(value) => {
			expect(readChatReply(value)).toEqual({ text: '', raw: value });
		},
	);
});
