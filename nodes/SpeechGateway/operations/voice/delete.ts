import { voiceDelete } from './delete.form';
import { voiceIdOf, voiceIds } from '../../speech/voices';
import { endpoints } from '../../gateway/endpoints';
import { defineOperation } from '../../run/operation';

export const deleteVoice = defineOperation(voiceDelete, {
	async execute({ model, voice }, item) {
		const id = voiceIdOf(await voiceIds(item, model, [voice]), voice);
		await item.delete(endpoints.deleteVoice(id, model), { thing: 'voice', id });
		return { branch: 'success', items: [{ json: { _id: id, deleted: true } }] };
	},
});
