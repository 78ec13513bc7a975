import type { BinaryHelperFunctions } from 'n8n-workflow';
import { asError } from '../core/errors';
import { parseJson } from '../core/json';

/** Node's Readable: n8n lets no verified node import node:stream, not even its types. */
export type Readable = Awaited<ReturnType<BinaryHelperFunctions['getBinaryStream']>>;

interface ReadableClass {
	from(source: AsyncIterable<Uint8Array>, options: { objectMode: boolean }): Readable;
}

/** A Readable over generated chunks, for n8n's binary store; `anyReadable` lends its class, which has `from`. */
export function readableFrom(source: AsyncIterable<Uint8Array>, anyReadable: Readable): Readable {
	return (anyReadable.constructor as unknown as ReadableClass).from(source, { objectMode: false });
}

/** Its chunks, which are bytes: no body is read as text. */
export const chunksIn = (body: Readable): AsyncIterable<Uint8Array> => body;

/** The largest JSON answer that is read: a chat's. More is no answer, and would fill the memory of n8n. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** The chunks of a body, decompressed. Throws RangeError after the chunk that exceeds `maxBytes`. */
export async function* bounded(
	body: Readable,
	maxBytes = MAX_JSON_BYTES,
): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const chunk of chunksIn(body)) {
		yield chunk;
		bytes += chunk.length;
		if (bytes > maxBytes)
			throw new RangeError(`the answer is larger than ${maxBytes / 1024 / 1024} MiB`);
	}
}

/** Reads a body up to about `maxBytes`; `failure` says why it is incomplete. */
export async function readBytes(
	body: Readable,
	maxBytes?: number,
): Promise<{ bytes: Buffer; failure?: Error }> {
	const chunks: Uint8Array[] = [];
	let failure: Error | undefined;
	try {
		for await (const chunk of bounded(body, maxBytes)) chunks.push(chunk);
	} catch (error) {
		failure = asError(error);
	}
	return { bytes: Buffer.concat(chunks), failure };
}

/** Bytes as UTF-8; what is none becomes U+FFFD. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A numeric ID with more digits than a number keeps; it is read as text. */
const LONG_ID = /"((?:job_|task_|video_|voice_|_)?id)"(\s*:\s*)(\d{16,})(?=\s*[,}])/g;

/** Bytes as JSON, with long IDs as text; undefined if they are none. */
export const jsonOf = (bytes: Uint8Array): unknown =>
	parseJson(textOf(bytes).replace(LONG_ID, '"$1"$2"$3"'));

/** The first of several JSON values in one body: new-api writes one error for each limit that is reached. */
export function firstJsonOf(bytes: Uint8Array): unknown {
	const whole = jsonOf(bytes);
	if (whole !== undefined) return whole;
	const text = textOf(bytes);
	const ends = [...text.matchAll(/\}(?=\s*\{)/g)].slice(0, MOST_ENDS);
	return ends
		.map(({ index }) => parseJson(text.slice(0, index + 1)))
		.find((value) => value !== undefined);
}

/** How many ends of the first value are tried: `} {` may also stand inside one of its texts. */
const MOST_ENDS = 10;
