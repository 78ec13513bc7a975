import type { IBinaryData } from 'n8n-workflow';
import type { Session } from '../requests/session';

/** The bytes of a file of up to this size are kept until it is stored. */
export const KEPT_BYTES = 16 * 2 ** 20;

/** Files on items themselves, in this process, in all. */
const MOST_INLINE_BYTES = 64 * 2 ** 20;
let inlineBytes = 0;

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
