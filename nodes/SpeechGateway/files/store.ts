/**
 * Files that are paid for must get into n8n's store, which may fail: a full disk, a database away for seconds. So what
 * fits is held in memory until it is stored, and stored again for as long as n8n takes to come back
 * (`requests/storeAgain`). What still has no place goes onto the item itself, up to a bound for the whole process. What
 * is larger is streamed, and fetched again if that is free; else it is lost, which its item says, and nothing more is
 * sent that n8n could not store (`StoreBreaker`).
 */
import type { IBinaryData } from 'n8n-workflow';
import { asError, NotStoredError } from '../core/errors';
import { type Readable, readableFrom } from '../gateway/readBody';
import type { Session } from '../requests/session';
import { storeAgain } from '../requests/storeAgain';

/** The bytes of a file of up to this size are kept until it is stored. */
export const KEPT_BYTES = 16 * 2 ** 20;

/** A file of up to this size comes with one or two reads of a connection. */
const SHORT_FILE_BYTES = 64 * 1024;

/** Files on items themselves, in this process, in all. */
const MOST_INLINE_BYTES = 64 * 2 ** 20;
let inlineBytes = 0;

/**
 * A file for n8n's store: whole if it is short, since the store takes that faster than a stream, or where there is no stream to
 * take the class from (n8n's memory mode). A store that fails does not end the source.
 */
export async function fileFrom(
	source: AsyncIterable<Uint8Array>,
	anyReadable?: Readable,
): Promise<Buffer | Readable> {
	const chunks = source[Symbol.asyncIterator]();
	const held: Uint8Array[] = [];
	let bytes = 0;
	while (!anyReadable || bytes <= SHORT_FILE_BYTES) {
		const { value, done } = await chunks.next();
		if (done) return Buffer.concat(held);
		held.push(value);
		bytes += value.length;
	}
	async function* all() {
		yield* held.splice(0);
		for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
	}
	return readableFrom(all(), anyReadable);
}

/** By the node's memory, which lives as long as the execution. */
const ended = new FinalizationRegistry<number>((bytes) => {
	inlineBytes -= bytes;
});

/**
 * Stores a file that is paid for, or comes along with one. What n8n cannot store is stored again, then put on the item
 * itself, if there is room. `failure`: why it could not be stored just now. Throws as `storeAgain` does.
 */
export async function storeBytes(
	session: Session,
	bytes: Buffer,
	fileName: string,
	mimeType: string,
	failure?: Error,
): Promise<IBinaryData> {
	const store = async () => await session.nodeCall.store(bytes, fileName, mimeType);
	const again = async (error: unknown) => await storeAgain(session, asError(error), store);
	try {
		return await (failure ? again(failure) : store().catch(again));
	} catch (error) {
		if (!(error instanceof NotStoredError)) throw asError(error);
		const onItem = inline(session, bytes, fileName, mimeType, error.words);
		if (!onItem) throw asError(error);
		return onItem;
	}
}

/** A file on the item itself, as in n8n's in-memory form. Undefined if there is no room for it. */
function inline(
	{ nodeCall, hints }: Session,
	bytes: Buffer,
	fileName: string,
	mimeType: string,
	words: string,
): IBinaryData | undefined {
	const data = bytes.toString('base64');
	if (inlineBytes + data.length > MOST_INLINE_BYTES) return undefined;
	inlineBytes += data.length;
	ended.register(nodeCall.memory, data.length);
	// The words of some stores name the file.
	if (![...hints].some((hint) => hint.startsWith(ON_ITEMS)))
		hints.add(`${ON_ITEMS}: store them elsewhere soon. n8n says: "${words}"`);
	const [, fileExtension] = /\.(\w+)$/.exec(fileName) ?? [];
	return { data, mimeType, fileName, fileExtension, fileSize: `${bytes.length} B` };
}

const ON_ITEMS =
	"n8n could not store files, so they are on the items themselves, and in the execution's data";
