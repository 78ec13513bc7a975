import { DEFAULT_SPEECH_MODEL } from '../gateway/models';
import { requiredText } from './checks';
import { type Field, optional, panelField } from './field';
import { locatorProperty, locatorValue, numberOption } from './kinds';

/** A model: from the list or, since a list may be incomplete, any ID typed by hand. */
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
		(value, label) => requiredText(locatorValue(value), label),
	);

/** The model of all that speaks or belongs to voices; the one that the gateway documents is the default. */
export const speechModelField = modelField(
	'The model that speaks, from those your account can use',
	DEFAULT_SPEECH_MODEL,
);

/** The model of a chat. There is no default: which models chat is up to the gateway. */
export const chatModelField = modelField('The model that answers, from those your account can use');

/** Options that Chat → Complete and the chat model share. Not sent unless set: some models refuse a request that names them. */
export const answerFields = {
	temperature: optional(
		numberOption({
			displayName: 'Temperature',
			name: 'temperature',
			// Suggested by the editor; not a limit, because models differ.
			typeOptions: { minValue: 0, maxValue: 2 },
			decimals: 2,
			default: 1,
			description:
				'Low values make the answer predictable, high values make it varied; not every model supports this',
		}),
	),
	maxTokens: optional(
		numberOption({
			displayName: 'Max Tokens',
			name: 'maxTokens',
			min: 1,
			integer: true,
			default: 1024,
			description: 'Maximum length of the answer, in tokens; not every model supports this',
		}),
	),
};
