import { CLONE_TOKENS, MAX_RECORDING_MB, RECOMMENDED_RECORDING_SECONDS } from '../../core/limits';
import { requiredText } from '../../fields/checks';
import type { InputOf } from '../../fields/field';
import { describeOperation } from '../../fields/form';
import { fileField, flagOption, textField } from '../../fields/kinds';
import { speechModelField } from '../../fields/model';
import { endpoints } from '../../gateway/endpoints';

// `toLocaleString` would load ICU at every start of n8n, longer than all of this package.
const cloneTokens = String(CLONE_TOKENS).replace(/\B(?=(\d{3})+$)/g, ',');

const fields = {
	model: speechModelField,
	title: textField(
		{
			displayName: 'Title',
			name: 'title',
			hint: `Each clone costs ${cloneTokens} tokens. The option "Reuse Existing" avoids paying for the same title twice.`,
			placeholder: 'e.g. Anna, calm',
			description: 'The name of the voice in lists',
		},
		(value, label) => requiredText(value, label).trim(),
	),
	binaryPropertyName: fileField({
		hint: `The name of the input binary field with the recording: one clear voice, at least ${RECOMMENDED_RECORDING_SECONDS} seconds, at most ${MAX_RECORDING_MB} MB`,
		description: 'The binary field of the input item that contains the recording',
	}),
	reuseExisting: flagOption({
		displayName: 'Reuse Existing',
		name: 'reuseExisting',
		default: false,
		description:
			'Whether to return the voice that already has this title, if there is one, instead of cloning and paying again',
	}),
};

export type CloneValues = InputOf<typeof fields>;

export const voiceCreate = describeOperation({
	resource: 'voice',
	operation: 'create',
	name: 'Clone',
	action: 'Clone voice from recording',
	description: `Clone a voice from a recording. Each clone costs ${cloneTokens} tokens.`,
	sends: [endpoints.createVoice, endpoints.voices],
	price: `${cloneTokens} tokens per voice.`,
	input: fields,
});
