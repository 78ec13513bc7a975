/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a narrator meets, by language, as lists of sentences: abbreviations, quotes and tone tags included. */
export const CORPUS = readFileSync(join(__dirname, 'corpus.txt'), 'utf8')
	.trim()
	.split(/^# /m)
	.slice(1)
	.map((part) => {
		const [language, ...lines] = part.trim().split('\n');
		const paragraphs = lines.join('\n').split('\n\n');
		return {
			language,
			space: /Chinese|Japanese/.test(language) ? '' : ' ',
			paragraphs: paragraphs.map((sentences) => sentences.split('\n')),
		};
	});
