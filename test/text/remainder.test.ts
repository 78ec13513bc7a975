/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/** What remains of a text is a text in the same format: read again, it has the same words, pauses and headings. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { TextFormat, TextFormatOption } from '../../nodes/SpeechGateway/text/format';
import { writtenAgain } from '../../nodes/SpeechGateway/text/remainder';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { prepare } from './prepared';

const FOLDER = join(__dirname, 'readings');
const FORMATS: Record<string, TextFormat> = { '.md': 'markdown', '.html': 'html', '.txt': 'plain' };

/** The words, with the pauses where they are. */
function heard(source: string, textFormat: TextFormatOption): string[] {
	const { spoken, pauses } = prepare(source, { textFormat });
	let text = spoken.text;
	for (const { at, milliseconds } of pauses.toReversed())
		text = `${text.slice(0, at)} (${milliseconds} ms) ${text.slice(at)}`;
	return text.trim().split(/\s+/);
}

function remainders(source: string, textFormat: TextFormatOption): string[] {
	const prepared = prepare(source, { textFormat });
	const { segments } = segmentPrepared(prepared, { maxCharacters: 60 });
	return segments.map(({ place }) =>
		writtenAgain(prepared, { start: place.start, end: prepared.written.length }),
	);
}

const OWN: Array<[string, string]> = [
	[
		'own.md',
		'# Why C#?\n\nUse \\*stars\\* and `a_b` or `__init__`.  \n1\\. is no number.\n\n- 3 \\* 4\n- \\- minus\n\n## [pause 2s] The *end*\n\nOne. [pause 700ms] Two &amp;lt; three\\\nfour \\[1\\](x) \\# five.',
	],
	[
		'own.html',
		'<h1>A &lt;b&gt; tag</h1><p>Fish &amp;amp; chips &amp;amp;lt; R&amp;D.<br>Then <b>peas</b>. <break time="700ms"/> And &lt;i&gt;.</p><h2>Why?</h2><ul><li>One</li><li>Two</li></ul>',
	],
	['own.txt', 'Chapter 1\nIt *was* # late. [pause 2s] <b> & [1] (happy) 1. Go.\n\nThe end'],
];
const ALL = [
	...OWN,
	...readdirSync(FOLDER)
		.filter((name) => !name.endsWith('.spoken.txt'))
		.map((name): [string, string] => [name, readFileSync(join(FOLDER, name), 'utf8')]),
];

test.each(ALL)('%s', (name, source) => {
	for (const textFormat of [FORMATS[extname(name)], 'automatic'] as const) {
		const words = heard(source, textFormat);
		const all = remainders(source, textFormat);
		expect(heard(all[0], textFormat)).toEqual(words);
		for (const [index, remainder] of all.entries()) {
			const again = heard(remainder, textFormat).join('');
			// A segment may begin within what stands between two spaces.
			const expected = words.join('').slice(-again.length);
			expect([index, textFormat, again]).toEqual([index, textFormat, expected]);
		}
	}
});

test.each([
	['The sea is deep [@doe99, p. 12]. It is cold.', 30, 'p. 12. It is cold.'],
	['The sea [see the long note. It goes on] is deep.', 30, 'It goes on, is deep.'],
	['海很深（见第一章。很长的注）。冷。', 8, '很长的注。冷。'],
])('%s: a bracket whose partner is elsewhere is read as it was', (source, maxCharacters, rest) => {
	const prepared = prepare(source, { textFormat: 'automatic' });
	const { segments } = segmentPrepared(prepared, { maxCharacters });
	const written = segments.map(({ place }) =>
		writtenAgain(prepared, { start: place.start, end: prepared.written.length }),
	);
	expect(written).toContain(rest);
	expect(prepare(rest, { textFormat: 'automatic' }).spoken.text).toBe(rest);
});

test('the titles stay, and the pause between two segments goes with the second', () => {
	const source = '# One\n\nIt rains.\n\n## [pause 2s] Why?\n\nIt *snows*.';
	const prepared = prepare(source, { textFormat: 'markdown' });
	expect(remainders(source, 'markdown').length).toBe(2);
	const [one, two] = segmentPrepared(prepared, { maxCharacters: Infinity }).segments;
	expect(writtenAgain(prepared, one.place)).toBe('# One\n\nIt rains.');
	const rest = writtenAgain(prepared, two.place);
	expect(rest).toBe('# [pause 2s] Why?\n\nIt snows.');
	expect(prepare(rest, { textFormat: 'markdown' }).headings).toMatchObject([{ title: 'Why?' }]);
});
