import { InputError } from '../../core/errors';
import { endpoints } from '../../gateway/endpoints';
import type { Operation } from '../../run/operation';
import { safeId } from '../../run/fields/parameters';
import { freeBatchOptions, ownVoiceField, speechModelField } from '../fields';
import { DEFAULT_VOICE } from '../speechInput';

export const deleteVoice: Operation<{ model: string; voice: string }> = {
	resource: 'voice',
	operation: 'delete',
	name: 'Delete',
	action: 'Delete a voice',
	description: 'Delete a cloned voice for good',
	billed: false,
	fields: [speechModelField, ownVoiceField],
	options: freeBatchOptions,

	read(parameters) {
		const voice = safeId(parameters.locator('voice', 'Voice').trim(), 'Voice');
		if (voice === DEFAULT_VOICE)
			throw new InputError('The default voice cannot be deleted; "Voice" needs a cloned voice');
		return { model: parameters.locator('model', 'Model'), voice };
	},

	async execute({ model, voice }, item) {
		await item.delete(endpoints.deleteVoice(voice, model), { thing: 'voice', id: voice });
		return { branch: 'success', items: [{ json: { _id: voice, deleted: true } }] };
	},
};
