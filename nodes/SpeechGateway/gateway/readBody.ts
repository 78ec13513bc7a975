import { asError } from '../core/errors';
import type { Readable } from './readable';

/** The largest JSON answer that is read: a chat's. More is no answer, and would fill the memory of n8n. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Counts the bytes of a body, unpacked as they are. Throws RangeError once there are more than `MAX_JSON_BYTES`. */
export async function* bounded(body: Readable): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const chunk of body as AsyncIterable<Uint8Array>) {
		bytes += chunk.length;
		if (bytes > MAX_JSON_BYTES)
			throw new RangeError(`the answer is larger than ${MAX_JSON_BYTES / 1024 / 1024} MiB`);
		yield chunk;
	}
}

/**
 * A body as text. Only the first `maxBytes` when that is given; `cut` says whether more would have come, or the body
 * broke off. Without it, throws on what is too large or breaks off.
 */
export async function readText(
	body: Readable,
	maxBytes?: number,
): Promise<{ text: string; cut: boolean }> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	let cut = false;
	try {
		for await (const chunk of bounded(body)) {
			chunks.push(chunk);
			bytes += chunk.length;
			if (maxBytes !== undefined && bytes > maxBytes) {
				cut = true;
				break;
			}
		}
	} catch (error) {
		if (maxBytes === undefined) throw asError(error);
		cut = true;
	}
	return { text: new TextDecoder().decode(Buffer.concat(chunks)), cut };
}

/** The parsed JSON, undefined where it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
