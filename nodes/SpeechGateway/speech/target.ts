import type { PodcastValues } from '../fields/podcast';
import type { Parameters } from '../fields/parameters';
import { checkOutputField, readTags } from '../files/podcast';
import type { NarrationInput } from './parts';

/** What was paid for, with what a retry may change without speaking anything anew. */
export const withNewTarget = <P extends NarrationInput>(
	paid: P,
	now: Partial<NarrationInput>,
): P => {
	const { fileName, binaryPropertyName, subtitles, timings, whileWaiting } = now;
	const { maxEstimatedTokens, tokensToSpare, tags } = now;
	const target = { fileName, binaryPropertyName, subtitles, timings, tags, whileWaiting };
	return { ...paid, ...target, maxEstimatedTokens, tokensToSpare };
};

/** The input without where the result goes: what is spoken. */
export const withoutTarget = (input: NarrationInput): object => withNewTarget(input, {});

/** Throws InputError when the files cannot be made as they are asked for: a cover that is none, two files in one field. */
export async function checkFiles(
	input: Pick<NarrationInput, 'binaryPropertyName' | 'subtitles'> & PodcastValues,
	{ execution, index }: Parameters,
): Promise<void> {
	checkOutputField(input.binaryPropertyName, {
		subtitles: input.subtitles !== 'none',
		chapters: input.chapters !== 'none',
	});
	// The bytes are read again when they are written: the ledger keeps the input, and while it is spoken they are not needed.
	await readTags(execution, [index], input.tags);
}
