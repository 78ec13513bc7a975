import type { Operation } from '../../run/operation';
import { speechFields } from '../fields';
import { checkBudget, estimateOf } from '../speechInput';
import {
	longTextOptions,
	type LongTextInput,
	partsOf,
	readLongText,
	tokensOf,
} from './longTextInput';

export const estimate: Operation<LongTextInput> = {
	resource: 'speech',
	operation: 'estimate',
	name: 'Estimate',
	action: 'Estimate the tokens of a text',
	description:
		'Calculate how many tokens and minutes a text will take; sends nothing and costs nothing',
	billed: false,
	fields: speechFields,
	options: longTextOptions,
	read: readLongText,
	checkAll: (all) => checkBudget(all, tokensOf),

	async execute(input) {
		return {
			branch: 'success',
			items: [{ json: { ...estimateOf(input, partsOf(input).length) } }],
		};
	},
};
