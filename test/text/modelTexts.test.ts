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
const TEXTS = readFileSync(join(__dirname, 'modelTexts.txt'), 'utf8')
	.split(/^=== /m)
	.slice(1)
	.map((part) => {
		const [source, spoken] = part.split('\n--- spoken\n');
		const [shape] = source.split('\n', 1);
		return { shape, source: source.slice(shape.length + 1), spoken: spoken.trim() };
	});

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

function spokenOf(shape: string, source: string): string {
	const input = { ...DEFAULTS, text: source, script: source } as never;
	const { segments } = (
		shape === 'dialogue' ? dialogue.plan!(input) : generate.plan!(input)
	) as Plan;
	const lines = segments.map(({ text, speaker, heardAt }) => {
		const words = text.replace(/\s+/g, ' ').trim();
		if (shape === 'dialogue') return `${speaker}: ${words}`;
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

test.each(TEXTS)('$shape: $source', ({ shape, source, spoken }) => {
	expect(spokenOf(shape, source)).toBe(spoken);
});
