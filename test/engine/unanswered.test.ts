/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import type { Socket } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { startHttp, startHttps, startTcp, type TestServer } from '../support/hostileServers';
import { item, runNode } from './support';

const speech = (options: IDataObject = {}): IDataObject => ({
	resource: 'speech',
	operation: 'generate',
	model: 'fish-speech',
	text: 'Hello.',
	options: { maxRetries: 1, ...options },
});
const run = async (url: string, options: IDataObject = {}) =>
	await runNode({ parameters: speech(options), url, apiKey: 'sk-test-12345', items: [item({})] });

let server: TestServer | undefined;
afterEach(async () => {
	await server?.close();
	server = undefined;
	delete process.env.HTTPS_PROXY;
	delete process.env.NO_PROXY;
});

/** A fatal TLS alert, as a record of its own: type 21, version 3.3, length 2, level 2. */
const alert = (number: number) => Buffer.from([21, 3, 3, 0, 2, 2, number]);

describe('TLS: nothing left this machine', () => {
	test.each([40, 48, 70, 112, 116])('alert %i in the handshake is sent again', async (number) => {
		server = await startTcp((socket) => socket.end(alert(number)));
		const { error, outputs } = await run(`https://localhost:${server.port}`);
		expect(outputs).toEqual([]);
		expect(error?.message).toBe('The gateway cannot be reached: the TLS handshake failed');
		expect(error?.description).toContain('Nothing was sent.');
		expect(server.seen).toHaveLength(2);
	});

	test('a certificate that is not trusted: what to do about it, once and in words', async () => {
		server = await startHttps((_, response) => response.end());
		const { error } = await run(`https://localhost:${server.port}`);
		expect(error?.message).toBe(
			'The gateway cannot be reached: n8n does not trust its certificate',
		);
		expect(error?.description).toContain('NODE_EXTRA_CA_CERTS');
		expect(error?.description?.match(/certificate/g)?.length).toBeLessThan(4);
		expect(server.seen).toEqual([]);
	});

	test('plain http at an https address', async () => {
		server = await startHttp((_, response) => response.end());
		const { error } = await run(`https://localhost:${server.port}`);
		expect(error?.message).toContain('does not speak TLS');
	});
});

describe('an HTTPS proxy', () => {
	const through = async (serve: (socket: Socket) => void) => {
		server = await startTcp(serve);
		process.env.HTTPS_PROXY = `http://127.0.0.1:${server.port}`;
		return await run('https://gateway.invalid/v1');
	};

	test('that closes the connection makes no tunnel: sent again, then an error', async () => {
		const { error } = await through((socket) => socket.end());
		expect(error?.message).toContain('the proxy made no tunnel');
		expect(error?.description).toContain('HTTPS_PROXY');
		expect(server?.seen).toEqual(Array(2).fill('CONNECT gateway.invalid:443 HTTP/1.1'));
	});

	test('whose tunnel ends before TLS: sent again, then an error', async () => {
		const { error } = await through((socket) => {
			socket.write('HTTP/1.1 200 OK\r\n\r\n');
			socket.once('data', () => socket.destroy());
		});
		expect(error?.message).toContain('The gateway cannot be reached');
		expect(server?.seen).toHaveLength(2);
	});

	test.each([
		['407 Proxy Authentication Required', /proxy .* asks for a login \(407\)/],
		['403 Forbidden', /proxy or firewall .* refuses the request \(403\)/],
	])('that answers %s is not called the gateway', async (status, message) => {
		const page = '<html><body><h1>No entry</h1></body></html>';
		const { error } = await through((socket) =>
			socket.end(
				`HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`,
			),
		);
		expect(error?.message).toMatch(message);
		expect(error?.description).toContain('The answer says: "No entry"');
		expect(error?.description).not.toMatch(/gateway says/);
		expect(server?.seen).toHaveLength(1);
	});
});

describe('words for an address without a gateway', () => {
	test('a host that does not exist', async () => {
		const { error } = await run('https://no-such-host.invalid/v1');
		expect(error?.message).toMatch(/host name is not known|name server did not answer/);
		expect(error?.description).toContain('https://no-such-host.invalid');
	});

	test('a port that is closed; the code stands there once', async () => {
		const closed = await startHttp((_, response) => response.end());
		await closed.close();
		const { error } = await run(`http://127.0.0.1:${closed.port}`);
		expect(error?.message).toContain('nothing listens at this address');
		expect(`${error?.message} ${error?.description}`.match(/ECONNREFUSED/g)).toHaveLength(1);
	});
});

test('a connection that is lost after the request is unknown, and the item keeps the cause', async () => {
	server = await startTcp((socket) => socket.resetAndDestroy());
	const { outputs } = await run(`http://127.0.0.1:${server.port}`);
	expect(outputs[1][0].json).toMatchObject({
		reason: 'connection_lost',
		code: 'ECONNRESET',
		message: expect.stringContaining('ECONNRESET'),
	});
	expect(server.seen).toHaveLength(1);
});
