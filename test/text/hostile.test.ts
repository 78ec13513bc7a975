import { InputError } from '../../nodes/SpeechGateway/core/errors';
import { parseDialogue } from '../../nodes/SpeechGateway/text/dialogue';
import { formatOf } from '../../nodes/SpeechGateway/text/format';
import { prepareText, type TextOptions } from '../../nodes/SpeechGateway/text/prepare';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { scriptOfTurns } from '../../nodes/SpeechGateway/text/turns';
import { TEST_DAY } from '../support/day';

/** UTF-16 units. No timing: at this length a quadratic step takes minutes and runs into jest's own limit. */
const LENGTH = 300_000;
/** Each text is that long every third day, and a tenth of it on the others. */
const LONG_EVERY_DAYS = 3;
const SHORTENED = LENGTH / 10;
const filled = (pattern: string): [string, string] => [
	JSON.stringify(pattern),
	pattern.repeat(Math.ceil(LENGTH / pattern.length)),
];
const all = (patterns: string) => patterns.split('¦').map(filled);

const PLAIN: Array<[string, string]> = [
	...all(
		'a¦(¦(a ¦[pause 1s]¦[pause ¦<p ¦<break time="¦\n¦ ¦.¦aaaa b¦東京¦İß¦a\n¦ab\n\n¦(a)¦# a\n\nb\n\n',
	),
	...all(
		'a [pause 1s] ¦<break/>)¦[laughs] a [pause 1s] ¦[laughs a. ¦(sad)[sad]a¦The fox jumps. ¦🇩🇪¦\u0301¦，¦ \t\n',
	),
	['a long sentence, then short ones', 'a '.repeat(LENGTH / 4) + '. A'.repeat(LENGTH / 6)],
];
const MARKDOWN: Array<[string, string]> = [
	...all(
		'[¦(¦<¦*¦_¦`¦~~a¦![a]¦\\¦>¦- ¦1. ¦|¦\n¦**a¦*a **b ¦_a__b¦[a](¦[a](b "¦[a](<b¦[a][¦[a]: b\n',
	),
	...all(
		'[^a]¦`a``b¦<a b="¦<!--¦<?¦$a¦\\[¦[[a|¦:contentReference[¦【a¦[!a] ¦a\n¦# a\n\nb\n\n¦\\(a',
	),
	...all(')\n===\n¦&amp;¦> a\n¦a|b\n-|-\n¦a\n=\n¦https://¦<nav>¦<sup><a '),
	['deep lists, then blank lines', '- '.repeat(LENGTH / 4) + 'a' + '\n'.repeat(LENGTH / 2)],
	['deep quotes, then lazy lines', '>'.repeat(LENGTH / 2) + 'a' + '\na'.repeat(LENGTH / 4)],
	['brackets, then their ends', '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2)],
	['links in links', '['.repeat(LENGTH / 8) + 'a' + '](b)'.repeat(LENGTH / 8)],
	['emphasis in emphasis', '*a '.repeat(LENGTH / 6) + 'b* '.repeat(LENGTH / 6)],
	['definitions and uses', '[a]: b\n\n' + '[a] '.repeat(LENGTH / 4)],
];
const HTML: Array<[string, string]> = [
	...all(`<¦<a b="¦<a b='¦<a b=c ¦<!--¦<script>¦<pre><code>¦<p hidden>¦<nav>¦<sup><a ¦<td>¦&a`),
	...all('a\n¦<![CDATA[¦[caption a¦<ul><li>¦&lt;p&gt;¦<h1>a</h1>¦</a>'),
	[
		'elements without an end',
		Array.from({ length: LENGTH / 20 }, (_, i) => `<x${i} hidden>a`).join(''),
	],
];
const CUE_TIMES = '00:00:01,000 --> 00:00:02,000';
const SUBTITLES = [
	...all('a¦[¦(¦<v ¦<rt>¦{\\an8¦♪¦- ¦* ¦. (¦a:b ¦a: ¦ \t¦[at 1s] ¦【a¦_a_ ¦&gt;¦*a¦>¦\n¦1\n¦\n1\n'),
	...all(`1\n${CUE_TIMES}\na\n\n¦${CUE_TIMES}\n¦${CUE_TIMES}\nA: (a) [b] ♪\n`),
	...all(`[a]: ¦<v a>b ¦- [a]: b\n¦[0:01][0:02]¦**a`),
	['settings without an end', `${CUE_TIMES} ${'a:b:'.repeat(LENGTH / 8)} c`],
	['blanks behind the times', `${CUE_TIMES}${' a'.repeat(LENGTH / 4)}${' '.repeat(LENGTH / 4)}b`],
].map(([name, text]): [string, string] => [name, `${CUE_TIMES}\na\n${text}`]);

/** What models, programs and tools leave in texts. */
const AUTOMATIC: Array<[string, string]> = [
	...all(
		'```\n¦```a\n```\n¦````\n```\n¦`a¦``a` ¦<|a¦<|a|>¦<|channel|>analysis<|message|>¦<think>¦</think>\n',
	),
	...all(
		'<a1>¦<a1></a1>¦<laughs>¦<|start|>assistant¦[1]¦[1][2]¦[[1]¦[1](¦ [1]¦[1, ¦[1](https://a ¦[1] https://a\n',
	),
	...all(
		'[cite: 1¦【4†¦citeturn0search0turn¦\ue200¦\\(¦\\(a ¦\\[a\n¦$¦$$¦$a ¦$a=¦$a=b$¦\\frac{¦\\frac{a}{¦\\sqrt{¦\\text{a}',
	),
	...all(
		'\\n¦\\na\\n¦a.\\n\\t¦\\"¦"\\n¦"a¦\\u00e9¦a\\u00e9¦5\\.¦\\.\\!a¦𝗧¦𝗧ℯ¦Ⓣ¦Ａ¦①¦│¦│ a¦\uf0b7 ¦\ufffe\n',
	),
	...all(
		'<https://a|¦<@U1234¦:a¦:a: ¦ :aa:¦ :aa::aa:b¦ :a:b¦==a¦==a ¦==a==¦%%¦%%a ¦![[¦[[a|b¦[[a]]¦{#a¦]{#a¦# a {#¦== a\n¦== a ==\n¦［＃¦\u{f0000}',
	),
	['a formula in a formula', `$$${'\\frac{'.repeat(LENGTH / 12)}a${'}{b}'.repeat(LENGTH / 12)}$$`],
	[
		'braces in braces',
		Array(LENGTH / 2000)
			.fill(`$x=${'{'.repeat(1900)}$ `)
			.join('\n'),
	],
	[
		'Markdown in fences in fences',
		Array.from({ length: 300 }, (_, i) => `${'`'.repeat(303 - i)}md\n`).join(''),
	],
];
/** Timed text that is no SRT or WebVTT. */
const TIMED = all(
	'0:01\n¦0:01\na\n¦(0:01)\n¦0:00:01.000,0:00:02.000\n¦[0:00-0:01]¦[0:00-0:01] A: a\n¦[00:01.00][00:02.00]¦[00:01.00]a\n¦' +
		'[ar:¦[ar:a]\n¦[Script Info]\n¦{1}{2}a\n¦<tt ¦<transcript>¦**[0:00-0:01] A¦\uFDD00\uFDD1',
);
const SCRIPTS = all(
	'Anna: (a) ¦Anna: (a b) A¦(a)¦ANNA\na\n\n¦INT. A\n\nANNA\na\n\nOLD MAN\na\n\n¦FADE IN:\n¦ANNA (V.O.)\n¦[Anna]a¦[Anna]a\n¦' +
		'---\nI can ¦Would you like a¦a_1: a\n¦a_¦Anna (a¦A: a\nB: a\n¦<Anna>a</Anna>¦<Anna>¦```json\n[¦[{"speaker":"A","text":"a"},¦This script words ¦Transcribed by A ',
);

const options: TextOptions = {
	textFormat: 'plain',
	parentheses: 'readAloud',
	pronunciations: [
		{ find: 'aaaa', say: 'b', wholeWord: true, matchCase: false },
		{ find: '東', say: 'b', wholeWord: true, matchCase: false },
		{ find: 'a', say: 'bb', wholeWord: false, matchCase: true },
	],
	pauseAfterParagraphs: 100,
};

function ofTheDay([name, source]: [string, string], index: number): [string, string] {
	const isLong = (index + TEST_DAY) % LONG_EVERY_DAYS === 0;
	return isLong ? [`${name}, long`, source] : [name, source.slice(0, SHORTENED)];
}

test.each(TIMED.map(ofTheDay))('timed text: %s', (_name, source) => {
	const timed = `0:00:00.000,0:00:01.000\na\n${source}`;
	for (const text of [source, timed, `[ti:a]\n${source}`, `0:00\na\n${source}`]) {
		formatOf(text);
		try {
			prepareText(text, { ...options, textFormat: 'subtitles' });
		} catch (error) {
			expect(error).toBeInstanceOf(InputError);
		}
	}
});

test.each(SCRIPTS.map(ofTheDay))('script: %s', (_name, source) => {
	const part = source.slice(0, SHORTENED);
	for (const script of [source, `FADE IN:\n\nANNA\na\n\n${part}`, `${part}\n\nAnna: a\n${part}`]) {
		scriptOfTurns(script);
		parseDialogue(script, ['Anna', 'Narrator']);
	}
});

describe.each([
	['plain', PLAIN],
	['markdown', MARKDOWN],
	['html', HTML],
	['subtitles', SUBTITLES],
	['automatic', AUTOMATIC],
] as const)('%s', (textFormat, sources) => {
	test.each(sources.map(ofTheDay))('%s', (_name, source) => {
		formatOf(source);
		const prepared = prepareText(source, { ...options, textFormat });
		const { segments } = segmentPrepared(prepared, {
			maxCharacters: 1000,
			cutAtHeadings: true,
		});
		// One claim: there may be tens of thousands of segments.
		const places = segments.map(({ place }) => place);
		const gaps = places.filter(({ start }, index) => start !== (places[index - 1]?.end ?? 0));
		expect(gaps).toEqual([]);
		if (segments.length > 0) expect(places.at(-1)!.end).toBe(prepared.written.length);
	});
});
