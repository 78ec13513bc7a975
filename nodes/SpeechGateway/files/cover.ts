import type { Execution } from '../engine/execution';
import { type Cover, sniffCover } from '../audio/tags';
import { InputError } from '../core/errors';
import type { FileRef } from '../fields/kinds';
import { chunksOf, fileOf, placeOf } from './inputFile';

/** Covers are held in memory; no player shows more than a few MB. */
const MAX_COVER_MB = 16;

const LABEL = 'Cover Binary Field';

/** Reads a cover from a binary field of an item. Throws InputError when it is missing, too large, or neither JPEG nor PNG. */
export async function readCover(
	execution: Execution,
	index: number,
	cover: FileRef,
): Promise<Cover> {
	const file = fileOf(execution, index, cover, LABEL);
	const place = placeOf(cover, LABEL);
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of await chunksOf(execution, file)) {
		size += chunk.length;
		if (size > MAX_COVER_MB * 1024 * 1024) {
			throw new InputError(
				`The cover in "${place}" is larger than ${MAX_COVER_MB} MB`,
				'Podcast directories ask for 1400 to 3000 pixels a side as JPEG, which is less than 1 MB.',
			);
		}
		chunks.push(chunk);
	}
	const bytes = new Uint8Array(Buffer.concat(chunks));
	const mimeType = sniffCover(bytes);
	if (mimeType) return { mimeType, bytes };
	throw new InputError(
		`The cover in "${place}" is neither a JPEG nor a PNG picture but "${file.mimeType}"`,
		'Convert it to JPEG first.',
	);
}
