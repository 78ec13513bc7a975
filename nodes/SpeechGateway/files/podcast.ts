import type { NodeCall } from '../engine/nodeCall';
import { type RequestedFormat, canBeTagged, WITH_HEADERS } from '../audio';
import { type Cover, maxChapters, sniffCover, type Tags } from '../audio/tags';
import { InputError } from '../core/errors';
import type { TagValues } from '../fields/podcast';
import type { FileRef } from '../fields/kinds';
import { chunksOf, fileOf, findFile, placeOf } from './inputFile';

/** Covers are held in memory; no player shows more than a few MB. */
const MAX_COVER_MB = 16;

const COVER_LABEL = 'Cover Binary Field';

/** Throws InputError when the format has no room for the tags or chapters asked for. `count`: of chapters. */
export function checkTaggable(
	{ chapters, tags = {} }: { chapters: string; tags?: TagValues },
	format: RequestedFormat,
	count: number,
): void {
	if (chapters === 'none' && Object.keys(tags).length === 0) return;
	if (count > maxChapters(format)) {
		throw new InputError(
			`There would be ${count} chapters, but ${format} files have room for ${maxChapters(format)}`,
			'Use MP3, or fewer chapters. Nothing was sent.',
		);
	}
	if (canBeTagged(format)) return;
	throw new InputError(
		`A ${format} file has no room for ${chapters === 'none' ? 'tags' : 'chapters or tags'}`,
		`Use ${WITH_HEADERS}, or remove the options "Chapters" and "Tags". Nothing was sent.`,
	);
}

/**
 * The tags with their cover, read from the first of the items that has one. Throws InputError when none has, or it is
 * no picture.
 */
export async function readTags(
	nodeCall: NodeCall,
	items: number[],
	{ coverBinaryPropertyName, ...texts }: TagValues,
): Promise<Tags> {
	if (coverBinaryPropertyName === undefined) return texts;
	const owner =
		items.find((index) => findFile(nodeCall, index, coverBinaryPropertyName)) ?? items[0];
	return { ...texts, cover: await readCover(nodeCall, owner, coverBinaryPropertyName) };
}

/** Throws InputError when two files would go into one field. `others`: fields by name, and whether they are used. */
export function checkOutputField(field: string, others: Record<string, boolean>): void {
	if (!others[field]) return;
	throw new InputError(
		`"Output Binary Field" is "${field}", where the ${field} go`,
		'Use another name, such as "data". Nothing was sent.',
	);
}

/**
 * Reads a cover from a binary field of an item; JPEG or PNG by its first bytes, the two that every player shows. Throws
 * InputError when it is missing, too large, or neither.
 */
async function readCover(nodeCall: NodeCall, index: number, cover: FileRef): Promise<Cover> {
	const file = fileOf(nodeCall, index, cover, COVER_LABEL);
	const place = placeOf(cover, COVER_LABEL);
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of await chunksOf(nodeCall, file)) {
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
