import { endpoints } from '../../gateway/endpoints';
import { describeOperation } from '../../fields/form';

export const accountGetPrices = describeOperation({
	resource: 'account',
	operation: 'getPrices',
	name: 'Get Prices',
	action: 'Get prices of models',
	description: "List what each model costs, from the gateway's price list. Free.",
	sends: [endpoints.prices],
	isList: true,
	input: {},
});
