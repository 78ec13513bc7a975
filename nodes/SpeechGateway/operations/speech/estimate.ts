import { speechEstimate } from './estimate.form';
import { defineOperation } from '../../run/operation';
import { checkBudget, estimateOf } from '../../speech/speaking';
import { type LongTextInput, speechOf, withLength } from '../../speech/longText';
import { contentHash, tokensOf } from '../../speech/parts';

export const estimate = defineOperation(speechEstimate, {
	prepare: (given): LongTextInput => withLength(given),
	checkAll: (all) => checkBudget(all, (input) => tokensOf(input, speechOf(input))),

	async execute(input, item) {
		const speech = speechOf(input);
		speech.hints.forEach((hint) => item.session.hints.add(hint));
		const estimated = estimateOf(input, speech.text, speech.parts.length);
		return {
			branch: 'success',
			items: [{ json: { ...estimated, contentHash: contentHash(input, speech) } }],
		};
	},
});
