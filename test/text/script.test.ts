/** Scripts as models, transcripts and screenplays write them. */
import { parseDialogue } from '../../nodes/SpeechGateway/text/dialogue';

const parse = (script: string, parentheses: 'tags' | 'readAloud' = 'readAloud') => {
	const parsed = parseDialogue(script, ['Anna', 'Ben', 'Person1', 'Person2', '小明'], {
		parentheses,
	});
	return { ...parsed, said: parsed.lines.map(({ speaker, text }) => [speaker, text]) };
};
const said = (script: string) => parse(script).said;

const HELLO = [
	['Anna', 'Hi there.'],
	['Ben', 'Hello!'],
];

describe('times before or behind names', () => {
	test.each([
		'[00:12] Anna: Hi there.\n[00:15] Ben: Hello!',
		'(0:12) Anna: Hi there.\n(0:15) Ben: Hello!',
		'00:12 Anna: Hi there.\n00:15 Ben: Hello!',
		'00:12 - Anna: Hi there.\n00:15 – Ben: Hello!',
		'[00:00:12.250 --> 00:00:14.000] Anna: Hi there.\n[00:00:15,000] Ben: Hello!',
		'**[00:12] Anna:** Hi there.\n**[00:15]** **Ben:** Hello!',
		'- [12s] Anna: Hi there.\n- [1m 15s] Ben: Hello!',
		'[12/05/2024, 10:31:22 PM] Anna: Hi there.\n[12/05/2024, 10:31:25 PM] Ben: Hello!',
		'12.05.24, 10:31 - Anna: Hi there.\n12.05.24, 10:32 - Ben: Hello!',
		'Anna [00:12]: Hi there.\nBen (00:15): Hello!',
		'Anna  0:12\nHi there.\n\nBen  0:15\nHello!',
		'Anna (00:12)\nHi there.\n\nBen [00:00:15]\nHello!',
		'0:12 Anna\nHi there.\n0:15 Ben\nHello!',
		'Anna:\n[00:12] Hi there.\nBen:\n[00:15] Hello!',
		'00:12\nAnna: Hi there.\n\n00:00:15.250\n\n**Ben:** Hello!',
	])('%j', (script) => {
		expect(said(script)).toEqual(HELLO);
		expect(said(script.replaceAll('\n', '\r\n'))).toEqual(HELLO);
	});
	test('a time that is said is not left out', () => {
		const script = 'Anna: 10:30 is fine.\n10:30: they left.\n9:15 was too early.';
		expect(said(script)).toEqual([['Anna', script.slice(6)]]);
	});
	test('somebody without a voice is found behind a time, too', () => {
		expect(parse('[0:01] Anna: Hi.\n[0:02] Carl: Ho.').unknownSpeakers).toEqual(['Carl']);
	});
});

test.each([
	'🎙️ Anna: Hi there.\n👨🏽‍💻 Ben: Hello!',
	'**🎙️ Anna:** Hi there.\n- **Ben 🎧**: Hello!',
	'🎤 **Anna:** Hi there.\n🎤🎤 Ben: Hello!',
])('pictures beside names: %j', (script) => {
	expect(said(script)).toEqual(HELLO);
	const third = `\n😀 Carl: Yes.\nAnna: No.\n😀 Carl: Oh.`;
	expect(parse(script + third).unknownSpeakers).toEqual(['Carl']);
});

test('a tone in emphasis, before a colon or a speech, is a tag', () => {
	expect(said('**Anna** *(laughing)*: Hi.\nBen: *sighs* No.\nAnna: *This* is _happy_.')).toEqual([
		['Anna', '(laughing) Hi.'],
		['Ben', '(sighs) No.'],
		['Anna', '*This* is _happy_.'],
	]);
});

describe('names as tags', () => {
	test.each([
		'<Anna>Hi there.</Anna><Ben>Hello!</Ben>',
		'<anna>\nHi there.\n</anna>\n\n<BEN>Hello!</BEN>',
		'<v Anna>Hi there.</v>\n<v.loud Ben>Hello!',
		'<voice name="Anna">Hi there.</voice> <voice name="Ben">Hello!</voice>',
		'<speaker id="Anna">Hi there.</speaker><speaker id=\'Ben\'>Hello!</speaker>',
	])('%j', (script) => expect(said(script)).toEqual(HELLO));
	test('with numbers, and somebody without a voice', () => {
		expect(said('<Person1>Hi.</Person1>\n<Person2>"Ho."</Person2>')).toEqual([
			['Person1', 'Hi.'],
			['Person2', '"Ho."'],
		]);
		expect(parse('<Person1>Hi.</Person1><Person3>Ho.</Person3>').unknownSpeakers).toEqual([
			'Person3',
		]);
	});
	test('other tags stay', () => {
		const script = '<Anna>Hi <b>there</b>, <whisper>you</whisper>.</Anna>';
		expect(said(script)).toEqual([['Anna', 'Hi <b>there</b>, <whisper>you</whisper>.']]);
		expect(said('Anna: <Carl>no</Carl> 1 < 2')).toEqual([['Anna', '<Carl>no</Carl> 1 < 2']]);
	});
});

describe('names above their words', () => {
	test.each([
		'ANNA\nHi there.\n\nBEN\nHello!',
		"                    ANNA\n          Hi there.\n\n                    BEN (CONT'D)\n          Hello!",
		'**ANNA**\n\nHi there.\n\n**Ben**\n\nHello!',
		'[Anna]\nHi there.\n[Ben]\nHello!',
	])('%j', (script) => expect(said(script)).toEqual(HELLO));
	test('in scripts without case', () => {
		expect(said('小明\n你好。\nANNA\nHi.')).toEqual([
			['小明', '你好。'],
			['Anna', 'Hi.'],
		]);
	});
	test('a tone below the name stays, a stage direction does not', () => {
		expect(said('ANNA\n(whispering)\nHi.\n\nBEN\n(picking up the phone)\nHo.')).toEqual([
			['Anna', '(whispering)\nHi.'],
			['Ben', 'Ho.'],
		]);
	});
	test('somebody without a voice', () => {
		expect(parse('ANNA\nHi.\n\nCARL\nHo.').unknownSpeakers).toEqual(['CARL']);
		expect(parse('ANNA\nHi.\n\nSCENE\nLater.\n\nNATO\n\nwas founded.').unknownSpeakers).toEqual([]);
	});
	test('a name in the midst of words is none', () => {
		expect(said('Anna: Who came?\nAnna\nand Ben.')).toEqual([
			['Anna', 'Who came?\nAnna\nand Ben.'],
		]);
	});
});

describe('lines that nobody says', () => {
	test.each([
		'[Intro music]',
		'[Música de introducción]',
		'(Applaus im Saal)',
		'[Звук дождя.]',
		'［掌声响起］',
		'【片头音乐】',
		'[SFX: a door opens] [footsteps]',
		'**[Musique d’ambiance]**',
		'*(leise Musik)*',
		'- [Transition]',
		'## [Segment one]',
		'♪ la la la ♪',
		'🎵',
		'*door creaks*',
		'SFX: a door opens.',
		'Musik: ruhig',
	])('%s', (line) => {
		const { said: words, leftOut } = parse(
			`${line}\nAnna: Hi there.\n${line}\nBen: Hello!\n${line}`,
		);
		expect(words).toEqual(HELLO);
		expect(leftOut.direction).toBe(line);
	});
	test('behind a name, too, but not what is a tone or a whole sentence', () => {
		expect(said('Anna: [clears desk]\nHi there.\nBen: Hello!')).toEqual(HELLO);
		expect(said('Anna: (I have no idea.)')).toEqual([['Anna', '(I have no idea.)']]);
		expect(said('Anna: [sighs]\nHi.')).toEqual([['Anna', '[sighs]\nHi.']]);
		expect(said('Anna: Hi.\n[pause 2s]\n[very softly] [thunder]\nHo.')).toEqual([
			['Anna', 'Hi.\n[pause 2s]\n[very softly]\nHo.'],
		]);
	});
	test.each([
		'*I love it!*',
		'[1]',
		'[docs](https://example.com)',
		'(1) first',
		'He (Ben) came',
		'[^1]: note',
		'**Bold words**',
	])('said: %s', (line) => {
		expect(said(`Anna: Hi.\n${line}`)).toEqual([['Anna', `Hi.\n${line}`]]);
	});
	test('brackets that are for the model stay', () => {
		const { said: words, leftOut } = parse('[Intro music]\nAnna: [beat]\nHi.', 'tags');
		expect(words).toEqual([
			[undefined, '[Intro music]'],
			['Anna', '[beat]\nHi.'],
		]);
		expect(leftOut).toEqual({ letters: 0 });
	});
});

describe('around the script', () => {
	test.each([
		'Here is the podcast script:\n\nAnna: Hi there.\nBen: Hello!',
		'Sure!\n\nAquí está el guion:\nAnna: Hi there.\nBen: Hello!',
		'**Podcast Script:**\n\n**Anna:** Hi there.\n**Ben:** Hello!',
		'Script:\nAnna: Hi there.\nBen: Hello!',
		'以下是播客脚本：\nAnna: Hi there.\nBen: Hello!',
		'Voici le script :\n```\nAnna: Hi there.\nBen: Hello!\n```',
		'Dialog:\n[Intro]\nANNA\nHi there.\n\nBEN\nHello!',
	])('a preface: %j', (script) => {
		const { said: words, leftOut, unknownSpeakers } = parse(script);
		expect([words, unknownSpeakers]).toEqual([HELLO, []]);
		expect(leftOut.preface).toMatch(/[:：]/);
	});
	test('what does not end in a colon is the narrator’s, as is a long introduction', () => {
		expect(said('It was late.\nAnna: Hi.')[0]).toEqual([undefined, 'It was late.']);
		const long = `${'It was late. '.repeat(40)}He said:`;
		expect(said(`${long}\nAnna: Hi.`)[0]).toEqual([undefined, long]);
		expect(said('Narrator: He said:\nAnna: Hi.')[0]).toEqual([undefined, 'He said:']);
	});
	test('a name within it is seen', () => {
		const { leftOut, innerName } = parse('They meet. Ben: Good evening, and so on:\nAnna: Hi.');
		expect(leftOut.preface).toContain('Ben');
		expect(innerName).toContain('Ben: Good evening');
	});
	test('fences around it, but none of code', () => {
		const { said: words, leftOut } = parse('```text\nAnna: Hi there.\nBen: Hello!\n```');
		expect(words).toEqual(HELLO);
		expect(leftOut.fence).toBe('```text');
		expect(said('~~~\nAnna: Hi there.\nBen: Hello!')).toEqual(HELLO);
		expect(said('Anna: Run\n```\nx()\n```\nnow.')).toEqual([['Anna', 'Run\n```\nx()\n```\nnow.']]);
	});
	test('a pause before a name is before the speech', () => {
		expect(said('Anna: Hi there.\n[pause 2s] Ben: Hello!')).toEqual([
			['Anna', 'Hi there.\n[pause 2s]'],
			['Ben', 'Hello!'],
		]);
	});
});

describe('who speaks must be certain', () => {
	test.each([
		'Anna: Hi. Ben: Hello!',
		'Anna: Hi. **Ben:** Hello!',
		'Anna: Hi.\\nBen: Hello!',
		'Anna: Hi. BEN (laughs): Hello!',
		'Anna: 你好。小明：再见。',
		'Once Anna: Hi.\nBen: Hello!',
		'Anna: I told you, Ben: no.',
		'Anna: Hi. Narrator: He left.',
	])('%j has a name within a line', (script) => {
		expect(parse(script).innerName).toMatch(/(?:Anna|Ben|BEN|小明|Narrator)/);
	});
	test.each([
		'Anna: Hello Ben, at 10:30: go.',
		'Anna: Big Benny: no.',
		'Anna: “Ben: no”, he read.',
		'Anna: Room Ben:30',
	])('%j has none', (script) => expect(parse(script).innerName).toBeUndefined());
	test('a script without names has none', () => {
		expect(parse('It was late.\n\nThe rule is simple: go.').hasNames).toBe(false);
		expect(parse('Narrator: It was late.').hasNames).toBe(true);
	});
});

test('long scripts', () => {
	const parts = [
		'<Anna>',
		'<v Anna>',
		'ANNA\n',
		'[00:12] ',
		'[00:12] Anna: a\n',
		'```\n',
		'[a] ',
		'(a b) ',
		'*a b*\n',
		'Anna ',
		' :\n',
		'a:\n',
		' \t',
		'1:',
		'♪ ',
		'<a ',
		'# [a]\n',
		'12m ',
	];
	for (const part of parts) parse(part.repeat(500_000 / part.length));
	for (const part of parts) parse(`Anna: ${part.repeat(500_000 / part.length)}`);
});
