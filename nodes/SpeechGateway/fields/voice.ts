import { InputError } from '../core/errors';
import { isEmpty, requiredText, safeId } from './checks';
import { type LocatorSpec, locatorMode, locatorProperty, locatorValue } from './kinds';
import { panelField, type Parse } from './field';

/** A voice by its id, or by its title in the list of the account. Plain JSON. */
export type Voice = string | { title: string };

/** The id of the gateway's own voice; it is never sent. */
export const DEFAULT_VOICE = 'default';

const voiceLocator: Omit<LocatorSpec, 'default' | 'list'> = {
	displayName: 'Voice',
	name: 'voice',
	example: '7f92f8afb8ec43bf81429cc1c9199cb1',
	title: { displayName: 'By Title', placeholder: 'e.g. Anna, calm' },
};

/** A voice as the editor shows it; also a column of the table of speakers. */
export const voiceProperty = locatorProperty({
	...voiceLocator,
	default: { value: DEFAULT_VOICE, cachedResultName: 'Default' },
	description:
		'The voice that speaks: the default voice, or one you have cloned with Voice → Clone',
	list: { placeholder: 'Choose a voice…', search: 'searchVoicesWithDefault' },
});

/** A voice from the list, by its id or title, or a plain id. Nothing, and "Default" in any case, is the default voice. */
export const parseVoice: Parse<Voice> = (value, label) => {
	const voice = locatorValue(value);
	if (isEmpty(voice)) return DEFAULT_VOICE;
	if (typeof voice !== 'string' && typeof voice !== 'number')
		throw new InputError(`"${label}" must be a voice ID, but is ${JSON.stringify(voice)}`);
	const name = String(voice).trim();
	if (name === '' || name.toLowerCase() === DEFAULT_VOICE) return DEFAULT_VOICE;
	return locatorMode(value) === 'title' ? { title: name } : name;
};

/** Who speaks. */
export const voiceField = panelField(
	{ ...voiceProperty, hint: 'To get more voices, clone them from recordings with Voice → Clone' },
	parseVoice,
	DEFAULT_VOICE,
);

/** A cloned voice to delete. Throws InputError for the default voice, which is nobody's. */
export const ownVoiceField = panelField<Voice>(
	locatorProperty({
		...voiceLocator,
		required: true,
		default: { value: '' },
		description: 'The voice to delete, from those your account has cloned',
		list: { placeholder: 'Choose a voice…', search: 'searchOwnVoices' },
	}),
	(value, label) => {
		const name = requiredText(locatorValue(value), label).trim();
		if (locatorMode(value) === 'title') return { title: name };
		if (name.toLowerCase() !== DEFAULT_VOICE) return safeId(name, label);
		throw new InputError(`The default voice cannot be deleted; "${label}" needs a cloned voice`);
	},
);
