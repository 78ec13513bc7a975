import fc from 'fast-check';
import { oddSegments, type SpokenSegment } from '../../nodes/SpeechGateway/speech/oddSegments';

const ENGLISH =
	'The committee met again on Thursday, and nobody was surprised that the vote was put off once more. ';
const CHINESE = '委员会星期四再次开会，投票又一次被推迟，谁也不觉得意外。';
const NUMBERS =
	'Call 030 1234567, or 0171 9876543, or 1-800-555-0199, before 17:45 on 2026-11-21. ';
const THAI = 'คณะกรรมการประชุมกันอีกครั้งเมื่อวันพฤหัสบดี และไม่มีใครแปลกใจ';

const times = (text: string, count: number) => text.repeat(count).trim();
/** What a voice takes that says so many characters a second, with silence at the edges. */
const said = (text: string, pace: number) => ({ text, seconds: [...text].length / pace + 0.6 });
const allSaid = (text: string, paces: number[]) => paces.map((pace) => said(text, pace));

const long = times(ENGLISH, 9);
const usual = allSaid(long, [14.2, 16.1, 15.3, 13.8, 15.9, 17.2]);
const letters = (count: number, seconds: number) => [{ text: 'a'.repeat(count), seconds }];

test.each<[string, SpokenSegment[], string[]]>([
	[
		'one of 0.1 s among others',
		usual.with(2, { text: long, seconds: 0.1 }),
		['Segment 3 is 0.1 s long for 890 characters; the others take about 57 s for as much text'],
	],
	[
		'one that loops, and one of which two thirds are missing',
		usual.with(0, { text: long, seconds: 171 }).with(5, { text: long, seconds: 19 }),
		['Segment 1 is 171 s long', 'Segment 6 is 19 s long'],
	],
	[
		'a short one that goes on and on',
		[...usual, { text: 'He nodded.', seconds: 30 }],
		['Segment 7 is 30 s long for 10 characters; the others take about 0.6 s for as much text'],
	],
	[
		'a slow voice’s, by its own pace',
		allSaid(times(ENGLISH, 4), [7, 7.4, 6.8, 7.1, 22]),
		['Segment 5'],
	],
	[
		'a single one, by what people can say at all',
		[{ text: long, seconds: 0.1 }],
		['The speech is 0.1 s long for 890 characters; about 55 s would be usual'],
	],
	['two seconds of text that are gone', letters(26, 0.4), ['The speech']],
	['slower than two letters a second and 5 s on top', letters(26, 18.1), ['The speech']],
	['all of many', Array.from({ length: 3 }, () => ({ text: long, seconds: 0.1 })), ['', '', '']],
])('segments far off their text are named: %s', (_, segments, expected) => {
	const found = oddSegments(segments).map(({ words }) => words);
	expect(found.map((words, index) => words.slice(0, expected[index]?.length))).toEqual(expected);
});

test.each<[string, SpokenSegment[]]>([
	['none', []],
	['paces from 11 to 19', allSaid(long, [11, 19, 15, 14, 18, 12])],
	['a slow voice', allSaid(times(ENGLISH, 4), [7, 7.4, 6.8, 7.1])],
	['Chinese', allSaid(times(CHINESE, 12), [4.2, 5.1, 4.6, 3.9])],
	['Chinese in English', [...allSaid(times(ENGLISH, 6), [15, 14, 16]), said(CHINESE, 4)]],
	[
		'English in Chinese',
		[...allSaid(times(CHINESE, 9), [4.5, 4.1, 4.9]), said(times(ENGLISH, 3), 14)],
	],
	['numbers', [...allSaid(times(ENGLISH, 6), [15, 14, 16]), said(times(NUMBERS, 4), 4)]],
	[
		'short lines of a dialogue',
		['No.', 'What?', 'Oh … well.', '(sighs) I do not know.', 'Run!', times(ENGLISH, 2)].map(
			(text, index) => ({ text, seconds: [0.4, 0.7, 3.1, 4.2, 0.5, 13][index] }),
		),
	],
	['dots and dashes only', [{ text: '… — …', seconds: 1.2 }]],
	['double speed', allSaid(long, [32])],
	['half speed', allSaid(long, [7])],
	['Thai', allSaid(THAI.repeat(5), [13])],
	['less than two seconds of text that are gone', letters(25, 0.4)],
	['two letters a second and 5 s on top', letters(26, 18)],
])('natural speech gives no alarm: %s', (_, segments) => {
	expect(oddSegments(segments)).toEqual([]);
});

const text = times(ENGLISH, 3);
const paced = (paces: number[]) => paces.map((pace) => ({ text, seconds: 261 / pace }));
const KINDS = [/ is silent for /, / begins anew after /, / s long for /];
const kindsOf = (segments: SpokenSegment[]) =>
	oddSegments(segments).map(({ index, words }) => [
		index,
		['silence', 'repetition', 'length'][KINDS.findIndex((kind) => kind.test(words))],
	]);

test('too short: more than 1.8 times the pace of at least three others, whatever its own', () => {
	const pace = fc.double({ min: 9, max: 11, noNaN: true });
	fc.assert(
		fc.property(
			fc.array(pace, { minLength: 3, maxLength: 9 }),
			fc.nat(9),
			fc.double({ min: 0.7, max: 4, noNaN: true }),
			(paces, at, times) => {
				const median = [...paces].sort((a, b) => a - b)[Math.floor(paces.length / 2)];
				fc.pre(Math.abs(times - 1.8) > 1e-6);
				const index = Math.min(at, paces.length);
				const found = kindsOf(paced(paces.toSpliced(index, 0, median * times)));
				expect(found).toEqual(times > 1.8 ? [[index, 'length']] : []);
			},
		),
	);
	// Two others know too little, and so do segments of a few words.
	expect(kindsOf(paced([10, 10, 30]))).toEqual([]);
	const words = Array.from({ length: 5 }, () => ({ text: 'Nobody knew.', seconds: 1 }));
	expect(kindsOf([...words, ...paced([10, 10, 30])])).toEqual([]);
});

test('too long, and what no voice could say', () => {
	expect(kindsOf([...paced([10, 10, 10]), { text, seconds: 80 }])).toEqual([[3, 'length']]);
	expect(kindsOf([{ text, seconds: 0.5 }])).toEqual([[0, 'length']]);
});

test.each([
	['within', { start: 5, end: 6.6 }, [[0, 'silence']]],
	['that is shorter', { start: 5, end: 6.5 }, []],
	['at the start', { start: 0.05, end: 3 }, []],
	['at the end', { start: 17, end: 19.95 }, []],
])('a pause %s', (_, pause, expected) => {
	const short = { start: 1, end: 1.4 };
	expect(kindsOf([{ text, seconds: 20, pauses: [short, pause] }])).toEqual(expected);
});

test('what would be usual is said by the pace of the others', () => {
	const [{ words }] = oddSegments(paced([10, 11, 9, 40]));
	expect(words).toContain('the others take about 26 s');
	const [silent] = oddSegments([{ text, seconds: 20, pauses: [{ start: 5, end: 8.1 }] }]);
	expect(silent.words).toBe('The speech is silent for 3.1 s, 5.0 s after its start');
});
