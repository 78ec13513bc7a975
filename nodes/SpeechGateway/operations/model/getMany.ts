import { endpoints } from '../../gateway/endpoints';
import { withoutErrorKey } from '../../run/outputItems';
import { fetchList } from '../../flows/lists';
import { defineOperation } from '../../run/operation';
import { limitField } from '../fields/limit';

export const getMany = defineOperation({
	resource: 'model',
	operation: 'getMany',
	name: 'Get Many',
	action: 'Get many models',
	description: 'List the models that your account may use',
	sends: [endpoints.models],
	isList: true,
	input: { limit: limitField },

	async execute({ limit }, item) {
		const models = await fetchList(item, endpoints.models);
		const items = models
			.slice(0, limit)
			.map((model) => ({ json: withoutErrorKey(model, 'modelError') }));
		return { branch: 'success', items };
	},
});
