/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- runs outside n8n */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from '../test/support/n8n/install';
import { npm, run, toStdout } from '../test/support/n8n/steps';

/** Nobody's, by RFC 2606: stands in package.json until the author fills in an address. */
const PLACEHOLDER_ADDRESS = /@example\.com$/;

/**
 * `npm run release`: makes the version at the top of the changelog: all tests pass, also of examples and tools, then a commit with the version in
 * package.json and its lock, and the tag that publishes it once it is pushed. It pushes nothing. Refuses as long as
 * package.json names an author or a repository that are not the publisher's.
 */
export async function main(_args: string[], cwd = REPOSITORY): Promise<number> {
	const git = async (...args: string[]) => (await run('git', args, { cwd })).stdout.trim();

	const file = path.join(cwd, 'CHANGELOG.md');
	const changelog = await readFile(file, 'utf8');
	const version = topVersion(changelog);
	const manifest = JSON.parse(await readFile(path.join(cwd, 'package.json'), 'utf8')) as Manifest;
	if (PLACEHOLDER_ADDRESS.test(manifest.author.email))
		throw new Error('package.json: fill in the author, whose address is still a placeholder');
	const origin = await git('config', '--default', '', 'remote.origin.url');
	if (repositoryPath(manifest.repository.url) !== repositoryPath(origin))
		throw new Error(
			`package.json: the repository is ${manifest.repository.url}, but this clone is of ${origin || 'no repository'}`,
		);
	if ((await git('status', '--porcelain')) !== '')
		throw new Error('There are changes that are not committed');
	if ((await git('tag', '--list', `v${version}`)) !== '')
		throw new Error(`v${version} is released: CHANGELOG.md needs an entry for the next version`);

	const tests: Array<[program: string, args: string[]]> = [
		['.ci/run', []],
		['npm', ['test', '--', '--examples']],
		['npm', ['test', '--', '--tools']],
	];
	for (const [program, args] of tests) {
		const { stdout } = await run(program, args, { cwd, show: toStdout });
		const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
		if (!/^[1-9]\d* passed, 0 failed$/.test(lastLine))
			throw new Error(`The tests say: ${lastLine}`);
	}

	await writeFile(file, changelog.replace(`## ${version} (unreleased)`, `## ${version}`));
	await npm(['version', version, '--no-git-tag-version', '--allow-same-version'], cwd);
	await git('commit', '--all', '--message', `Version ${version}`);
	await git('tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
	console.log(`\nVersion ${version} is committed and tagged.`);
	console.log(`To publish it: git push origin HEAD v${version}`);
	return 0;
}

interface Manifest {
	author: { email: string };
	repository: { url: string };
}

/** `owner/name` of a repository's address, as npm and git write it, with https or ssh. */
const repositoryPath = (url: string): string | undefined =>
	/([^/:]+\/[^/]+?)(\.git)?$/.exec(url)?.[1];

/** The version of the first entry, which may be marked as unreleased. Throws when there is none, or when nothing is said about it. */
function topVersion(changelog: string): string {
	const [entry = ''] = changelog.split(/^## /m).slice(1);
	const [heading, ...lines] = entry.split('\n');
	const version = /^(\d+\.\d+\.\d+)( \(unreleased\))?$/.exec(heading)?.[1];
	if (!version) throw new Error('CHANGELOG.md does not begin with an entry for a version');
	if (lines.every((line) => line.trim() === ''))
		throw new Error(`CHANGELOG.md says nothing about ${version}`);
	return version;
}
