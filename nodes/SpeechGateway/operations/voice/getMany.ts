import { endpoints } from '../../gateway/endpoints';
import { withoutErrorKey } from '../../run/outputItems';
import { fetchVoices } from '../../flows/lists';
import { defineOperation } from '../../run/operation';
import { limitField } from '../fields/limit';
import { speechModelField } from '../fields/model';

export const getMany = defineOperation({
	resource: 'voice',
	operation: 'getMany',
	name: 'Get Many',
	action: 'Get many voices',
	description: 'List the voices that your account has cloned',
	sends: [endpoints.voices],
	isList: true,
	input: { model: speechModelField, limit: limitField },

	async execute({ model, limit }, item) {
		const voices = await fetchVoices(item, model);
		const items = voices
			.slice(0, limit)
			.map((voice) => ({ json: withoutErrorKey(voice, 'voiceError') }));
		return { branch: 'success', items };
	},
});
