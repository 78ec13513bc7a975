import fc from 'fast-check';
import { parseDialogue } from '../../nodes/SpeechGateway/text/dialogue';

/** The words of a line as they stand in the script, without the tone before them. */
const withoutTone = (text: string) => text.replace(/^[([［][^)\]］]*[)\]］] /u, '');

const parse = (script: string, ...speakers: string[]) => {
	const { lines, unknownSpeakers } = parseDialogue(script, speakers);
	for (const { text } of lines) expect(script).toContain(withoutTone(text));
	return {
		lines: lines.map(({ speaker, text }) => [speaker, text]),
		unknownSpeakers,
	};
};
const linesOf = (script: string, ...speakers: string[]) => parse(script, ...speakers).lines;
test('each line goes on until the next known speaker', () => {
	const script =
		'It was late.\n\nAnna: Hello. (laughing) You?\nStill me.\n\nMe again.\nBen: At 10:30: nothing.\nNote: this is text.\nAnna:Bye.';
	expect(parse(script, 'Anna', 'Ben')).toEqual({
		lines: [
			[undefined, 'It was late.'],
			['Anna', 'Hello. (laughing) You?\nStill me.\n\nMe again.'],
			['Ben', 'At 10:30: nothing.\nNote: this is text.'],
			['Anna', 'Bye.'],
		],
		unknownSpeakers: [],
	});
});

describe('headings', () => {
	const withHeadings = (script: string, ...speakers: string[]) => {
		const { lines, unknownSpeakers } = parseDialogue(script, speakers, { headings: true });
		expect(unknownSpeakers).toEqual([]);
		return lines.map(({ headings, speaker, text }) => [headings.join(' | '), speaker, text]);
	};
	test('nobody says them; the speaker before them goes on', () => {
		const script =
			'# Show\r\n## Part 1: **Hello** ##\r\nAnna: Hi.\r\n\r\n## Weather: rain\r\nIt rains.\r\nBen: Yes.\n<h2 class="x">The <i>end</i></h2>\nAnna: Bye.\n# Nothing\n';
		expect(withHeadings(script, 'Anna', 'Ben')).toEqual([
			['Show | Part 1: **Hello**', 'Anna', 'Hi.'],
			['Weather: rain', 'Anna', 'It rains.'],
			['', 'Ben', 'Yes.'],
			['The <i>end</i>', 'Anna', 'Bye.'],
		]);
	});
	test.each(['## Anna', '## Anna:', '### **Anna:**', '## Anna: '])('%s is a name', (name) => {
		expect(withHeadings(`# One\n${name}\nHi.`, 'Anna')).toEqual([['One', 'Anna', 'Hi.']]);
	});
	test('one that stands twice is no speaker', () => {
		const script = '# Part: one\nAnna: Hi.\n# Part: two\nAnna: Bye.';
		expect(withHeadings(script, 'Anna')).toEqual([
			['Part: one', 'Anna', 'Hi.'],
			['Part: two', 'Anna', 'Bye.'],
		]);
	});
	test('one without words is none', () => {
		const script = 'Anna: Hi.\n<h2> </h2>\nAnna: Bye.';
		const { lines } = parseDialogue(script, ['Anna'], { headings: true });
		expect(lines.map(({ headings }) => headings)).toEqual([[], []]);
	});
	test('without the option, and when they are no headings, they are text', () => {
		const script = 'Anna: Hi.\n# One\nBye.';
		expect(linesOf(script, 'Anna')).toEqual([['Anna', 'Hi.\n# One\nBye.']]);
		expect(withHeadings(`Anna: #1 is\n#two\n# ${'long '.repeat(50)}`, 'Anna')).toHaveLength(1);
	});
});

/** Each is Anna's, who says "Hi.". */
const NAMES =
	'Anna: Hi.¦  anna : Hi.¦ANNA：Hi.¦**Anna:** Hi.¦**Anna**: Hi.¦*Anna:* Hi.¦__Anna__ : Hi.¦[Anna]: Hi.¦- Anna: Hi.¦' +
	'- **Anna:** Hi.¦> Anna: Hi.¦1. Anna: Hi.¦Anna:\nHi.¦\uFEFFAnna: Hi.¦Anna (to Ben): Hi.¦Anna:\u3000Hi.';
test.each([
	...NAMES.split('¦').map((script) => [script, 'Hi.']),
	['Anna (laughing): Hi.', '(laughing) Hi.'],
	['Anna [laughs, then sighs]: Hi.', '[laughs, then sighs] Hi.'],
	['**Anna** [低声]：Hi.', '[低声] Hi.'],
	['**Anna (softly):** Hi.', '(softly) Hi.'],
])('%s', (script, text) => {
	expect(linesOf(script, 'Anna')).toEqual([['Anna', text]]);
	expect(linesOf(script.replace('\n', '\r\n'), 'Anna')).toEqual([['Anna', text]]);
});

test('names of several words, any script, and as they are written in the table', () => {
	const script = 'dr.  smith: Yes.\n小明：你好。\nАнна: Да.\nhost 1: Go.';
	expect(linesOf(script, ' Dr. Smith ', '小明', 'Анна', 'Host 1')).toEqual([
		['Dr. Smith', 'Yes.'],
		['小明', '你好。'],
		['Анна', 'Да.'],
		['Host 1', 'Go.'],
	]);
});

test('the narrator comes back by name, unless there is a voice for that name', () => {
	const script = 'Anna: Hi.\nNarrator: She left.';
	expect(linesOf(script, 'Anna')).toEqual([
		['Anna', 'Hi.'],
		[undefined, 'She left.'],
	]);
	expect(linesOf(script, 'Anna', 'Narrator')).toEqual([
		['Anna', 'Hi.'],
		['Narrator', 'She left.'],
	]);
});

test.each<[reason: string, script: string, unknown: string[]]>([
	['comes back after a known one', 'Anna: Hi.\nBen: Hello.\nAnna: Yes?\nben: Bye.', ['Ben']],
	['come back after each other', 'Ben: Hi.\nCarl: Ho.\nBen: No.\nCarl: Yes.', ['Ben', 'Carl']],
	['emphasis', '**The Old Man:** Oh.\n**Anna:** Hi.\n**The Old Man:** No.', ['The Old Man']],
	['two words', 'Anna: Hi.\nOld Man: Hello.\nAnna: Yes?\nOld Man: No.', ['Old Man']],
	['a tone before the colon', 'Anna: Hi.\nOld Man (sighs): Hello.', ['Old Man']],
	['the next number of a known one', 'Host 1: Hi.\nHost 2: Ho.', ['Host 2']],
	['numbers', 'host_3: Hi.\nAnna: Yes?\nhost_3: No.', ['host_3']],
	['a script without case', '小红：你好。\nAnna: Hi.\n小红：再见。', ['小红']],
])('a name without a voice: %s', (_reason, script, unknown) => {
	expect(parse(script, 'Anna', 'Host 1').unknownSpeakers).toEqual(unknown);
});

test.each([
	'Carl: once.',
	'Pro: it is fast.\nCon: it is dear.\nVerdict: buy it.',
	'Monday: rain.\nTuesday: sun.\nMonday: rain again.',
	'Eggs: two.\nEggs: two more.',
	'Dr. Strangelove: a film.',
])('who does not come back after somebody else is no speaker: %j', (words) => {
	expect(parse(`Anna: Hi.\n${words}`, 'Anna')).toEqual({
		lines: [['Anna', `Hi.\n${words}`]],
		unknownSpeakers: [],
	});
});
test('what could be a name and is spoken is told', () => {
	expect(parseDialogue('Anna: Hi.\nCarl: Ho.', ['Anna']).spokenName).toBe('Carl');
	expect(parseDialogue('Anna: Hi.\nNote: Ho.', ['Anna']).spokenName).toBeUndefined();
});

const NO_NAMES =
	'Note: this is text.¦NOTE: this is text.¦**Note:** this is text.¦Step 1: open it.¦Chapter 2: the house¦' +
	'10:30: they left.¦https://example.com/a:b¦The rule is simple: do nothing.¦Breaking News: it rains.¦' +
	'I have two things: a and b¦She said: “Go.”¦注意：下雨了。¦Hinweis: es regnet.¦He told (me): no¦: nothing¦' +
	'Anna Maria: both¦the end:';
test.each(NO_NAMES.split('¦'))('a colon without a speaker: %s', (line) => {
	expect(parse(`Anna: Hi.\n${line}`, 'Anna')).toEqual({
		lines: [['Anna', `Hi.\n${line}`]],
		unknownSpeakers: [],
	});
});

test('nothing said, no line', () => {
	expect(linesOf('Anna:\nBen: Hi.\nAnna: \n', 'Anna', 'Ben')).toEqual([['Ben', 'Hi.']]);
	expect(linesOf('', 'Anna')).toEqual([]);
});

test('all words of a script are said once, in order', () => {
	const pieces = 'Anna: ¦**Ben:** ¦Anna¦:¦\n¦\r\n¦ ¦some words. ¦(happy) ¦10:30 ¦：¦- ¦*'.split(
		'¦',
	);
	const text = fc
		.array(fc.constantFrom(...pieces), { maxLength: 40 })
		.map((all) => `Ben: Hi.\n${all.join('')}`);
	fc.assert(
		fc.property(text, (script) => {
			const { lines } = parseDialogue(script, ['Anna', 'Ben']);
			let end = 0;
			for (const line of lines) {
				const words = withoutTone(line.text);
				const start = script.indexOf(words, end);
				expect(start).toBeGreaterThanOrEqual(end);
				end = start + words.length;
			}
			const said = lines.map(({ text }) => text).join(' ');
			expect(said.match(/words/g)?.length ?? 0).toBe(script.match(/words/g)?.length ?? 0);
		}),
		{ numRuns: 300 },
	);
});

test('long scripts', () => {
	for (const part of ['a', ' ', ':', '\n', 'Anna: a\n', '*', '- ', 'A B: c\n', 'Anna (', '[']) {
		parseDialogue(part.repeat(1_000_000 / part.length), ['Anna']);
	}
});
