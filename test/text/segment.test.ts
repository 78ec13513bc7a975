import fc from 'fast-check';
import {
	countCharacters,
	segmentText,
	type TextSegment,
} from '../../nodes/SpeechGateway/text/segment';

const texts = (text: string, maxCharacters: number) =>
	segmentText(text, { maxCharacters }).map((segment) => segment.text);

/** The source put together again from the segments and what lies between them, which must be white space. */
function rebuild(source: string, segments: TextSegment[]): string {
	let rebuilt = '';
	let end = 0;
	for (const segment of segments) {
		const between = source.slice(end, segment.start);
		expect(between.trim()).toBe('');
		rebuilt += between + segment.text;
		end = segment.end;
	}
	expect(source.slice(end).trim()).toBe('');
	return rebuilt + source.slice(end);
}

describe('sentences, by language', () => {
	// Each list holds whole sentences (or lines): with a limit that no two of them share, they must come back as they are.
	const SENTENCES = `
English: The weather is fine today. | Shall we take a walk? | Then come along now!
abbreviations: Dr. Smith met Mrs. Jones, e.g. in the U.S. or so. | J. R. R. Tolkien wrote a very long book there.
decimals: It costs 3.14 dollars or 1,000.50 euros. | Version 2.0.1 came out at 10:30 today.
German: Das gilt z. B. am 3. Oktober bzw. d. h. immer. | Prof. Müller sagte „Hallo!“ und ging dann weg.
quotes and brackets: He said “I know it all.” | (She had left an hour ago.) | "What?" he cried out loud.
French: « Bonjour, mes amis ! » | Il est parti hier soir. | Où est-elle allée ?
Spanish: ¿Dónde está la biblioteca? | ¡No lo sé, perdone usted! | Gracias de todos modos.
ellipses: Wait... what did you say . . . then? | I do not know it, really, I do not!
Chinese: 今天天气很好，我们去公园玩吧。 | “你明天来吗？” | 我想我会来的！
Chinese with brackets: 他说完就走了。 | （开心）明天见吧！ | 我们再见面吧……
Japanese: 人工知能は世界を変えています。 | 「それは本当ですか？」 | はい、本当にそうです。
Korean: 안녕하세요. | 오늘은 날씨가 정말 좋네요. | 같이 산책할까요?
Thai: วันนี้อากาศดีมาก | เราไปเที่ยวกันเถอะ | พรุ่งนี้เจอกันนะ
Arabic: مرحبا بك في المدينة. | كيف حالك اليوم يا صديقي؟ | أنا بخير، شكرا لك.
Hindi: मैं घर जा रहा हूँ। | तुम आज कहाँ जा रहे हो? | क्षत्रिय वहाँ रहता है।
Russian: А. С. Пушкин родился в Москве. | Это было давно, и т. д. и т. п. всё.
mixed scripts: I said 你好 to everyone there. | そして Tokyo へ行きました。 | Всё хорошо, okay?
`;
	test.each(SENTENCES.trim().split('\n'))('%s', (row) => {
		const [, language, text] = /^(.+?): (.+)$/.exec(row)!;
		const sentences = text.split(' | ');
		const space = /Chinese|Japanese/.test(language) ? '' : ' ';
		const limit = Math.max(...sentences.map(countCharacters));
		// Sentences shorter than half the limit may share a segment, but none may be cut.
		const cut = texts(sentences.join(space), limit);
		expect(cut.join(space)).toBe(sentences.join(space));
		let rest = [...sentences];
		for (const segment of cut) {
			const count = rest.findIndex((_, i) => rest.slice(0, i + 1).join(space) === segment) + 1;
			expect([segment, count]).toEqual([segment, expect.any(Number)]);
			expect(count).toBeGreaterThan(0);
			rest = rest.slice(count);
		}
	});
});

describe('where it cuts', () => {
	test('paragraphs before sentences', () => {
		const paragraph = 'A sentence of some length is here. '.repeat(17).trim();
		expect(texts([paragraph, paragraph, paragraph].join('\n\n'), 1000)).toEqual([
			paragraph,
			paragraph,
			paragraph,
		]);
		expect(texts([paragraph, paragraph].join('\r\n'), 1000)).toEqual([paragraph, paragraph]);
	});
	test('wrapped lines are no paragraphs', () => {
		const wrapped =
			'One sentence runs over\nthe line here.\nAnother sentence runs\nover the line too.';
		expect(texts(wrapped, 40)).toEqual([
			'One sentence runs over\nthe line here.',
			'Another sentence runs\nover the line too.',
		]);
	});
	test('lines without full stops', () => {
		expect(texts('milk, two bottles\nbread, one loaf\ncheese, the old one', 20)).toEqual([
			'milk, two bottles',
			'bread, one loaf',
			'cheese, the old one',
		]);
	});
	test('clauses before words', () => {
		expect(texts('when the rain came down, we all ran home', 25)).toEqual([
			'when the rain came down,',
			'we all ran home',
		]);
		expect(texts('下雨的时候，我们都跑回家了', 8)).toEqual(['下雨的时候，', '我们都跑回家了']);
	});
	test('words, also where none are spaced', () => {
		expect(texts('今天天气很好我们去公园玩吧', 8)).toEqual(['今天天气很好', '我们去公园玩吧']);
		for (const word of texts('วันนี้อากาศดีมากเราไปเที่ยวกันเถอะ', 12)) {
			expect('วันนี้ อากาศ ดีมาก เรา ไป เที่ยว กัน เถอะ'.replace(/ /g, '')).toContain(word);
		}
		expect(texts('Dr. Who and Mr. Hyde met Prof. Plum', 12)).toEqual([
			'Dr. Who and',
			'Mr. Hyde met',
			'Prof. Plum',
		]);
	});
	test('a word beyond the limit, evenly at grapheme boundaries', () => {
		expect(texts('x'.repeat(25), 10).map((part) => part.length)).toEqual([9, 8, 8]);
		expect(texts('👨‍👩‍👧‍👦👨‍👩‍👧‍👦🇩🇪🇫🇷', 8)).toEqual(['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦', '🇩🇪🇫🇷']);
	});
	test('a grapheme cluster beyond the limit gives way to the limit', () => {
		const parts = texts('e' + '\u0301'.repeat(9), 4);
		expect(parts.every((part) => countCharacters(part) <= 4)).toBe(true);
		expect(parts.join('')).toBe('e' + '\u0301'.repeat(9));
	});
	test('evenly, not a tiny last one', () => {
		const text = 'A sentence of forty characters is here. '.repeat(60).slice(0, 2100);
		const lengths = texts(text, 1000).map(countCharacters);
		expect(lengths).toHaveLength(3);
		for (const length of lengths) expect(Math.abs(length - 700)).toBeLessThan(50);
	});
	test('white space only is no segment', () => {
		expect(texts(' \n\t\u3000\u00a0', 10)).toEqual([]);
		expect(texts('', 10)).toEqual([]);
	});
});

describe('emotion tags', () => {
	test.each([
		['(happy) Good morning. (sad) Good night.', 21, ['(happy) Good morning.', '(sad) Good night.']],
		[
			'Good morning there (in a hurry tone) my friend',
			29,
			['Good morning there', '(in a hurry tone) my friend'],
		],
		[
			'（开心）今天天气很好。（难过）明天下雨。',
			12,
			['（开心）今天天气很好。', '（难过）明天下雨。'],
		],
		['(happy)(excited) Hello there friend', 25, ['(happy)(excited) Hello', 'there friend']],
		['word word word (laughing)\n\nword word', 21, ['word word word', '(laughing)\n\nword word']],
		// The tag and its word fit only apart.
		['(happy) wonderful', 10, ['(happy)', 'wonderful']],
		// Longer than a segment: ordinary text.
		['(in a hurry tone) go', 9, ['(in a', 'hurry', 'tone) go']],
	])('%s', (text, limit, expected) => {
		expect(texts(text, limit)).toEqual(expected);
	});
});

describe('properties', () => {
	const TAGS = ['(happy)', '(in a hurry tone)', '（开心）', '(soft-spoken voice)'];
	const piece = fc.oneof(
		{
			weight: 4,
			arbitrary: fc.constantFrom(
				...'word Ende. 好。 我们去 สวัสดี 안녕 मैं। مرحبا؟ e.g. 3.14 “ ” ...'.split(' '),
			),
		},
		{ weight: 3, arbitrary: fc.constantFrom(' ', ' ', '\n', '\r\n', '\n\n', '\t', '\u3000') },
		{ weight: 2, arbitrary: fc.constantFrom(...TAGS) },
		{
			weight: 2,
			arbitrary: fc.constantFrom(
				'👨‍👩‍👧‍👦',
				'👍🏽',
				'🇩🇪',
				'e\u0301',
				'\u0301',
				'\u200d',
				'\ufe0f',
				'\u0600',
				'क्षि',
				'각',
				'\ud83d',
				'\udc4d',
				'\r',
			),
		},
		{ weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
		{ weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
	);
	const text = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(''));
	const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

	test('complete, in order, within the limit, never inside a cluster or a tag', () => {
		fc.assert(
			fc.property(text, fc.integer({ min: 1, max: 60 }), (source, maxCharacters) => {
				const segments = segmentText(source, { maxCharacters });
				expect(rebuild(source, segments)).toBe(source);
				if (source.trim() === '') expect(segments).toEqual([]);
				for (const segment of segments) {
					expect(source.slice(segment.start, segment.end)).toBe(segment.text);
					expect(segment.text.trim()).not.toBe('');
					expect(countCharacters(segment.text)).toBeLessThanOrEqual(maxCharacters);
				}
				const edges = segments.slice(1).flatMap((segment, i) => [segments[i].end, segment.start]);
				for (const { segment, index } of graphemes.segment(source)) {
					if (countCharacters(segment) > maxCharacters) continue;
					const end = index + segment.length;
					expect(edges.filter((edge) => edge > index && edge < end)).toEqual([]);
				}
				for (const tag of TAGS) {
					if (countCharacters(tag) + 2 > maxCharacters) continue;
					for (let at = source.indexOf(tag); at >= 0; at = source.indexOf(tag, at + 1)) {
						// Right behind a letter, as in `item(s)`, it is no tag.
						if (/[\p{L}\p{M}\p{N}]$/u.test(source.slice(0, at))) continue;
						// Marks combine with the closing bracket: then the tag ends with the cluster.
						const inside = edges.filter((edge) => edge > at && edge < at + tag.length);
						const afterLong = graphemes.segment(source).containing(at + tag.length - 1);
						if (countCharacters(afterLong!.segment) === 1) expect(inside).toEqual([]);
					}
				}
			}),
			{ numRuns: 500 },
		);
	});

	test('a tag stays with its word, and a word in one piece, when the marks beside them have no room', () => {
		expect(texts('(in a hurry tone)  word ...   !', 30)).toEqual([
			'(in a hurry tone)  word',
			'...   !',
		]);
		expect(texts('... , ... , (in a hurry tone) word', 30)).toEqual([
			'... , ... ,',
			'(in a hurry tone) word',
		]);
		expect(texts('. . . . . . wonderful', 12)).toEqual(['. . . . . .', 'wonderful']);
	});

	test('words that fit are never cut, nor a tag from its word', () => {
		const unit = fc.oneof(
			{
				weight: 3,
				arbitrary: fc.constantFrom('word', "don't", '3.14', 'me@example', 'either/or', 'слово'),
			},
			{ weight: 1, arbitrary: fc.constantFrom('(happy) ', '(in a hurry tone) ') },
			{ weight: 2, arbitrary: fc.constantFrom(' ', ', ', '. ', '!\n', '” “', '...') },
		);
		const wordsIn = (source: string) =>
			[...new Intl.Segmenter('en', { granularity: 'word' }).segment(source)]
				.filter((word) => word.isWordLike)
				.map((word) => word.segment);
		fc.assert(
			fc.property(
				fc.array(unit, { maxLength: 80 }),
				fc.integer({ min: 30, max: 60 }),
				(units, limit) => {
					const source = units.join(' ');
					const cut = texts(source, limit);
					expect(cut.flatMap(wordsIn)).toEqual(wordsIn(source));
					// Only a row of tags that is too long by itself ends with a tag.
					for (const piece of cut.slice(0, -1)) {
						if (!/\)\s+\(/.test(source)) expect(piece).not.toMatch(/\)$/);
					}
				},
			),
			{ numRuns: 300 },
		);
	});

	test('sentences that fit are never cut', () => {
		const sentence = fc
			.array(fc.constantFrom('some', 'words', 'and', 'others', 'here'), {
				minLength: 2,
				maxLength: 9,
			})
			.map((list) => `${list.join(' ')[0].toUpperCase()}${list.join(' ').slice(1)}.`);
		fc.assert(
			fc.property(fc.array(sentence, { minLength: 1, maxLength: 40 }), (list) => {
				for (const segment of texts(list.join(' '), 60)) expect(segment).toMatch(/^[A-Z].*\.$/);
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
});

describe('long texts', () => {
	// No timing: a quadratic step would take hours here and run into jest's own limit.
	test.each([
		['prose without a line break', 'The quick brown fox jumps over the dog. '.repeat(125_000)],
		['one word', 'a'.repeat(1_000_000)],
		['one cluster', 'a' + '\u0301'.repeat(300_000)],
		['flags', '🇩🇪'.repeat(100_000)],
		['dots', '.'.repeat(500_000)],
		['commas', '，'.repeat(500_000) + '！'],
		['white space', 'a' + ' \t\n'.repeat(300_000) + 'b'],
		['brackets', '(a '.repeat(200_000)],
	])('%s', (_name, source) => {
		const segments = segmentText(source, { maxCharacters: 1000 });
		expect(rebuild(source, segments) === source).toBe(true);
		expect(segments.every((segment) => countCharacters(segment.text) <= 1000)).toBe(true);
	});
});
