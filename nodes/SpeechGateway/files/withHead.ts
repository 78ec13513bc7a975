import { SNIFFED_BYTES } from '../audio';
import { asError } from '../core/errors';

/**
 * The chunks of a file; the first of them is enough to recognise it by, or all there is. None of an empty file. What
 * came before its source failed is handed out first.
 */
export async function* withHead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let head: Uint8Array | undefined = new Uint8Array();
	let failure: Error | undefined;
	try {
		for await (const chunk of chunks) {
			if (!head) {
				yield chunk;
				continue;
			}
			// The first chunk is nearly always enough, and need not be copied.
			head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
			if (head.length < SNIFFED_BYTES) continue;
			yield head;
			head = undefined;
		}
	} catch (error) {
		failure = asError(error);
	}
	if (head && head.length > 0) yield head;
	if (failure) throw failure;
}
