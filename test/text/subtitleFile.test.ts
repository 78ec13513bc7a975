/* SRT and WebVTT files as text: what is spoken of them, and when. */
import fc from 'fast-check';
import { formatOf } from '../../nodes/SpeechGateway/text/format';
import { clock, takePauses } from '../../nodes/SpeechGateway/text/pauses';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { readSubtitles, scriptOfSubtitles } from '../../nodes/SpeechGateway/text/subtitleFile';
import { prepare } from './prepared';

/** What one request speaks, and when. */
const sentencesIn = (source: string) =>
	segmentPrepared(prepare(source, { textFormat: 'automatic' }), {
		maxCharacters: 1000,
	}).segments.map(({ heardAt, text }) => [heardAt, text]);

const srt = (...cues: Array<[times: string, text: string]>) =>
	cues.map(([times, text], index) => `${index + 1}\n${times}\n${text}\n`).join('\n');

const FILES: Array<[name: string, file: string, spoken: Array<[number, string]>]> = [
	[
		'SubRip, from Windows',
		'\uFEFF' +
			srt(
				['00:00:01,500 --> 00:00:03,000', '<i>Once upon a time</i>'],
				['00:00:03,100 --> 00:00:05,000', 'there was a <font color="#fff">lighthouse</font>.'],
				['00:01:02,250 --> 00:01:04,000', 'Nobody came.\nFor years & years.'],
			).replace(/\n/g, '\r\n'),
		[
			[1.5, 'Once upon a time there was a lighthouse.'],
			[62.25, 'Nobody came. For years & years.'],
		],
	],
	[
		'WebVTT with all that is not said',
		`WEBVTT - Harbour

STYLE
::cue { color: lime }

REGION
id:left width:40%

NOTE
Written at night.
12 o'clock.

opening
00:01.000 --> 00:03.000 align:start position:10% line:0
<c.loud>The ships</c> <00:00:02.000>are <lang fr>là</lang>&nbsp;&amp; safe.

NOTE for the editor

2
01:00:00.500 --> 01:00:02.000
<ruby>灯<rt>とう</rt>台<rt>だい</rt></ruby>です。
`,
		[
			[1, 'The ships are là & safe.'],
			[3600.5, '灯台です。'],
		],
	],
	[
		'rolling captions, as YouTube makes them',
		`WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.470 align:start position:0%
 
so<00:00:00.520><c> today</c><00:00:01.000><c> we</c>

00:00:02.470 --> 00:00:02.480 align:start position:0%
so today we
 

00:00:02.480 --> 00:00:05.000 align:start position:0%
so today we
sail<00:00:02.900><c> to</c><00:00:03.100><c> the</c>

00:00:05.000 --> 00:00:05.010 align:start position:0%
sail to the
 

00:00:05.010 --> 00:00:08.000 align:start position:0%
sail to the
[Music]
island<00:00:05.500><c> again</c>
`,
		[
			[0.16, 'so today we'],
			[2.48, 'sail to the'],
			[5.01, 'island again'],
		],
	],
	[
		'live captions that roll up by three lines',
		srt(
			['00:00:01,000 --> 00:00:02,000', '>> GOOD EVENING.'],
			['00:00:02,000 --> 00:00:03,000', '>> GOOD EVENING.\nTHE STORM IS'],
			['00:00:03,000 --> 00:00:04,500', '>> GOOD EVENING.\nTHE STORM IS\nNEAR.'],
			['00:00:04,500 --> 00:00:06,000', 'THE STORM IS\nNEAR.\n&gt;&gt; MARIA: IT IS LOUD.'],
		),
		[
			[1, 'GOOD EVENING.'],
			[2, 'THE STORM IS NEAR.'],
			[4.5, 'IT IS LOUD.'],
		],
	],
	[
		'words that light up one after the other, as Whisper writes them',
		srt(
			['00:00:00,000 --> 00:00:00,400', '<u>Hello</u> my friend.'],
			['00:00:00,400 --> 00:00:00,800', 'Hello <u>my</u> friend.'],
			['00:00:00,800 --> 00:00:01,300', 'Hello my <u>friend.</u>'],
			['00:00:01,300 --> 00:00:01,600', '<u>How</u> are you?'],
			['00:00:01,600 --> 00:00:02,000', 'How <u>are</u> you?'],
			['00:00:02,000 --> 00:00:02,400', 'How are <u>you?</u>'],
		),
		[
			[0, 'Hello my friend.'],
			[1.3, 'How are you?'],
		],
	],
	[
		'words that are said again',
		srt(
			['00:00:01,000 --> 00:00:02,000', 'No!'],
			['00:00:02,200 --> 00:00:03,000', 'No!'],
			['00:00:04,000 --> 00:00:05,000', 'I will not go.'],
			['00:00:06,000 --> 00:00:07,000', 'Why not?'],
			['00:00:08,000 --> 00:00:09,000', 'Because.'],
		),
		[
			[1, 'No!'],
			[2.2, 'No!'],
			[4, 'I will not go.'],
			[6, 'Why not?'],
			[8, 'Because.'],
		],
	],
	[
		'for people who cannot hear',
		srt(
			['00:00:01,000 --> 00:00:02,000', '[DOOR SLAMS]'],
			['00:00:02,500 --> 00:00:04,000', "MAN: Who's there?"],
			['00:00:04,500 --> 00:00:06,000', 'WOMAN: (whispering)\nNobody, [sighs] nobody.'],
			['00:00:06,500 --> 00:00:08,000', 'MAN [on phone]:\nNote: it is 12:30.'],
			['00:00:08,500 --> 00:00:10,000', '-[gasps] -What was that?\n-[thunder rumbling]'],
			['00:00:10,500 --> 00:00:12,000', 'FINN: Jake?'],
			['00:00:13,000 --> 00:00:15,000', '♪ Row, row your boat\ngently down the stream ♪'],
			['00:00:16,000 --> 00:00:17,000', 'WOMAN: (see page 3 of it, please.)'],
		),
		[
			[2.5, "Who's there?"],
			[4.5, 'Nobody, nobody.'],
			[6.5, 'Note: it is 12:30.'],
			[8.5, 'What was that?'],
			[10.5, 'Jake?'],
			[16, 'see page 3 of it, please.'],
		],
	],
	[
		'a talk, with applause',
		srt(
			['0:00:12.00 --> 0:00:15.00', 'Good morning. (Laughter) How are you?'],
			['0:00:16.00 --> 0:00:18.00', '(Applause)'],
			['0:00:19.00 --> 0:00:21.00', 'It has been great.\n(Applause and cheers)'],
			['0:00:22.00 --> 0:00:25.00', 'There are three (or four) themes.'],
		),
		[
			[12, 'Good morning. How are you?'],
			[19, 'It has been great.'],
			[22, 'There are three, or four, themes.'],
		],
	],
	[
		'Chinese, without full stops, numbers or a line at the end',
		'\n\n00:00:01,000 --> 00:00:03,000\n大家好 我是小明\n\n00:00:03,200 --> 00:00:05,000\n今天我们来谈谈，\n\n00:00:05,100 --> 00:00:07,000\n人工智能\n\n00:00:07,100 --> 00:00:07,900\n（音乐）\n\n00:00:08,000 --> 00:00:09,000\n很有意思',
		[
			[1, '大家好 我是小明'],
			[3.2, '今天我们来谈谈， 人工智能'],
			[8, '很有意思'],
		],
	],
	[
		'Chinese, with thoughts and sounds in parentheses',
		srt(
			['00:00:01,000 --> 00:00:02,000', '（我其实不想去但是她说必须去那里看看）'],
			['00:00:03,000 --> 00:00:04,000', '（笑声）'],
			['00:00:05,000 --> 00:00:06,000', '（小声）好。'],
		),
		[
			[1, '我其实不想去但是她说必须去那里看看'],
			[5, '好。'],
		],
	],
	[
		'Japanese, with the names of speakers',
		srt(
			['00:00:01,000 --> 00:00:03,000', '（田中）こんにちは。'],
			['00:00:04,000 --> 00:00:05,000', '♪〜'],
			['00:00:08,000 --> 00:00:10,000', '寒いですね。'],
		),
		[
			[1, 'こんにちは。'],
			[8, '寒いですね。'],
		],
	],
	[
		'German, translated by a machine',
		'1\n00: 00: 01, 000 -> 00: 00: 03, 500\nEs ist -5 Grad kalt.\n\n2\n00：00：04，000 --> 00：00：06，000\n- Minus 5?\n– Ja!\n',
		[
			[1, 'Es ist -5 Grad kalt.'],
			[4, 'Minus 5?\nJa!'],
		],
	],
	[
		'French, whose sentences trail off and go on',
		'WEBVTT\n\n00:01.000 --> 00:02.500\n« Je n’étais pas là...\n\n00:02.600 --> 00:04.000\n...ce soir-là »,\ndit-il.\n\n00:04.500 --> 00:06.000\nVraiment ?\n',
		[
			[1, '« Je n’étais pas là... ce soir-là », dit-il.'],
			[4.5, 'Vraiment ?'],
		],
	],
	[
		'Arabic and Hebrew, with marks of direction',
		srt(
			['00:00:01,000 --> 00:00:02,000', '\u202bأين كنت؟\u202c'],
			['00:00:03,000 --> 00:00:04,000', '\u200f- בבית.'],
		),
		[
			[1, 'أين كنت؟'],
			[3, 'בבית.'],
		],
	],
	[
		'of fansubs: styles, layers, any order',
		srt(
			['00:00:05,000 --> 00:00:07,000', '{\\an8}{\\i1}A long time ago{\\i0}\\Nin a house.'],
			['00:00:05,000 --> 00:00:07,000', '{\\an8}{\\i1}A long time ago{\\i0}\\Nin a house.'],
			['00:00:02,000 --> 00:00:04,000', '{i}Chapter One{/i}'],
		),
		[
			[2, 'Chapter One'],
			[5, 'A long time ago in a house.'],
		],
	],
	[
		'blank lines within cues, and none between them',
		'1\n00:00:01,000 --> 00:00:02,000\nFirst line\n\nand a second one.\n2\n00:00:03,000 --> 00:00:04,000\n3\n3\n00:00:05,000 --> 00:00:06,000\nDone.',
		[
			[1, 'First line and a second one.'],
			[3, '3'],
			[5, 'Done.'],
		],
	],
	[
		'a language model’s, in a fence',
		'Here are your subtitles:\n\n```srt\n1\n00:00:00 --> 00:00:03\nWelcome to the museum.\n\n2\n00:00:04 --> 00:00:06\nPlease follow me.\n```\n',
		[
			[0, 'Welcome to the museum.'],
			[4, 'Please follow me.'],
		],
	],
	[
		'as Whisper prints them while it listens',
		'[00:00:00.000 --> 00:00:02.400]   The tide turned\n[00:00:02.400 --> 00:00:04.000]   at nine.\n[00:01:05.000 --> 00:01:06.000]   We sailed.',
		[
			[0, 'The tide turned at nine.'],
			[65, 'We sailed.'],
		],
	],
	[
		'as Whisper prints them, with the names of speakers',
		'[00:00.000 --> 00:02.000]  Anna: Who is there?\n[00:02.500 --> 00:04.000]  Ben: Me.',
		[
			[0, 'Who is there?'],
			[2.5, 'Me.'],
		],
	],
	[
		'whose captions have places in several spellings',
		'WEBVTT\n\n00:01.000 --> 00:02.000 Position: 10% align:start\nLeft.\n\n00:03.000 --> 00:04.000 L:90% A:start snap:false\nRight.\n\n00:05.000 --> 00:06.000 X1:20 Y2:40\nBelow.\n',
		[
			[1, 'Left.'],
			[3, 'Right.'],
			[5, 'Below.'],
		],
	],
	[
		'of a stream, whose files stand one behind the other',
		'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:01.000 --> 00:02.000\nFog.\n\nWEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:07.000 --> 00:08.000\nSun.\n',
		[
			[1, 'Fog.'],
			[7, 'Sun.'],
		],
	],
	[
		'moved before its start, with a number too many at its end',
		'1\n-00:00:01,200 --> 00:00:01,000\nLand!\n\n2\n00:00:03,000 --> 00:00:04,000\nAt last.\n\n3\n',
		[
			[0, 'Land!'],
			[3, 'At last.'],
		],
	],
	[
		'a countdown that begins with the number of the next cue',
		srt(
			['00:00:01,000 --> 00:00:02,000', 'Ready?'],
			['00:00:03,000 --> 00:00:04,000', '3\n2\n1'],
			['00:00:05,000 --> 00:00:06,000', 'Go!'],
		),
		[
			[1, 'Ready?'],
			[3, '3 2 1'],
			[5, 'Go!'],
		],
	],
	[
		'a lesson on HTML, with escaped tags',
		srt(
			['00:00:01,000 --> 00:00:02,000', '&lt;i&gt;Now&lt;/i&gt; close the &lt;div&gt;.'],
			['00:00:03,000 --> 00:00:04,000', 'It is 2 &lt;3&gt; 1.'],
		),
		[
			[1, 'Now close the <div>.'],
			[3, 'It is 2 <3> 1.'],
		],
	],
	[
		'of teletext, whose songs have no notes',
		srt(
			['00:00:01,000 --> 00:00:02,000', '# Row, row your boat\nGently down the stream #'],
			['00:00:03,000 --> 00:00:04,000', 'We are #1 in the charts.'],
		),
		[[3, 'We are #1 in the charts.']],
	],
];

describe.each(FILES)('%s', (_, file, spoken) => {
	test('is recognised, and read at its times', () => {
		expect(formatOf(file)).toBe('subtitles');
		expect(sentencesIn(file)).toEqual(spoken);
	});
});

test.each([
	'We met at 00:00:05,000 --> and left.',
	'09:00 --> 10:30\nKeynote\n\n10:30 --> 11:00\nCoffee',
	'[00:00:01] Anna: Hello!\n[00:00:04] Ben: Hi.',
	'An SRT file looks like this:\n\n1\n00:00:01,000 --> 00:00:03,000\nHello!\n\nEach cue has a number, times and words.\nPlayers show them.',
	'# SRT\n\n```\n1\n00:00:01,000 --> 00:00:03,000\nHello!\n\n2\n00:00:04,000 --> 00:00:06,000\nBye!\n```\n\nThat is all.',
	'WEBVTT is a format for captions.',
	'00:00:05,000 --> 00:00:07,000 is how SRT has times.',
])('no subtitle file: %j', (text) => expect(formatOf(text)).not.toBe('subtitles'));

test.each([
	['', 'no line of times'],
	['WEBVTT', 'no line of times'],
	[srt(['00:00:01,000 --> 00:00:02,000', '[Music]']), 'no words to speak'],
	['1\nHello\n\n2\n00:00:01,000 --> 00:00:02,000\nBye.', 'Cue 1 of the subtitles has no times'],
	[
		'7\n00:00:01,000 --> 00:00:02,000\nOne.\n\n8\nTwo.\n\n9\n00:00:03,000 --> 00:00:04,000\nThree.',
		'Cue 8 of the subtitles has no times',
	],
	['00:00:02,000 --> 00:00:01,000\nOne.', 'ends before it starts: 00:00:02,000'],
	[
		'00:00:01,000 --> 00:00:02,000\nOne.\n\n00:00:0x,000 --> 00:00:04,000\nTwo.',
		'cannot be read: 00:00:0x',
	],
])('what is broken is an error: %j', (file, message) => {
	expect(() => readSubtitles(file)).toThrow(message);
});

test('a cue of nothing but a space is no sound that was left out', () => {
	const file = srt(
		['00:00:01,000 --> 00:00:02,000', '&nbsp;'],
		['00:00:03,000 --> 00:00:04,000', 'NOW: go.'],
	);
	expect(sentencesIn(file)).toEqual([[3, 'NOW: go.']]);
	expect(readSubtitles(file).notes).toEqual([]);
});

describe('speakers', () => {
	const talk = srt(
		['00:00:01,000 --> 00:00:02,000', 'Anna: Good morning,'],
		['00:00:02,100 --> 00:00:03,000', 'Anna: Ben.'],
		['00:00:04,000 --> 00:00:05,000', '[Ben] Hello.\n- And you?'],
		['00:00:06,000 --> 00:00:07,000', 'At 12:30 we go. At 12:45 we are there.'],
	);

	test('become lines of a script', () => {
		expect(scriptOfSubtitles(talk, ['Anna', 'Ben']).text).toBe(
			'[at 0:01] Anna: Good morning, Ben.\n[at 0:04] Ben: Hello.\nAnd you?\n[at 0:06] At 12:30 we go. At 12:45 we are there.',
		);
	});

	test('are left out for one voice, with a note', () => {
		expect(sentencesIn(talk)[0]).toEqual([1, 'Good morning, Ben.']);
		expect(readSubtitles(talk).notes).toEqual([
			'The names of speakers were left out, such as "Anna:" Speech → Dialogue gives each of them a voice.',
		]);
	});

	test('a word before a colon is none', () => {
		const file = srt(
			['00:00:01,000 --> 00:00:02,000', 'Remember: be there.'],
			['00:00:04,000 --> 00:00:05,000', 'The rule is simple: go.'],
			['00:00:06,000 --> 00:00:07,000', 'Paris: a dream.'],
		);
		expect(sentencesIn(file).map(([, text]) => text)).toEqual([
			'Remember: be there.',
			'The rule is simple: go.',
			'Paris: a dream.',
		]);
	});
});

describe('any file', () => {
	const word = fc.constantFrom('sea', 'Fog', 'boat,', '1,250', 'élan', '港', 'ship’s', 'tide:');
	const sentence = fc
		.array(word, { minLength: 1, maxLength: 9 })
		.map((words) => `Then ${words.join(' ')} end.`);
	const cue = fc.record({
		gap: fc.integer({ min: 501, max: 90_000 }),
		length: fc.integer({ min: 1, max: 9_000 }),
		text: sentence,
	});
	const format = fc.record({
		isVtt: fc.boolean(),
		isNumbered: fc.boolean(),
		newline: fc.constantFrom('\n', '\r\n'),
		between: fc.constantFrom('\n', '\n\n'),
		end: fc.constantFrom('', '\n'),
	});
	const time = (milliseconds: number, isVtt: boolean) =>
		new Date(milliseconds)
			.toISOString()
			.slice(11, 23)
			.replace('.', isVtt ? '.' : ',');

	test('each sentence is spoken once, at its time', () => {
		fc.assert(
			fc.property(
				fc.array(cue, { minLength: 1, maxLength: 12 }),
				format,
				(cues, { isVtt, isNumbered, newline, between, end }) => {
					let now = 0;
					const spoken: Array<[number, string]> = [];
					const blocks = cues.map(({ gap, length, text }, index) => {
						const start = now + gap;
						now = start + length;
						spoken.push([start / 1000, text]);
						const times = `${time(start, isVtt)} --> ${time(now, isVtt)}`;
						return `${isNumbered ? `${index + 1}\n` : ''}${times}\n${text.replace(' ', '\n')}`;
					});
					const file = (isVtt ? 'WEBVTT\n\n' : '') + blocks.join(`\n${between}`) + end;
					expect(sentencesIn(file.replace(/\n/g, newline))).toEqual(spoken);
				},
			),
		);
	});

	test('a time is read as it is written', () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 36_000_000 }), (milliseconds) => {
				const { pauses, written } = takePauses(`[at ${clock(milliseconds / 1000)}] Now.`);
				expect(pauses).toEqual([{ at: 0, milliseconds: 0, heardAt: milliseconds / 1000 }]);
				expect(written.text).toBe('Now.');
			}),
		);
	});
});

test('a day of cues is read in no time', () => {
	const cue = (index: number) =>
		`${index}\n${new Date(index * 2000).toISOString().slice(11, 23)} --> ${new Date(index * 2000 + 1500).toISOString().slice(11, 23)}\nThe ${index}th wave came in\n`;
	const file = Array.from({ length: 17_000 }, (_, index) => cue(index + 1)).join('\n');
	expect(readSubtitles(file).text.match(/\[at /g)).toHaveLength(17_000);
});
