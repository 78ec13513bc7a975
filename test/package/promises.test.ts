/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../support/n8n/install';

/** White space and markup do not matter. */
const plain = (text: string) =>
	text
		.replace(/[*_`|]/g, '')
		.replace(/\s+/g, ' ')
		.toLowerCase();
const read = (file: string) => readFileSync(path.join(REPOSITORY, file), 'utf8');

/** What holds although no page says it in so many words: only the test must be there. */
const NO_DOCUMENT = 'In no document';

const sections = read('test/promises.md').split(/^## /m).slice(1);
const promises = sections.flatMap((section) => {
	const [document] = section.split('\n');
	const rows = [...section.matchAll(/^\| (.+?) +\| (test\/\S+\.test\.ts): (.+?) +\|$/gm)];
	return rows.map(([, sentence, file, test]) => ({ document, sentence, file, test }));
});

test('the table is read', () => {
	const lines = read('test/promises.md').match(/^\| (?!sentence|---)/gm);
	expect(promises).toHaveLength(lines!.length);
	expect(promises.length).toBeGreaterThan(15);
});

test.each(promises)('$document: $sentence', ({ document, sentence, file, test: name }) => {
	if (document !== NO_DOCUMENT) expect(plain(read(document))).toContain(plain(sentence));
	expect(existsSync(path.join(REPOSITORY, file))).toBe(true);
	// As the source has it, with an apostrophe or not.
	expect(read(file).replace(/\\'/g, "'")).toContain(name);
});
