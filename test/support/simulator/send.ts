/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { wait } from '../clock';
import type { Content } from './audio';
import type { Reply } from './exchange';
import type { Fault } from './faults';

/** Bytes written at a time. */
const WRITE_BYTES = 65_536;

/** Pieces of a slow body that is no stream of events. */
const DRIPS = 16;

/** Neither audio nor JSON, whatever the offset. */
const RUBBISH = Buffer.from('rubbish '.repeat(WRITE_BYTES / 8), 'latin1');

function toContent(body: Reply['body']): Content {
	if (typeof body !== 'string' && !Buffer.isBuffer(body)) return body;
	const bytes = Buffer.from(body);
	return { length: bytes.length, chunks: () => [bytes] };
}

/** The same bytes in pieces of one size. */
function* pieces(chunks: Iterable<Buffer>, size: number): Generator<Buffer> {
	let held: Buffer[] = [];
	let bytes = 0;
	for (let chunk of chunks) {
		while (bytes + chunk.length >= size) {
			yield Buffer.concat([...held, chunk.subarray(0, size - bytes)]);
			chunk = chunk.subarray(size - bytes);
			held = [];
			bytes = 0;
		}
		if (chunk.length > 0) held.push(chunk);
		bytes += chunk.length;
	}
	if (bytes > 0) yield Buffer.concat(held);
}

/** Sends a reply as a fault wants it. False: the body was cut and the connection has to be broken off. */
export async function send(
	response: ServerResponse,
	ids: Record<string, string>,
	{ status = 200, contentType, body, stream, headers = ids }: Reply,
	fault: Fault,
	signal: AbortSignal,
): Promise<boolean> {
	const content = toContent(body);
	const half = Math.floor(content.length / 2);
	const limit = Math.min(
		content.length,
		fault.truncate === 'half' ? half : (fault.truncate ?? Infinity),
	);
	const cut = limit < content.length;

	response.statusCode = status;
	response.setHeader('content-type', fault.contentType ?? contentType);
	if (!stream && status !== 204) {
		response.setHeader('content-length', cut && fault.truncateClean ? limit : content.length);
	}
	if (fault.retryAfter !== undefined) response.setHeader('retry-after', String(fault.retryAfter));
	if (fault.redirect !== undefined) response.setHeader('location', fault.redirect);
	for (const [name, value] of Object.entries({ ...headers, ...fault.headers }))
		response.setHeader(name, value);
	response.flushHeaders();

	const size = fault.dripMs ? Math.ceil(content.length / DRIPS) : WRITE_BYTES;
	const closed = new Promise<void>((resolve) => response.once('close', resolve));
	let left = limit;
	for (const piece of stream ? content.chunks() : pieces(content.chunks(), size)) {
		const whole = fault.corrupt ? RUBBISH.subarray(0, piece.length) : piece;
		const part = whole.subarray(0, left);
		left -= part.length;
		const full = !response.write(part);
		if (left === 0 || response.destroyed) break;
		if (full) await Promise.race([once(response, 'drain', { signal }), closed]);
		if (fault.dripMs) await wait(fault.dripMs, signal);
	}
	if (cut && !fault.truncateClean) return false;
	response.end();
	return true;
}
