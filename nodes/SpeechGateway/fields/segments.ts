import { MAX_INPUT_CHARACTERS } from '../core/limits';
import { clockSeconds } from '../core/timestamp';
import { ADDED, type InputOf, option, optional } from './field';
import { choiceOption, type FileRef, flagOption, isFile, numberOption } from './kinds';
import { pauseOption } from './shared';
import { InputError } from '../core/errors';

/** 3723.5, 62:03.5 or 1:02:03.5. */
const CLOCK_TIME = /^\d+(?::[0-5]?\d){0,2}(?:\.\d+)?$/;

/** A time in seconds. Throws InputError. */
function secondsOf(text: string, label: string): number {
	if (CLOCK_TIME.test(text)) return clockSeconds(text);
	throw new InputError(
		`"${label}" must be times such as 1:02 or 62.5, but has ${JSON.stringify(text)}`,
	);
}

/**
 * Options that decide into which segments a text is split, and which of them are taken from an earlier file instead of
 * sent.
 */
export const cutFields = {
	maxSegmentCharacters: numberOption({
		displayName: 'Max Segment Characters',
		name: 'maxSegmentCharacters',
		min: 1,
		max: MAX_INPUT_CHARACTERS,
		integer: true,
		// As the gateway's document recommends: about 1,300 characters come near its limit of 100 seconds.
		default: 1000,
		description:
			'A long text is sent in parts of at most this length, cut between sentences where possible; the gateway recommends 1,000',
	}),
	pauseBetweenSegments: pauseOption({
		displayName: 'Pause Between Segments',
		name: 'pauseBetweenSegments',
		description: 'Silence between the segments of a long text',
	}),
	/**
	 * An earlier file of the same text. Empty: the option was added, but there is no such file yet; the new file then
	 * gets a record of its segments even if it has a single segment.
	 */
	previousBinaryPropertyName: option<FileRef | undefined>(
		{
			displayName: 'Previous Version',
			name: 'previousBinaryPropertyName',
			type: 'string',
			default: '',
			placeholder: 'e.g. previous',
			description:
				'Binary field with audio that this node made of this text before (several: with commas); only what you have changed is spoken and charged; empty: there is none yet',
		},
		undefined,
		(value) => (value === undefined || isFile(value) ? value : String(value ?? '').trim()),
	),
	/** Times in the previous version, as a listener notes them, in seconds. */
	speakAgainAt: option<number[]>(
		{
			displayName: 'Speak Again At',
			name: 'speakAgainAt',
			displayOptions: { show: { previousBinaryPropertyName: ADDED } },
			type: 'string',
			default: '',
			placeholder: 'e.g. 1:02, 3:25.5',
			description:
				'Times in the previous version, with commas between them; what is heard there is spoken again, even if its text is the same',
		},
		[],
		(value, label) => {
			const times: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(/[,;\n]/);
			return times.flatMap((time) => {
				const text = String(time).trim();
				return text === '' && !Array.isArray(value) ? [] : secondsOf(text, label);
			});
		},
	),
};

/** Options of all that speaks in segments: how to split a text, and what to say of the times at which it is heard. */
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
	captionCharacters: optional(
		numberOption({
			displayName: 'Characters per Caption',
			name: 'captionCharacters',
			min: 8,
			// All that two usual lines of 42 would hold.
			max: 84,
			integer: true,
			default: 20,
			description:
				'For short captions of one line, as in videos on phones: how long they may be; without this option, there are two lines of 42 characters',
			displayOptions: { show: { subtitles: ['srt', 'vtt'] } },
		}),
	),
	timings: flagOption({
		displayName: 'Timings',
		name: 'timings',
		default: false,
		description:
			'Whether to output when each sentence or line starts and ends, in seconds, in the field "parts"',
	}),
};

/** The values of `segmentFields`; pauses in ms, times in seconds. */
export type SegmentValues = InputOf<typeof segmentFields>;
