import type { PodcastValues } from '../fields/podcast';
import type { Parameters } from '../fields/parameters';
import { checkOutputField, readTags } from '../files/podcast';
import type { ItemLedger } from '../requests/itemLedger';
import type { NarrationInput, Plan } from './plan';

/** What was paid for, with what a retry may change without speaking anything anew. */
export const withNewTarget = <P extends NarrationInput>(
	paid: P,
	now: Partial<NarrationInput>,
): P => {
	const { fileName, binaryPropertyName, subtitles, timings, whileWaiting } = now;
	const { maxEstimatedTokens, tokensToSpare, tags, retakeOddSegments } = now;
	const target = { fileName, binaryPropertyName, subtitles, timings, tags, whileWaiting };
	return { ...paid, ...target, maxEstimatedTokens, tokensToSpare, retakeOddSegments };
};

/** The input without where the result goes and what is on record: what is spoken. */
export const withoutTarget = (input: NarrationInput): object => ({
	...withNewTarget(input, {}),
	sent: undefined,
	voiceIds: undefined,
	isCorrected: undefined,
});

/**
 * The input of a retry. An item of several parts goes on with the present text and voices: what is on record of them is not sent
 * again. A single request is finished as it was paid for.
 */
export function retryNarration<I extends NarrationInput>(
	plan: (input: I) => Plan,
	paid: I,
	now: I,
	{ sentParts: sent, voices }: ItemLedger,
): I {
	const onRecord = { sent, voiceIds: voices };
	if (plan(paid).parts.length === 1) return { ...withNewTarget(paid, now), ...onRecord };
	const { model, speed, responseFormat, longText } = paid;
	const previous = now.responseFormat === responseFormat ? now.previous : undefined;
	const used: I = {
		...now,
		...{ model, speed, responseFormat, longText, previous: previous ?? paid.previous },
	};
	const isCorrected = !sameJson(withoutTarget(paid), withoutTarget(used));
	return { ...used, ...onRecord, isCorrected };
}

const sameJson = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);

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
