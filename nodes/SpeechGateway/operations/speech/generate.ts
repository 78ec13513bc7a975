import { speechGenerate, type GenerateValues } from './generate.form';
import { checkVoices, planWithVoices, voiceName } from '../../speech/voices';
import { defineOperation } from '../../run/operation';
import { checkBudget, preparedText } from '../../speech/speaking';
import { type LongTextInput, planText, withLength } from '../../speech/longText';
import { textToSend, tokensOf, tokensToSend, voicesToAsk } from '../../speech/plan';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { withPriceFactor } from '../../speech/priceFactor';
import { speakParts } from '../../speech/speakParts';
import { checkFiles, retryNarration, withoutTarget } from '../../speech/target';

/** Requests longer than this come near the gateway's limit of about 100 seconds. */
const NEAR_THE_LIMIT_CHARACTERS = 1310;

type GenerateInput = GenerateValues & LongTextInput;

export const generate = defineOperation(speechGenerate, {
	async prepare(given, parameters): Promise<GenerateInput> {
		const input = await withLength(given, parameters);
		await checkFiles(input, parameters);
		return await withPriceFactor(input, parameters);
	},
	checkAll: (all, spent) =>
		checkBudget(all, (input) => tokensToSend(input, planText(input)), spent),
	estimatesRest: true,
	describe: (input) => ({
		input: input.text,
		fileName: input.fileName,
		characters: input.characters,
		estimatedTokens: tokensOf(input, planText(input)),
	}),
	lookUp(input, item) {
		return checkVoices(item, input.model, voicesToAsk(planText(input)));
	},
	retryWith: (paid, now, onRecord) => retryNarration(planText, paid, now, onRecord),
	identity: withoutTarget,

	async execute(input, item) {
		const { plan, problem } = await planWithVoices(item, input, planText);
		if (input.longText === 'single' && input.characters > NEAR_THE_LIMIT_CHARACTERS) {
			item.session.hints.add(
				`In a single request, texts above ${NEAR_THE_LIMIT_CHARACTERS} characters come close to the gateway's limit of about 100 seconds. Set "Long Text" to "Automatic" to split them.`,
			);
		}
		if (input.longText === 'job')
			hintOnJobPrice(item.session.hints, estimateOf(input, textToSend(plan)));
		const { voiceId: voice = voiceName(input.voice) } = plan.parts[0];
		const who = { voice, textFormat: preparedText(input).format };
		return await speakParts(item, input, plan, who, problem);
	},
});
