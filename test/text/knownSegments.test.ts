/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import fc from 'fast-check';
import { fingerprintOf, KnownSegments } from '../../nodes/SpeechGateway/text/knownSegments';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { prepare } from './prepared';

const cut = (text: string, known: string[] = []) =>
	segmentPrepared(prepare(text), {
		maxCharacters: 60,
		earlier: { moved: new KnownSegments(known.map(fingerprintOf)), placed: [] },
	}).segments;

const sentence = fc.constantFrom(
	'It was late.',
	'Nobody came, not even he.',
	'(sad) He went home.',
	'这是第一句话。',
	'然后他走了。',
	'And 3.14 is a number!',
	'What now?',
);
const text = fc
	.array(fc.tuple(sentence, fc.constantFrom(' ', '\n\n', '  ')), { minLength: 1, maxLength: 30 })
	.map((all) => all.flat().join(''));

it('what is found and what is cut anew make up the text, whatever was there before', () => {
	fc.assert(
		fc.property(text, text, (before, now) => {
			const known = cut(before).map(({ text: words }) => words);
			const words = cut(now, known).map((segment) => segment.text);
			expect(words.join('').replace(/\s/g, '')).toBe(now.replace(/\s/g, ''));
		}),
	);
});

it.each([[[2, 1, 1]], [[1, 2, 1]], [[1, 1, 2]]])(
	'a text of equal sentences is cut where it was: %j',
	(counts) => {
		const known = counts.map((count) => 'Nobody came, not he. '.repeat(count).trim());
		expect(cut(known.join(' '), known).map(({ text: words }) => words)).toEqual(known);
	},
);

it('the same text is cut where it was', () => {
	fc.assert(
		fc.property(text, (same) => {
			const before = cut(same).map(({ text: words }) => words);
			expect(before.length).toBeGreaterThan(0);
			const known = new Set(before);
			expect(cut(same, before).every((segment) => known.has(segment.text))).toBe(true);
		}),
	);
});

it('other white space changes nothing', () => {
	const other = fc.constantFrom('\n', '\r\n', '\r\n\r\n', '   ', '\t');
	fc.assert(
		fc.property(text, fc.array(other, { minLength: 1, maxLength: 9 }), (before, spaces) => {
			const known = cut(before).map(({ text: words }) => words);
			let space = 0;
			const now = `\n ${before.replace(/\s+/g, () => spaces[space++ % spaces.length])} `;
			const even = (words: string) => words.replace(/\s+/g, ' ').trim();
			const wanted = new Set(known.map(even));
			expect(cut(now, known).every((segment) => wanted.has(even(segment.text)))).toBe(true);
		}),
	);
});

it('finds no segment within a word, nor behind the tag of its words', () => {
	const find = (now: string, known: string) => cut(now, [known]).map(({ text: words }) => words);
	expect(find('Overall. It rains.', 'all.')).not.toContain('all.');
	expect(find('(sad) It was late.', 'It was late.')).toEqual(['(sad) It was late.']);
	expect(
		new KnownSegments([fingerprintOf('Two.')]).in(
			'One. Two.',
			[],
			() => true,
			() => false,
		),
	).toEqual([{ start: 5, end: 9 }]);
});

it('finds segments that begin alike, of all lengths, in bounded time', () => {
	const hash = { opening: fingerprintOf('a'.repeat(16)).opening, sum: 1 };
	const hostile = Array.from({ length: 20_000 }, (_, index) => ({ ...hash, units: index + 16 }));
	const known = new KnownSegments(hostile);
	const before = process.cpuUsage();
	const found = known.in(
		'a'.repeat(1_000_000),
		[],
		() => true,
		() => false,
	);
	expect(found).toEqual([]);
	// Without a bound, it would be minutes.
	expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
});

it('finds a segment in its place, and leaves the same words elsewhere alone', () => {
	const text = 'Yes. No. Yes. No. Yes. No.';
	const placed = { ...fingerprintOf('Yes. No.'), at: text.indexOf(' Yes') + 1 };
	const found = new KnownSegments([]).in(
		text,
		[placed],
		() => true,
		() => false,
	);
	expect(found).toEqual([{ start: 9, end: 17 }]);
});
