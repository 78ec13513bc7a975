import { model } from './model.form';
import { fetchModels } from '../../requests/lists';
import { defineOperation } from '../../requests/operation';
import { withoutErrorKey } from '../../core/json';

/**
 * Lists the models that the key may use, in the gateway's order and words; free. The whole list is fetched, since the gateway
 * documents no paging; `limit` only cuts what leaves the node.
 */
export const getMany = defineOperation(model.getMany, {
	async execute({ limit }, item) {
		const models = await fetchModels(item);
		const items = models
			.slice(0, limit)
			.map((model) => ({ json: withoutErrorKey(model, 'modelError') }));
		return { branch: 'success', items };
	},
});
