import { AUDIO_FORMATS, FOREIGN_FORMATS, joinAudio } from '../../core/audio';
import { withExtension } from '../../core/fileName';
import type { StoredAudio } from './storeAudio';
import type { ItemRequests } from '../../run/requests/itemRequests';
import { readableFrom } from '../../gateway/readable';

/**
 * Joins stored files of one format into one stored file, streaming from and to n8n's binary store. `starts`: seconds at
 * which each part starts. A single file is returned as it is. Throws when the files do not fit together.
 */
export async function joinStored(
	item: ItemRequests,
	parts: StoredAudio[],
	fileName: string,
	pauseMilliseconds = 0,
): Promise<StoredAudio & { starts: number[] }> {
	const { helpers } = item.session.context;
	if (parts.length === 1) {
		const [{ binary, info }] = parts;
		const { extension } = { ...AUDIO_FORMATS, ...FOREIGN_FORMATS }[info.format];
		return {
			binary: { ...binary, fileName: withExtension(fileName, extension) },
			info,
			starts: [0],
		};
	}
	const joined = joinAudio(
		parts.map(({ binary, info }) => ({
			info,
			open: async () =>
				binary.id
					? ((await helpers.getBinaryStream(binary.id)) as AsyncIterable<Uint8Array>)
					: chunked(Buffer.from(binary.data, 'base64')),
		})),
		{ pauseMilliseconds },
	);
	const { mimeType, extension } = AUDIO_FORMATS[joined.info.format];
	const name = withExtension(fileName, extension);
	const { id } = parts[0].binary;
	// In memory mode there is no stream to borrow the class from, and nothing to be saved by streaming.
	const data = id
		? readableFrom(joined.chunks(), (await helpers.getBinaryStream(id)).destroy())
		: await collect(joined.chunks());
	const binary = await helpers.prepareBinaryData(data, name, mimeType);
	return { binary, info: joined.info, starts: joined.starts };
}

async function* chunked(buffer: Buffer): AsyncGenerator<Uint8Array> {
	yield buffer;
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const all: Uint8Array[] = [];
	for await (const chunk of chunks) all.push(chunk);
	return Buffer.concat(all);
}
