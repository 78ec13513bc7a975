/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Call {
	method: string;
	path: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

export interface Answer {
	status?: number;
	/** JSON, unless it is bytes or text. */
	body?: unknown;
	headers?: Record<string, string>;
}

export interface RunningServer {
	port: number;
	url: string;
	close(): Promise<void>;
}

/** Serves on loopback what `answer` says. */
export async function serve(
	answer: (call: Call) => Promise<Answer> | Answer,
): Promise<RunningServer> {
	const server = createServer((request, response) => {
		void (async () => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(chunk as Buffer);
			const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
			const { method = 'GET', headers } = request;
			const call = {
				method,
				headers,
				path: pathname,
				query: searchParams,
				body: Buffer.concat(chunks),
			};
			const { status = 200, body = '', headers: more } = await answer(call);
			const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
			const type = isRaw ? {} : { 'content-type': 'application/json' };
			response.writeHead(status, { ...type, ...more });
			response.end(isRaw ? body : JSON.stringify(body));
		})().catch((error: unknown) => {
			response.writeHead(500).end(String(error));
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		port,
		url: `http://127.0.0.1:${port}`,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

/** The fields and files of a form, or of a JSON body. */
export async function fieldsOf({ headers, body }: Call): Promise<Record<string, unknown>> {
	const type = headers['content-type'] ?? '';
	if (type.startsWith('application/json')) return JSON.parse(body.toString() || '{}') as never;
	if (!/^(multipart\/form-data|application\/x-www-form-urlencoded)/.test(type)) return {};
	const form = await new Response(new Uint8Array(body), {
		headers: { 'content-type': type },
	}).formData();
	return Object.fromEntries(form);
}

/** A file as it was received. */
export interface ReceivedFile {
	name: string;
	type: string;
	bytes: Buffer;
}

export const received = async (file: unknown): Promise<ReceivedFile | undefined> =>
	file instanceof File
		? { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
		: undefined;
