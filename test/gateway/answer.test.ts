/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { connect, type Socket } from 'node:net';
import axios from 'axios';
import { HttpsProxyAgent } from 'https-proxy-agent';
import {
	isFromProxy,
	returnedAnswer,
	thrownAnswer,
} from '../../nodes/SpeechGateway/gateway/answer';
import { startHttps, startTcp, type TestServer, trustTestServers } from '../support/hostileServers';

let server: TestServer | undefined;
afterEach(async () => {
	jest.restoreAllMocks();
	await server?.close();
});

const url = 'https://localhost/v1/audio/speech';

/**
 * Sends as n8n 2.16 does, where the body is Node's own, through a proxy. Of what its HTTP client throws, n8n keeps that body
 * alone.
 */
async function answerThrough(serve: (socket: Socket) => void) {
	server = await startTcp(serve);
	const sent = axios.post(url, undefined, {
		httpsAgent: new HttpsProxyAgent(`http://127.0.0.1:${server.port}`),
		proxy: false,
		responseType: 'stream',
		maxContentLength: -1,
		maxRedirects: 0,
		validateStatus: (status) => ![403, 407, 502].includes(status),
	});
	const { signal } = new AbortController();
	return await sent.then(
		({ status, data }) => returnedAnswer({ statusCode: status, headers: {}, body: data }),
		({ response }: { response: { data: unknown } }) =>
			thrownAnswer({ context: { data: response.data } }, signal)!,
	);
}

describe('an answer on n8n 2.16', () => {
	test.each([204, 403, 407, 418, 502])('a proxy that answers CONNECT with %i', async (status) => {
		const answer = await answerThrough((socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
		expect(answer.status).toBe(status);
		expect(isFromProxy(answer, url)).toBe(true);
	});

	test('through a tunnel it is not from the proxy', async () => {
		trustTestServers();
		const gateway = await startHttps((_, response) => response.writeHead(502).end());
		const answer = await answerThrough((socket) => {
			const upstream = connect(gateway.port, '127.0.0.1', () => {
				socket.write('HTTP/1.1 200 OK\r\n\r\n');
				socket.pipe(upstream).pipe(socket);
			});
		});
		expect(answer.status).toBe(502);
		expect(isFromProxy(answer, url)).toBe(false);
		await gateway.close();
	});
});

test('an answer whose connection cannot be seen, or that came over http, is the gateway’s', () => {
	const answer = { status: 502, headers: {}, body: undefined as never };
	expect(isFromProxy(answer, url)).toBe(false);
	expect(isFromProxy({ ...answer, socket: null }, url)).toBe(false);
	expect(isFromProxy({ ...answer, socket: {} }, url.replace('https', 'http'))).toBe(false);
	expect(isFromProxy({ ...answer, socket: { encrypted: true } }, url)).toBe(false);
});

test('an error that holds no whole answer holds none', () => {
	const { signal } = new AbortController();
	const error = Object.assign(new Error('no'), { response: { status: 502 } });
	expect(thrownAnswer(error, signal)).toBeUndefined();
	expect(thrownAnswer(new Error('wrapped', { cause: error }), signal)).toBeUndefined();
	expect(thrownAnswer(undefined, signal)).toBeUndefined();
});
