import type { TextOptions } from '../../nodes/SpeechGateway/text/prepare';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { prepare } from './prepared';

const spoken = (source: string, options: Partial<TextOptions> = {}) =>
	prepare(source, options).spoken.text;
const segments = (source: string, options: Partial<TextOptions> = {}, maxCharacters = Infinity) =>
	segmentPrepared(prepare(source, options), { maxCharacters });
const pausesIn = (source: string, options: Partial<TextOptions> = {}) =>
	segments(source, options).segments.map(({ text, pauseAfterMs }) => [text, pauseAfterMs]);
const readAloud = (source: string) => spoken(source, { parentheses: 'readAloud' });
const say = (
	source: string,
	...rules: Array<[string, string, { wholeWord?: boolean; matchCase?: boolean }?]>
) =>
	spoken(source, {
		pronunciations: rules.map(([find, words, more]) => ({
			find,
			say: words,
			wholeWord: true,
			matchCase: false,
			...more,
		})),
	});

test('plain text stays as it is', () => {
	const source = '(happy) a < b, **c** & d_e [1] \n\n\t<x> &amp; <http://e.org> ';
	expect(prepare(source)).toMatchObject({ pauses: [], headings: [], notes: [] });
	expect(spoken(source)).toBe(source);
});

describe('pauses', () => {
	test.each([
		['One. [pause 1.5s] Two.', 1500],
		['One. [pause 500ms] Two.', 500],
		['One.[PAUSE 2 seconds]Two.', 2000],
		['One. [pause: 1,5 s] Two.', 1500],
		['One. <break time="1s"/> Two.', 1000],
		["One. <break time='250ms' /> Two.", 250],
		['One. <break strength="strong"/> Two.', 750],
		['One. <break time="1s"></break> Two.', 1000],
		['One. [pause 1s] <break time="1s"/> Two.', 2000],
		['One. [pause 99999s] Two.', 60_000],
	])('%s', (source, milliseconds) => {
		for (const textFormat of ['plain', 'markdown', 'html'] as const) {
			const cut = pausesIn(source, { textFormat });
			expect(cut.flat()).toEqual(['One.', milliseconds, 'Two.', 0]);
			expect(segments(source, { textFormat }).pauseBeforeMs).toBe(0);
		}
	});
	test('at both ends, and where nothing is spoken between', () => {
		const source = '[pause 1s]* * *[pause 1s]One.[pause 1s]* * *[pause 2s]';
		expect(segments(source).pauseBeforeMs).toBe(2000);
		expect(pausesIn(source)).toEqual([['* * * One. * * *', 3000]]);
	});
	test('no pause marks', () => {
		for (const mark of '[pause] ¦[pause s] ¦[pause 1] ¦[paused 1s] ¦<break '.split('¦'))
			expect(pausesIn(`One ${mark}two`, { parentheses: 'tags' })).toEqual([[`One ${mark}two`, 0]]);
		expect(pausesIn('One [pause 0s]two')).toEqual([['One two', 0]]);
	});
	test('in one request a mark is left out', () => {
		expect(spoken('One. [pause 1s] Two[pause 2s]three <break time="1s"/>four')).toBe(
			'One. Two three four',
		);
	});
	test('after paragraphs', () => {
		const pausesOf = (source: string) => pausesIn(source, { pauseAfterParagraphs: 700 }).flat();
		expect(pausesOf('\n\nOne.\nStill one.\n \nTwo.\r\n\r\nThree.\n\n')).toEqual([
			'One.\nStill one.',
			700,
			'Two.',
			700,
			'Three.',
			0,
		]);
		expect(pausesOf('One.\nTwo\nis this.\nThree.')).toEqual([
			'One.',
			700,
			'Two\nis this.',
			700,
			'Three.',
			0,
		]);
		expect(segments('* * *\n\nOne.\n\n* * *', { pauseAfterParagraphs: 700 })).toMatchObject({
			pauseBeforeMs: 0,
			segments: [{ pauseAfterMs: 0 }],
		});
		// A pause of the text's own is not made longer, unless it is the shorter one.
		expect(pausesOf('One.\n\n[pause 2s]\n\nTwo. [pause 1ms]\n\nThree.')).toEqual([
			'One.',
			2000,
			'Two.',
			700,
			'Three.',
			0,
		]);
	});
});

describe('what is left out is said once', () => {
	test.each([
		['markdown', '---\ntitle: x\n---\nText', 'front matter'],
		['markdown', '```\nx = 1\n```\n\nText\n\n```\ny = 1\n```', 'code'],
		['markdown', 'Text[^1], more[^2].\n\n[^1]: A note.', 'footnotes'],
		['markdown', 'Text\n\n[^1]: A note.', 'footnotes'],
		['markdown', 'Text 【5†source】 :contentReference[oaicite:7]{index=7}', 'sources'],
		['markdown', '![IMG_1234.jpg](a.jpg) Text ![Untitled](b.png)', 'images'],
		['automatic', '<think>Hm.</think>\n\nText', 'thoughts'],
		['automatic', 'Hm.\n</think>\n\nText', 'thoughts'],
		['html', '<pre><code>x = 1</code></pre><p>Text</p>', 'code'],
		['html', '<p>Text<sup><a href="#fn1">1</a></sup></p>', 'footnotes'],
		['html', '<img src="x.jpg" alt="x.jpg"> Text', 'images'],
		['html', '<nav>Home</nav><p>Text</p><button>Buy</button>', 'menus'],
		['html', '<p hidden>Secret</p><p>Text</p>', 'hidden elements'],
	] as const)('%s %j', (textFormat, source, note) => {
		expect(prepare(source, { textFormat }).notes).toEqual([expect.stringContaining(note)]);
	});
	test.each([
		['markdown', '# Text\n\n[A link](https://e.org) ![](a.png) ![A cat](b.png) <!-- more -->'],
		['markdown', '[a]: https://example.com\n\n---\n\n> [!NOTE]\n> - [x] Text with `code`'],
		['html', '<head><title>x</title></head><script>x()</script><p>Text</p><img src="a" alt="">'],
	] as const)('nothing is: %s %j', (textFormat, source) => {
		expect(prepare(source, { textFormat }).notes).toEqual([]);
	});
});

describe('SSML', () => {
	const source =
		'<?xml version="1.0"?>\n<speak version="1.1"><p><s>Hello <emphasis level="strong">dear</emphasis> world.</s><s>It is <say-as interpret-as="date">2024</say-as>.</s></p><amazon:effect name="whispered">psst</amazon:effect></speak>';
	test('the words stay, a note lists what was dropped', () => {
		const prepared = prepare(source);
		expect(prepared.spoken.text.trim()).toBe('Hello dear world. It is 2024.psst');
		expect(prepared.notes).toHaveLength(1);
		expect(prepared.notes[0]).toContain('<speak>, <p>, <s>, <emphasis>, <say-as>, … were left out');
	});
	test.each(['plain', 'markdown', 'html'] as const)(
		'%s: in <sub>, its words are read',
		(textFormat) => {
			const source = 'H<sub>2</sub>O and <sub alias="doctor">Dr.</sub> Who.';
			expect(spoken(source, { textFormat })).toBe('H2O and Dr. Who.');
		},
	);
	test('other tags and comparisons are text', () => {
		const text = 'if a <b and c> d then <Vec<int>> or <T> and 1 < 2 <p x> </foo>';
		expect(spoken(text)).toBe(text);
	});
});

describe('parentheses read aloud', () => {
	test.each([
		['The agency (WHO) said so.', 'The agency, WHO, said so.'],
		['It works (see page 3).', 'It works, see page 3.'],
		['Born in 1950 (or 1951), he left.', 'Born in 1950, or 1951, he left.'],
		['(happy) Hello (very sad) there (laughs).', '(happy) Hello (very sad) there (laughs).'],
		['(Happy)(in a hurry tone) Go!', '(Happy)(in a hurry tone) Go!'],
		['（开心）今天（星期一）很好。', '（开心）今天，星期一，很好。'],
		['(This is a sentence.) Next.', 'This is a sentence. Next.'],
		['(Updated) The news', 'Updated, The news'],
		['One item(s), Lehrer(innen), f(x).', 'One items, Lehrerinnen, f(x).'],
		['a (b (c) d) e', 'a, b, c, d, e'],
		['call() and ( ) and :) or 1) x', 'call() and ( ) and :) or 1) x'],
		[
			'print(name), log(n + 1), 2 * (a - b) and (a - b)^2',
			'print(name), log(n + 1), 2 * (a - b) and (a - b)^2',
		],
		['London(see the map)', 'London see the map'],
		['(un)happy', 'unhappy'],
		['It [the plan] failed.', 'It, the plan, failed.'],
		[
			'[T]he plan [of a council that met (twice) that year] failed.',
			'The plan, of a council that met, twice, that year, failed.',
		],
		['[whispering] Come [very softly] in.', '[whispering] Come [very softly] in.'],
		['他［计划］失败了。', '他，计划，失败了。'],
		['Der Plan [gemeint: der erste] scheiterte.', 'Der Plan, gemeint: der erste, scheiterte.'],
		['Он [этот план] провалился.', 'Он, этот план, провалился.'],
		[
			'a[i] list[index] [1] [12, 13] [x] [note 3] [docs](https://e.org) [docs][1]',
			'a[i] list[index] [1] [12, 13] [x] [note 3] [docs](https://e.org) [docs][1]',
		],
		['[[1]] [me@e.org] [^n] ![alt text]', '[[1]] [me@e.org] [^n] ![alt text]'],
		[
			'I met [[Anna]] at [[Bars/Blue|the bar]], if [[ -f x ]].',
			'I met Anna at the bar, if [[ -f x ]].',
		],
		['It failed (see page 3) [the plan] (again).', 'It failed, see page 3, the plan, again.'],
		['word (one) (two) word', 'word, one, two, word'],
		['He said “(no)”.', 'He said “no”.'],
		['x\n(y)\nz', 'x\ny\nz'],
	])('%s', (source, expected) => {
		expect(readAloud(source)).toBe(expected);
	});
	test('a note on many parentheses that are no tone words', () => {
		const source = '(happy) The agency (WHO) in Geneva (see page 3) was founded (1948) then.';
		const withTags = (text: string) => prepare(text, { parentheses: 'tags' }).notes;
		const [note] = withTags(source);
		expect(note).toContain('3 short parentheses');
		expect(note).toContain('(WHO)');
		expect(prepare(source, { parentheses: 'readAloud' }).notes).toEqual([]);
		expect(withTags('(happy) One. (sad) Two. (sighs) Three. (WHO) (UN)')).toEqual([]);
		expect(withTags('item(s) f(x) Lehrer(innen) g(y)')).toEqual([]);
	});
});

test('a note on brackets that are spoken where a tone tag would stand', () => {
	for (const source of ['It [the plan] failed.', 'It rains. (slowly fading) It stops.']) {
		const [note] = prepare(source).notes;
		expect(note).toContain('spoken, such as');
		expect(note).toContain('set "Words in Parentheses" to "Tone Tags"');
		expect(prepare(source, { parentheses: 'tags' }).notes).toEqual([]);
	}
	expect(prepare('It works (see page 3). [whispering] Yes.').notes).toEqual([]);
});

describe('pronunciations', () => {
	test.each([
		[say('SQL and MySQL, sql.', ['SQL', 'sequel']), 'sequel and MySQL, sequel.'],
		[say('SQL and sql', ['SQL', 'sequel', { matchCase: true }]), 'sequel and sql'],
		[say('MySQL', ['SQL', 'sequel', { wholeWord: false }]), 'Mysequel'],
		[say('New York, York', ['York', 'Jork'], ['New York', 'Big Apple']), 'Big Apple, Jork'],
		[say('a b', ['a', 'b'], ['b', 'a']), 'b a'],
		[say('İstanbul ISTANBUL istanbul', ['istanbul', 'X']), 'X X X'],
		[say('STRASSE Straße STRAẞE', ['straße', 'X']), 'X X X'],
		[say('ΟΔΟΣ οδός', ['οδος', 'X']), 'X οδός'],
		[say('cafe\u0301 café cafe', ['café', 'X']), 'X X cafe'],
		[say('cafe\u0301', ['cafe', 'X', { wholeWord: false }]), 'cafe\u0301'],
		[say('東京都の京都', ['京都', 'きょうと']), '東京都のきょうと'],
		[say('SQLを使うNATO는', ['SQL', 'シークェル'], ['nato', '나토']), 'シークェルを使う나토는'],
		[
			say('C# and C and C++', ['C#', 'C sharp'], ['C++', 'C plus plus']),
			'C sharp and C and C plus plus',
		],
		[say("NATO's o'clock", ['NATO', 'Nay-toe'], ['clock', 'X']), "Nay-toe's o'X"],
		[say('(sad) A sad man (WHO)', ['sad', 'X'], ['who', 'W H O']), '(sad) A X man, W H O'],
		[say('Dr. Who', ['Dr.', 'Doctor']), 'Doctor Who'],
		[say('$& $1', ['$1', '$&']), '$& $&'],
		[say('gone now', ['gone', '']), ' now'],
		[say('ein Wort', ['', 'x'], ['  ', 'y']), 'ein Wort'],
		[say('5kg MP3 snake_case', ['kg', 'X'], ['MP', 'Y'], ['snake', 'Z']), '5kg MP3 snake_case'],
	])('%s', (got, expected) => {
		expect(got).toBe(expected);
	});
	test('a note on words with characters that could not be read', () => {
		const note = [expect.stringContaining('"File Encoding"')];
		expect(prepare('Das ist sch\uFFFDn.').notes).toEqual(note);
		expect(prepare('\uFFFDa va ?').notes).toEqual(note);
		expect(prepare('Well done \uFFFD\uFFFD!').notes).toEqual([]);
	});

	test('written words stay the source’s', () => {
		const source = 'Use SQL (Structured Query Language). Then NoSQL or SQL.';
		const rule = { find: 'SQL', say: 'the sequel', wholeWord: true, matchCase: false };
		const cut = segments(source, { parentheses: 'readAloud', pronunciations: [rule] }, 45);
		expect(cut.segments.map(({ text, written }) => [text, written])).toEqual([
			['Use the sequel, Structured Query Language.', 'Use SQL (Structured Query Language).'],
			['Then NoSQL or the sequel.', 'Then NoSQL or SQL.'],
		]);
	});
});

test.each([
	'It is old (see part 1.)',
	'(This is a sentence.) Next one here. [The man] came. (Gone.)',
	'It is old [and cold].',
	'海很深（也很冷）。',
])('brackets at the ends of segments are shown: %s', (source) => {
	for (const maxCharacters of [26, 1000]) {
		const { segments: cut } = segments(source, { parentheses: 'readAloud' }, maxCharacters);
		expect(cut.map(({ written }) => written.trim()).join(' ')).toBe(source);
	}
});

describe('segments', () => {
	const source =
		'# The *first*\n\nA **bold** start. [pause 1s] More of it here.\n\n---\n\n## Second &amp; last\n\n- One\n- Two [docs](https://example.com)\n';
	const prepared = prepare(source, { textFormat: 'markdown' });
	const chapters = segmentPrepared(prepared, { maxCharacters: Infinity, cutAtHeadings: true });
	test('their words are all words', () => {
		for (const cutAtHeadings of [true, false]) {
			for (const maxCharacters of [10, 20, 40, Infinity]) {
				const { segments: cut } = segmentPrepared(prepared, { maxCharacters, cutAtHeadings });
				const words = cut.flatMap((one) => one.text.split(/\s+/)).join(' ');
				expect(words).toBe(
					'The first. A bold start. More of it here. Second & last. One. Two docs.',
				);
			}
		}
	});
	test('chapters', () => {
		expect(chapters.chapters).toEqual([
			{ title: 'The first', segment: 0 },
			{ title: 'Second & last', segment: 2 },
		]);
		expect(chapters.segments[2].text).toBe('Second & last.\n\nOne.\nTwo docs.');
	});
	test('nothing to speak, no segment', () => {
		for (const nothing of ['', ' ', '* * *', '[pause 1s]', '<break/>', '…'])
			expect(segments(nothing).segments).toEqual([]);
		expect(segments('```js\nx()\n```', { textFormat: 'markdown' }).segments).toEqual([]);
	});
	const titles = (text: string) => prepare(text).headings.map(({ title }) => title);
	test('lines of plain text that are chapters', () => {
		const text =
			'The Night Train\n\nIt was late.\nIt rained.\n\n[pause 1s]\n\n(softly)\n\n- milk\n\n## Two: [pause 1s] more ##\nChapter 3\nGone.\n第四章 归来\n完。\n\nAn end.\n\nSee also:\n\nYours\n\nAnna';
		const found = ['The Night Train', 'Two: more', 'Chapter 3', '第四章 归来', 'Yours'];
		expect(titles(text)).toEqual(found);
		expect(titles(text.replaceAll('\n', '\r\n'))).toEqual(found);
		expect(spoken(text)).toContain('## Two: more ##');
		const cut = segmentPrepared(prepare(text), { maxCharacters: 1000, cutAtHeadings: true });
		const openings = cut.chapters.map(({ segment }) => cut.segments[segment].text.split('\n')[0]);
		expect(openings).toEqual(found.with(1, '## Two:'));
	});
	test.each([
		'One line',
		'First.\n\nLast words',
		'A\nB\nC',
		`${'word '.repeat(40)}\n\nEnd.`,
		'Chapters are good\nThey are.',
		'Partly cloudy\nwith rain.',
		'It rang.\n\nWho was it?\n\n“Never”\n\n– Non\n\nDear Anna,\n\nGone.',
	])('no headings: %s', (text) => {
		expect(titles(text)).toEqual([]);
	});
});
