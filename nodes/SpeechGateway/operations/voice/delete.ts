import { voiceIds } from '../../flows/voices';
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
	sends: [endpoints.voices, endpoints.deleteVoice],
	input: { model: speechModelField, voice: ownVoiceField },

	async execute({ model, voice }, item) {
		const id = (await voiceIds(item, model, [voice]))(voice);
		await item.delete(endpoints.deleteVoice(id, model), { thing: 'voice', id });
		return { branch: 'success', items: [{ json: { _id: id, deleted: true } }] };
	},
});
