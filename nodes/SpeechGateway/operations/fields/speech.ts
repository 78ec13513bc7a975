import type { IDataObject } from 'n8n-workflow';
import { derived } from '../../core/derived';
import { estimateSpeech } from '../../core/billing';
import { InputError } from '../../core/errors';
import type { PreparedText } from '../../core/text/prepare';
import { countCharacters } from '../../core/text/segment';
import { type InputOf, optional } from '../../run/fields/field';
import { numberOption, textField } from '../../run/fields/kinds';
import { fileFields, responseFormatField } from './files';
import { speechModelField } from './model';
import { mustBeSpeakable, prepared, textFields } from './text';
import { DEFAULT_VOICE, voiceField } from './voice';

/** Of one request and of one job, in Unicode code points. */
export const MAX_INPUT_CHARACTERS = 10_000;

/** How something is spoken, whoever speaks. */
export const speakingFields = {
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
	...textFields,
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
};

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
	...speakingFields,
});

/** What decides about a request besides its text. Plain JSON, since the ledger may keep it. */
export type SpeakingInput = InputOf<typeof speakingFields> & {
	model: string;
	/** What the run may spend beyond its estimate without passing Max Estimated Tokens. */
	tokensToSpare?: number;
};

export type SpeechInput = InputOf<ReturnType<typeof speechFields>> &
	Pick<SpeakingInput, 'tokensToSpare'>;

/** The text of an input, ready to be spoken. Throws InputError when there is nothing to speak in it. */
export const preparedText = derived((input: SpeechInput) => {
	const text = prepared(input.text, input);
	mustBeSpeakable(text.spoken.text, 'Text');
	return text;
});

/** The number of characters that are spoken. `max`: what this way of speaking takes; more throws InputError. */
export function checkedLength(input: SpeechInput, max: number): number {
	const characters = countCharacters(preparedText(input).spoken.text);
	if (characters <= max) return characters;
	throw new InputError(
		`"Text" may have at most ${max} characters here, but has ${characters}`,
		'Use Speech → Generate with "Long Text" set to "Automatic": it splits and joins texts of any length. Nothing was sent.',
	);
}

/** What users may want to know about how their text was read; `isWhole`: in one request, which no pause can cut. */
export function hintsOn({ notes, pauses }: PreparedText, isWhole: boolean): string[] {
	return isWhole && pauses.length > 0 ? [...notes, NO_PAUSE_IN_ONE_REQUEST] : notes;
}

const NO_PAUSE_IN_ONE_REQUEST =
	'Pauses were left out: a single request or job cannot be cut. Speech → Generate with "Long Text" set to "Automatic" or "Split" makes them.';

/** The request body of a text; only what the user set is sent. `voice`: an id. */
export function speechBody(
	{ model, responseFormat, speed }: SpeakingInput,
	text: string,
	voice: string,
): IDataObject {
	return {
		model,
		input: text,
		...(voice !== DEFAULT_VOICE && { voice }),
		response_format: responseFormat,
		...(speed !== undefined && { speed }),
	};
}

/** The estimate of a text that is ready to be spoken. */
export function estimateOf(
	{ speed, modelMultiplier }: Pick<SpeakingInput, 'speed' | 'modelMultiplier'>,
	text: string,
	segments = 1,
): ReturnType<typeof estimateSpeech> {
	return estimateSpeech({ text, speed, modelMultiplier, segments });
}

/** Refuses the whole run when the estimates of all items together exceed the limit that any of them sets. */
export function checkBudget<T extends Pick<SpeakingInput, 'maxEstimatedTokens' | 'tokensToSpare'>>(
	all: T[],
	tokensOf: (input: T) => number,
): void {
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
