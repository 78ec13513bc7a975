import fc from 'fast-check';
import { subtitles, type TimedText } from '../../nodes/SpeechGateway/speech/subtitles';

interface Cue {
	start: number;
	end: number;
	lines: string[];
}

/** A strict reader of both formats, written from their definitions. Times in milliseconds. */
function parse(format: 'srt' | 'vtt', file: string): Cue[] {
	expect(file).not.toMatch(/\r|\n\n\n/);
	const blocks = file.split('\n\n').map((block) => block.replace(/\n$/, ''));
	if (format === 'vtt') expect(blocks.shift()).toBe('WEBVTT');
	const time = String.raw`(\d{2,}):(\d\d):(\d\d)${format === 'srt' ? ',' : '[.]'}(\d{3})`;
	const times = new RegExp(`^${time} --> ${time}$`);
	return blocks.filter(Boolean).map((block, i) => {
		const lines = block.split('\n');
		if (format === 'srt') expect(lines.shift()).toBe(String(i + 1));
		const numbers =
			times
				.exec(lines.shift() ?? '')
				?.slice(1)
				.map(Number) ?? [];
		expect(numbers).toHaveLength(8);
		const at = ([h, m, s, ms]: number[]) => ((h * 60 + m) * 60 + s) * 1000 + ms;
		for (const line of lines) {
			expect(line.trim()).not.toBe('');
			expect(line).not.toContain('-->');
			if (format === 'vtt') expect(line.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[&<>]/);
		}
		const plain = (line: string) => {
			const open = line.replace(/&lt;/g, '<');
			return format === 'srt' ? open : open.replace(/&gt;/g, '>').replace(/&amp;/g, '&');
		};
		return { start: at(numbers.slice(0, 4)), end: at(numbers.slice(4)), lines: lines.map(plain) };
	});
}

const cuesOf = (...segments: TimedText[]) => parse('vtt', subtitles('vtt', segments));
const shown = (text: string, seconds = 60) =>
	cuesOf({ text, startSeconds: 0, endSeconds: seconds }).map((cue) => cue.lines.join('|'));

test('between sentences of Chinese and Japanese is no space', () => {
	expect(shown('海很深。冷。', 1)).toEqual(['海很深。冷。']);
	expect(shown('「深い。」冷たい。', 1)).toEqual(['「深い。」冷たい。']);
	expect(shown('It is. So.', 1)).toEqual(['It is. So.']);
});

test('SRT, to the letter', () => {
	expect(
		subtitles('srt', [
			{ text: 'Hello there. How are you?', startSeconds: 0, endSeconds: 2.4 },
			{ text: 'Fine.', startSeconds: 3661.0006, endSeconds: 3662.5 },
		]),
	).toBe(
		'1\n00:00:00,000 --> 00:00:01,200\nHello there.\n\n' +
			'2\n00:00:01,200 --> 00:00:02,400\nHow are you?\n\n' +
			'3\n01:01:01,001 --> 01:01:02,500\nFine.\n',
	);
});

test('WebVTT, to the letter', () => {
	expect(
		subtitles('vtt', [{ text: 'a < b & c --> d', startSeconds: 360_000, endSeconds: 360_001 }]),
	).toBe('WEBVTT\n\n100:00:00.000 --> 100:00:01.000\na &lt; b &amp; c --&gt; d\n');
	expect(subtitles('vtt', [])).toBe('WEBVTT\n');
	expect(subtitles('srt', [])).toBe('');
});

test('an arrow in SRT cannot be taken for times', () => {
	const file = subtitles('srt', [{ text: 'a --> b', startSeconds: 0, endSeconds: 1 }]);
	expect(parse('srt', file)[0].lines).toEqual(['a → b']);
});

test('markup of a text is no markup of the file', () => {
	const segment = { text: 'use <i>, </b> and {\\an8}, 1 < 2 & 3', startSeconds: 0, endSeconds: 1 };
	expect(subtitles('srt', [segment])).toBe(
		'1\n00:00:00,000 --> 00:00:01,000\nuse &lt;i>, &lt;/b> and {\u2060\\an8}, 1 < 2 & 3\n',
	);
	expect(subtitles('vtt', [segment])).toContain(
		'use &lt;i&gt;, &lt;/b&gt; and {\\an8}, 1 &lt; 2 &amp; 3\n',
	);
});

test('speakers', () => {
	const segments = [
		{ text: 'Hello. How are you?', startSeconds: 0, endSeconds: 4, speaker: 'Anna' },
		{ text: 'Fine.', startSeconds: 4, endSeconds: 5, speaker: 'Ben <x> & \n Co' },
		{ text: 'They left.', startSeconds: 5, endSeconds: 6 },
	];
	expect(subtitles('vtt', segments)).toBe(
		'WEBVTT\n\n00:00:00.000 --> 00:00:01.333\n<v Anna>Hello.\n\n' +
			'00:00:01.333 --> 00:00:04.000\n<v Anna>How are you?\n\n' +
			'00:00:04.000 --> 00:00:05.000\n<v Ben &lt;x&gt; &amp; Co>Fine.\n\n' +
			'00:00:05.000 --> 00:00:06.000\nThey left.\n',
	);
	expect(subtitles('srt', segments)).not.toContain('Anna');
});

test('long texts', () => {
	for (const part of ['(happy) ', '(happy)', 'word ', 'a. ', '( ', '\0', '…']) {
		const text = part.repeat(300_000 / part.length);
		parse('vtt', subtitles('vtt', [{ text, startSeconds: 0, endSeconds: 100_000 }]));
	}
});

test('long sentences are cut into lines of 42 columns, two a cue', () => {
	expect(
		shown(
			'When the rain came down, all of us ran home as fast as we could, and nobody looked back at the old house.',
		),
	).toEqual([
		'When the rain came down,|all of us ran home as fast as we could,',
		'and nobody looked back at the old house.',
	]);
	for (const cue of shown('今天天气很好我们去公园玩吧'.repeat(5))) {
		for (const line of cue.split('|')) expect([...line].length).toBeLessThanOrEqual(21);
	}
});

test('a line takes 42 columns', () => {
	const words = 'The old man walked home in the heavy rain.';
	expect(words).toHaveLength(42);
	expect(shown(words)).toEqual([words]);
	expect(shown(`${words.slice(0, -1)}s.`)).toEqual(['The old man walked home|in the heavy rains.']);
});

test('no cue spans a line break, however short its lines are', () => {
	expect(shown('No.\nYes.\nMaybe.', 1)).toEqual(['No.', 'Yes.', 'Maybe.']);
});

test('a sentence too short to read joins its neighbour', () => {
	expect(shown('No. I would rather walk home.', 2)).toEqual(['No. I would rather walk home.']);
	expect(shown('No. I would rather walk home.', 20)).toEqual(['No.', 'I would rather walk home.']);
});

test('time is shared by length, and each segment starts on its own time', () => {
	const cues = cuesOf(
		{ text: 'Aaaa aaaa. Bbbb bbbb bbbb bbbb bbbb.', startSeconds: 1, endSeconds: 4.4 },
		{ text: 'Next one.', startSeconds: 5, endSeconds: 6 },
	);
	// 10 and 25 columns share the 3.4 seconds.
	const border = 1000 + Math.round((3400 * 10) / 35);
	expect(cues.map(({ start, end }) => [start, end])).toEqual([
		[1000, border],
		[border, 4400],
		[5000, 6000],
	]);
});

test('for any text and times: in order, apart, never empty, two lines of 42 columns, nothing lost', () => {
	const pieces = 'word ¦sentence. ¦你好。¦ワード¦A & B <b> --> c ¦！¦\n¦\n\n¦👍🏽¦e.g. ¦? '.split(
		'¦',
	);
	const piece = fc.constantFrom(...pieces, 'Unbelievablylongwordthatdoesnotendforalongwhile');
	const segment = fc.record({
		text: fc.array(piece, { maxLength: 40 }).map((list) => list.join('')),
		seconds: fc.oneof(
			fc.constantFrom(0, 0.0004, 0.001),
			fc.double({ min: 0, max: 60, noNaN: true }),
		),
		gap: fc.constantFrom(0, 0.0003, 0.5),
	});
	fc.assert(
		fc.property(
			fc.array(segment, { maxLength: 6 }),
			fc.constantFrom('srt' as const, 'vtt' as const),
			(list, format) => {
				let at = 3599;
				const segments = list.map(({ text, seconds, gap }) => {
					const startSeconds = at;
					at += seconds + gap;
					return { text, startSeconds, endSeconds: startSeconds + seconds };
				});
				const cues = parse(format, subtitles(format, segments));
				let end = 0;
				for (const cue of cues) {
					expect(cue.start).toBeGreaterThanOrEqual(end);
					expect(cue.end).toBeGreaterThan(cue.start);
					end = cue.end;
					expect(cue.lines.length).toBeGreaterThan(0);
					expect(cue.lines.length).toBeLessThanOrEqual(2);
					for (const line of cue.lines) {
						const columns = [...line].reduce(
							(sum, char) => sum + (/[^\p{ASCII}→]/u.test(char) ? 2 : 1),
							0,
						);
						expect(columns).toBeLessThanOrEqual(42);
					}
				}
				const letters = (text: string) => text.replace(/[^\p{L}\p{N}\p{S}]/gu, '');
				const arrow = (text: string) => (format === 'srt' ? text.replace(/-->/g, '→') : text);
				expect(letters(cues.flatMap((cue) => cue.lines).join(' '))).toBe(
					letters(
						segments
							.map(({ text }) => arrow(text).replace(/(?<![\p{Script=Latin}\p{N}])\(happy\)/gu, ''))
							.join(' '),
					),
				);
			},
		),
		{ numRuns: 400 },
	);
});
