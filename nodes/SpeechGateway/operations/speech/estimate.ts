import { asError } from '../../core/errors';
import { speech } from './speech.form';
import { defineOperation } from '../../run/operation';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { checkBudget, preparedText } from '../../speech/speaking';
import { checkedText, type LongTextInput, planText } from '../../speech/longText';
import { textToSend, tokensToSend } from '../../speech/plan';
import { withPriceFactor } from '../../speech/priceFactor';
import { hintOnReuse, reusedBeforehand } from '../../speech/previous';
import { countCharacters } from '../../text/characters';

type Input = LongTextInput & {
	/** Why there is no price factor, if 0 asks for the gateway's. */
	noFactor?: string;
};

export const estimate = defineOperation(speech.estimate, {
	async prepare(given, parameters): Promise<Input> {
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
