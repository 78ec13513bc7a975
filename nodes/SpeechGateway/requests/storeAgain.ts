import { asError, GatewayError, NotStoredError } from '../core/errors';
import { pause } from '../core/pause';
import type { Session } from './session';

/**
 * How long to wait before n8n is asked again to store a paid file, ms. n8n looks for a lost database after 1, 2, 4 and 8 s, counted
 * from when it notices.
 */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 8_000];

/**
 * Stores again what n8n could not store, which `failure` tells of. Throws NotStoredError with the store's own words, or the
 * GatewayError of a file that cannot be fetched again.
 */
export async function storeAgain<T>(
	{ store, transport }: Session,
	failure: Error,
	storeOnce: () => Promise<T>,
): Promise<T> {
	let last = failure;
	// Where it has just failed for all that time, it is not waited for again.
	for (const milliseconds of store.hasTripped ? [] : PAUSES_MS) {
		await pause(milliseconds, transport.cancel);
		try {
			return await storeOnce();
		} catch (error) {
			last = asError(error);
			if (last instanceof GatewayError) throw last;
		}
	}
	const notStored = new NotStoredError(last);
	store.failed(notStored.words);
	throw notStored;
}
