/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { wait } from '../clock';
import type { Fault } from '../simulator';

type Answer = NonNullable<Fault['answer']>;

export interface Misbehaviour {
	name: string;
	answer?: Answer;
	/** It keeps the node as busy as it can: such cells run apart, and their memory is measured. */
	heavy?: boolean;
	/** A POST answered like this was certainly not charged, so it may be sent again. */
	notCharged?: boolean;
}

/** With characters that each spelling writes in another way. */
export const KEY = 'sk/hostile+key="42"=';

type Answering = Answer & { heavy?: true; notCharged?: true };

const heavy = (answer: Answering) => Object.assign(answer, { heavy: true as const });
const notCharged = (answer: Answering) => Object.assign(answer, { notCharged: true as const });

/** Enough to tell a bound from none, and too little to hurt the machine when there is none. */
const ENDLESS_BYTES = 600 * 1024 * 1024;
const BLOCK = 256 * 1024;

/** Writes blocks until the client goes away, or to an end far beyond every bound. */
function pour(response: ServerResponse, block: Buffer, through = createGzip({ level: 1 })): void {
	const out = response.hasHeader('content-encoding') ? through : response;
	if (out === through) through.pipe(response);
	let poured = 0;
	const more = () => {
		while (!response.destroyed && poured < ENDLESS_BYTES) {
			poured += block.length;
			if (!out.write(block)) return;
		}
		out.end();
	};
	out.on('drain', more);
	response.once('close', () => through.destroy());
	more();
}

/** Sends a little every tenth of a second until the client goes away. */
async function drip(response: ServerResponse, send: () => void): Promise<void> {
	const gone = new AbortController();
	response.once('close', () => gone.abort());
	while (!gone.signal.aborted) {
		send();
		await wait(100, gone.signal).catch(() => undefined);
	}
}

const endless =
	(contentType: string, start: string, unit: string, gzip = false) =>
	(response: ServerResponse) => {
		response.setHeader('content-type', contentType);
		if (gzip) response.setHeader('content-encoding', 'gzip');
		const block = Buffer.from(unit.repeat(Math.ceil(BLOCK / unit.length)));
		if (!gzip) response.write(start);
		pour(response, gzip ? Buffer.concat([Buffer.from(start), block]) : block);
	};

const raw =
	(text: (good: Parameters<Answer>[1]) => string, thenEnds = true): Answer =>
	({ socket }, good) => {
		socket!.write(text(good));
		if (thenEnds) socket!.end();
	};

const answer =
	(status: number, body = '', headers: Record<string, string> = {}) =>
	(response: ServerResponse) =>
		void response.writeHead(status, headers).end(body);

const JSON_TYPE = { 'content-type': 'application/json' };
const PAGE = '<!DOCTYPE html><html><body><h1>Please log in</h1></body></html>';
const HTML = { 'content-type': 'text/html' };

/** Every field that is documented, with the wrong type. */
const odd = { toString: 1 };
const ODD = JSON.stringify(
	Object.fromEntries(
		[
			'id',
			'_id',
			'object',
			'status',
			'created_at',
			'title',
			'text',
			'model',
			'usage',
			'items',
			'data',
			'models',
			'choices',
			'message',
			'code',
			'param',
			'detail',
		].map((field) => [field, odd]),
	),
);
const ODD_ERROR = JSON.stringify({
	error: { message: odd, code: [odd], param: odd },
	detail: [{ loc: [odd], msg: odd }],
	request_id: odd,
});

/** The key as it can be written: plain, as JSON escapes, percent-encoded, in base64. */
export function spellings(key: string): string[] {
	const bytes = Buffer.from(key);
	const everyByte = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
	const bearer = Buffer.from(`Bearer ${key}`).toString('base64');
	return [key, encodeURIComponent(key), everyByte, bytes.toString('base64'), bearer];
}

function keyAsJson(key: string): string {
	const escaped = [...key]
		.map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
		.join('');
	const slashes = JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/');
	const others = spellings(key).slice(1).join(' ');
	return `${escaped} ${slashes} ${others}`;
}

const echo = (status: number, shape: (text: string) => string) => (response: ServerResponse) =>
	void response.writeHead(status, JSON_TYPE).end(shape(keyAsJson(KEY)));

const ALL: Record<string, Answering> = {
	'no answer at all': () => undefined,
	'headers, then silence': (response, good) => {
		response.writeHead(200, { 'content-type': good.contentType }).flushHeaders();
	},
	'half of the body, then silence': (response, good) => {
		response.writeHead(200, { 'content-type': good.contentType });
		response.write(good.body.subarray(0, good.body.length / 2));
	},
	'a space every tenth of a second, for ever': (response, good) => {
		response.writeHead(200, { 'content-type': good.contentType });
		void drip(response, () => response.write(' '));
	},
	'the connection closed': ({ socket }) => void socket!.destroy(),
	'the connection reset': ({ socket }) => void socket!.resetAndDestroy(),
	'the connection reset in the middle of the body': (response, good) => {
		response.writeHead(200, { 'content-type': good.contentType });
		const half = good.body.subarray(0, Math.max(1, good.body.length / 2));
		response.write(half, () => void wait(20).then(() => response.socket?.resetAndDestroy()));
	},
	'a chunked body that breaks off': raw(
		({ contentType }) =>
			`HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"id":`,
	),
	'a Content-Length that is too long': (response, { contentType, body }) => {
		const length = body.length + 1000;
		response.writeHead(200, { 'content-type': contentType, 'content-length': length });
		response.write(body, () => response.socket?.end());
	},
	'a Content-Length that is too short': ({ socket }, { contentType, body }) => {
		const length = Math.floor(body.length / 2);
		socket!.write(
			`HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n\r\n`,
		);
		socket!.end(body);
	},
	'something that is not HTTP': raw(() => 'SSH-2.0-OpenSSH_9.6\r\n'),
	'101 Switching Protocols': raw(
		() => 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
		false,
	),
	'102 Processing, for ever': (response) => {
		void drip(response, () => response.writeProcessing());
	},
	'103 Early Hints, then a good answer': (response, good) => {
		response.writeEarlyHints({ link: '</style.css>; rel=preload' });
		response.writeHead(200, { 'content-type': good.contentType }).end(good.body);
	},
	'204 No Content': answer(204),
	'an empty 200': answer(200, '', JSON_TYPE),
	'a login page with 200': answer(200, PAGE, HTML),
	'a redirect to a login page': notCharged((response) =>
		response.req.url?.endsWith('/login')
			? void response.writeHead(200, HTML).end(PAGE)
			: void response.writeHead(302, { location: '/v1/login' }).end(),
	),
	'redirects in a circle': notCharged(
		(response) => void response.writeHead(307, { location: response.req.url }).end(),
	),
	'a redirect to no address': notCharged(answer(307, '', { location: 'http://[' })),
	null: answer(200, 'null', JSON_TYPE),
	'odd types in every field': answer(200, ODD, JSON_TYPE),
	'odd types in a refusal': notCharged(answer(422, ODD_ERROR, JSON_TYPE)),
	'JSON of a million brackets': answer(200, '['.repeat(1_000_000), JSON_TYPE),
	'the wrong content type': (response, good) => void response.writeHead(200, HTML).end(good.body),
	'gzip that is not gzip': (response, good) =>
		void response
			.writeHead(200, {
				'content-type': good.contentType,
				'content-encoding': 'gzip',
			})
			.end(good.body),
	'headers of 100 KB': (response, good) =>
		void response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end(good.body),
	'429 that asks to wait for 30 years': notCharged(
		answer(429, '{}', { ...JSON_TYPE, 'retry-after': '999999999' }),
	),
	'the key in a refusal, in each spelling': notCharged(
		echo(400, (text) => `{"error":{"message":"${text}","code":"${text}"},"request_id":"${text}"}`),
	),
	'the key in a success, in each spelling': echo(
		200,
		(text) =>
			`{"id":"x ${text}","status":"${text}","text":"${text}","_id":"${text}","title":"${text}","choices":[{"message":{"content":"${text}"},"finish_reason":"stop"}]}`,
	),
	'the key in headers': notCharged(
		(response) =>
			void response
				.writeHead(400, {
					...JSON_TYPE,
					'x-request-id': `req ${KEY}`,
					'retry-after': KEY,
				})
				.end('{"error":{"message":"no"}}'),
	),
	'the key where a message is cut': notCharged(
		(response) =>
			void response
				.writeHead(400, JSON_TYPE)
				.end(JSON.stringify({ error: { message: `${'x'.repeat(490)}${KEY}` } })),
	),
	'the key in an event stream, in pieces': (response) => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		for (const letter of KEY)
			response.write(
				`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: letter } }] })}\n\n`,
			);
		response.end(
			'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
		);
	},
	'an endless JSON text': heavy(endless('application/json', '{"id":"', 'x')),
	'an endless JSON text, as gzip': heavy(endless('application/json', '{"id":"', 'x', true)),
	'an endless event stream': heavy(
		endless(
			'text/event-stream',
			'',
			'data: {"choices":[{"index":0,"delta":{"content":"and so on "}}]}\n\n',
		),
	),
	'an endless event stream, as gzip': heavy(
		endless(
			'text/event-stream',
			'',
			'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"and so on"}}]}}]}\n\n',
			true,
		),
	),
	'an endless error page': notCharged(
		heavy((response) => {
			response.statusCode = 400;
			endless('text/html', '<script ', '<script ')(response);
		}),
	),
};

export const MISBEHAVIOURS: Misbehaviour[] = Object.entries(ALL).map(([name, answer]) => {
	return { name, answer, heavy: answer.heavy, notCharged: answer.notCharged };
});
