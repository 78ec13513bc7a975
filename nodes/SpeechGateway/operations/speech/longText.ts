import { segmentText } from '../../core/text/segment';
import type { InputOf } from '../../run/fields/field';
import { choiceOption, numberOption } from '../../run/fields/kinds';
import {
	checkedLength,
	estimateOf,
	MAX_INPUT_CHARACTERS,
	speechFields,
	type SpeechInput,
} from '../fields/speech';

/** What Generate and Estimate take. */
export const longTextFields = {
	...speechFields('Any length: long texts are split at sentence ends and joined into one file'),
	longText: choiceOption({
		displayName: 'Long Text',
		name: 'longText',
		default: 'auto',
		description:
			'What happens to a text that is too long for one request. The gateway cuts requests after about 100 seconds, which is enough for about 1,300 characters.',
		choices: {
			auto: {
				name: 'Automatic',
				description:
					'Split into segments when needed; whatever the gateway still cuts goes on as a job',
			},
			split: {
				name: 'Split',
				description: 'Split into segments and join the audio; never a job',
			},
			job: {
				name: 'Job',
				description: 'One job per 10,000 characters, charged up front by the number of characters',
			},
			single: {
				name: 'Single Request',
				description:
					'Never split; longer texts are likely to be cut by the gateway (at most 10,000 characters)',
			},
		},
	}),
	maxSegmentCharacters: numberOption({
		displayName: 'Max Segment Characters',
		name: 'maxSegmentCharacters',
		min: 1,
		max: MAX_INPUT_CHARACTERS,
		integer: true,
		default: 1000,
		description:
			'Longest segment of a split text; the gateway recommends at most 1000. Breaks are at paragraphs and sentence ends wherever possible.',
	}),
	pauseBetweenSegments: numberOption({
		displayName: 'Pause Between Segments',
		name: 'pauseBetweenSegments',
		hint: 'Milliseconds',
		min: 0,
		max: 60_000,
		default: 0,
		description: 'Silence between the segments of a split text',
	}),
	subtitles: choiceOption({
		displayName: 'Subtitles',
		name: 'subtitles',
		default: 'srt',
		unset: 'none',
		description: 'A subtitle file beside the audio, in the binary field "subtitles"',
		choices: {
			none: { name: 'None' },
			srt: { name: 'SRT', description: 'For video editors and players' },
			vtt: { name: 'WebVTT', description: 'For web pages' },
		},
	}),
};

type Given = InputOf<typeof longTextFields>;

/** Plain JSON: the ledger keeps it once a text of several segments is paid for in part. */
export type LongTextInput = Given & Pick<SpeechInput, 'tokensToSpare'> & { characters: number };

export const withLength = (given: Given): LongTextInput => ({
	...given,
	characters: checkedLength(given, given.longText === 'single' ? MAX_INPUT_CHARACTERS : Infinity),
});

/** One request: a stretch of the text. Offsets are of the source, in UTF-16 units. */
export interface Part {
	text: string;
	start: number;
	end: number;
}

export function partsOf(input: LongTextInput): Part[] {
	const { text, characters, longText, maxSegmentCharacters } = input;
	const maxCharacters = {
		single: Infinity,
		job: MAX_INPUT_CHARACTERS,
		auto: maxSegmentCharacters,
		split: maxSegmentCharacters,
	}[longText];
	if (characters <= maxCharacters) return [{ text, start: 0, end: text.length }];
	return segmentText(text, { maxCharacters });
}

export function tokensOf(input: LongTextInput): number {
	const { estimatedTokens, estimatedTokensAsJob } = estimateOf(input);
	return input.longText === 'job' ? estimatedTokensAsJob : estimatedTokens;
}
