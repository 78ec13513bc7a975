import fc from 'fast-check';
import { countCharacters } from '../../nodes/SpeechGateway/text/characters';
import { isSpeakable, type TextSegment } from '../../nodes/SpeechGateway/text/segment';
import { cut } from './prepared';

const texts = (text: string, maxCharacters: number) =>
	cut(text, maxCharacters).map((segment) => segment.text);

/** The source put together again from the segments and what lies between them, which must be white space. */
function rebuild(source: string, segments: TextSegment[]): string {
	let rebuilt = '';
	let end = 0;
	for (const segment of segments) {
		rebuilt += source.slice(end, segment.start) + segment.text;
		expect(source.slice(end, segment.start).trim()).toBe('');
		end = segment.end;
	}
	expect(source.slice(end).trim()).toBe('');
	return rebuilt + source.slice(end);
}

const PARAGRAPH = 'A sentence of some length is here. '.repeat(17).trim();
test.each<[reason: string, text: string, limit: number, expected: string[]]>([
	[
		'paragraphs before sentences',
		`${PARAGRAPH}\n\n${PARAGRAPH}\r\n${PARAGRAPH}`,
		1000,
		[PARAGRAPH, PARAGRAPH, PARAGRAPH],
	],
	[
		'wrapped lines are no paragraphs',
		'One sentence runs over\nthe line here.\nAnother sentence runs\nover the line too.',
		40,
		['One sentence runs over\nthe line here.', 'Another sentence runs\nover the line too.'],
	],
	[
		'lines without full stops',
		'milk, two bottles\nbread, one loaf\ncheese, the old one',
		20,
		['milk, two bottles', 'bread, one loaf', 'cheese, the old one'],
	],
	[
		'clauses before words',
		'when the rain came down, we all ran home',
		25,
		['when the rain came down,', 'we all ran home'],
	],
	['clauses without spaces', '下雨的时候，我们都跑回家了', 8, ['下雨的时候，', '我们都跑回家了']],
	['words without spaces', '今天天气很好我们去公园玩吧', 8, ['今天天气很好', '我们去公园玩吧']],
	[
		'no abbreviation from its name',
		'Dr. Who and Mr. Hyde met Prof. Plum',
		12,
		['Dr. Who and', 'Mr. Hyde met', 'Prof. Plum'],
	],
	['emoji of several code points', '👨‍👩‍👧‍👦👨‍👩‍👧‍👦🇩🇪🇫🇷', 8, ['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦', '🇩🇪🇫🇷']],
	['a mark is no piece of its own', 'more!', 2, ['mo', 'r', 'e!']],
	['white space is no segment', ' \n\t\u3000\u00a0', 10, []],
	[
		'a tag stays with its sentence',
		'(happy) Good morning. (sad) Good night.',
		21,
		['(happy) Good morning.', '(sad) Good night.'],
	],
	[
		'a tag within a sentence',
		'Good morning there (in a hurry tone) my friend',
		29,
		['Good morning there', '(in a hurry tone) my friend'],
	],
	[
		'tags without spaces',
		'（开心）今天天气很好。（难过）明天下雨。',
		12,
		['（开心）今天天气很好。', '（难过）明天下雨。'],
	],
	[
		'two tags',
		'(happy)(excited) Hello there friend',
		25,
		['(happy)(excited) Hello', 'there friend'],
	],
	[
		'a tag before a paragraph',
		'word word word (laughing)\n\nword word',
		21,
		['word word word', '(laughing)\n\nword word'],
	],
	['a tag and its word fit only apart', '(happy) wonderful', 10, ['(happy)', 'wonderful']],
	['a tag that is too long is text', '(in a hurry tone) go', 9, ['(in a', 'hurry', 'tone) go']],
	[
		'marks without room leave the word that has a tag',
		'(in a hurry tone)  word ...   !',
		30,
		['(in a hurry tone)  word', '...   !'],
	],
	[
		'marks before the tag',
		'... , ... , (in a hurry tone) word',
		30,
		['... , ... ,', '(in a hurry tone) word'],
	],
	['marks before a word', '. . . . . . wonderful', 12, ['. . . . . .', 'wonderful']],
])('where it cuts: %s', (_reason, text, limit, expected) => {
	expect(texts(text, limit)).toEqual(expected);
});

test('evenly: no tiny last piece, of sentences or of a word that is too long', () => {
	const text = 'A sentence of forty characters is here. '.repeat(60).slice(0, 2100);
	const lengths = texts(text, 1000).map(countCharacters);
	expect(lengths).toHaveLength(3);
	for (const length of lengths) expect(Math.abs(length - 700)).toBeLessThan(50);
	expect(texts('x'.repeat(25), 10).map((part) => part.length)).toEqual([9, 8, 8]);
});

test('a long tag is not cut in two, nor from its word', () => {
	for (const tag of ['[laughing nervously. Trying to keep composure]', '［小声で、ゆっくり］']) {
		for (let limit = 56; limit < 80; limit++) {
			const text = `${'Some words come first, and then. '.repeat(3)}${tag} wonderful words. ${'More words. '.repeat(9)}`;
			const whole = texts(text, limit).filter((piece) => piece.includes(`${tag} wonderful`));
			expect(whole).toHaveLength(1);
		}
	}
});

describe('what cannot be spoken is no segment of its own', () => {
	const sentence = 'A sentence of some length stands here.';
	test.each(['* * *', '---', '⁂', '***', '• • •', '— — —', '~', '#', '❦', '…'])(
		'a separator: %s',
		(separator) => {
			const source = [sentence, separator, sentence, separator, sentence].join('\n\n');
			for (let limit = 10; limit < 60; limit++)
				expect([limit, texts(source, limit).filter((text) => !isSpeakable(text))]).toEqual([
					limit,
					[],
				]);
		},
	);
	test('at both ends', () => {
		const source = `* * *\n\n${sentence}\n\n${sentence}\n\n* * *`;
		expect(texts(source, 50)).toEqual([`* * *\n\n${sentence}`, `${sentence}\n\n* * *`]);
	});
	test('a text without a letter or digit', () => {
		for (const text of ['', ' ', '* * *', ...'…!? —— () ❦ # *\uFE0F \uFE0F ‼ ⁉️'.split(' ')])
			expect([text, isSpeakable(text)]).toEqual([text, false]);
		for (const text of 'a 1 你 ٣ ก ½ 🙂 ❤️ ❤ 🎙 ☎ 🇩🇪 #️⃣ 👋🏽 © ™'.split(' '))
			expect([text, isSpeakable(text)]).toEqual([text, true]);
	});
	test('in any text where a neighbour has room', () => {
		const pieces = ['Word here.', 'more of it', '* * *', '—', '…', '\n\n', '\n', ' ', '“', '!'];
		const text = fc
			.array(fc.constantFrom(...pieces), { maxLength: 60 })
			.map((list) => list.join(' '));
		fc.assert(
			fc.property(text, fc.integer({ min: 40, max: 80 }), (source, limit) => {
				const longest = Math.max(0, ...source.split(/[\p{L}\p{N}]+/u).map((part) => part.length));
				fc.pre(isSpeakable(source) && longest < limit / 2);
				expect(texts(source, limit).filter((part) => !isSpeakable(part))).toEqual([]);
			}),
			{ numRuns: 500 },
		);
	});
});

const TAGS = ['(happy)', '(in a hurry tone)', '（开心）', '(soft-spoken voice)'];
const WORDS = 'word Ende. 好。 我们去 สวัสดี 안녕 मैं। مرحبا؟ e.g. 3.14 “ ” ...'.split(' ');
const EMOJI = ['👨‍👩‍👧‍👦', '👍🏽', '🇩🇪', 'e\u0301', '\u0301', '\u200d', '\ufe0f', '\u0600'];
const ODD = [...EMOJI, 'क्षि', '각', '\ud83d', '\udc4d', '\r'];
const anyText = fc
	.array(
		fc.oneof(
			{ weight: 4, arbitrary: fc.constantFrom(...WORDS) },
			{ weight: 3, arbitrary: fc.constantFrom(' ', ' ', '\n', '\r\n', '\n\n', '\t', '\u3000') },
			{ weight: 2, arbitrary: fc.constantFrom(...TAGS) },
			{ weight: 2, arbitrary: fc.constantFrom(...ODD) },
			{ weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
			{ weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
		),
		{ maxLength: 120 },
	)
	.map((pieces) => pieces.join(''));
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

test('any text: complete, in order, within the limit, never inside a cluster or a tag', () => {
	fc.assert(
		fc.property(anyText, fc.integer({ min: 1, max: 60 }), (source, maxCharacters) => {
			const segments = cut(source, maxCharacters);
			expect(rebuild(source, segments)).toBe(source);
			if (source.trim() === '') expect(segments).toEqual([]);
			for (const segment of segments) {
				expect(source.slice(segment.start, segment.end)).toBe(segment.text);
				expect(segment.text.trim()).not.toBe('');
				expect(countCharacters(segment.text)).toBeLessThanOrEqual(maxCharacters);
			}
			const edges = segments.slice(1).flatMap((segment, i) => [segments[i].end, segment.start]);
			const inside = (start: number, end: number) =>
				edges.filter((edge) => edge > start && edge < end);
			for (const { segment, index } of graphemes.segment(source)) {
				if (countCharacters(segment) > maxCharacters) continue;
				expect(inside(index, index + segment.length)).toEqual([]);
			}
			for (const tag of TAGS) {
				if (countCharacters(tag) + 2 > maxCharacters) continue;
				for (let at = source.indexOf(tag); at >= 0; at = source.indexOf(tag, at + 1)) {
					// Right behind a letter, as in `item(s)`, it is no tag.
					if (/[\p{L}\p{M}\p{N}]$/u.test(source.slice(0, at))) continue;
					// Marks combine with the closing bracket: then the tag ends with the cluster.
					const last = graphemes.segment(source).containing(at + tag.length - 1);
					if (countCharacters(last!.segment) === 1) expect(inside(at, at + tag.length)).toEqual([]);
				}
			}
		}),
		{ numRuns: 500 },
	);
});

test('words that fit are never cut, nor a tag from its word', () => {
	const words = ['word', "don't", '3.14', 'me@example', 'either/or', 'слово'];
	const unit = fc.oneof(
		{ weight: 3, arbitrary: fc.constantFrom(...words) },
		{ weight: 1, arbitrary: fc.constantFrom('(happy) ', '(in a hurry tone) ') },
		{ weight: 2, arbitrary: fc.constantFrom(' ', ', ', '. ', '!\n', '” “', '...') },
	);
	const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
	const wordsIn = (source: string) =>
		[...segmenter.segment(source)].flatMap(({ isWordLike, segment }) =>
			isWordLike ? segment : [],
		);
	const text = fc.array(unit, { maxLength: 80 }).map((units) => units.join(' '));
	fc.assert(
		fc.property(text, fc.integer({ min: 30, max: 60 }), (source, limit) => {
			const cut = texts(source, limit);
			expect(cut.flatMap(wordsIn)).toEqual(wordsIn(source));
			// Only a row of tags that is too long by itself ends with a tag.
			if (/\)\s+\(/.test(source)) return;
			for (const piece of cut.slice(0, -1)) expect(piece).not.toMatch(/\)$/);
		}),
		{ numRuns: 300 },
	);
});

test('characters are code points', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), (source) => {
			expect(countCharacters(source)).toBe([...source].length);
		}),
	);
	expect(countCharacters('a\ud83d\ud83d\ude00')).toBe(3);
});

test('an ordinal behind a German article is not cut from its word', () => {
	const text = 'Der Wind kam am 3. Oktober ganz still und leise.';
	for (let limit = 12; limit < text.length; limit++)
		expect(cut(text, limit).map((one) => one.text)).not.toContainEqual(
			expect.stringMatching(/3\.$/),
		);
});
