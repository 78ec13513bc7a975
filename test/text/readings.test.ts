/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { TextFormat } from '../../nodes/SpeechGateway/text/format';
import { prepare } from './prepared';

/** What chat models, editors, feeds and websites write, each with what a listener should hear beside it (`NAME.spoken.txt`). */
const FOLDER = join(__dirname, 'readings');
const FORMATS: Record<string, TextFormat> = { '.md': 'markdown', '.html': 'html', '.txt': 'plain' };
/** Thoughts are left out where the format is not set. */
const formatOf = (name: string) =>
	/think|llm-odd/.test(name) ? 'automatic' : FORMATS[extname(name)];
const sources = readdirSync(FOLDER).filter((name) => !name.endsWith('.spoken.txt'));
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

const HEADINGS: Record<string, string[]> = {
	'chat-answer.md': ['How to brew good coffee ☕'],
	'wiki-page.html': ['Name', 'References'],
	'cms-post.md': ['The Night Train'],
};
test.each(Object.entries(HEADINGS))('the headings of %s', (name, expected) => {
	const { headings } = prepare(read(name), { textFormat: FORMATS[extname(name)] });
	expect(headings.map(({ title }) => title)).toEqual(expected);
});

test.each(sources)('%s', (name) => {
	const source = read(name);
	const textFormat = formatOf(name);
	const prepared = prepare(source, { textFormat, parentheses: 'tags' });
	expect(`${prepared.spoken.text.trim()}\n`).toBe(read(`${name}.spoken.txt`));
	const crlf = prepare(source.replace(/\n/g, '\r\n'), { textFormat, parentheses: 'tags' });
	if (extname(name) !== '.txt') expect(crlf.spoken.text).toBe(prepared.spoken.text);
});
