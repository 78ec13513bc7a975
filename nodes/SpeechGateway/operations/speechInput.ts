import type { IDataObject } from 'n8n-workflow';
import { AUDIO_FORMATS, type AudioFormat } from '../core/audio';
import { estimateSpeech } from '../core/billing';
import { InputError } from '../core/errors';
import { countCharacters } from '../core/text/segment';
import { choice, type Parameters } from '../run/fields/parameters';

/** Of one request and of one job, in Unicode code points. */
export const MAX_INPUT_CHARACTERS = 10_000;
export const FORMATS = Object.keys(AUDIO_FORMATS) as AudioFormat[];
export const DEFAULT_VOICE = 'default';

/** What Speech and Speech Job have in common; plain JSON, since the ledger may keep it. */
export interface SpeechInput {
	model: string;
	text: string;
	characters: number;
	voice: string;
	responseFormat: AudioFormat;
	speed?: number;
	modelMultiplier: number;
	maxEstimatedTokens: number;
	binaryPropertyName: string;
	fileName: string;
}

/** Reads and checks the fields. `maxCharacters`: longest text that this way of speaking takes. */
export function readSpeechInput(parameters: Parameters, maxCharacters = Infinity): SpeechInput {
	const text = parameters.text('text', 'Text');
	const characters = countCharacters(text);
	if (characters > maxCharacters) {
		throw new InputError(
			`"Text" may have at most ${maxCharacters} characters here, but has ${characters}`,
			'Use Speech → Generate with "Long Text" set to "Automatic": it splits and joins texts of any length. Nothing was sent.',
		);
	}
	return {
		model: parameters.locator('model', 'Model'),
		text,
		characters,
		voice: readVoice(parameters),
		responseFormat: readFormat(parameters),
		speed: parameters.numberOption('speed', 'Speed', { min: 0.5, max: 2 }),
		modelMultiplier: parameters.numberOption('modelMultiplier', 'Model Multiplier', { min: 0 }, 1),
		maxEstimatedTokens: parameters.numberOption(
			'maxEstimatedTokens',
			'Max Estimated Tokens',
			{ min: 0 },
			0,
		),
		...readBinaryOptions(parameters, 'speech'),
	};
}

export const readFormat = (parameters: Parameters): AudioFormat =>
	choice(parameters.raw('responseFormat', 'mp3'), 'Audio Format', FORMATS);

export function readBinaryOptions(
	parameters: Parameters,
	stem: string,
): { binaryPropertyName: string; fileName: string } {
	return {
		binaryPropertyName: parameters.textOption('binaryPropertyName') ?? 'data',
		fileName: parameters.textOption('fileName') ?? `${stem}-${parameters.index + 1}`,
	};
}

function readVoice(parameters: Parameters): string {
	const given = parameters.raw('voice', DEFAULT_VOICE) as { value?: unknown } | string | undefined;
	const voice = typeof given === 'object' && given !== null ? given.value : given;
	if (voice === undefined || voice === null || voice === '') return DEFAULT_VOICE;
	if (typeof voice !== 'string')
		throw new InputError(`"Voice" must be a voice ID, but is ${JSON.stringify(voice)}`);
	return voice;
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
export function checkBudget(all: SpeechInput[], tokensOf: (input: SpeechInput) => number): void {
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
}
