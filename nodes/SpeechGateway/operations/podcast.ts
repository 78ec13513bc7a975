import { canBeTagged, type Tags } from '../core/audio/tags';
import { InputError } from '../core/errors';
import type { PodcastValues, TagValues } from '../descriptions/fields/podcast';
import { readCover } from '../flows/files/cover';
import type { FileContext } from '../flows/files/inputFile';

/** Whether anything is to be written into the file. */
export const wantsMetadata = ({ chapters, tags: values }: PodcastValues): boolean =>
	chapters !== 'none' || Object.keys(values).length > 0;

/** Throws InputError when the format has no place for what is asked for. */
export function checkTaggable(input: PodcastValues, format: string): void {
	if (!wantsMetadata(input) || canBeTagged(format)) return;
	throw new InputError(
		`${format} files have no place for ${input.chapters === 'none' ? 'tags' : 'chapters or tags'}`,
		'Use mp3, opus or wav, or remove the options "Chapters" and "Tags". Nothing was sent.',
	);
}

/**
 * The tags with their cover, which is read from the first of the items that has it. Throws InputError when none has, or it is no
 * picture.
 */
export async function readTags(
	context: FileContext,
	items: number[],
	{ coverBinaryPropertyName, ...texts }: TagValues,
): Promise<Tags> {
	if (coverBinaryPropertyName === undefined) return texts;
	const all = context.getInputData();
	const owner = items.find((index) => all[index]?.binary?.[coverBinaryPropertyName]) ?? items[0];
	return { ...texts, cover: await readCover(context, owner, coverBinaryPropertyName) };
}
