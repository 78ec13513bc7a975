import type { IBinaryData } from 'n8n-workflow';
import { asError, NotStoredError } from '../core/errors';
import { pause } from '../core/pause';
import type { Session } from '../requests/session';

/** How long to wait before n8n is asked again to store a paid file, ms. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];

/** The bytes of a file of up to this size are kept until it is stored. */
export const KEPT_BYTES = 16 * 2 ** 20;

/** Files on items themselves, in this process, in all. */
const MOST_INLINE_BYTES = 64 * 2 ** 20;
let inlineBytes = 0;

/** By the node's memory, which lives as long as the execution. */
const ended = new FinalizationRegistry<number>((bytes) => {
	inlineBytes -= bytes;
});

/** Stores again what n8n could not store, which `failure` tells of. Throws NotStoredError with the store's own words. */
export async function storeAgain<T>(
	{ breaker, transport }: Session,
	failure: Error,
	store: () => Promise<T>,
): Promise<T> {
	let { message } = failure;
	// Where it has just failed for all that time, it is not waited for again.
	for (const milliseconds of breaker.storeFailed ? [] : PAUSES_MS) {
		await pause(milliseconds, transport.cancel);
		try {
			return await store();
		} catch (error) {
			({ message } = asError(error));
		}
	}
	const words = /abort/i.test(message) ? 'no reason' : message;
	breaker.notStored(words);
	throw new NotStoredError(words);
}

/** A paid file that n8n cannot store, on the item itself as in n8n's in-memory form. Undefined if there is no room for it. */
export function inline(
	{ execution, hints }: Session,
	bytes: Buffer,
	fileName: string,
	mimeType: string,
	why: string,
): IBinaryData | undefined {
	const data = bytes.toString('base64');
	if (inlineBytes + data.length > MOST_INLINE_BYTES) return undefined;
	inlineBytes += data.length;
	ended.register(execution.memory, data.length);
	hints.add(
		`n8n could not store files, so they are on the items themselves, and in the execution's data: store them elsewhere soon. n8n says: "${why}"`,
	);
	const [, fileExtension] = /\.(\w+)$/.exec(fileName) ?? [];
	return { data, mimeType, fileName, fileExtension, fileSize: `${bytes.length} B` };
}
