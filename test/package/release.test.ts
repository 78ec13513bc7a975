/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { main } from '../../scripts/release';

/** A repository of its own, whose `.ci/run` says what the test says. */
let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'release-'));
	manifest({});
	write('CHANGELOG.md', '# Changelog\n\n## 0.2.0 (unreleased)\n\n- News.\n\n## 0.1.0\n\nFirst.\n');
	tests('echo "9 passed, 0 failed"');
	others('9 passed, 0 failed');
	git('init', '--quiet');
	git('config', 'user.name', 'Somebody');
	git('config', 'user.email', 'somebody@example.com');
	git('remote', 'add', 'origin', 'git@github.com:somebody/released.git');
	commit();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
	const file = path.join(folder, name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, text);
}

function manifest(changes: object): void {
	const author = { name: 'Somebody', email: 'somebody@example.net' };
	const repository = { type: 'git', url: 'git+https://github.com/somebody/released.git' };
	const scripts = { test: 'node test.cjs' };
	const told = { name: 'released', version: '0.1.0', author, repository, scripts, ...changes };
	write('package.json', JSON.stringify(told));
}

function tests(script: string): void {
	write('.ci/run', `#!/bin/bash\n${script}\n`);
	chmodSync(path.join(folder, '.ci/run'), 0o755);
}

/** What `npm test -- --examples` and `--tools` say. */
function others(lastLine: string): void {
	write('test.cjs', `console.log(${JSON.stringify(lastLine)})`);
}

function git(...args: string[]): string {
	return spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout.trim();
}

function commit(): void {
	git('add', '--all');
	git('commit', '--quiet', '--message', 'Work');
}

test('the version at the top of the changelog is committed and tagged', async () => {
	expect(await main([], folder)).toBe(0);
	const published = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as object;
	expect(published).toMatchObject({ version: '0.2.0' });
	expect(readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8')).toContain('## 0.2.0\n');
	expect(git('describe', '--exact-match')).toBe('v0.2.0');
	expect(git('status', '--porcelain')).toBe('');
	await expect(main([], folder)).rejects.toThrow('is released');
});

test.each([
	[
		'the author is a placeholder',
		() => manifest({ author: { email: 'maintainers@example.com' } }),
		'fill in the author',
	],
	[
		'the package is of another repository',
		() => manifest({ repository: { url: 'git+https://github.com/other/released.git' } }),
		'this clone is of',
	],
	['a change is not committed', () => write('new.txt', ''), 'not committed'],
	['a test failed', () => tests('echo "8 passed, 1 failed"; exit 1'), 'exit code 1'],
	['nothing was tested', () => tests('echo "0 passed, 0 failed"'), 'The tests say'],
	['an example failed', () => others('8 passed, 1 failed'), 'The tests say'],
	['the changelog has no version', () => write('CHANGELOG.md', '# Changelog\n'), 'version'],
	['the entry is empty', () => write('CHANGELOG.md', '## 0.2.0\n\n## 0.1.0\n'), 'says nothing'],
])('%s: nothing is released', async (name, prepare, message) => {
	prepare();
	if (name !== 'a change is not committed') commit();
	const head = git('rev-parse', 'HEAD');
	await expect(main([], folder)).rejects.toThrow(message);
	expect(git('rev-parse', 'HEAD')).toBe(head);
	expect(git('tag', '--list')).toBe('');
});
