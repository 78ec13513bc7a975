import { optional } from '../../run/fields/field';
import { numberOption } from '../../run/fields/kinds';

/** Options that Chat → Complete and the chat model share. */
export const answerFields = {
	temperature: optional(
		numberOption({
			displayName: 'Temperature',
			name: 'temperature',
			// A proposal of the editor, not a limit: models differ in what they take.
			typeOptions: { minValue: 0, maxValue: 2 },
			decimals: 2,
			default: 1,
			description: 'How much chance there is in the answer; not every model supports it',
		}),
	),
	maxTokens: optional(
		numberOption({
			displayName: 'Max Tokens',
			name: 'maxTokens',
			min: 1,
			integer: true,
			default: 1024,
			description: 'Longest answer, in tokens; not every model supports it',
		}),
	),
};
