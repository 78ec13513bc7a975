/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { connect, type Socket } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import {
	startHttp,
	startHttps,
	startTcp,
	type TestServer,
	trustTestServers,
} from '../../support/hostileServers';
import { item, runNode } from '../support';

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
	jest.restoreAllMocks();
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

describe('TLS: the session breaks after the whole request', () => {
	test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s: unknown, sent once', async (version) => {
		trustTestServers();
		let client: Socket | undefined;
		// In the middle of the session, plain text: "wrong version number".
		const gateway = await startHttps(() => client?.write('HTTP/1.1 502 Bad Gateway'), version);
		server = await startTcp((socket, first) => {
			client = socket;
			const onward = connect(gateway.port, '127.0.0.1');
			onward.on('error', () => socket.destroy());
			onward.write(first);
			socket.pipe(onward).pipe(socket);
		});
		try {
			const { outputs } = await run(`https://localhost:${server.port}`);
			expect(outputs[1][0].json).toMatchObject({ reason: 'connection_lost' });
			expect(gateway.seen).toEqual(['POST /v1/audio/speech']);
		} finally {
			await gateway.close();
		}
	});
});

describe('an HTTPS proxy', () => {
	const through = async (
		serve: (socket: Socket) => void,
		options: IDataObject = {},
		host = 'gateway.invalid',
	) => {
		server = await startTcp(serve);
		process.env.HTTPS_PROXY = `http://127.0.0.1:${server.port}`;
		return await run(`https://${host}/v1`, options);
	};

	test('that closes the connection makes no tunnel: sent again, then an error', async () => {
		const { error } = await through((socket) => socket.end());
		expect(error?.message).toContain('the proxy made no connection to it');
		expect(error?.description).toContain('HTTPS_PROXY');
		expect(server?.seen).toEqual(Array(2).fill('CONNECT gateway.invalid:443 HTTP/1.1'));
	});

	const page = '<html><body><h1>No entry</h1></body></html>';
	const answering = (status: string) => (socket: Socket) =>
		socket.end(
			`HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`,
		);

	test.each([407, 403, 405, 408, 500, 501, 502, 503, 504])(
		'that answers CONNECT with %i: sent again, then an error',
		async (status) => {
			const { error, outputs } = await through(answering(`${status} No`));
			expect(outputs).toEqual([]);
			const what = status === 407 ? 'asks for a login' : 'made no connection to it';
			expect(error?.message).toBe(`The gateway cannot be reached: the proxy ${what} (${status})`);
			expect(error?.context?.httpCode ?? error?.httpCode).toBe(String(status));
			expect(error?.description).toMatch(/Nothing was sent.*HTTPS_PROXY.*No entry/);
			expect(server?.seen).toEqual(Array(2).fill('CONNECT gateway.invalid:443 HTTP/1.1'));
		},
	);

	test('that made no tunnel leaves the Send Once Key free', async () => {
		const proxy = answering('502 Bad Gateway');
		await through(proxy, { sendOnceKey: 'tunnel-1' });
		await server?.close();
		const { error } = await through(proxy, { sendOnceKey: 'tunnel-1' });
		expect(error?.message).toContain('the proxy made no connection');
		expect(server?.seen).toHaveLength(2);
	});

	test('with a tunnel, behind which 502 is answered: unknown, sent once', async () => {
		trustTestServers();
		const gateway = await startHttps((_, response) => response.writeHead(502).end(page));
		const tunnel = (socket: Socket) => {
			const upstream = connect(gateway.port, '127.0.0.1', () => {
				socket.write('HTTP/1.1 200 OK\r\n\r\n');
				socket.pipe(upstream).pipe(socket);
			});
			upstream.on('error', () => socket.destroy());
			socket.on('close', () => upstream.destroy());
		};
		const { outputs } = await through(tunnel, {}, 'localhost');
		await gateway.close();
		expect(outputs[1][0].json).toMatchObject({
			reason: 'upstream_outcome_unknown',
			message: expect.stringContaining('No entry'),
		});
		expect(gateway.seen).toEqual(['POST /v1/audio/speech']);
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
		expect(error?.message).toContain('nothing is listening at this address');
		expect(`${error?.message} ${error?.description}`.match(/ECONNREFUSED/g)).toHaveLength(1);
	});
});

test('a connection that is lost after the request is unknown, and the item keeps the cause', async () => {
	server = await startTcp((socket) => socket.resetAndDestroy());
	const { outputs } = await run(`http://127.0.0.1:${server.port}`);
	expect(outputs[1][0].json).toMatchObject({
		reason: 'connection_lost',
		code: 'ECONNRESET',
		message: 'The connection was lost after the request was sent',
	});
	expect(server.seen).toHaveLength(1);
});
