import type { IDataObject } from 'n8n-workflow';
import { estimateSpeech } from '../../core/billing';
import { InputError } from '../../core/errors';
import { countCharacters } from '../../core/text/segment';
import { type InputOf, optional } from '../../run/fields/field';
import { numberOption, textField } from '../../run/fields/kinds';
import { fileFields, responseFormatField } from './files';
import { speechModelField } from './model';
import { DEFAULT_VOICE, voiceField } from './voice';

/** Of one request and of one job, in Unicode code points. */
export const MAX_INPUT_CHARACTERS = 10_000;

/** What Speech and Speech Job have in common. `textHint`: how much text this way of speaking takes. */
export const speechFields = (textHint: string) => ({
	model: speechModelField,
	text: textField({
		displayName: 'Text',
		name: 'text',
		hint: textHint,
		typeOptions: { rows: 4 },
		placeholder: 'e.g. (happy) Good morning! Here is the news.',
		description:
			'What is spoken. A word in parentheses, such as (happy) or (whispering), sets the tone and is not read out.',
	}),
	voice: voiceField,
	responseFormat: responseFormatField('The type of the audio file'),
	speed: optional(
		numberOption({
			displayName: 'Speed',
			name: 'speed',
			min: 0.5,
			max: 2,
			decimals: 2,
			default: 1,
			description: 'How fast it is spoken, from 0.5 (half as fast) to 2 (twice as fast)',
		}),
	),
	modelMultiplier: numberOption({
		displayName: 'Model Multiplier',
		name: 'modelMultiplier',
		min: 0,
		decimals: 4,
		default: 1,
		description:
			'The price factor of the model, as the pricing page of the gateway has it. It changes the estimates of this node, not the price.',
	}),
	maxEstimatedTokens: numberOption({
		displayName: 'Max Estimated Tokens',
		name: 'maxEstimatedTokens',
		hint: 'A minute of speech is about 1,000 tokens',
		min: 0,
		default: 0,
		description:
			'Guards your balance: when the estimate over all items is higher, nothing at all is sent. 0 means no limit.',
	}),
	...fileFields('speech'),
});

/** Plain JSON, since the ledger may keep it. */
export type SpeechInput = InputOf<ReturnType<typeof speechFields>> & {
	/** What the run may spend beyond its estimate without passing Max Estimated Tokens. */
	tokensToSpare?: number;
};

/** The number of characters. `max`: longest text that this way of speaking takes; more throws InputError. */
export function checkedLength({ text }: { text: string }, max: number): number {
	const characters = countCharacters(text);
	if (characters <= max) return characters;
	throw new InputError(
		`"Text" may have at most ${max} characters here, but has ${characters}`,
		'Use Speech → Generate with "Long Text" set to "Automatic": it splits and joins texts of any length. Nothing was sent.',
	);
}

/** The request body of a text; only what the user set is sent. */
export function speechBody(input: SpeechInput, text: string): IDataObject {
	return {
		model: input.model,
		input: text,
		...(input.voice !== DEFAULT_VOICE && { voice: input.voice }),
		response_format: input.responseFormat,
		...(input.speed !== undefined && { speed: input.speed }),
	};
}

export function estimateOf(input: SpeechInput, segments = 1): ReturnType<typeof estimateSpeech> {
	const { text, speed, modelMultiplier } = input;
	return estimateSpeech({ text, speed, modelMultiplier, segments });
}

/** Refuses the whole run when the estimates of all items together exceed the limit that any of them sets. */
export function checkBudget<T extends SpeechInput>(all: T[], tokensOf: (input: T) => number): void {
	const limits = all.map((input) => input.maxEstimatedTokens).filter((limit) => limit > 0);
	if (limits.length === 0) return;
	const limit = Math.min(...limits);
	const total = all.reduce((sum, input) => sum + tokensOf(input), 0);
	if (total > limit) {
		throw new InputError(
			`The estimate of ${total} tokens for ${all.length} ${all.length === 1 ? 'item' : 'items'} is above "Max Estimated Tokens" (${limit})`,
			'Nothing was sent. Shorten the texts, send fewer items, or raise the limit.',
		);
	}
	for (const input of all) input.tokensToSpare = limit - total;
}
