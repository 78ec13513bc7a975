/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/** Ordinary prose that looks like what models and tools leave in texts: it is spoken as it stands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { received } from '../../nodes/SpeechGateway/text/received';

const KINDS = readFileSync(join(__dirname, 'ordinary.txt'), 'utf8')
	.trim()
	.split(/^# /m)
	.slice(1)
	.map((part): [string, string[]] => {
		const [kind, ...texts] = part.trim().split('\n');
		return [kind, texts.map((text) => text.replaceAll('⏎', '\n'))];
	});

test('each kind has twenty', () => {
	for (const [kind, texts] of KINDS) expect([kind, texts.length >= 20]).toEqual([kind, true]);
});

test.each(KINDS)('what looks like %s stays, byte for byte', (_kind, texts) => {
	const read = (text: string) => received(text, 'automatic').text;
	expect(texts.filter((text) => read(text) !== text)).toEqual([]);
	// Also where it is a paragraph of a longer text.
	const within = (text: string) => `It was late.\n\n${text}\n\nIt rained.`;
	expect(texts.filter((text) => read(within(text)) !== within(text))).toEqual([]);
});

test('a line of words needs no rule: the rules, where they are asked, leave it as it is', () => {
	const word = fc.constantFrom(
		...['End of script', 'cite 1', 'laughs', 'Note', 'the sea', 'is deep', '12', '3.', 'am'],
		...['Über', 'naïve', '-', '--', '–', 'e-mail', 'N.B.', '“no”', "'tis", 'etc...', 'x!', 'Å?'],
	);
	const line = fc
		.array(word, { minLength: 1, maxLength: 9 })
		.map((words) => `So ${words.join(' ')}`);
	fc.assert(
		fc.property(line, (text) => {
			expect(received(text, 'automatic').text).toBe(text);
			const asked = `${text}\n\n(It rained.)`;
			expect(received(asked, 'automatic').text).toBe(asked);
		}),
	);
});
