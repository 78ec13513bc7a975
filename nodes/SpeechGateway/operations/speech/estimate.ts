import { defineOperation } from '../../run/operation';
import { checkBudget, estimateOf } from '../fields/speech';
import { longTextFields, partsOf, tokensOf, withLength } from './longText';

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
	checkAll: (all) => checkBudget(all, tokensOf),

	async execute(input) {
		return {
			branch: 'success',
			items: [{ json: { ...estimateOf(input, partsOf(input).length) } }],
		};
	},
});
