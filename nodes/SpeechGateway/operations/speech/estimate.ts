import { speechEstimate } from './estimate.form';
import { defineOperation } from '../../run/operation';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { checkBudget, preparedText } from '../../speech/speaking';
import { type LongTextInput, planText, withLength } from '../../speech/longText';
import { textToSend, tokensToSend } from '../../speech/plan';
import { hintOnReuse, reusedBeforehand } from '../../speech/previous';

export const estimate = defineOperation(speechEstimate, {
	prepare: async (given, parameters): Promise<LongTextInput> => await withLength(given, parameters),
	checkAll: (all, spent) =>
		checkBudget(all, (input) => tokensToSend(input, planText(input)), spent),

	async execute(input, item) {
		const plan = planText(input);
		plan.hints.forEach((hint) => item.session.hints.add(hint));
		hintOnReuse(item, input, plan);
		const estimate = estimateOf(input, textToSend(plan), plan.parts.length);
		if (input.longText === 'job') hintOnJobPrice(item.session.hints, estimate);
		const estimated = {
			...estimate,
			...(input.previous && reusedBeforehand(input.previous, plan)),
			characters: input.characters,
			textFormat: preparedText(input).format,
			// A title may belong to another voice by now, which only the gateway knows.
			...(typeof input.voice === 'string' && { contentHash: plan.contentHash }),
		};
		return { branch: 'success', items: [{ json: estimated }] };
	},
});
