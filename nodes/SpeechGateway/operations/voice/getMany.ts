import { voiceGetMany } from './getMany.form';
import { fetchVoices } from '../../requests/lists';
import { defineOperation } from '../../run/operation';
import { withoutErrorKey } from '../../run/outputItems';

export const getMany = defineOperation(voiceGetMany, {
	async execute({ model, limit }, item) {
		const voices = await fetchVoices(item, model);
		const items = voices
			.slice(0, limit)
			.map((voice) => ({ json: withoutErrorKey(voice, 'voiceError') }));
		return { branch: 'success', items };
	},
});
