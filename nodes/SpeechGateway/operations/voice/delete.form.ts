import { describeOperation } from '../../fields/form';
import { speechModelField } from '../../fields/model';
import { ownVoiceField } from '../../fields/voice';
import { endpoints } from '../../gateway/endpoints';

export const voiceDelete = describeOperation({
	resource: 'voice',
	operation: 'delete',
	name: 'Delete',
	action: 'Delete voice',
	description: 'Permanently delete a cloned voice. Free.',
	sends: [endpoints.voices, endpoints.deleteVoice],
	input: { model: speechModelField, voice: ownVoiceField },
});
