import { CLONE_TOKENS, MAX_RECORDING_MB, RECOMMENDED_RECORDING_SECONDS } from '../../core/limits';
import { requiredText } from '../../fields/checks';
import type { InputOf } from '../../fields/field';
import { describeResource } from '../../fields/form';
import { fileField, flagOption, textField } from '../../fields/kinds';
import { limitField } from '../../fields/shared';
import { speechModelField } from '../../fields/model';
import { ownVoiceField } from '../../fields/voice';
import { endpoints } from '../../gateway/endpoints';

// `toLocaleString` would load ICU at every start of n8n, longer than all of this package.
const cloneTokens = String(CLONE_TOKENS).replace(/\B(?=(\d{3})+$)/g, ',');

/** What it takes to clone a voice. Titles need not be unique, hence "Reuse Existing". */
const cloneFields = {
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
		hint: `The name of the input binary field with the recording: one clear voice, best ${RECOMMENDED_RECORDING_SECONDS} seconds or more, at most ${MAX_RECORDING_MB} MB`,
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

/** The values of Voice → Clone. */
export type CloneValues = InputOf<typeof cloneFields>;

/** The resource Voice. Only Clone is charged; its options are those of a billed operation, with "Send Once Key". */
export const voice = describeResource('voice', {
	create: {
		name: 'Clone',
		action: 'Clone voice from recording',
		description: `Clone a voice from a recording. Charged: ${cloneTokens} tokens per voice.`,
		sends: [endpoints.createVoice, endpoints.voices],
		price: `${cloneTokens} tokens per voice.`,
		input: cloneFields,
	},
	delete: {
		name: 'Delete',
		action: 'Delete voice',
		description: 'Permanently delete a cloned voice. Free.',
		sends: [endpoints.voices, endpoints.deleteVoice],
		input: { model: speechModelField, voice: ownVoiceField },
	},
	getMany: {
		name: 'Get Many',
		action: 'Get many voices',
		description: 'List the voices your account has cloned. Free.',
		sends: [endpoints.voices],
		isList: true,
		input: { model: speechModelField, limit: limitField },
	},
});
