import { model } from './model.form';
import { fetchList } from '../../requests/lists';
import { endpoints } from '../../gateway/endpoints';
import { defineOperation } from '../../run/operation';
import { withoutErrorKey } from '../../run/outputItems';

/** The models of the gateway, with what each can do; free. */
export const getMany = defineOperation(model.getMany, {
	async execute({ limit }, item) {
		const models = await fetchList(item, endpoints.models);
		const items = models
			.slice(0, limit)
			.map((model) => ({ json: withoutErrorKey(model, 'modelError') }));
		return { branch: 'success', items };
	},
});
