/* What a plan takes from where: equal requests are told apart by their numbers. */
import {
	cutIntoSegments,
	type NarrationInput,
	planner,
} from '../../nodes/SpeechGateway/speech/plan';
import type { SegmentOnRecord } from '../../nodes/SpeechGateway/requests/itemLedger';
import { fingerprintOf } from '../../nodes/SpeechGateway/text/knownSegments';
import { prepare } from '../text/prepared';

const VOICE = 'a voice';
const input = {
	model: 'fish-speech',
	responseFormat: 'mp3',
	pauseBetweenSegments: 0,
} as NarrationInput;

/** The plan of a text whose segments are divided by pauses. */
const planOf = (source: string, sent?: SegmentOnRecord[]) =>
	planner<NarrationInput>((_input, earlier) => {
		const text = prepare(source);
		const settings = {
			responseFormat: 'mp3',
			maxSegmentCharacters: 1000,
			chapters: 'none',
		} as const;
		const cut = cutIntoSegments(text, settings, earlier(VOICE, 0));
		return {
			pauseBeforeMs: 0,
			lines: [{ text, headings: [] }],
			headings: [],
			hints: [],
			text: cut.text,
			textFormat: text.format,
			segments: cut.segments.map((segment) => ({ ...segment, voice: VOICE, line: 0 })),
		};
	})({ ...input, sent });

const WORDS = 'Yes.';
const THREE = Array<string>(3).fill(WORDS).join(' [pause 1s] ');
const numbersOf = (sent?: SegmentOnRecord[]) =>
	planOf(THREE, sent).segments.map(({ number, isSent }) => [number, isSent]);

const onRecord = (number: number, isDone: boolean): SegmentOnRecord => {
	const { key = '' } = planOf(WORDS).segments[0];
	const place = { position: number, line: 0, at: 0, voice: VOICE };
	return { ...fingerprintOf(WORDS), ...place, key, number, isDone };
};

test('equal segments are numbered from 1', () => {
	expect(numbersOf()).toEqual([
		[1, false],
		[2, false],
		[3, false],
	]);
});

test('those on record come first, of these the ones with audio; then numbers that are free', () => {
	expect(numbersOf([onRecord(1, false), onRecord(3, true)])).toEqual([
		[3, true],
		[1, true],
		[2, false],
	]);
});
