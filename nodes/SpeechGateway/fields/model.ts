import { DEFAULT_SPEECH_MODEL } from '../gateway/models';
import { requiredText } from './checks';
import { type Field, panelField } from './field';
import { locatorProperty, locatorValue } from './kinds';

/** A model; any id typed by hand will do. */
export const modelField = (description: string, defaultModel = ''): Field<string> =>
	panelField(
		locatorProperty({
			displayName: 'Model',
			name: 'model',
			required: true,
			default: {
				value: defaultModel,
				...(defaultModel && { cachedResultName: defaultModel }),
			},
			description,
			list: { placeholder: 'Choose a model…', search: 'searchModels' },
			example: defaultModel || 'gpt-4o-mini',
		}),
		(given, label) => requiredText(locatorValue(given), label),
	);

export const speechModelField = modelField(
	'The model that speaks, from those your account can use',
	DEFAULT_SPEECH_MODEL,
);

export const chatModelField = modelField('The model that answers, from those your account can use');
