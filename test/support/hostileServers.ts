/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import {
	type AddressInfo,
	createServer as createTcpServer,
	type Server,
	type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import tls, { type SecureVersion } from 'node:tls';

/** A server on 127.0.0.1 that does what one test wants of it. */
export interface TestServer {
	port: number;
	/** First line of every request, in order; of a TLS server only what came through. */
	seen: string[];
	/** Connections that are open now. */
	readonly open: number;
	close(): Promise<void>;
}

async function start(server: Server, seen: string[]): Promise<TestServer> {
	const sockets = new Set<Socket>();
	server.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('error', () => undefined);
		socket.once('close', () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		port: (server.address() as AddressInfo).port,
		seen,
		get open() {
			return sockets.size;
		},
		async close() {
			for (const socket of sockets) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

/** Hands every connection over with the first bytes that came on it. */
export async function startTcp(
	serve: (socket: Socket, first: Buffer) => void,
): Promise<TestServer> {
	const seen: string[] = [];
	const server = createTcpServer((socket) => {
		socket.once('data', (first: Buffer) => {
			seen.push(first.toString('latin1').split('\r\n')[0]);
			serve(socket, first);
		});
	});
	return await start(server, seen);
}

const noting =
	(seen: string[], serve: RequestListener): RequestListener =>
	(request, response) => {
		seen.push(`${request.method} ${request.url}`);
		// The whole request is taken first, as a server does that works on it.
		request.resume().once('end', () => serve(request, response));
	};

export async function startHttp(serve: RequestListener): Promise<TestServer> {
	const seen: string[] = [];
	return await start(createHttpServer(noting(seen, serve)), seen);
}

/** With a certificate for localhost that nobody trusts, but for `trustTestServers`. */
export async function startHttps(
	serve: RequestListener,
	version?: SecureVersion,
): Promise<TestServer> {
	const seen: string[] = [];
	const versions = { minVersion: version, maxVersion: version };
	const options = { key: KEY, cert: CERTIFICATE, ...versions };
	return await start(createTlsServer(options, noting(seen, serve)), seen);
}

/** Until jest restores its mocks, this process trusts the certificate of `startHttps`, as NODE_EXTRA_CA_CERTS would. */
export function trustTestServers(): void {
	const { createSecureContext } = tls;
	jest
		.spyOn(tls, 'createSecureContext')
		.mockImplementation((options) => createSecureContext({ ...options, ca: CERTIFICATE }));
}

const pem = (name: string, lines: string[]) =>
	[`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`].join('\n');

/** Made for these tests and good for nothing else; its certificate, too. */
const KEY = pem('PRIVATE KEY', [
	'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcYt6dp2pN8qNp22i',
	'ilG1HM7nQncniVdszkykE/cjnQGhRANCAASthpynryw1kvPGwXlk+scDqCQ5RbEC',
	'hTshVU/cn8pJdcb6cH8rJJ8xgE12EdBDWeyp0gXv5wguA2Kf0ikmsVuI',
]);

export const CERTIFICATE = pem('CERTIFICATE', [
	'MIIBmjCCAUGgAwIBAgIUO0u98eyZh+A/8VfNbVUJdvaRRk8wCgYIKoZIzj0EAwIw',
	'FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE0NDQ0NFoYDzIxMjYxMDI4',
	'MTQ0NDQ0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO',
	'PQMBBwNCAASthpynryw1kvPGwXlk+scDqCQ5RbEChTshVU/cn8pJdcb6cH8rJJ8x',
	'gE12EdBDWeyp0gXv5wguA2Kf0ikmsVuIo28wbTAdBgNVHQ4EFgQUgxC+ZiIFEDLm',
	'IZXd2fIvZzyNQxUwHwYDVR0jBBgwFoAUgxC+ZiIFEDLmIZXd2fIvZzyNQxUwDwYD',
	'VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI',
	'zj0EAwIDRwAwRAIgK3XABbD/F52ZETCIf2m5G5g0/Udek4++MwMxqy4qYZ8CICQn',
	'QeMrrkZxLauMvnMQ9KgJjpAco+Wd9ES0GYprY419',
]);
