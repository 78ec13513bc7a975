import { asError, GatewayError, NotStoredError } from '../core/errors';
import { pause } from '../core/pause';
import type { Session } from './session';

/**
 * How long to wait before n8n is asked again to store a paid file, ms. n8n looks for a lost database after 1, 2, 4 and
 * 8 s, counted from when it notices.
 */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 8_000];

/**
 * Stores a file again that n8n could not store; `failure` says why. Throws NotStoredError with the store's own words, or the
 * GatewayError of a file that cannot be fetched again.
 */
export async function storeAgain<T>(
	{ store, transport }: Session,
	failure: Error,
	storeOnce: () => Promise<T>,
): Promise<T> {
	let last = failure;
	// Once a file has failed for all that time, others do not wait for it again.
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
