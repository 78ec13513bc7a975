import { describeOperation } from '../../fields/form';
import { estimateFields } from '../../fields/longText';

export const speechEstimate = describeOperation({
	resource: 'speech',
	operation: 'estimate',
	name: 'Estimate',
	action: 'Estimate speech tokens',
	description: 'Calculate how many tokens and minutes a text will take. Free: nothing is sent.',
	sends: [],
	asksForPrices: true,
	input: estimateFields,
});
