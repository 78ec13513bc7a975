import { isRecord } from '../core/json';
import type { IBinaryData } from 'n8n-workflow';
import { type AudioFormat, type AudioInfo, DamagedAudioError, type ForeignInfo } from '../audio';
import { asError, DamagedResultError, NotStoredError } from '../core/errors';
import { withExtension } from './fileName';
import type { GatewayResponse } from '../gateway/transport';
import type { ItemRequests } from '../requests/itemRequests';
import { chunksIn, type Readable } from '../gateway/readBody';
import { recognise, redacted } from './recognise';
import { fileFrom, KEPT_BYTES, storeBytes } from './store';
import { withHead } from './withHead';

/** An audio file in n8n's binary store, and what was read from its frames. Plain JSON: it is kept in the ledger. */
export interface StoredAudio {
	binary: IBinaryData;
	info: AudioInfo | ForeignInfo;
}

/** Whether a value on record is stored audio. */
export const isStoredAudio = (value: object): value is StoredAudio =>
	'binary' in value && isRecord(value.binary) && 'info' in value && isRecord(value.info);

/**
 * Streams the body of an answer into n8n's binary store and inspects it on the way, so that a long file costs no memory.
 * The type follows the content: if the gateway returns MP3 when WAV was requested, the file is labelled MP3. Throws when it is cut
 * short, larger than `maxBytes`, or no audio, and NotStoredError when n8n cannot store it. `keepDamaged`, for paid audio: what came
 * of it is stored all the same, and goes along with the error.
 */
export async function storeAudio(
	item: ItemRequests,
	response: GatewayResponse,
	wanted: AudioFormat,
	fileName: string,
	{ maxBytes, keepDamaged = false }: { maxBytes: number; keepDamaged?: boolean },
): Promise<StoredAudio> {
	const { execution, transport, hints } = item.session;
	const redact = (text: string) => transport.redactor.text(text);
	const chunks = withHead(chunksIn(response.body));
	try {
		const { value: head, done: isEmpty } = await chunks.next();
		if (isEmpty) throw new DamagedAudioError('the file is empty');
		const type = response.headers['content-type'];
		const { mimeType, extensions, isAudio, inspector } = recognise(head, wanted, type, redact);
		let failure: Error | undefined;
		let bytes = 0;
		let info: StoredAudio['info'] | undefined;
		/** All of the file so far, to be stored again if n8n fails; undefined once it is too large to be held. */
		let held: Uint8Array[] | undefined = [];
		const next = async (): Promise<Uint8Array | undefined> => {
			const { value, done } = await chunks.next();
			if (done) return undefined;
			if (bytes + value.length <= maxBytes) return value;
			throw new DamagedAudioError(
				`the answer is larger than ${Math.round(maxBytes / 2 ** 20)} MB, more than this text can be as speech`,
			);
		};
		const inspect = (chunk: Uint8Array) => {
			bytes += chunk.length;
			if (bytes > KEPT_BYTES) held = undefined;
			held?.push(chunk);
			try {
				if (!failure) inspector.feed(chunk);
			} catch (error) {
				failure = asError(error);
			}
		};
		// Paid audio that breaks off ends here without an error, so that n8n stores what has come of it.
		async function* inspected(): AsyncGenerator<Uint8Array> {
			try {
				for (let chunk: Uint8Array | undefined = head; chunk; chunk = await next()) {
					inspect(chunk);
					if (failure && !keepDamaged) break;
					yield chunk;
				}
				info = failure ? undefined : inspector.end();
			} catch (error) {
				failure ??= asError(error);
			}
			if (failure && !keepDamaged) throw failure;
		}
		const all = inspected();
		const source = isAudio ? all : redacted(all, transport.redactor.stream());
		const name = withExtension(fileName, ...extensions);
		const store = async (data: Buffer | Readable) => await execution.store(data, name, mimeType);
		let stored = await fileFrom(source, response.body).then(store).catch(asError);
		if (stored instanceof Error) {
			if (failure || transport.cancel?.aborted) throw failure ?? stored;
			// A store that failed may have stopped reading, so read the rest here.
			for await (const chunk of all) void chunk;
			if (failure) throw failure;
			if (!held) {
				const lost = new NotStoredError(stored);
				// Audio of a job is fetched again, which is free.
				if (keepDamaged) item.session.store.failed(lost.words);
				throw lost;
			}
			stored = await storeBytes(item.session, Buffer.concat(held), name, mimeType, stored);
		} else item.session.store.stored();
		if (failure) throw new DamagedResultError(failure.message, { received: stored });
		if (info?.format === 'flac') {
			hints.add(
				`The gateway sent FLAC audio, although ${wanted} was requested. It is passed on unchanged: its length is unknown, so it has no subtitles, and it cannot be joined with other audio.`,
			);
		}
		return { binary: stored, info: info! };
	} finally {
		// Not awaited: where the store failed, the next chunk may still be under way.
		void chunks.return(undefined).catch(() => undefined);
	}
}
