import type { IBinaryData } from 'n8n-workflow';
import {
	AUDIO_FORMATS,
	type AudioFormat,
	AudioInspector,
	type AudioInfo,
	DamagedAudioError,
	sniffAudioFormat,
} from '../../core/audio';
import { asError, DamagedResultError } from '../../core/errors';
import { plain } from '../../core/explain';
import type { GatewayResponse } from '../../gateway/transport';
import type { ItemRequests } from '../../run/requests/itemRequests';
import { readableFrom } from '../../gateway/readable';

/** An audio file in n8n's binary store, and what was read from its frames. Plain JSON: it is kept in the ledger. */
export interface StoredAudio {
	binary: IBinaryData;
	info: AudioInfo;
}

/** Bytes that tell the container. */
const HEAD_BYTES = 16;

/**
 * Streams the body of an answer into n8n's binary store and inspects it on the way, so that a long file costs no memory.
 * The type follows what the file is: a gateway that answers mp3 to a wish for wav is labelled as mp3. Throws when it is
 * cut short or no audio; then nothing stays in the store, unless `keepDamaged` asks to keep what came of paid audio.
 */
export async function storeAudio(
	item: ItemRequests,
	reply: GatewayResponse,
	wanted: AudioFormat,
	fileName: string,
	keepDamaged = false,
): Promise<StoredAudio> {
	const { prepareBinaryData } = item.session.context.helpers;
	const chunks = (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
	const head: Uint8Array[] = [];
	for (let bytes = 0; bytes < HEAD_BYTES; ) {
		const { value, done } = await chunks.next();
		if (done) break;
		head.push(value);
		bytes += value.length;
	}
	const format = formatOf(Buffer.concat(head), wanted, reply.headers['content-type']);
	const inspector = new AudioInspector(format);
	let failure: Error | undefined;
	let info: AudioInfo | undefined;

	const inspect = (chunk: Uint8Array) => {
		try {
			if (!failure) inspector.feed(chunk);
		} catch (error) {
			failure = asError(error);
		}
		return chunk;
	};
	async function* inspected(): AsyncGenerator<Uint8Array> {
		try {
			for (const chunk of head.splice(0)) yield inspect(chunk);
			for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
				yield inspect(next.value);
				if (failure && !keepDamaged) break;
			}
			info = failure ? undefined : inspector.end();
		} catch (error) {
			failure = asError(error);
		}
		if (failure && !keepDamaged) throw asError(failure);
	}
	const { mimeType, extension } = AUDIO_FORMATS[format];
	const stream = readableFrom(inspected(), reply.body);
	const stored = await prepareBinaryData(
		stream,
		withExtension(fileName, extension),
		mimeType,
	).catch(asError);
	if (stored instanceof Error) throw failure ?? stored;
	if (failure) throw new DamagedResultError(failure.message, { received: stored });
	return { binary: stored, info: info! };
}

function formatOf(head: Buffer, wanted: AudioFormat, contentType = ''): AudioFormat {
	if (head.length === 0) throw new DamagedAudioError('the file is empty');
	const found = sniffAudioFormat(head);
	// Bare samples can look like the two bytes of an MP3 frame; then the declared type decides.
	const chance = wanted === 'pcm' && found === 'mp3' && !/mpeg|mp3/i.test(contentType);
	if (found && !chance) return found;
	if (wanted === 'pcm' && !/json|html|xml|text/i.test(contentType)) return 'pcm';
	throw new DamagedAudioError(
		`this is not audio: ${plain(head.toString('utf8').replace(/[^ -~]/g, '.'))}`,
	);
}

/** A file name that stays in its folder, with the extension of its type. */
export function withExtension(fileName: string, extension: string): string {
	const base = fileName
		.split(/[/\\]+/)
		.filter((part) => !/^\.*$/.test(part))
		.join('_')
		.replace(/[:*?"<>|\p{Cc}]+/gu, '_')
		.replace(/^\.+/, '')
		.slice(0, 200);
	const stem = base.toLowerCase().endsWith(`.${extension}`)
		? base.slice(0, -extension.length - 1)
		: base;
	return `${stem || 'file'}.${extension}`;
}
