import { InputError } from '../../core/errors';
import { isEmpty, requiredText, safeId } from '../../run/fields/checks';
import { locatorField } from '../../run/fields/kinds';

/** The id of the gateway's own voice; it is never sent. */
export const DEFAULT_VOICE = 'default';

const VOICE_ID = '7f92f8afb8ec43bf81429cc1c9199cb1';

export const voiceField = locatorField(
	{
		displayName: 'Voice',
		name: 'voice',
		default: { value: DEFAULT_VOICE, cachedResultName: 'Default' },
		description: 'Who speaks: the default voice, or one that you cloned with Voice → Clone',
		list: { placeholder: 'Choose a voice…', search: 'searchVoicesWithDefault' },
		example: VOICE_ID,
	},
	(voice, label) => {
		if (isEmpty(voice)) return DEFAULT_VOICE;
		if (typeof voice === 'string') return voice;
		throw new InputError(`"${label}" must be a voice ID, but is ${JSON.stringify(voice)}`);
	},
	DEFAULT_VOICE,
);

export const ownVoiceField = locatorField(
	{
		displayName: 'Voice',
		name: 'voice',
		required: true,
		default: { value: '' },
		description: 'The cloned voice. Only voices of your own account are listed.',
		list: { placeholder: 'Choose a voice…', search: 'searchOwnVoices' },
		example: VOICE_ID,
	},
	(given, label) => {
		const voice = safeId(requiredText(given, label).trim(), label);
		if (voice !== DEFAULT_VOICE) return voice;
		throw new InputError(`The default voice cannot be deleted; "${label}" needs a cloned voice`);
	},
);
