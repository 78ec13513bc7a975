import { optional } from './field';
import { numberOption } from './kinds';

/** Options that Chat → Complete and the chat model share. */
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
