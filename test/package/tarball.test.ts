/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';
import { SERVICE } from '../../nodes/SpeechGateway/core/service';
import { REPOSITORY } from '../support/n8n/install';
import { packPackage } from '../support/n8n/package';
import { run } from '../support/n8n/steps';

let folder: string;
/** Paths within the package. */
let files: string[];

beforeAll(async () => {
	const given = process.env.PACKAGE_TARBALL;
	const tarball = given ?? (await packPackage());
	folder = await mkdtemp(path.join(tmpdir(), 'speech-gateway-tarball-'));
	await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	const { stdout } = await run('tar', ['-tzf', tarball]);
	files = stdout
		.split('\n')
		.filter((name) => name !== '' && !name.endsWith('/'))
		.map((name) => name.replace(/^package\//, ''));
	if (!given) await rm(tarball);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const read = async (file: string) => await readFile(path.join(folder, file), 'utf8');

/** The compiled files that n8n loads, and all that they load in turn. */
async function loaded(): Promise<Set<string>> {
	const seen = new Set<string>();
	const queue = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
	for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
		if (seen.has(file)) continue;
		seen.add(file);
		for (const [, target] of (await read(file)).matchAll(/require\(["'](\.[^"']+)["']\)/g)) {
			const base = path.posix.join(path.posix.dirname(file), target);
			queue.push(files.includes(`${base}.js`) ? `${base}.js` : `${base}/index.js`);
		}
	}
	return seen;
}

const NOTICES = 'dist/nodes/SpeechGateway/libraries/THIRD_PARTY_NOTICES.txt';

test('libraries are bundled, each with its license', async () => {
	const libraries = files.filter((file) => /\/libraries\/\w+\.js$/.test(file));
	const notices = await read(NOTICES);
	for (const library of libraries) {
		const source = library.replace(/^dist\/(.*)\.js$/, '$1.ts');
		const [, name] = /'([^']+)';/.exec(await readFile(path.join(REPOSITORY, source), 'utf8')) ?? [];
		expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
		const code = (await read(library)).replace(/^\s*\*.*$/gm, '');
		expect(code.match(/\brequire\(.*\)/g)).toBeNull();
	}
	expect(libraries.length).toBeGreaterThan(0);
});

test('the package holds what n8n loads, icons, codex files and its papers, and nothing else', async () => {
	const needed = await loaded();
	const isNeeded = (file: string) =>
		needed.has(file) ||
		/^dist\/(nodes|credentials)\/.*\.svg$/.test(file) ||
		needed.has(file.replace(/\.json$/, '.js')) ||
		['package.json', 'README.md', 'LICENSE', manifest.main, NOTICES].includes(file);
	const unneeded = files.filter((file) => !isNeeded(file));
	// Of a file that only declares types, tsc leaves an empty module.
	const lines = await Promise.all(
		unneeded.map(async (file) => (await read(file)).trim().split('\n')),
	);
	expect(unneeded.filter((_, index) => lines[index].length > 2)).toEqual([]);
	expect([...needed].filter((file) => !files.includes(file))).toEqual([]);
});

/** The package's files that are loaded by then, within `dist`; `script` runs in a process of its own. */
async function loadedAfter(script: string): Promise<string[]> {
	const names = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
	const program = `
		const made = ${JSON.stringify(names)}.map((name) => {
			const [Made] = Object.values(require(require('path').resolve(name)));
			return new Made();
		});
		const print = () => {
			const dist = require('path').resolve('dist') + '/';
			const files = Object.keys(require.cache).filter((name) => name.startsWith(dist));
			console.log(JSON.stringify(files.map((name) => name.slice(dist.length))));
		};
		${script}`;
	const env = { ...process.env, NODE_PATH: path.join(REPOSITORY, 'node_modules') };
	const { stdout } = await run(process.execPath, ['-e', program], { cwd: folder, env });
	return JSON.parse(stdout) as string[];
}

/** What sends, waits, speaks or joins: of operations, n8n needs the forms only. */
const WORK =
	/\/(operations\/\w+|speech|tasks|chat|files|run|requests|engine|libraries|core\/(text|audio))\/(?!.*\.form\.js$)|\/transport\.js$/;

test('what n8n loads whenever one of its processes starts: forms, and nothing that works', async () => {
	const atStart = await loadedAfter('print()');
	expect(atStart.filter((file) => WORK.test(file))).toEqual([]);
	expect(atStart.length).toBeGreaterThan(20);
	expect(atStart.length).toBeLessThan(55);
});

test.each([
	['runs', 'made[0].execute.call({})', 'nodes/SpeechGateway/speech/speakSegments.js'],
	[
		'lists something in the editor',
		'made[0].methods.listSearch.searchModels.call({})',
		'nodes/SpeechGateway/gateway/transport.js',
	],
	[
		'gives a model to an agent',
		'made[1].supplyData.call({})',
		'nodes/SpeechGateway/chat/completeChat.js',
	],
])('what works is loaded when a node %s', async (_, first, file) => {
	expect(await loadedAfter(`${first}.catch(() => {}).then(print)`)).toContain(file);
});

interface Codex {
	node: string;
	categories: string[];
	subcategories?: { AI?: string[] };
	resources: Record<string, Array<{ url: string }>>;
}

/** Those of its categories that n8n's lint accepts in any version, and AI, without which nobody would find a chat model. */
const CATEGORIES = ['Marketing & Content', 'Utility', 'AI'];
const AI_SUBCATEGORIES = ['Language Models', 'Root Nodes'];

test('every node has its codex file and its icons, for both themes', async () => {
	for (const node of manifest.n8n.nodes) {
		const codex = JSON.parse(await read(node.replace(/\.js$/, '.json'))) as Codex;
		expect(codex.node).toMatch(new RegExp(`^${manifest.name}\\.`));
		expect(codex.resources).toEqual({
			credentialDocumentation: [{ url: SERVICE.credentialUrl }],
			primaryDocumentation: [{ url: SERVICE.documentationUrl }],
		});
		for (const category of codex.categories) expect(CATEGORIES).toContain(category);
		expect(codex.subcategories?.AI !== undefined).toBe(codex.categories.includes('AI'));
		for (const name of codex.subcategories?.AI ?? []) expect(AI_SUBCATEGORIES).toContain(name);
		for (const [, icon] of (await read(node)).matchAll(/file:([\w.]+\.svg)/g))
			expect(files).toContain(path.posix.join(path.posix.dirname(node), icon));
	}
});

test('the package has no dependencies and runs nothing when it is installed', async () => {
	const packed = JSON.parse(await read('package.json')) as Record<string, object | undefined>;
	expect(packed.dependencies ?? {}).toEqual({});
	expect(packed.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	const scripts = Object.keys(packed.scripts ?? {});
	expect(scripts.filter((name) => /^(pre|post)?(install|prepare|uninstall)$/.test(name))).toEqual(
		[],
	);
});

test("no code holds a Greek, Cyrillic or zero-width character as such: n8n's scanner takes it for a disguise", async () => {
	for (const file of files.filter((name) => name.endsWith('.js')))
		expect([file, await read(file)]).toEqual([
			file,
			expect.not.stringMatching(/[\p{Script=Greek}\p{Script=Cyrillic}\p{Cf}]/u),
		]);
});

/** Keys as providers write them. */
const SECRET =
	/\b(sk-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|gh[opsu]_[A-Za-z0-9]{30,}|AKIA[0-9A-Z]{16})\b|-----BEGIN [A-Z ]*PRIVATE KEY-----|:_authToken[=]/;

test('no file of the package, and none of the repository, holds a key', async () => {
	for (const file of files)
		expect([file, SECRET.exec(await read(file))?.[0]]).toEqual([file, undefined]);
	const { stdout } = await run('git', ['ls-files'], { cwd: REPOSITORY });
	const tracked = stdout.split('\n').filter((file) => existsSync(path.join(REPOSITORY, file)));
	for (const file of tracked.filter((name) => /\.(ts|js|mjs|json|md|yml|svg|rc)$|^\./.test(name))) {
		const text = await readFile(path.join(REPOSITORY, file), 'utf8');
		expect([file, SECRET.exec(text)?.[0]]).toEqual([file, undefined]);
	}
});

test('no line of the source begins with four spaces, which the build takes for an indent of tsc', async () => {
	for (const root of ['nodes', 'credentials'])
		for (const name of await readdir(path.join(REPOSITORY, root), { recursive: true })) {
			if (!name.endsWith('.ts')) continue;
			const source = await readFile(path.join(REPOSITORY, root, name), 'utf8');
			expect([name, /^ {4}/m.test(source)]).toEqual([name, false]);
		}
});

test("the packed files pass the rules of n8n's scanner, which finds what a comment would hide", async () => {
	const hidden = path.join(folder, 'dist/nodes/hidden.js');
	await writeFile(hidden, '/* eslint-disable */\nconsole.log(process.env);\n');
	const report = path.join(folder, 'lint.json');
	const args = ['--no-inline-config', '--config', path.join(__dirname, 'scanner.config.mjs')];
	args.push('--format=json', `--output-file=${report}`, '**/*.js', 'package.json');
	// With jest's NODE_ENV the rules would take every file for one of their own test cases.
	const env = { ...process.env, NODE_ENV: undefined };
	const eslint = path.join(REPOSITORY, 'node_modules/eslint/bin/eslint.js');
	await expect(run(process.execPath, [eslint, ...args], { cwd: folder, env })).rejects.toThrow();

	type Linted = { filePath: string; messages: Array<{ ruleId: string }> };
	const linted = JSON.parse(await readFile(report, 'utf8')) as Linted[];
	expect(linted.map(({ filePath }) => path.relative(folder, filePath))).toEqual(
		expect.arrayContaining([...manifest.n8n.nodes, 'package.json']),
	);
	const found = linted.filter(({ messages }) => messages.length > 0);
	expect(found.map(({ filePath }) => filePath)).toEqual([hidden]);
	expect(found[0].messages.map(({ ruleId }) => ruleId)).toEqual(
		expect.arrayContaining(['no-console', '@n8n/community-nodes/no-restricted-globals']),
	);
});
