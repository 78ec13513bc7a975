import { speechGenerate, type GenerateValues } from './generate.form';
import { checkVoices } from '../../speech/voices';
import { defineOperation } from '../../run/operation';
import { checkBudget, preparedText } from '../../speech/speaking';
import { type LongTextInput, speechOf, withLength } from '../../speech/longText';
import { sentText, tokensOf, voicesToAsk } from '../../speech/parts';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { speakParts } from '../../speech/speakParts';
import { checkFiles, withNewTarget, withoutTarget } from '../../speech/target';

/** Requests longer than this come near the gateway's limit of about 100 seconds. */
const NEAR_THE_LIMIT_CHARACTERS = 1310;

type GenerateInput = GenerateValues & LongTextInput;

export const generate = defineOperation(speechGenerate, {
	async prepare(given, parameters): Promise<GenerateInput> {
		const input = await withLength(given, parameters);
		await checkFiles(input, parameters);
		return input;
	},
	checkAll: (all, spent) => checkBudget(all, (input) => tokensOf(input, speechOf(input)), spent),
	describe: (input) => ({
		input: input.text,
		fileName: input.fileName,
		characters: input.characters,
		estimatedTokens: tokensOf(input, speechOf(input)),
	}),
	lookUp(input, item) {
		return checkVoices(item, input.model, voicesToAsk(speechOf(input)));
	},
	retryWith: withNewTarget,
	identity: withoutTarget,

	async execute(input, item) {
		const speech = speechOf(input);
		if (input.longText === 'single' && input.characters > NEAR_THE_LIMIT_CHARACTERS) {
			item.session.hints.add(
				`In a single request, texts above ${NEAR_THE_LIMIT_CHARACTERS} characters come close to the gateway's limit of about 100 seconds. Set "Long Text" to "Automatic" to split them.`,
			);
		}
		if (input.longText === 'job')
			hintOnJobPrice(item.session.hints, estimateOf(input, sentText(speech)));
		return await speakParts(item, input, speech, (voiceOf) => ({
			voice: voiceOf(input.voice),
			textFormat: preparedText(input).format,
		}));
	},
});
