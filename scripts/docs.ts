/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from '../test/support/n8n/install';
import { descriptions } from '../nodes/SpeechGateway/operations/forms';
import { SERVICES_PAGE, servicesPage } from './servicesPage';

/** What is aimed at: people read short pages. */
const AIMS = { readme: 800, pages: 6000 };

/** `npm run docs`: writes docs/services.md from the table of the tests, and tells how much there is to read and to set. */
export async function main(): Promise<number> {
	await writeFile(path.join(REPOSITORY, SERVICES_PAGE), await servicesPage());
	console.log(`${SERVICES_PAGE} is written.`);
	const pages = ['README.md', ...pagesIn('docs'), ...pagesIn('examples')];
	const words = pages.map((page) => wordsOf(page));
	const all = words.reduce((sum, count) => sum + count, 0);
	console.log(
		`README.md: ${words[0]} words (aim: ${AIMS.readme}); all pages: ${all} (${AIMS.pages})`,
	);
	const options = descriptions.flatMap((one) => one.options.map(({ name }) => name));
	console.log(`${new Set(options).size} options`);
	return 0;
}

const pagesIn = (folder: string): string[] =>
	readdirSync(path.join(REPOSITORY, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => `${folder}/${name}`);

/** Of what people read: neither the lines of tables nor pictures. */
const wordsOf = (page: string): number =>
	readFileSync(path.join(REPOSITORY, page), 'utf8')
		.replace(/<!--[^]*?-->|<\/?picture>|<source[^>]*>/g, '')
		.split(/\s+/)
		.filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
