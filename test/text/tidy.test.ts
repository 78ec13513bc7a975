/** Plain text of "Automatic": what files, PDFs and old books bring along. */
import fc from 'fast-check';
import { prepare } from './prepared';

const read = (text: string, textFormat: 'automatic' | 'plain' = 'automatic') =>
	prepare(text, { textFormat });
const spoken = (text: string) => read(text).spoken.text;

const TIDIED: Array<[what: string, text: string, spoken: string]> = [
	[
		'entities',
		'L&#39;abitudine di Tom &amp; Jerry &#x2014; 5&nbsp;&euro;',
		"L'abitudine di Tom & Jerry — 5 €",
	],
	['entities, escaped again', 'Tom &amp;amp; Jerry&amp;#39;s', "Tom & Jerry's"],
	['soft hyphens', 'per\u00admit\u00adted per\u00ad\nmitted &shy;', 'permitted permitted '],
	['zero-width characters', '\ufeffre\ufeffad\u200bing \u2060here\u200e', 'reading here'],
	['U+FFFE', 'permit\ufffeted and permit\ufffe\nted', 'permitted and permitted'],
	['forms of Arabic letters', 'ﻣﺮﺣﺒﺎ ﷲ', 'مرحبا الله'],
	['ligatures', 'ﬁt ﬂow oﬀ eﬃcient wa\ufb04e \ufb06op', 'fit flow off efficient waffle stop'],
	[
		'lines of box characters',
		'One.\n─────────\n┌──┬──┐\nTwo.\n+---+---+\nThree.',
		'One.\n\n\nTwo.\n\nThree.',
	],
	['a hyphen at the end of a line', 'They were permit-\nted to go.', 'They were permitted to go.'],
	[
		'with indents, and CRLF',
		'unüber-\r\n  windlich und über-\r\nall',
		'unüberwindlich und überall',
	],
	['a compound', 'a well-\nknown self-\nmade e-\nmail', 'a well-known self-made e-mail'],
	[
		'a compound by what else is there',
		'A sea-bird. The sea-\nbird, and the sea-\nside.',
		'A sea-bird. The sea-bird, and the seaside.',
	],
	['a compound of three', 'state-of-\nthe-art', 'state-of-the-art'],
	[
		'names',
		'Baden-\nWürttemberg, TV-\nshow, PERMIT-\nTED',
		'Baden-Württemberg, TV-show, PERMITTED',
	],
	['clitics', 'Peut-\nêtre dit-\nil: disse-\nme', 'Peut-être dit-il: disse-me'],
	[
		'a hyphen for a word',
		'Haupt-\nund Nebensatz, pre-\nand post-war',
		'Haupt- und Nebensatz, pre- and post-war',
	],
	['numbers', 'COVID-\n19 and MP3-\r\n  files', 'COVID-19 and MP3-files'],
	['suffixes', 'seven-\nteenth, two-\nfold, mother-\nhood', 'seventeenth, twofold, motherhood'],
	['suffixes', 'He low-\nered it, all fol-\nlowing.', 'He lowered it, all following.'],
	['Russian', 'пере-\nнос и кто-\nто', 'перенос и кто-то'],
	[
		'underscores',
		'He _was_ there, “_never_,” _a long\nway_, off (_sic_).',
		'He was there, “never,” a long\nway, off (sic).'
			.replace('(sic)', ', sic')
			.replace('off , sic', 'off, sic'),
	],
];
test.each(TIDIED)('%s', (_what, text, expected) => {
	expect(spoken(text)).toBe(expected);
	expect(read(text, 'plain').written).toBe(text);
});

describe('a scene break', () => {
	test.each([
		'* * *',
		'***',
		'*',
		'⁂',
		'---',
		'- - -',
		'_____',
		'_ _ _',
		'———',
		'  *   *   *   *  ',
		'• • •',
		'~~~',
		'#',
		'◇',
		'＊　＊　＊',
	])('%j is a second of silence', (line) => {
		const { spoken: said, pauses, notes } = read(`It was late.\n\n${line}\n\nIt rained.`);
		expect(said.text.replace(/\s+/g, ' ')).toBe('It was late. It rained.');
		expect(pauses).toMatchObject([{ milliseconds: 1000 }]);
		expect(notes.join()).toContain('scene breaks');
	});
	test('none before the first words or after the last', () => {
		const { pauses, spoken: said } = read('***\n\nIt rained.\n\n* * *\n');
		expect(pauses).toEqual([]);
		expect(said.text.trim()).toBe('It rained.');
	});
});

test.each([
	'my_file_name and _private and __init__ and ____',
	'path/_drafts_/x, _config_.yml, a_b, ^_^ and >_<, f_(x)_',
	'5 * 3 = 15, 2*3*4, a - b, -5, x_1 + x_2',
	'$5 & $6, AT&T, R&D; a && b, &nothing; "&"',
	'well -\nknown, word--\nword, 1990-\n2000, ends-\n\nnew',
	'if (a < b) { c = d[e] * f(g); }\n  return x_y;',
	'C:\\dir\\file_name.txt, example.com/a_b_c?x=1&y=2',
	'** no, *so*, - item\n- other',
	'ख़ुश\u200dी 👨‍👩‍👧 می\u200cخواهم',
])('unchanged: %j', (text) => {
	const { spoken: said, notes } = prepare(text, { textFormat: 'automatic', parentheses: 'tags' });
	expect([said.text, notes]).toEqual([text, []]);
});

test('a text without marks is the same, byte for byte', () => {
	const word = fc.constantFrom(
		...'It rained, Über 天气 снег 3.50 $5 snake_case a-b — … “yes” it’s 50% #1 file.txt e.g. مطر \u200cب  é'.split(
			' ',
		),
	);
	const gap = fc.constantFrom(' ', '  ', '. ', '\n', '\r\n', '\n\n', '\t', '\u00a0');
	fc.assert(
		fc.property(fc.array(fc.tuple(word, gap), { maxLength: 40 }), (words) => {
			const text = words.flat().join('');
			fc.pre(!/-\s*\n/.test(text));
			expect(read(text)).toMatchObject({ spoken: { text }, written: text, notes: [] });
		}),
	);
});

test('one hint says what was changed, and how to have it as it stands', () => {
	expect(read('He _was_ permit-\nted.').notes).toEqual([
		expect.stringMatching(/underscores.*hyphens.*"Text Format" to "Plain Text"/),
	]);
});

test('long texts', () => {
	for (const part of [
		'_',
		'a-\n',
		'&amp;',
		'* * *\n',
		'─\n',
		'_a ',
		' ',
		'\u00ad',
		'- ',
		'a',
		'a-',
		'+-',
		'\t\n',
	])
		spoken(part.repeat(300_000 / part.length));
});
