import { speechEstimate } from './estimate.form';
import { defineOperation } from '../../run/operation';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { checkBudget, preparedText } from '../../speech/speaking';
import { type LongTextInput, speechOf, withLength } from '../../speech/longText';
import { contentHash, sentText, tokensOf } from '../../speech/parts';
import { hintOnReuse, reusedBeforehand } from '../../speech/previous';

export const estimate = defineOperation(speechEstimate, {
	prepare: async (given, parameters): Promise<LongTextInput> => await withLength(given, parameters),
	checkAll: (all, spent) => checkBudget(all, (input) => tokensOf(input, speechOf(input)), spent),

	async execute(input, item) {
		const speech = speechOf(input);
		speech.hints.forEach((hint) => item.session.hints.add(hint));
		hintOnReuse(item, input, speech);
		const estimate = estimateOf(input, sentText(speech), speech.parts.length);
		if (input.longText === 'job') hintOnJobPrice(item.session.hints, estimate);
		const estimated = {
			...estimate,
			...(input.previous && reusedBeforehand(input.previous, speech)),
			characters: input.characters,
			textFormat: preparedText(input).format,
			contentHash: contentHash(input, speech),
		};
		return { branch: 'success', items: [{ json: estimated }] };
	},
});
