/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import fc from 'fast-check';
import { formatOf } from '../../nodes/SpeechGateway/text/format';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { CORPUS } from './corpus';
import { prepare } from './prepared';

const PLAIN: Array<[what: string, text: string]> = [
	['news', 'The museum opens at nine. Tickets cost $5, children pay half.\n\nIt closes at six.'],
	['one word', 'Hello'],
	[
		'prices with stars',
		'Soup *      4.50\nSalad **    6.20\nBread       1.00\n* vegan, ** contains nuts',
	],
	['ratings', 'Hotel Anna: ***\nHotel Ben: ****\nHotel Carl: **'],
	['a table of blanks', 'Name      Age   Town\nAnna      31    Bern\nBen       29    Ulm'],
	['a table of bars', 'Anna | 31 | Bern\nBen | 29 | Ulm'],
	['a line of dashes', 'Best regards,\nAnna\n--\nExample Ltd.\n+1 555 0100'],
	['C', 'int *p = &a[0];\nfor (i = 0; i < n; i++) { *p++ = a * b ** c; }'],
	['C with includes', '#include <stdio.h>\n#define MAX 10\nif (a < b && c > d) return a[i](x);'],
	[
		'Python',
		'def __init__(self, *args, **kwargs):\n    self.x = x ** 2 if x < 3 else snake_case_name',
	],
	['JSON', '{ "text": "Hello", "tags": ["a", "b"], "n": [1](2) }'],
	['SQL', 'SELECT * FROM rows WHERE price < 5 AND count_of_items > 3;'],
	['generics', 'Map<String, List<Integer>> m = new HashMap<>(); Vec<Option<T>>'],
	['a regular expression', '^[a-z]+(?:_[a-z]+)*$ matches snake_case'],
	['mathematics', 'If a < b and b < c then a*b < b*c, so x_1 * x_2 = 2 ** 3 > 7.'],
	['LaTeX', 'We get $x_1^2 + y_2 * z = \\frac{a}{b}$ as the *only* result.'],
	['a vote', 'Yes :) <3 <3 and 5 > 4, see you at 8 <-- not later'],
	['a chat with underscores', 'anna_b: did you _really_ say that?\nben_c: i did, __init__ and all'],
	['a chat with stars', 'Anna: *waves* hi!\nBen: *nods* that is *so* true'],
	['a chat in IRC', '<Anna> Good morning!\n<Ben> Morning.\n<Anna> Did you see <that>?'],
	['placeholders', '<Name>, your order <number> is on its way to <address line 1>.'],
	['hashtags', '#sunset #beach What an evening! #1 of the year.\n#nofilter'],
	['an email', 'Hi Anna,\n\n- bring the keys\n- call Ben\n- feed the cat\n\nThanks,\nCarl'],
	['quoted mail', 'On Monday, Anna wrote:\n> Are you coming?\n> Bring cake.\n\nYes, at 3.'],
	[
		'an address in an email',
		'Anna <anna@example.com> wrote: see <https://example.com/a> and https://b.org/c_d_e.',
	],
	[
		'a recipe',
		'1. Cut the onions.\n2. Add 2 * 3 spoons of oil.\n3. Wait.\n\nIngredients:\n- onions\n- oil',
	],
	[
		'minutes',
		'Present: Anna, Ben\n\n* Budget: 3,000\n* Date: 5 May\n\nNext meeting [TBC] (see p. 3)',
	],
	[
		'a story with separators',
		'It was late.\n\n* * *\n\nMorning came.\n\n~~~\n\nNobody spoke.\n\n---\n\nThe end.',
	],
	['tone tags', '[whispering] It is late. (sad) Good night. [laughs] [1] [sic]'],
	['pause marks', '<break time="1s"/>Hello. [pause 1.5s] World.<break strength="weak"/>'],
	['SSML', '<speak><p>Hello <emphasis>dear</emphasis> world.</p><p>Bye.</p></speak>'],
	[
		'SSML with a declaration',
		'<?xml version="1.0"?>\n<speak version="1.1"><s>One.</s><s>Two.</s></speak>',
	],
	['a script', 'Anna: (happy) Good morning!\nBen [softly]: Hello, Anna.\nNarrator: They left.'],
	['dialogue with dashes', '– Are you there?\n– I am.\n- And now?\n- Now we go.'],
	['Chinese', '第三章\n\n《论语》*十二*：学而时习之，不亦说乎？价格：5*3＝15。'],
	['a poem', 'Roses are red,\n  violets are blue,\n    stars * in the sky,\n_all_ of it true.'],
	['a log', '[12:03:11] INFO: 3 < 5 (ok)\n[12:03:12] WARN: retry #2 of job_7'],
	['a price list', 'Plan A* ... $10/month\nPlan B* ... $20/month\n*) without VAT'],
	['a file name', 'Open C:\\files\\[draft](2).txt and report_final_v2.txt'],
];

const MARKDOWN: Array<[what: string, text: string]> = [
	['a heading', '# Weather\n\nIt rains.'],
	['a heading with a line below it', 'Weather\n=======\n\nIt rains.'],
	['a fence', 'Run this:\n\n```sh\nnpm install\n```\n\nThen go on.'],
	['a table', 'Prices:\n\n| Soup | Salad |\n|------|-------|\n| 4 | 6 |'],
	['a table without bars at its ends', 'Soup | Salad\n--- | :---:\n4 | 6'],
	['a link', 'See [the docs](https://example.com/a_b) for more.'],
	['a link to a file', 'Read [how to install](docs/install.md) first.'],
	['an image', '![A cat](cat.png)\n\nThis is my cat.'],
	['links by reference', 'See [the docs][1].\n\n[1]: https://example.com "Docs"'],
	["a chat model's answer", 'Here are **three** things:\n\n- **One**: rain\n- **Two**: snow'],
	['bold and code', 'Use **only** `npm ci` here.'],
	['quotes and bullets', '> It rains.\n\n- Stay in.\n- Read.'],
	['boxes', '- [x] Call Anna\n- [ ] Feed the **cat**'],
	['footnotes', 'It rains.[^1] It **snows**, too.\n\n[^1]: Says Ben.'],
	['front matter', '---\ntitle: News\ndate: 2026-05-01\n---\n\nIt **rains**.'],
	[
		'a README',
		'<p align="center"><img src="logo.png"></p>\n\n# Tool\n\n[![CI](https://ci.example.com/badge.svg)](https://ci.example.com)\n\n## Install',
	],
	['Chinese', '## 天气\n\n这是**重点**内容。'],
];

const HTML: Array<[what: string, text: string]> = [
	['a page with marks in it', '<html><body><pre>\n# a comment\n</pre>[a](/b)</body></html>'],
	['a page', '<!DOCTYPE html>\n<html><head><title>x</title></head><body># 1</body></html>'],
	[
		'a page of an e-book',
		'<?xml version="1.0"?>\n<!DOCTYPE html>\n<html xmlns="x"><body><p>One.</p></body></html>',
	],
	['a feed', '<p>It rains.</p>\n<p>Stay <a href="https://example.com">here</a>.</p>'],
	['a feed that begins with words', 'It rains. <a href="https://a.org">More</a> <b>news</b>'],
	['a feed that escapes its tags', '&lt;p&gt;It rains.&lt;/p&gt;&lt;p&gt;It snows.&lt;/p&gt;'],
	['an email', '<div dir="ltr">Hi Anna,<br><br>see you at 5 &gt; 4.<br></div>'],
	['an old email', '<!-- sent by x -->\n<TABLE width="100%"><TR><TD>Hello</TD></TR></TABLE>'],
	['one paragraph', '<p>It costs 5*3 and 4*2.'],
	['a line break at the start', '<br/>Hello'],
	['H2O', 'H<sub>2</sub>O and CO<sub>2</sub>'],
];

test.each(PLAIN)('plain: %s', (_what, text) => {
	expect(formatOf(text)).toBe('plain');
	const { notes } = prepare(text, { textFormat: 'automatic' });
	expect(notes.join()).not.toContain('was read as');
});
test.each(MARKDOWN)('Markdown: %s', (_what, text) => {
	expect([text, text.replace(/\n/g, '\r\n'), `\uFEFF${text}`].map(formatOf)).toEqual(
		Array(3).fill('markdown'),
	);
});
test.each(HTML)('HTML: %s', (_what, text) => {
	expect([text, text.replace(/\n/g, '\r\n'), ` \n${text}`].map(formatOf)).toEqual(
		Array(3).fill('html'),
	);
});

test('a text without marks is never changed', () => {
	const word = fc.oneof(
		fc.constantFrom(
			...'rain Über 天气 5 3.50 #1 * _ < > | ** a_b *so* _so_ 2*3 (a) [b] — $5 & ! ` x<y'.split(
				' ',
			),
		),
		fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*', '_', '<', '>', '.', ',', '3') }),
	);
	const text = fc
		.array(fc.tuple(word, fc.constantFrom(' ', '. ', '\n', '\n\n')), { maxLength: 30 })
		.map((words) => `Well, ${words.flat().join('')}`)
		// Two stars around words, twice: bold.
		.filter((made) => !/\*\*[^*]+\*\*|<[abps]>|<\/?[a-z]/.test(made));
	fc.assert(
		fc.property(text, (made) => {
			const { format, spoken, notes } = prepare(made, { textFormat: 'automatic' });
			expect([format, spoken.text, notes]).toEqual(['plain', made, []]);
		}),
	);
});

test.each(CORPUS)('no story in $language has marks', ({ paragraphs, space }) => {
	const text = paragraphs.map((sentences) => sentences.join(space)).join('\n\n');
	expect(formatOf(text)).toBe('plain');
});

/** Those whose marks are too few to be sure. */
const UNSURE = ['dialects', 'email-plain', 'look-alikes', 'screenplay', 'ssml-in'];
const READINGS = join(__dirname, 'readings');
test.each(readdirSync(READINGS).filter((name) => /\.(?:md|html)$/.test(name)))(
	'%s is recognised',
	(name) => {
		const ofFile = extname(name) === '.md' ? 'markdown' : 'html';
		const format = UNSURE.includes(basename(name, '.md')) ? 'plain' : ofFile;
		expect(formatOf(readFileSync(join(READINGS, name), 'utf8'))).toBe(format);
	},
);

test('a hint says what a text was read as, unless that was asked for', () => {
	const read = (textFormat: 'automatic' | 'markdown', text = '# News\n\nIt rains.') =>
		prepare(text, { textFormat });
	expect(read('automatic').notes).toEqual([expect.stringContaining('read as Markdown: ')]);
	expect(read('automatic', '<p>It rains.</p>').notes).toEqual([
		expect.stringContaining('read as HTML: '),
	]);
	expect(read('markdown').notes).toEqual([]);
	expect(read('automatic').spoken).toEqual(read('markdown').spoken);
});

describe('a reader pauses at headings', () => {
	const MARKED = '# One\n\nIt rains here.\n\n## Two\n\nIt snows there.';
	const pauses = (text: string, maxCharacters: number, cutAtHeadings = false) =>
		segmentPrepared(prepare(text, { textFormat: 'automatic' }), {
			maxCharacters,
			cutAtHeadings,
		}).segments.map((segment) => [segment.text, segment.pauseAfterMs]);
	test('where the text is cut anyway: before and after them', () => {
		expect(pauses(MARKED, 15)).toEqual([
			['One.', 700],
			['It rains here.', 700],
			['Two.', 700],
			['It snows there.', 0],
		]);
		expect(pauses(MARKED, 1000, true)).toEqual([
			['One.\n\nIt rains here.', 700],
			['Two.\n\nIt snows there.', 0],
		]);
	});
	test('no cut is made for them, and none within a paragraph counts', () => {
		expect(pauses(MARKED, 1000)).toHaveLength(1);
		expect(pauses('# One\n\nIt rains. It pours. It snows.', 16)).toEqual([
			['One.\n\nIt rains.', 0],
			['It pours.', 0],
			['It snows.', 0],
		]);
	});
	test('the longer pause counts', () => {
		expect(pauses('It rains.\n\n[pause 2s]\n\n# Two\n\nIt snows.', 1000)[0][1]).toBe(2000);
		expect(pauses('It rains.\n\n[pause 200ms]\n\n# Two\n\nIt snows.', 1000)[0][1]).toBe(700);
	});
});
