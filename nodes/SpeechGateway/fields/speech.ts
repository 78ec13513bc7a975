import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../core/errors';
import { keysOf } from '../core/json';
import { spokenText } from './checks';
import { type InputOf, mapped, optional, type OptionField } from './field';
import { numberOption, textField } from './kinds';
import { responseFormatField } from './files';
import { speechModelField } from './model';
import type { Parameters } from './parameters';
import { additionalBodyOption } from './shared';
import { textFields } from './text';
import { voiceField } from './voice';

const limitOption = numberOption({
	displayName: 'Spending Limit (Tokens)',
	name: 'maxEstimatedTokens',
	hint: 'A minute of speech is about 1,000 tokens',
	min: 0,
	default: 0,
	description:
		'Nothing is sent if all items together, with what this execution has spent before, would cost more; 0 means no limit, but an expression that gives 0 allows nothing',
});

/**
 * Undefined: no limit. What an expression leaves empty, such as a missing field, is an error: it would silently protect
 * nothing.
 */
const spendingLimit: OptionField<number | undefined> = {
	...optional(limitOption),
	read(parameters: Parameters): number | undefined {
		const [{ name, displayName }] = limitOption.options;
		if (!parameters.isSet(name)) return undefined;
		const value = parameters.option(name);
		if (value === undefined || value === null || String(value).trim() === '')
			throw new InputError(
				`"${displayName}" is empty`,
				'Check that its expression has a number for every item, or remove the option. Nothing was sent.',
			);
		const tokens = limitOption.read(parameters);
		return tokens === 0 && !parameters.isExpression(name) ? undefined : tokens;
	},
};

/** The fields of a request that say its manner, by ours. */
export const SENT_AS: Record<Exclude<keyof Manner, 'additionalBody'>, string> = {
	model: 'model',
	responseFormat: 'response_format',
	speed: 'speed',
};

/** Undefined if there are none. Throws InputError for a field that the node has a place for. */
function otherFields(body: IDataObject): IDataObject | undefined {
	// Another `input`, say, would not be the text that was split, checked and estimated.
	const own = ['input', 'voice', ...Object.values(SENT_AS)].find((name) => name in body);
	if (own !== undefined) {
		throw new InputError(
			`"Additional Body Fields" has the field "${own}", which this node sends itself`,
			'Set it in the node, and remove it there. Nothing was sent.',
		);
	}
	return Object.keys(body).length > 0 ? body : undefined;
}

/**
 * What identifies speech besides its words, its voice and its model. An option that changes what is sent belongs here,
 * and nowhere else: request keys, retries, previous versions and tools follow (`mannerOf`).
 */
const mannerFields = {
	responseFormat: responseFormatField('The format of the audio file'),
	speed: optional(
		numberOption({
			displayName: 'Speed',
			name: 'speed',
			// The gateway's own limits.
			min: 0.5,
			max: 2,
			decimals: 2,
			default: 1,
			description: 'Speaking speed, from 0.5 (half as fast) to 2 (twice as fast)',
		}),
	),
	additionalBody: mapped(additionalBodyOption(), otherFields),
};

/** What identifies speech besides its words and its voice. Plain JSON. */
export type Manner = { model: string } & InputOf<typeof mannerFields>;

/** The manner of an input alone, for all that asks whether something is the same speech. */
export function mannerOf(input: Manner): Manner {
	const fields = ['model', ...keysOf(mannerFields)] as const;
	return Object.fromEntries(fields.map((field) => [field, input[field]])) as Manner;
}

/** How anything is spoken, whoever speaks: format, speed, reading of the text, and what it may cost. */
export const speakingFields = {
	...mannerFields,
	...textFields,
	modelMultiplier: numberOption({
		displayName: 'Price Factor',
		name: 'modelMultiplier',
		// Not 0: with estimates of 0, the spending limit would let everything pass.
		min: 0.0001,
		decimals: 4,
		default: 1,
		description:
			'How many times the usual price this model costs, for estimates and the spending limit; Account → Get Prices shows it',
	}),
	maxEstimatedTokens: spendingLimit,
};

/** What Speech and Speech Job have in common. `textHint`: how much text this way of speaking takes. */
export const speechFields = (textHint: string) => ({
	model: speechModelField,
	text: textField(
		{
			displayName: 'Text',
			name: 'text',
			hint: textHint,
			typeOptions: { rows: 4 },
			placeholder: 'e.g. (happy) Good morning! Here is the news.',
			description:
				'The text to speak; a tone word in brackets, such as (happy) or [whispering], sets the tone and is not spoken',
		},
		spokenText,
	),
	voice: voiceField,
	...speakingFields,
});

/** The values of `speakingFields`. `speed` is undefined unless it is set, and is not sent then. */
export type SpeakingValues = InputOf<typeof speakingFields>;

/** The values of `speechFields`: one text in one voice. */
export type SpeechValues = InputOf<ReturnType<typeof speechFields>>;
