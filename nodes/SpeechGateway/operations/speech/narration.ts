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
import { retryNarration, withoutTarget } from '../../speech/target';
import { checkVoices } from '../../speech/voices';
import { countCharacters } from '../../text/characters';

/** What Generate and Dialogue have in common around `execute`. `textOf`: the text or script. */
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
	retryWith: (paid: I, now: I, onRecord: ItemLedger) =>
		retryNarration(makePlan, paid, now, onRecord),
	identity: withoutTarget,
});
