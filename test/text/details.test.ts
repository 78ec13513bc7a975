/** Small rules of reading and cutting, each where the others do not hide it. */
import { words } from '../../nodes/SpeechGateway/text/boundaries';
import { beginningOf } from '../../nodes/SpeechGateway/text/characters';
import { decoded } from '../../nodes/SpeechGateway/text/entities';
import { plainHeadings } from '../../nodes/SpeechGateway/text/plainHeadings';
import type { TextOptions } from '../../nodes/SpeechGateway/text/prepare';
import { prepare } from './prepared';

const read = (source: string, more: Partial<TextOptions> = {}) =>
	prepare(source, { textFormat: 'markdown', ...more }).spoken.text;

test('the beginning of a text cuts no emoji in half, and ends without white space', () => {
	expect(beginningOf('one 😁', 5)).toBe('one 😁');
	expect(beginningOf('one 😁 two', 5)).toBe('one 😁…');
	expect(beginningOf('one 😁 two', 4)).toBe('one…');
});

test('words end where a dictionary says so, in scripts that write without spaces', () => {
	expect([...words('你好世界')]).toEqual([2]);
	expect([...words('你好，世界')]).not.toContain(2);
});

test('a mark that stands alone belongs to the word before it, whatever white space is between', () => {
	expect([...words('one two , three')]).toEqual([4, 10]);
	expect([...words('one two \t, three')]).toEqual([4, 11]);
	expect([...words('one « two')]).toEqual([4]);
});

test.each([
	['&#xD7FF;', '\ud7ff'],
	['&#xD800;', '\ufffd'],
	['&#xDFFF;', '\ufffd'],
	['&#xE000;', '\ue000'],
	['&#x10FFFF;', '\u{10ffff}'],
	['&#x110000;', '\ufffd'],
	['&#0;', '\ufffd'],
])('the character reference %s', (reference, character) => {
	expect(decoded(reference)).toBe(character);
});

test.each([
	['an emoji is no letter', '😁_well_ said', '😁well said'],
	['what can only end ends nothing', 'one* two* three', 'one* two* three'],
	['of three marks, two are left', '***one* two** three', 'one two three'],
	['what has ended and can begin', 'a **b*c*d** e', 'a bcd e'],
])('emphasis: %s', (_, source, text) => {
	expect(read(source)).toBe(text);
});

test.each([
	['See section [11](https://a.org/x11).', 'See section 11.'],
	['It rains. [1](https://a.org)', 'It rains.'],
	['It rains[1](https://a.org).', 'It rains.'],
	['>\t Behind a tab', 'Behind a tab'],
	['- ***\n\n  An item after a line', 'An item after a line.'],
	['-\n\n  No item after a blank line', 'No item after a blank line'],
	['No table\n:--', 'No table :--'],
	['- One.\n  ```text\n  Two.\n  ```\n- Three.', 'One.\nTwo.\nThree.'],
	[`${'word '.repeat(2000)}[here](https://example.com/a)`, `${'word '.repeat(2000)}here`],
])('Markdown: %j', (source, text) => {
	expect(read(source)).toBe(text);
});

test.each([
	['One<img alt="a cat">two', 'One a cat two'],
	['One<br>two', 'One\ntwo'],
	['One<br><br>two', 'One\n\ntwo'],
	['<nav>One<p>two', 'One\n\ntwo'],
	['<ol><li>One</li><li></li></ol>Two', '1. One.\n\nTwo'],
])('HTML: %j', (source, text) => {
	expect(read(source, { textFormat: 'html' })).toBe(text);
});

test.each([
	['NATO는', 'Nato는'],
	['NATOs', 'NATOs'],
	['NATO', 'Nato'],
])('a pronunciation of a whole word in %s', (source, text) => {
	const rule = { find: 'NATO', say: 'Nato', wholeWord: true, matchCase: true };
	expect(read(source, { pronunciations: [rule] })).toBe(text);
});

test('a line of spaces is a blank line around a heading, too', () => {
	const source = 'The end.\n \nThe Night Train\n\t\nIt was late.';
	expect(plainHeadings(source)).toEqual([{ at: 11, end: 26 }]);
});

test('of several words in parentheses all must be tones, or all are read aloud', () => {
	const aloud = (source: string) => read(source, { parentheses: 'readAloud' });
	expect(aloud('(sad, very tired) Well.')).toBe('(sad, very tired) Well.');
	expect(aloud('(sad, after the rain) Well.')).toBe(
		aloud('(after the rain) Well.').replace('after', 'sad, after'),
	);
});

test('a heading right behind a table is read', () => {
	const table = 'a | b\n--|--\n1 | 2\n';
	expect(read(`${table}# After it`)).toBe(read(`${table}\n# After it`));
	expect(read(`${table}# After it`)).toMatch(/After it\.?$/);
});

test.each([
	['| One | two |', 'One, two.'],
	['| One |', 'One.'],
	['| a \\| b | c |', 'a | b, c.'],
	['|  One || two |', 'One, two.'],
])('the cells of %j', (line, cells) => {
	const columns = '|-'.repeat(line.split(/(?<!\\)\|/).length - 2);
	expect(read(`${line}\n${columns}|\n| x | y |`).split('\n')[0]).toBe(cells);
});
