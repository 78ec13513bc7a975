import { withoutErrorKey } from '../../run/outputItems';
import { fetchVoices } from '../../flows/lists';
import type { Operation } from '../../run/operation';
import { freeOptions, returnAllFields, speechModelField } from '../fields';
import { readLimit } from '../limitInput';

export const getMany: Operation<{ model: string; limit: number }> = {
	resource: 'voice',
	operation: 'getMany',
	name: 'Get Many',
	action: 'Get many voices',
	description: 'List the voices that your account has cloned',
	billed: false,
	fields: [speechModelField, ...returnAllFields],
	options: freeOptions,
	read: (parameters) => ({
		model: parameters.locator('model', 'Model'),
		limit: readLimit(parameters),
	}),

	async execute({ model, limit }, item) {
		const voices = await fetchVoices(item, model);
		const items = voices
			.slice(0, limit)
			.map((voice) => ({ json: withoutErrorKey(voice, 'voiceError') }));
		return { branch: 'success', items };
	},
};
