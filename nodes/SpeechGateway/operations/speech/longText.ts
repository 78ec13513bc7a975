import { derived } from '../../core/derived';
import type { InputOf } from '../../run/fields/field';
import { choiceOption, flagOption, numberOption } from '../../run/fields/kinds';
import {
	checkedLength,
	hintsOn,
	MAX_INPUT_CHARACTERS,
	preparedText,
	speechFields,
	type SpeakingInput,
} from '../fields/speech';
import { cutIntoSegments, type Speech, withPauses } from './parts';

/** How segments are made, and what becomes of them. */
export const segmentFields = {
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
	timings: flagOption({
		displayName: 'Timings',
		name: 'timings',
		default: false,
		description:
			'Whether to list the parts of the text with the seconds at which they start and end, in the field "parts"',
	}),
	trimSilence: flagOption({
		displayName: 'Trim Silence',
		name: 'trimSilence',
		default: false,
		description:
			'Whether to cut down silence at the start and the end of each segment, to about 0.12 seconds',
	}),
};

export type SegmentInput = InputOf<typeof segmentFields>;

/** What is said of `auto` and `split` in all operations that have them. */
export const splitChoices = {
	auto: {
		name: 'Automatic',
		description:
			'Split into segments when needed; whatever the gateway still cuts goes on as a job',
	},
	split: { name: 'Split', description: 'Split into segments and join the audio; never a job' },
};

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
			...splitChoices,
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
	...segmentFields,
};

type Given = InputOf<typeof longTextFields>;

/** Plain JSON: the ledger keeps it once a text of several segments is paid for in part. */
export type LongTextInput = Given & Pick<SpeakingInput, 'tokensToSpare'> & { characters: number };

export const withLength = (given: Given): LongTextInput => ({
	...given,
	characters: checkedLength(given, given.longText === 'single' ? MAX_INPUT_CHARACTERS : Infinity),
});

/** What is to be spoken of a text, part by part. */
export const speechOf = derived((input: LongTextInput): Speech => {
	const { text: source, voice } = input;
	const text = preparedText(input);
	const cut = cutIntoSegments(text, input);
	const parts = withPauses(
		cut.segments.map((segment) => ({ ...segment, voice })),
		input.pauseBetweenSegments,
	);
	return {
		parts,
		text: text.spoken.text,
		hints: hintsOn(text, input.longText === 'single'),
		wordsOf: (from, to) => source.slice(parts[from].source.start, parts[to].source.end).trim(),
	};
});
