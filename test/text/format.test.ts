/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import fc from 'fast-check';
import { formatOf } from '../../nodes/SpeechGateway/text/format';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { CORPUS } from './corpus';
import { prepare } from './prepared';

const PLAIN: Array<[what: string, text: string]> = [
	[
		'prices with stars',
		'Soup *      4.50\nSalad **    6.20\nBread       1.00\n* vegan, ** contains nuts',
	],
	['a line of dashes', 'Best regards,\nAnna\n--\nExample Ltd.\n+1 555 0100'],
	['C', 'int *p = &a[0];\nfor (i = 0; i < n; i++) { *p++ = a * b ** c; }'],
	['C with includes', '#include <stdio.h>\n#define MAX 10\nif (a < b && c > d) return a[i](x);'],
	[
		'Python',
		'def __init__(self, *args, **kwargs):\n    self.x = x ** 2 if x < 3 else snake_case_name',
	],
	['mathematics', 'If a < b and b < c then a*b < b*c, so x_1 * x_2 = 2 ** 3 > 7.'],
	['a chat with stars', 'Anna: *waves* hi!\nBen: *nods* that is *so* true'],
	['a chat in IRC', '<Anna> Good morning!\n<Ben> Morning.\n<Anna> Did you see <that>?'],
	['placeholders', '<Name>, your order <number> is on its way to <address line 1>.'],
	['hashtags', '#sunset #beach What an evening! #1 of the year.\n#nofilter'],
	['quoted mail', 'On Monday, Anna wrote:\n> Are you coming?\n> Bring cake.\n\nYes, at 3.'],
	[
		'a recipe',
		'1. Cut the onions.\n2. Add 2 * 3 spoons of oil.\n3. Wait.\n\nIngredients:\n- onions\n- oil',
	],
	[
		'minutes',
		'Present: Anna, Ben\n\n* Budget: 3,000\n* Date: 5 May\n\nNext meeting [TBC] (see p. 3)',
	],
	['tone tags', '[whispering] It is late. (sad) Good night. [laughs] [1] [sic]'],
	['pause marks', '<break time="1s"/>Hello. [pause 1.5s] World.<break strength="weak"/>'],
	['SSML', '<speak><p>Hello <emphasis>dear</emphasis> world.</p><p>Bye.</p></speak>'],
	['what ends a thought', 'It says </think> before its answer, and </thought> never.'],
	['a script', 'Anna: (happy) Good morning!\nBen [softly]: Hello, Anna.\nNarrator: They left.'],
	['Chinese', '第三章\n\n《论语》*十二*：学而时习之，不亦说乎？价格：5*3＝15。'],
	...[
		'2 ** 3 ** 4 and 2**3**4',
		'x**2 + y**2 or a**b**c',
		'f(**a) + g(**b), foo(**kwargs, **more)',
		'char **argv, **envp',
		'src/**/test/**/x.ts',
		'Terms apply** and more**',
		'echo `date`',
		'cat `which node` | head -3 and tell me what you see',
		'Twice **2**3 is said',
		'- *one* thing to do',
		'SELECT `id`, `name` FROM `users`',
		'const a = `x ${y}`;',
		'C:\\_temp\\*x\\*',
		'\\(a\\*b\\*c\\) and \\alpha\\_b',
		'find . -name \\*.ts',
		'grep "a\\*b\\*"',
		'`Twas brillig o`clock',
		'echo "a<br>";\nprint("<b>x</b>");',
		'<T> and Vec<T>, a <break time="1s"/> b',
		'snake_case_name and _x_y, a*.txt and b*.txt',
		'1. Add 2 * 3 spoons\n2. Wait',
	].map((text): [string, string] => [text, text]),
];

const MARKDOWN: Array<[what: string, text: string]> = [
	['a heading', '# Weather\n\nIt rains.'],
	['a heading with a line below it', 'Weather\n=======\n\nIt rains.'],
	['a fence', 'Run this:\n\n```sh\nnpm install\n```\n\nThen go on.'],
	['a table', 'Prices:\n\n| Soup | Salad |\n|------|-------|\n| 4 | 6 |'],
	['a table without bars at its ends', 'Soup | Salad\n--- | :---:\n4 | 6'],
	['a link', 'See [the docs](https://example.com/a_b) for more.'],
	['an image', '![A cat](cat.png)\n\nThis is my cat.'],
	['links by reference', 'See [the docs][1].\n\n[1]: https://example.com "Docs"'],
	["a chat model's answer", 'Here are **three** things:\n\n- **One**: rain\n- **Two**: snow'],
	['bold and code', 'Use **only** `npm ci` here.'],
	['quotes and bullets', '> It rains.\n\n- Stay in.\n- Read.'],
	['footnotes', 'It rains.[^1] It **snows**, too.\n\n[^1]: Says Ben.'],
	['front matter', '---\ntitle: News\ndate: 2026-05-01\n---\n\nIt **rains**.'],
	['Chinese', '## 天气\n\n这是**重点**内容。'],
	...[
		'Here is the **bold** text, and more.',
		'Das **Wort** gilt, **zwei Wörter** auch.',
		'这是**重点**内容。',
		'It costs **$5**, says **“Ben”**.',
		'Run `npm install` now.',
		'运行 `npm` 命令即可',
		'\\*writer\\* is here',
		'my\\_file is here',
		'1\\. Not a list',
		'Steps:\n1. **Open** it.\n2. **Press** it.',
		'- One *really* good thing\n- Another',
		'This is ***really*** new.',
		'It rains.[^a]\n\n[^a]: Says Ben.',
		'It rains【4:0†report.pdf】.',
	].map((text): [string, string] => [text, text]),
];

const HTML: Array<[what: string, text: string]> = [
	['a page with marks in it', '<html><body><pre>\n# a comment\n</pre>[a](/b)</body></html>'],
	['a feed', '<p>It rains.</p>\n<p>Stay <a href="https://example.com">here</a>.</p>'],
	['a feed that begins with words', 'It rains. <a href="https://a.org">More</a> <b>news</b>'],
	['a feed that escapes its tags', '&lt;p&gt;It rains.&lt;/p&gt;&lt;p&gt;It snows.&lt;/p&gt;'],
	['an email', '<div dir="ltr">Hi Anna,<br><br>see you at 5 &gt; 4.<br></div>'],
	['an old email', '<!-- sent by x -->\n<TABLE width="100%"><TR><TD>Hello</TD></TR></TABLE>'],
	...[
		'He wrote <b>yes</b>.<br>Then he left.',
		'One<br/>two',
		'This is <em>it</em>.',
		'This is <b>it</b>.',
		'See <a href="https://example.org">here</a>.',
		'日本<ruby>語<rt>ご</rt></ruby>です',
	].map((text): [string, string] => [text, text]),
];

test.each(PLAIN)('plain: %s', (_what, text) => {
	const { format, notes } = prepare(text, { textFormat: 'automatic' });
	expect(format).toBe('plain');
	expect(notes.join()).not.toContain('was read as');
});
test.each(MARKDOWN)('Markdown: %s', (_what, text) => {
	for (const written of [text, text.replace(/\n/g, '\r\n'), `\uFEFF${text}`])
		expect(formatOf(written)).toBe('markdown');
});
test.each(HTML)('HTML: %s', (_what, text) => {
	for (const written of [text, text.replace(/\n/g, '\r\n'), ` \n${text}`])
		expect(formatOf(written)).toBe('html');
});

test('a text without marks is never changed', () => {
	const words = 'rain Über 天气 5 3.50 #1 * _ < > | ** a_b *so* a_so_b 2*3 f(a) [b] — $5 & ! ` x<y';
	const word = fc.oneof(
		fc.constantFrom(...words.split(' ')),
		fc.string({ unit: fc.constantFrom(...'ab *_<>.,3') }),
	);
	const text = fc
		.array(fc.tuple(word, fc.constantFrom(' ', '. ', '\n', '\n\n')), { maxLength: 30 })
		.map((words) => `Well, ${words.flat().join('')}`)
		// Two stars around words, twice: bold. Single underscores around them: italics. Nothing else on a line: a scene break.
		.filter((made) => !/(?<![\w/.\\])_[^_]+_(?!\w)|^[\s*_]*[*_][\s*_]*$/m.test(made))
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
const UNSURE = ['dialects', 'email-plain', 'look-alikes'];
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
	const pauses = (
		text: string,
		maxCharacters: number,
		cutAtHeadings = false,
		textFormat: 'automatic' | 'plain' = 'automatic',
	) =>
		segmentPrepared(prepare(text, { textFormat }), {
			maxCharacters,
			cutAtHeadings,
		}).segments.flatMap((segment) => [segment.text, segment.pauseAfterMs]);
	test('where the text is cut anyway: before and after them', () => {
		const [one, two] = ['It rains here.', 'It snows there.'];
		expect(pauses(MARKED, 15)).toEqual(['One.', 700, one, 700, 'Two.', 700, two, 0]);
		expect(pauses(MARKED, 1000, true)).toEqual([`One.\n\n${one}`, 700, `Two.\n\n${two}`, 0]);
	});
	test('no cut is made for them, and none within a paragraph counts', () => {
		expect(pauses(MARKED, 1000)).toHaveLength(2);
		const cut = pauses('# One\n\nIt rains. It pours. It snows.', 16);
		expect(cut).toEqual(['One.\n\nIt rains.', 0, 'It pours.', 0, 'It snows.', 0]);
	});
	test('before one whose mark is cut off, too', () => {
		const cut = pauses('It rains.\n\n## Twofold\n\nIt snows.', 9, false, 'plain');
		expect(cut).toEqual(['It rains.', 700, 'Twofold', 700, 'It snows.', 0]);
	});
	test('the longer pause counts', () => {
		expect(pauses('It rains.\n\n[pause 2s]\n\n# Two\n\nIt snows.', 1000)[1]).toBe(2000);
		expect(pauses('It rains.\n\n[pause 200ms]\n\n# Two\n\nIt snows.', 1000)[1]).toBe(700);
	});
});
