import { defineOperation } from '../../run/operation';
import { checkBudget, estimateOf } from '../fields/speech';
import { longTextFields, speechOf, withLength } from './longText';
import { contentHash, tokensOf } from './parts';

export const estimate = defineOperation({
	resource: 'speech',
	operation: 'estimate',
	name: 'Estimate',
	action: 'Estimate tokens of text',
	description:
		'Calculate how many tokens and minutes a text will take; sends nothing and costs nothing',
	sends: [],
	input: longTextFields,
	prepare: withLength,
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
