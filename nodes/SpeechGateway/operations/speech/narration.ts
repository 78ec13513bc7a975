/** What Generate and Dialogue have in common around `execute`. */
import type { Parameters } from '../../fields/parameters';
import { checkOutputField, readTags } from '../../files/podcast';
import type { ItemLedger } from '../../requests/itemLedger';
import type { ItemRequests } from '../../requests/itemRequests';
import {
	type NarrationInput,
	type Plan,
	tokensOf,
	tokensToSend,
	voicesToAsk,
} from '../../speech/plan';
import { checkBudget } from '../../speech/speaking';
import { checkVoices } from '../../speech/voices';
import { countCharacters } from '../../text/characters';

/** Checks that the files can be made as they are asked for. Throws InputError for a cover that is none, and for two files in one field. */
export async function checked<I extends NarrationInput>(
	input: I,
	parameters: Parameters,
): Promise<I> {
	checkOutputField(input.binaryPropertyName, {
		subtitles: input.subtitles !== 'none',
		chapters: input.chapters !== 'none',
	});
	// The bytes are read again when they are written: the ledger keeps the input, and while it is spoken they are not needed.
	await readTags(parameters.execution, [parameters.index], input.tags);
	return input;
}

/** `textOf`: the text or script. */
export const narration = <I extends NarrationInput>(
	makePlan: (input: I) => Plan,
	textOf: (input: I) => string,
) => ({
	checkAll: (all: I[], spent: number) =>
		checkBudget(all, (input) => tokensToSend(input, makePlan(input)), spent),
	estimatesRest: true,
	describe: (input: I) => ({
		input: textOf(input),
		fileName: input.fileName,
		characters: countCharacters(makePlan(input).text),
		estimatedTokens: tokensOf(input, makePlan(input)),
	}),
	lookUp: (input: I, item: () => ItemRequests) =>
		checkVoices(item, input.model, voicesToAsk(makePlan(input))),
	/**
	 * The input of a retry. An item of several parts goes on with the present text and voices: what is on record of them is not
	 * sent again. A single request is finished as it was paid for.
	 */
	retryWith(paid: I, now: I, { sentParts: sent, voices }: ItemLedger): I {
		const onRecord = { sent, voiceIds: voices };
		if (makePlan(paid).parts.length === 1) return { ...withNewTarget(paid, now), ...onRecord };
		const { model, speed, responseFormat, longText } = paid;
		const previous = now.responseFormat === responseFormat ? now.previous : undefined;
		const used: I = {
			...now,
			...{ model, speed, responseFormat, longText, previous: previous ?? paid.previous },
		};
		const input: I = { ...used, ...onRecord };
		// The same object, since a plan is made once for each.
		return Object.assign(input, { isCorrected: said(makePlan(paid)) !== said(makePlan(input)) });
	},
	identity,
});

/** What was paid for, with what a retry may change without speaking anything anew. */
function withNewTarget<P extends NarrationInput>(paid: P, now: Partial<NarrationInput>): P {
	const { fileName, binaryPropertyName, subtitles, timings, whileWaiting } = now;
	const { maxEstimatedTokens, tokensToSpare, tags } = now;
	const target = { fileName, binaryPropertyName, subtitles, timings, tags, whileWaiting };
	return { ...paid, ...target, maxEstimatedTokens, tokensToSpare };
}

/** What is said, and in whose voices. */
const said = ({ text, parts }: Plan): string =>
	JSON.stringify([text, ...new Set(parts.map(({ voice }) => JSON.stringify(voice)))]);

/** The input without where the result goes and what is on record: what is spoken. */
const identity = (input: NarrationInput): object => ({
	...withNewTarget(input, {}),
	sent: undefined,
	voiceIds: undefined,
	isCorrected: undefined,
});
