import type { IBinaryData } from 'n8n-workflow';
import { asError, NotStoredError } from '../core/errors';
import { plain } from '../gateway/gatewayWords';
import { withExtension } from './fileName';
import type { GatewayResponse } from '../gateway/transport';
import type { ItemRequests } from '../requests/itemRequests';
import { chunksIn, readableFrom } from '../gateway/readBody';

/** Slowest download after a minute, bytes a second: a slower one would take days. Fetching it again is free. */
const SLOWEST_BYTES_PER_SECOND = 1_000;
const GRACE_MS = 60_000;

/**
 * Streams a video into n8n's binary store. Throws when it is empty, breaks off, comes too slowly, or is a message instead
 * of a file; NotStoredError when n8n cannot store it.
 */
export async function storeVideo(
	item: ItemRequests,
	response: GatewayResponse,
	fileName: string,
): Promise<{ binary: IBinaryData; bytes: number }> {
	const contentType = response.headers['content-type']?.toLowerCase() ?? '';
	const type = VIDEO_TYPES.find(({ mimeType }) => contentType.includes(mimeType)) ?? VIDEO_TYPES[0];
	let bytes = 0;
	let failure: unknown;
	const started = performance.now();

	const chunks = chunksIn(response.body)[Symbol.asyncIterator]();
	async function nextChunk(): Promise<Uint8Array | undefined> {
		const { value, done } = await chunks.next();
		if (done) {
			if (bytes === 0) throw new Error('the file is empty');
			return undefined;
		}
		if (bytes === 0 && /json|html|text/.test(contentType))
			throw new Error(`this is not a video: ${plain(Buffer.from(value).toString('utf8'))}`);
		bytes += value.length;
		const elapsed = performance.now() - started;
		if (elapsed > GRACE_MS && bytes < (elapsed / 1000) * SLOWEST_BYTES_PER_SECOND)
			throw new Error(
				`the file comes too slowly: ${bytes} bytes in ${Math.round(elapsed / 1000)} s`,
			);
		return value;
	}
	// Reading is apart from `yield`, into which a store that fails throws.
	const read = async () => await nextChunk().catch((error) => void (failure = error));
	async function* counted(): AsyncGenerator<Uint8Array> {
		for (let chunk = await read(); chunk; chunk = await read()) yield chunk;
		if (failure) throw asError(failure);
	}
	try {
		const binary = await item.session.execution.helpers.prepareBinaryData(
			readableFrom(counted(), response.body),
			withExtension(fileName, type.extension),
			type.mimeType,
		);
		item.session.breaker.stored();
		return { binary, bytes };
	} catch (error) {
		const { cancel } = item.session.transport;
		throw asError(failure ?? cancel?.reason ?? new NotStoredError(asError(error)));
	}
}

/** The first is assumed if the gateway does not say. */
const VIDEO_TYPES = [
	{ mimeType: 'video/mp4', extension: 'mp4' },
	{ mimeType: 'video/webm', extension: 'webm' },
	{ mimeType: 'video/quicktime', extension: 'mov' },
];
