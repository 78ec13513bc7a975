import type { IBinaryData } from 'n8n-workflow';
import { asError, GatewayError, NotStoredError } from '../core/errors';
import type { FreeRequest } from '../requests/exchange';
import type { ItemRequests } from '../requests/itemRequests';
import type { Session } from '../requests/session';
import { storeAgain } from '../run/storedFiles';

/** The bytes of a file of up to this size are kept until it is stored. */
export const KEPT_BYTES = 16 * 2 ** 20;

/** Files on items themselves, in this process, in all. */
const MOST_INLINE_BYTES = 64 * 2 ** 20;
let inlineBytes = 0;

/** Fetches a finished file and stores it. Free: what n8n cannot store is fetched again, until sending stops for the whole run. */
export async function fetchFile<T>(item: ItemRequests, request: FreeRequest<T>): Promise<T> {
	const fetched = async () => await item.free(request);
	const stored = await fetched()
		.catch(async (error) => {
			if (!(error instanceof NotStoredError)) throw asError(error);
			return await storeAgain(item.session, error, fetched);
		})
		.catch(asError);
	if (stored instanceof NotStoredError) {
		item.fail();
		throw new GatewayError(
			stored.message,
			`The file is still at the gateway: fetch it later by its ID, which is free. n8n says: "${stored.words}"`,
		);
	}
	if (stored instanceof Error) throw stored;
	return stored;
}

/** By the node's memory, which lives as long as the execution. */
const ended = new FinalizationRegistry<number>((bytes) => {
	inlineBytes -= bytes;
});

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
	// The words of some stores name the file.
	if (![...hints].some((hint) => hint.startsWith(ON_ITEMS)))
		hints.add(`${ON_ITEMS}: store them elsewhere soon. n8n says: "${why}"`);
	const [, fileExtension] = /\.(\w+)$/.exec(fileName) ?? [];
	return { data, mimeType, fileName, fileExtension, fileSize: `${bytes.length} B` };
}

const ON_ITEMS =
	"n8n could not store files, so they are on the items themselves, and in the execution's data";
