/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialogue } from '../../nodes/SpeechGateway/operations/speech/dialogue';
import { generate } from '../../nodes/SpeechGateway/operations/speech/generate';
import type { Plan } from '../../nodes/SpeechGateway/speech/plan';

/**
 * Texts in five shapes as models give them, each with what a person would read out of it: of a dialogue, who says what; of
 * subtitles, the second before each sentence. Planned as by the node itself, with its default options.
 */
const textsIn = (file: string) =>
	readFileSync(join(__dirname, file), 'utf8')
		.split(/^=== /m)
		.slice(1)
		.map((part) => {
			const [source, spoken] = part.split('\n--- spoken\n');
			const [head] = source.split('\n', 1);
			const [shape, ...options] = head.split(' ');
			return { shape, options, source: source.slice(head.length + 1), spoken: spoken.trim() };
		});
const TEXTS = textsIn('modelTexts.txt');
/** Single kinds of what models, tools and meetings leave in texts; behind the shape, options or the names of speakers. */
const KINDS = textsIn('kinds.txt');

const DEFAULTS = {
	textFormat: 'automatic',
	parentheses: 'readAloud',
	pauseAfterParagraphs: 0,
	pronunciations: [],
	pronunciationsByWord: [],
	chapters: 'none',
	tags: {},
	model: 'fish-speech',
	voice: 'default',
	responseFormat: 'mp3',
	subtitles: 'none',
	longText: 'auto',
	maxSegmentCharacters: 1000,
	pauseBetweenSegments: 0,
	speakers: ['Anna', 'Ben'].map((name) => ({ name, voice: 'default' })),
};

function planOf({ shape, options, source }: (typeof TEXTS)[number]): Plan {
	const set = options.map((option) => option.split('='));
	const names = set.flatMap(([name, value]) => (value === undefined ? [name] : []));
	const input = {
		...DEFAULTS,
		...Object.fromEntries(set.filter(([, value]) => value !== undefined)),
		...(names.length > 0 && {
			speakers: names.map((name) => ({ name: name.replaceAll('_', ' '), voice: 'default' })),
		}),
		text: source,
		script: source,
	} as never;
	return (shape === 'dialogue' ? dialogue.plan!(input) : generate.plan!(input)) as Plan;
}

function spokenOf(text: (typeof TEXTS)[number]): string {
	const { shape } = text;
	const { segments } = planOf(text);
	const lines = segments.map(({ text, speaker, heardAt }) => {
		const words = text.replace(/\s+/g, ' ').trim();
		if (shape === 'dialogue') return `${speaker ?? 'Narrator'}: ${words}`;
		return shape === 'srt' ? `[${heardAt}] ${words}` : words;
	});
	return lines.join(shape === 'dialogue' || shape === 'srt' ? '\n' : ' ');
}

test('there are eight of each shape', () => {
	const counts = new Map<string, number>();
	for (const { shape } of TEXTS) counts.set(shape, (counts.get(shape) ?? 0) + 1);
	expect([...counts]).toEqual(
		['script', 'newsletter', 'summary', 'dialogue', 'srt'].map((shape) => [shape, 8]),
	);
});

test.each([...TEXTS, ...KINDS])('$shape: $source', (text) => {
	expect(spokenOf(text)).toBe(text.spoken);
});

const LONG = 'We were out all day and nobody saw the harbour, nor the light above it.';
test.each([
	['dialogue', `Anna: (leaning far back) Yes.\n[a door closes]\nBen: ${LONG}`, 30],
	['dialogue', `Anna: Yes.\nBen: (smiling) ${LONG}`, undefined],
	[
		'srt',
		`1\n00:00:01,000 --> 00:00:05,000\n[slow music begins] ${LONG}\n\n2\n00:00:06,000 --> 00:00:07,000\n(applause)`,
		29,
	],
	['srt', `1\n00:00:01,000 --> 00:00:05,000\n<v Anna><i>[Ben]: ${LONG}</i>`, undefined],
])(
	'%s: a hint says if more than a tenth of the letters was left out: %j',
	(shape, source, share) => {
		const { hints } = planOf({ shape, options: [], source, spoken: '' });
		const told = /(\d+) % of the letters/.exec(hints.join());
		expect(told?.[1]).toBe(share?.toString());
	},
);
