import type { IBinaryData } from 'n8n-workflow';
import {
	type AudioInfo,
	type AudioReader,
	DamagedAudioError,
	EXTENSIONS,
	inspectorOf,
	MIME_TYPES,
	type Place,
	slicesIn,
} from '../audio';
import { asError, InputError } from '../core/errors';
import type { NodeCall } from '../engine/nodeCall';
import { chunksIn } from '../gateway/readBody';
import { withExtension } from './fileName';
import { decodedBase64 } from './inputFile';
import { fileFrom } from './store';
import type { StoredAudio } from './storeAudio';

/**
 * Stores slices of a file as files of their own, in one pass, streaming from and to n8n's store. `places` ascend.
 * Throws InputError when the file is no longer as its record says.
 */
export async function storeSlices(
	nodeCall: NodeCall,
	binary: IBinaryData,
	info: AudioInfo,
	places: Array<Place & { fileName: string }>,
): Promise<StoredAudio[]> {
	const { helpers } = nodeCall;
	const stream = binary.id ? await helpers.getBinaryStream(binary.id) : undefined;
	const source = stream ? chunksIn(stream) : decodedBase64(binary.data);
	const chunks = source[Symbol.asyncIterator]();
	const slices = readersOf(chunks, info, places);
	const stored: StoredAudio[] = [];
	try {
		for (const [index, place] of places.entries()) {
			const inspector = inspectorOf(info.format);
			const data = await fileFrom(slices(index, inspector), stream);
			const name = withExtension(place.fileName, ...EXTENSIONS[info.format]);
			const file = await nodeCall.store(data, name, MIME_TYPES[info.format]);
			stored.push({ binary: file, info: slicesIn(info).infoOf(inspector.end(), place) });
		}
		return stored;
	} catch (error) {
		throw error instanceof DamagedAudioError ? changed(error) : asError(error);
	} finally {
		// Not awaited: where the store failed, the next chunk may still be under way.
		void chunks.return?.().catch(() => undefined);
	}
}

const changed = ({ message }: Error) =>
	new InputError(
		`The previous version does not fit its record: ${message}`,
		'It was changed by another program, or while this node read it. Nothing was sent for this item.',
	);

/**
 * The slices of a file, to be read and inspected one after the other; each reads on in the file where the one before it
 * ended.
 */
function readersOf(chunks: AsyncIterator<Uint8Array>, info: AudioInfo, places: Place[]) {
	const ready: Array<{ slice: number; bytes: Uint8Array }> = [];
	const reader = slicesIn(info).slice(info, places, (slice, bytes) => ready.push({ slice, bytes }));
	let isOver = false;
	return async function* (
		index: number,
		inspector: AudioReader<AudioInfo>,
	): AsyncGenerator<Uint8Array> {
		for (;;) {
			while (ready.length === 0 && !isOver) {
				const { value, done } = await chunks.next();
				isOver = done === true;
				if (isOver) reader.end();
				else reader.feed(value);
			}
			const own = ready.findIndex(({ slice }) => slice > index);
			const mine = ready.splice(0, own < 0 ? ready.length : own);
			for (const { bytes } of mine) {
				inspector.feed(bytes);
				yield bytes;
			}
			if (ready.length > 0 || isOver) return;
		}
	};
}
