import { MAX_INPUT_CHARACTERS } from '../core/limits';
import type { InputOf } from './field';
import { choiceOption, flagOption, numberOption } from './kinds';
import { pauseOption } from './shared';
import { previousField, speakAgainField } from './previous';

export const cutFields = {
	maxSegmentCharacters: numberOption({
		displayName: 'Max Segment Characters',
		name: 'maxSegmentCharacters',
		min: 1,
		max: MAX_INPUT_CHARACTERS,
		integer: true,
		default: 1000,
		description:
			'Maximum length of the segments of a long text, which end with a sentence where possible; the gateway recommends 1,000',
	}),
	pauseBetweenSegments: pauseOption({
		displayName: 'Pause Between Segments',
		name: 'pauseBetweenSegments',
		description: 'Silence between the segments of a long text',
	}),
	previousBinaryPropertyName: previousField,
	speakAgainAt: speakAgainField,
};

export const segmentFields = {
	...cutFields,
	subtitles: choiceOption({
		displayName: 'Subtitles',
		name: 'subtitles',
		default: 'srt',
		unset: 'none',
		description: 'A subtitle file to go with the audio, in the binary field "subtitles"',
		choices: {
			none: { name: 'None' },
			srt: { name: 'SRT', description: 'For video editors and players' },
			vtt: { name: 'WebVTT', description: 'For web pages' },
		},
	}),
	retakeOddSegments: numberOption({
		displayName: 'Retake Odd Segments',
		name: 'retakeOddSegments',
		min: 0,
		max: 2,
		integer: true,
		default: 0,
		description:
			'How often a segment that is far too short or falls silent is spoken, and charged, again; the take nearest to the pace of the others is kept (not for jobs)',
	}),
	timings: flagOption({
		displayName: 'Timings',
		name: 'timings',
		default: false,
		description:
			'Whether to output when each part of the text starts and ends, in seconds, in the field "parts"',
	}),
};

export type SegmentValues = InputOf<typeof segmentFields>;

/** Descriptions of `auto` and `split` in all operations that have them. */
export const splitChoices = {
	auto: {
		name: 'Automatic',
		description:
			'Split into segments when needed; a segment that still takes too long becomes a job',
	},
	split: { name: 'Split', description: 'Split into segments when needed, but never use a job' },
};
