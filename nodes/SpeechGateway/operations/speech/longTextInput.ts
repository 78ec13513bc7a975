import type { INodeProperties } from 'n8n-workflow';
import { segmentText } from '../../core/text/segment';
import type { Parameters } from '../../run/fields/parameters';
import { speechOptions } from '../fields';
import {
	estimateOf,
	MAX_INPUT_CHARACTERS,
	readSpeechInput,
	type SpeechInput,
} from '../speechInput';

export const LONG_TEXT = ['auto', 'split', 'job', 'single'] as const;
export type LongText = (typeof LONG_TEXT)[number];
export type SubtitleFormat = 'none' | 'srt' | 'vtt';

/** What Generate and Estimate read. Plain JSON: the ledger keeps it once a text of several segments is paid for in part. */
export interface LongTextInput extends SpeechInput {
	longText: LongText;
	maxSegmentCharacters: number;
	pauseBetweenSegments: number;
	subtitles: SubtitleFormat;
}

export function readLongText(parameters: Parameters): LongTextInput {
	const longText = parameters.choiceOption('longText', 'Long Text', LONG_TEXT, 'auto');
	return {
		...readSpeechInput(parameters, longText === 'single' ? MAX_INPUT_CHARACTERS : Infinity),
		longText,
		maxSegmentCharacters: parameters.numberOption(
			'maxSegmentCharacters',
			'Max Segment Characters',
			{ min: 1, max: MAX_INPUT_CHARACTERS, integer: true },
			1000,
		),
		pauseBetweenSegments: parameters.numberOption(
			'pauseBetweenSegments',
			'Pause Between Segments',
			{ min: 0, max: 60_000 },
			0,
		),
		subtitles: parameters.choiceOption(
			'subtitles',
			'Subtitles',
			['none', 'srt', 'vtt'] as const,
			'none',
		),
	};
}

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

export function tokensOf(input: SpeechInput): number {
	const { estimatedTokens, estimatedTokensAsJob } = estimateOf(input);
	return (input as LongTextInput).longText === 'job' ? estimatedTokensAsJob : estimatedTokens;
}

export const longTextOptions: INodeProperties[] = [
	...speechOptions,
	{
		displayName: 'Long Text',
		name: 'longText',
		type: 'options',
		default: 'auto',
		description:
			'What happens to a text that is too long for one request. The gateway cuts requests after about 100 seconds, which is enough for about 1,300 characters.',
		options: [
			{
				name: 'Automatic',
				value: 'auto',
				description:
					'Split into segments when needed; whatever the gateway still cuts goes on as a job',
			},
			{
				name: 'Job',
				value: 'job',
				description: 'One job per 10,000 characters, charged up front by the number of characters',
			},
			{
				name: 'Single Request',
				value: 'single',
				description:
					'Never split; longer texts are likely to be cut by the gateway (at most 10,000 characters)',
			},
			{
				name: 'Split',
				value: 'split',
				description: 'Split into segments and join the audio; never a job',
			},
		],
	},
	{
		displayName: 'Max Segment Characters',
		name: 'maxSegmentCharacters',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_INPUT_CHARACTERS },
		default: 1000,
		description:
			'Longest segment of a split text; the gateway recommends at most 1000. Breaks are at paragraphs and sentence ends wherever possible.',
	},
	{
		displayName: 'Pause Between Segments',
		name: 'pauseBetweenSegments',
		hint: 'Milliseconds',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 60_000 },
		default: 0,
		description: 'Silence between the segments of a split text',
	},
	{
		displayName: 'Subtitles',
		name: 'subtitles',
		type: 'options',
		default: 'none',
		description: 'A subtitle file beside the audio, in the binary field "subtitles"',
		options: [
			{ name: 'None', value: 'none' },
			{ name: 'SRT', value: 'srt', description: 'For video editors and players' },
			{ name: 'WebVTT', value: 'vtt', description: 'For web pages' },
		],
	},
];
