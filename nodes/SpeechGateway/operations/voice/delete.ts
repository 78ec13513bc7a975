import { endpoints } from '../../gateway/endpoints';
import { defineOperation } from '../../run/operation';
import { speechModelField } from '../fields/model';
import { ownVoiceField } from '../fields/voice';

export const deleteVoice = defineOperation({
	resource: 'voice',
	operation: 'delete',
	name: 'Delete',
	action: 'Delete voice',
	description: 'Delete a cloned voice for good',
	sends: [endpoints.deleteVoice],
	input: { model: speechModelField, voice: ownVoiceField },

	async execute({ model, voice }, item) {
		await item.delete(endpoints.deleteVoice(voice, model), { thing: 'voice', id: voice });
		return { branch: 'success', items: [{ json: { _id: voice, deleted: true } }] };
	},
});
