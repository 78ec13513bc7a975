import { model } from './model.form';
import { fetchList } from '../../requests/lists';
import { endpoints } from '../../gateway/endpoints';
import { defineOperation } from '../../requests/operation';
import { withoutErrorKey } from '../../core/json';

/**
 * Lists the models that the key may use, in the gateway's order and words; free. The whole list is fetched, since the gateway
 * documents no paging; `limit` only cuts what leaves the node.
 */
export const getMany = defineOperation(model.getMany, {
	async execute({ limit }, item) {
		const models = await fetchList(item, endpoints.models);
		const items = models
			.slice(0, limit)
			.map((model) => ({ json: withoutErrorKey(model, 'modelError') }));
		return { branch: 'success', items };
	},
});
