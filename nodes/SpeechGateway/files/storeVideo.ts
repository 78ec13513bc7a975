import type { IBinaryData } from 'n8n-workflow';
import { asError, NotStoredError } from '../core/errors';
import { plain } from '../gateway/gatewayWords';
import { withExtension } from './fileName';
import type { GatewayResponse } from '../gateway/transport';
import type { ItemRequests } from '../requests/itemRequests';
import { chunksIn, textOf } from '../gateway/readBody';
import { Boxes } from './boxes';
import { fileFrom } from './store';

/** Slowest download, bytes a second: a slower one would take days. Fetching it again is free. */
const SLOWEST_DOWNLOAD = 1_000;
/** How long a download may begin slower than that. */
const GRACE_MS = 60_000;

/**
 * Streams a video into n8n's binary store. Throws when it is empty, breaks off, comes too slowly, or is a message instead
 * of a file, or when the boxes of an MP4 do not add up to its length; NotStoredError when n8n cannot store it.
 */
export async function storeVideo(
	item: ItemRequests,
	response: GatewayResponse,
	fileName: string,
): Promise<{ binary: IBinaryData; bytes: number }> {
	const contentType = response.headers['content-type']?.toLowerCase() ?? '';
	const type = VIDEO_TYPES.find(({ mimeType }) => contentType.includes(mimeType)) ?? VIDEO_TYPES[0];
	let bytes = 0;
	const boxes = new Boxes();
	let failure: Error | undefined;
	const started = performance.now();
	async function* checked(): AsyncGenerator<Uint8Array> {
		try {
			for await (const chunk of chunksIn(response.body)) {
				if (bytes === 0 && /json|html|text/.test(contentType))
					throw new Error(`this is not a video: ${plain(textOf(chunk)) ?? contentType}`);
				bytes += chunk.length;
				boxes.feed(chunk);
				const elapsed = performance.now() - started;
				if (elapsed > GRACE_MS && bytes < (elapsed / 1000) * SLOWEST_DOWNLOAD)
					throw new Error(
						`the file comes too slowly: ${bytes} bytes in ${Math.round(elapsed / 1000)} s`,
					);
				yield chunk;
			}
			if (bytes === 0) throw new Error('the file is empty');
			if (boxes.missing !== 0)
				throw new Error(
					`the file is cut short: ${boxes.missing ?? 'some'} of its bytes are missing`,
				);
		} catch (error) {
			throw (failure = asError(error));
		}
	}
	try {
		const binary = await item.session.nodeCall.store(
			await fileFrom(checked(), response.body),
			withExtension(fileName, type.extension),
			type.mimeType,
		);
		item.session.store.stored();
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
