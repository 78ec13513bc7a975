import { endpoints } from '../../gateway/endpoints';
import { withoutErrorKey } from '../../run/outputItems';
import { fetchList } from '../../flows/lists';
import type { Operation } from '../../run/operation';
import { freeOptions, returnAllFields } from '../fields';
import { readLimit } from '../limitInput';

export const getMany: Operation<{ limit: number }> = {
	resource: 'model',
	operation: 'getMany',
	name: 'Get Many',
	action: 'Get many models',
	description: 'List the models that your account may use',
	billed: false,
	fields: returnAllFields,
	options: freeOptions,
	read: (parameters) => ({ limit: readLimit(parameters) }),

	async execute({ limit }, item) {
		const models = await fetchList(item, endpoints.models);
		const items = models
			.slice(0, limit)
			.map((model) => ({ json: withoutErrorKey(model, 'modelError') }));
		return { branch: 'success', items };
	},
};
