import fc from 'fast-check';
import { SseParser, type SseEvent } from '../../nodes/SpeechGateway/chat/sse';

const bytes = (text: string) => new TextEncoder().encode(text);

/** All events of a stream cut at the given byte offsets. One buffer is reused for all chunks, as a socket may. */
function parse(stream: Uint8Array, cuts: number[] = []): SseEvent[] {
	const parser = new SseParser();
	const buffer = Buffer.alloc(stream.length);
	const edges = [0, ...cuts, stream.length];
	const events: SseEvent[] = [];
	for (let i = 1; i < edges.length; i++) {
		buffer.fill(0);
		buffer.set(stream.subarray(edges[i - 1], edges[i]));
		events.push(...parser.feed(buffer.subarray(0, edges[i] - edges[i - 1])));
	}
	return [...events, ...parser.end()];
}

const message = (data: string, event = 'message'): SseEvent => ({ event, data });
const messages = (...texts: string[]) => texts.map((data) => message(data));

/** Line ends of all kinds are in the property below. */
const fixtures: Array<[string, string, SseEvent[]]> = [
	[
		'a mix of line ends',
		'data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\r\n\r',
		messages('a', 'b', 'c', 'd'),
	],
	['byte order mark', '\ufeffdata: a\n\n', [message('a')]],
	['a mark that is no order mark', 'data: \ufeffa\n\n\ufeffdata: b\n\n', [message('\ufeffa')]],
	['comments', ': hello\n\n:\ndata: a\n: in between\ndata: b\n\n', [message('a\nb')]],
	['no space after the colon', 'data:a\ndata:  b\n\n', [message('a\n b')]],
	['event names', 'event: error\ndata: x\n\ndata: y\n\n', [message('x', 'error'), message('y')]],
	['a name without data', 'event: ping\n\ndata: y\n\n', [message('y')]],
	['ids', 'id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n', messages('a', 'b', 'c')],
	['empty data', 'data\n\ndata:\ndata:\n\n', [message(''), message('\n')]],
	['unknown fields', 'foo: bar\nretry: 10\nDATA: no\n data: no\ndata: a: b\n\n', [message('a: b')]],
	['no last blank line', 'data: a\n\ndata: b\n', messages('a', 'b')],
	['no last line end', 'data: a\n\ndata: b', messages('a', 'b')],
	['nothing', '', []],
];

test.each(fixtures)('%s, whole and split at every point', (_name, text, expected) => {
	const stream = bytes(text);
	for (let cut = 0; cut <= stream.length; cut++) expect(parse(stream, [cut])).toEqual(expected);
});

test('events come with the chunk that completes them', () => {
	const parser = new SseParser();
	expect(parser.feed(bytes('data: a\n'))).toEqual([]);
	expect(parser.feed(bytes('\nda'))).toEqual([message('a')]);
	// A CR already ends the line; its LF adds nothing.
	expect(parser.feed(bytes('ta: b\r\n\r'))).toEqual([message('b')]);
	expect(parser.feed(bytes('\n'))).toEqual([]);
	expect(parser.end()).toEqual([]);
});

test('whatever was written is read, whatever ends its lines, however it is split', () => {
	const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text));
	const event = fc.record({
		data: fc.array(line, { minLength: 1, maxLength: 3 }),
		end: fc.constantFrom('\n', '\r', '\r\n'),
	});
	fc.assert(
		fc.property(fc.array(event, { maxLength: 5 }), fc.array(fc.nat(400)), (events, at) => {
			const stream = bytes(
				events
					.map(({ data, end }) => data.map((text) => `data: ${text}${end}`).join('') + end)
					.join(''),
			);
			const cuts = at.filter((cut) => cut <= stream.length).sort((a, b) => a - b);
			expect(parse(stream, cuts)).toEqual(messages(...events.map(({ data }) => data.join('\n'))));
		}),
	);
});

describe('the bound', () => {
	test.each([
		['one endless line', 'data: ' + 'x'.repeat(200)],
		['an endless comment', ':' + 'x'.repeat(200)],
		['endless data lines', 'data: xxxxxxxx\n'.repeat(20)],
	])('%s', (_name, text) => {
		const parser = new SseParser(100);
		expect(() => {
			for (const byte of bytes(text)) parser.feed(Uint8Array.of(byte));
		}).toThrow('An event of the stream is longer than 100 bytes');
	});
	test('is of one event, not of the stream', () => {
		const parser = new SseParser(100);
		const text = (': comment\nevent: message\ndata: ' + 'x'.repeat(80) + '\n\n').repeat(50);
		expect(parser.feed(bytes(text))).toHaveLength(50);
	});
	test('is a megabyte', () => {
		const parser = new SseParser();
		parser.feed(new Uint8Array(1024 * 1024).fill(0x61));
		expect(() => parser.feed(Uint8Array.of(0x61))).toThrow(RangeError);
	});
});
