/** Timed text that is no SRT or WebVTT, names in subtitles, cues of single words, late beginnings. */
import { parseDialogue } from '../../nodes/SpeechGateway/text/dialogue';
import { received } from '../../nodes/SpeechGateway/text/received';
import { formatOf } from '../../nodes/SpeechGateway/text/format';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { readSubtitles, scriptOfSubtitles } from '../../nodes/SpeechGateway/text/subtitleFile';
import { prepare } from './prepared';

const heard = (source: string) =>
	segmentPrepared(prepare(source, { textFormat: 'automatic' }), {
		maxCharacters: 1000,
	}).segments.map(({ heardAt, text }) => [heardAt, text]);

const FILES: Array<[name: string, source: string, spoken: Array<[number, string]>]> = [
	[
		'a transcript as a player shows it',
		'0:00\nhello and welcome\n0:04\n[Music]\n0:07\nto the harbour tour\n1:02:05\nthank you\n1:02:09\nbye',
		[
			[0, 'hello and welcome'],
			[7, 'to the harbour tour'],
			[3725, 'thank you'],
			[3729, 'bye'],
		],
	],
	[
		'a transcript below its title, with full stops and blank lines',
		'Transcript\n\n0:00\n\nHello, and welcome.\n\n0:03\n\nThe tide\n\n0:05\n\nis low.\n',
		[
			[0, 'Hello, and welcome.'],
			[3, 'The tide is low.'],
		],
	],
	[
		'a transcript with times in parentheses',
		'(0:02)\nGood evening.\n(0:05)\nThe sea is calm.\n(0:11)\nSleep well.',
		[
			[2, 'Good evening.'],
			[5, 'The sea is calm.'],
			[11, 'Sleep well.'],
		],
	],
	[
		'.sbv',
		'0:00:00.500,0:00:03.000\nWe sail at dawn.\n\n0:00:03.500,0:00:06.000\nBring\na coat.\n',
		[
			[0.5, 'We sail at dawn.'],
			[3.5, 'Bring a coat.'],
		],
	],
	[
		'.sbv with speakers',
		'0:00:00.000,0:00:02.000\n>> MARTA: Who is it?\n\n0:00:02.000,0:00:04.000\n>> PAUL: Me.\n',
		[
			[0, 'Who is it?'],
			[2, 'Me.'],
		],
	],
	[
		'LRC with a head',
		'[ti:The Sea]\n[ar:Nobody]\n[00:05]The sea is wide,\n[00:09]the sky is wider\n[00:14]\n[00:20]and you are far',
		[
			[5, 'The sea is wide, the sky is wider'],
			[20, 'and you are far'],
		],
	],
	[
		'LRC with hundredths, and lines that are sung again',
		'[00:01.50]One boat at sea\n[00:04.25][00:12.00]Two boats at sea\n[00:08.00]Three boats at sea',
		[
			[1.5, 'One boat at sea'],
			[4.25, 'Two boats at sea'],
			[8, 'Three boats at sea'],
			[12, 'Two boats at sea'],
		],
	],
	[
		'a model’s plan of a video',
		'[0:00-0:05] HOOK: Did you know that the sea sings?\n[0:05-0:20] It does, at night.\n[0:20 – 0:30] CALL TO ACTION: Come and listen.',
		[
			[0, 'Did you know that the sea sings?'],
			[5, 'It does, at night.'],
			[20, 'Come and listen.'],
		],
	],
	[
		'the same in Markdown, with what is shown',
		'Here is your script:\n\n**[0:00-0:05] HOOK:** Did **you** know?\n\n**[0:05-0:20]**\n[Show a map]\nThe sea sings.\n',
		[
			[0, 'Did you know?'],
			[5, 'The sea sings.'],
		],
	],
	[
		'seconds beyond a minute',
		'(0:00–0:15) Wash the rice.\n(0:15–0:60) Boil it.',
		[
			[0, 'Wash the rice.'],
			[15, 'Boil it.'],
		],
	],
];

describe.each(FILES)('%s', (_, source, spoken) => {
	test('is recognised, and read at its times', () => {
		expect(formatOf(source)).toBe('subtitles');
		expect(heard(source)).toEqual(spoken);
		expect(heard(source.replace(/\n/g, '\r\n'))).toEqual(spoken);
		expect(heard(`\`\`\`\n${source}\n\`\`\``)).toEqual(spoken);
	});
});

/** They look like timed text and are none: a day's plan, verses, chats, results, recipes, logs, prices. */
const PROSE = [
	'7:00\nBreakfast\n8:30\nSchool\n13:00\nLunch',
	'0:00\nKick-off\n0:45\nHalf time\n1:45\nFull time',
	'0:05\nSmith scores for the home side.\n12:30\nA red card.\n88:00\nThe end.',
	'3:16 For so it is written.\n3:17 And so it was.\n3:18 Amen.',
	'[0:00] Anna: Hi.\n[0:02] Ben: Ho.\n[0:05] Anna: Bye.',
	'[10:31] anna: where are you\n[10:31] ben: here\n[10:32] anna: ok',
	'0:00 Intro\n0:15 The boat\n0:40 The sea\n1:02 The end',
	'00:00 Intro\n00:05 Boat\n00:09 Sea',
	'[9:00-9:30] Opening\n[9:30-10:15] The sea\n[10:15-10:30] Coffee',
	'[0:00-0:30] Warm up.\n[5:00-5:30] Run.\n[9:00-9:30] Rest.',
	'Score: 2:1\n0:00\nthat was it',
	'[ar: the area in acres]\nIt is 12.',
	'[00:01] start\n[00:02] stop',
	'1:30\n\n2:45\n\n3:15',
	'Mix for 0:05, then wait.\n0:10 later, stir.\n0:15 later, eat.',
	'Ratio\n1:2\nof rice and water\n1:3\nfor porridge\n1:4\nfor soup',
	'0:09\nA girl was late.\n0:03\nA boy was early.\n0:05\nNobody minded.',
	'0:12\nA late start.\n0:15\nThen on.\n0:18\nThe end.',
	'Bus 12\n0:10\n0:40\n1:10',
	'12.000,13.000\n14.000,15.000',
	'0:00:01.000,0:00:02.000 is how such a file has its times.',
	'[Script Info] is the head of a file.',
	'{1}{2} are sets.',
	'The note says [0:00-0:05] and no more.\nSo we left.',
];
test.each(PROSE)('no timed text: %j', (source) => {
	const isSet = /^\[Script Info|^\{1/.test(source);
	if (!isSet) expect(formatOf(source)).not.toBe('subtitles');
});

describe('what is recognised and not read is an error that says how to convert it', () => {
	test.each([
		['ASS', '[Script Info]\nTitle: x\n\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,Hi.'],
		['ASS', 'Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\an8}Hi.'],
		['ASS', '\uFEFF[Script Info]\r\n; made by hand\r\n'],
		['SAMI', '<SAMI>\n<BODY>\n<SYNC Start=1000><P>Hi.'],
		['MicroDVD', '{25}{75}Hi.\n{100}{150}Ho.'],
		['SCC', 'Scenarist_SCC V1.0\n\n00:00:01:00\t9420'],
		['TTML', '<?xml version="1.0"?>\n<tt xmlns="http://www.w3.org/ns/ttml"><body/></tt>'],
		['SAMI', '<SAMI><BODY><SYNC Start=1000><P>Hi.</BODY></SAMI>'],
		['XML', '<transcript><text start="0" dur="1">Hi</text></transcript>'],
		['XML', '<?xml version="1.0"?><transcript><text start="0" dur="1">Hi</text></transcript>'],
	])('%s: %j', (name, source) => {
		expect(received(source, 'automatic').format).toBe('subtitles');
		let advice = '';
		try {
			readSubtitles(source);
		} catch (error) {
			advice = `${(error as Error).message} ${(error as { description: string }).description}`;
		}
		expect(advice).toContain(`(${name})`);
		expect(advice).toMatch(/Convert it to SRT before.*"Plain Text"/);
	});
});

const srt = (...cues: Array<[times: string, text: string]>) =>
	cues.map(([times, text], index) => `${index + 1}\n${times}\n${text}\n`).join('\n');
const at = (second: number, hour = 0) =>
	`0${hour}:00:0${second},000 --> 0${hour}:00:0${second},900`;

describe('names', () => {
	test('in voice tags, whatever is in them', () => {
		const file =
			'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ben (Guest)>Hi.</v>\n\n00:03.000 --> 00:04.000\n<v Dr. [host]: A>Ho.</v>\n';
		expect(heard(file)).toEqual([
			[1, 'Hi.'],
			[3, 'Ho.'],
		]);
		const { text, names } = scriptOfSubtitles(file, []);
		expect(text).toBe('[at 0:01] Ben (Guest): Hi.\n[at 0:03] Dr. [host] A: Ho.');
		expect(names).toEqual(['ben (guest)', 'dr. [host] a']);
		const { lines } = parseDialogue('[at 0:01] Ben (Guest): Hi.', ['Ben (Guest)']);
		expect(lines).toMatchObject([{ speaker: undefined }, { speaker: 'Ben (Guest)', text: 'Hi.' }]);
	});
	test('who speaks once and is in no list is found', () => {
		const file = srt([at(1), '<v Ben>Hi.'], [at(3), '<v Carl>Ho.']);
		const { text, names } = scriptOfSubtitles(file, ['Ben']);
		expect(parseDialogue(text, ['Ben'], { named: names }).unknownSpeakers).toEqual(['Carl']);
	});
	test.each([
		['[SPEAKER_00]: Hello.', '[SPEAKER_01]: Then what?'],
		['[Speaker 1]: Hello.', '[Speaker 2] : Then what?'],
		['[Anna]: Hello.', '[Ben]: Then what?'],
		['[发言者1]: Hello.', '[发言者2]: Then what?'],
		['Anna Lee: Hello.', 'Ben Ray: Then what?'],
		['SPEAKER_00: Hello.', 'SPEAKER_01: Then what?'],
	])('%s', (one, two) => {
		expect(heard(srt([at(1), one], [at(3), two]))).toEqual([
			[1, 'Hello.'],
			[3, 'Then what?'],
		]);
	});
	test.each([
		['[MUSIC]: Hello.', ': Hello.'],
		['The Rule Is: be kind.', 'The Rule Is: be kind.'],
		['[door slams] Hello.', 'Hello.'],
		['It says [Anna]: no.', 'It says : no.'],
	])('no name: %s', (line, words) => {
		const file = srt([at(1), line], [at(3), 'No.'], [at(5), 'Yes.'], [at(7), 'So?']);
		expect(heard(file)[0]).toEqual([1, words]);
	});
});

describe('cues of single words', () => {
	const cue = (word: string, start: number, length = 0.3): [string, string] => [
		`00:00:0${start.toFixed(3).replace('.', ',')} --> 00:00:0${(start + length).toFixed(3).replace('.', ',')}`,
		word,
	];
	test('are one sentence, with full stops and without', () => {
		const words = 'The sea is wide and cold. Come in'.split(' ');
		expect(heard(srt(...words.map((word, index) => cue(word, index * 0.3))))).toEqual([
			[0, 'The sea is wide and cold.'],
			[1.8, 'Come in'],
		]);
		const bare = 'the sea is wide'.split(' ');
		expect(heard(srt(...bare.map((word, index) => cue(word, index * 0.3))))).toEqual([
			[0, 'the sea is wide'],
		]);
	});
	test('apart where a pause is between them', () => {
		const file = srt(cue('the', 0), cue('sea', 0.3), cue('is', 1), cue('wide', 1.3));
		expect(heard(file)).toEqual([
			[0, 'the sea'],
			[1, 'is wide'],
		]);
	});
});

describe('a late beginning', () => {
	test.each([1, 5])('the full hour before it is taken off: %d', (hour) => {
		const file = srt([at(4, hour), 'Hello.'], [at(8, hour), 'Bye.']);
		expect(heard(file)).toEqual([
			[4, 'Hello.'],
			[8, 'Bye.'],
		]);
		expect(readSubtitles(file).notes).toEqual([expect.stringMatching(/begin at \d:00:04/)]);
	});
	test('any other is kept, and told', () => {
		const file = srt(['01:10:00,000 --> 01:10:02,000', 'Hello.']);
		expect(heard(file)).toEqual([[4200, 'Hello.']]);
		expect(readSubtitles(file).notes).toEqual([
			expect.stringMatching(/begin at 1:10:00, so the file begins with as much silence/),
		]);
	});
	test('an hour within the file stays', () => {
		const file = srt([at(4), 'Hello.'], [at(4, 1), 'Bye.']);
		expect(heard(file)[1]).toEqual([3604, 'Bye.']);
		expect(readSubtitles(file).notes).toEqual([]);
	});
});
