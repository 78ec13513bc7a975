import { asError } from '../../core/errors';
import { type GenerateValues, speech } from './speech.form';
import { checked, narration } from './narration';
import { planWithVoices, voiceNameOf } from '../../speech/voices';
import { defineOperation } from '../../run/operation';
import { checkBudget, preparedText } from '../../speech/speaking';
import { checkedText, type LongTextInput, planText } from '../../speech/longText';
import { textToSend, tokensToSend } from '../../speech/plan';
import { hintOnReuse, reusedBeforehand } from '../../speech/previous';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { withPriceFactor } from '../../speech/priceFactor';
import { speakParts } from '../../speech/speakParts';
import { countCharacters } from '../../text/characters';

/** Requests longer than this come near the gateway's limit of about 100 seconds. */
const NEAR_THE_LIMIT_CHARACTERS = 1310;

type GenerateInput = GenerateValues & LongTextInput;

export const generate = defineOperation<GenerateValues, GenerateInput>(speech.generate, {
	async prepare(given, parameters) {
		return await checked(await checkedText(given, parameters), parameters);
	},
	...narration<GenerateInput>(planText, ({ text }) => text),

	async execute(input, item) {
		const { plan, problem } = await planWithVoices(item, input, planText);
		if (input.longText === 'single' && countCharacters(plan.text) > NEAR_THE_LIMIT_CHARACTERS) {
			item.session.hints.add(
				`In a single request, texts above ${NEAR_THE_LIMIT_CHARACTERS} characters come close to the gateway's limit of about 100 seconds. Set "Long Text" to "Automatic" to split them.`,
			);
		}
		if (input.longText === 'job')
			hintOnJobPrice(item.session.hints, estimateOf(input, textToSend(plan)));
		const { voiceId: voice = voiceNameOf(input.voice) } = plan.parts[0];
		const who = { voice, textFormat: preparedText(input).format };
		return await speakParts(item, input, plan, who, problem);
	},
});

type EstimateInput = LongTextInput & {
	/** Why there is no price factor, if 0 asks for the gateway's. */
	noFactor?: string;
};

export const estimate = defineOperation(speech.estimate, {
	async prepare(given, parameters): Promise<EstimateInput> {
		const input = await checkedText(given, parameters);
		try {
			return await withPriceFactor(input, parameters);
		} catch (error) {
			return { ...input, modelMultiplier: 1, noFactor: asError(error).message };
		}
	},
	checkAll: (all, spent) =>
		checkBudget(all, (input) => tokensToSend(input, planText(input)), spent),

	async execute(input, item) {
		const plan = planText(input);
		plan.hints.forEach((hint) => item.session.hints.add(hint));
		if (input.noFactor)
			item.session.hints.add(`${input.noFactor}. The estimates are for a factor of 1.`);
		hintOnReuse(item, input, plan);
		const estimate = estimateOf(input, textToSend(plan));
		if (input.longText === 'job') hintOnJobPrice(item.session.hints, estimate);
		const estimated = {
			characters: countCharacters(plan.text),
			segments: plan.parts.length,
			...estimate,
			...(input.previous && reusedBeforehand(input.previous, plan)),
			textFormat: preparedText(input).format,
			// A title may belong to another voice by now, which only the gateway knows.
			...(typeof input.voice === 'string' && { contentHash: plan.contentHash }),
		};
		return { branch: 'success', items: [{ json: estimated }] };
	},
});
