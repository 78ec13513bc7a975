/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/require-node-api-error -- test code runs outside n8n */
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { npm, run, step, type Log } from './steps';

export const REPOSITORY = path.resolve(__dirname, '../../..');
export const CACHE = path.join(REPOSITORY, '.cache');

/**
 * The n8n versions that every run of the tests uses, the present one and the oldest on which all works: a folder each in
 * test/n8n/versions, with a lock. Before 2.16, n8n has no SDK for AI nodes.
 */
export const N8N_VERSIONS = ['2.41', '2.16'] as const;
export const [CURRENT, OLDEST] = N8N_VERSIONS;
/** One of the locked versions, or any exact one of the registry, such as `2.16.1`. */
export type N8nVersion = (typeof N8N_VERSIONS)[number] | ExactVersion;
export type ExactVersion = `${number}.${number}.${number}`;

export const isN8nVersion = (version: string): version is N8nVersion =>
	isLocked(version) || /^\d+\.\d+\.\d+$/.test(version);

const isLocked = (version: string) => N8N_VERSIONS.some((locked) => locked === version);

/** The exact version of n8n that a locked one is. */
export async function lockedN8n(version: (typeof N8N_VERSIONS)[number]): Promise<string> {
	const file = path.join(REPOSITORY, 'test/n8n/versions', version, 'package.json');
	const { dependencies } = JSON.parse(await readFile(file, 'utf8')) as {
		dependencies: { n8n: string };
	};
	return dependencies.n8n;
}

/** Whether n8n has got as far as a version, of which major and minor count. */
export function isAtLeast(version: N8nVersion, least: `${number}.${number}`): boolean {
	const [major, minor] = version.split('.').map(Number);
	const [leastMajor, leastMinor] = least.split('.').map(Number);
	return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** An installed n8n: its own Node (n8n 2.41 wants Node 24, whatever runs the tests) and its command. */
export interface InstalledN8n {
	version: N8nVersion;
	folder: string;
	node: string;
	command: string;
}

/** What npm is given to install: as it is kept here, or made for a version that has no lock. */
async function manifestOf(version: N8nVersion): Promise<Record<string, string>> {
	const kept = async (file: string, of: string = version) =>
		await readFile(path.join(REPOSITORY, 'test/n8n/versions', of, file), 'utf8');
	if (isLocked(version)) {
		return {
			'package.json': await kept('package.json'),
			'package-lock.json': await kept('package-lock.json'),
		};
	}
	// Dependencies that n8n names by range have drifted to versions that break it, or that the registry lacks. What is a
	// peer of a peer is left out with --legacy-peer-deps.
	const { overrides, dependencies } = JSON.parse(await kept('package.json', OLDEST)) as {
		overrides: object;
		dependencies: object;
	};
	const manifest = { private: true, overrides, dependencies: { ...dependencies, n8n: version } };
	return { 'package.json': JSON.stringify(manifest, null, 2) };
}

/** Whether the native SQLite driver is built: it is compiled once, and N-API lets every Node load it. */
const sqliteWorks = async ({ node, folder }: InstalledN8n): Promise<boolean> =>
	await run(node, ['-e', "require('sqlite3')"], { cwd: folder }).then(
		() => true,
		() => false,
	);

/** Compiles the SQLite driver with what npm has brought; where it cannot, the error says which program is missing. */
async function compileSqlite({ folder }: InstalledN8n): Promise<void> {
	const nodedir = await headersIn(folder);
	try {
		const config = nodedir === undefined ? undefined : { nodedir };
		await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], folder, config);
	} catch (error) {
		const missing = await missingCompilers();
		if (missing.length === 0) throw error;
		throw new Error(
			`n8n's SQLite driver has to be compiled here, and there is no ${missing.join(', no ')}. Install what is missing (Debian: apt-get install python3 make g++), and run the command again: it goes on from here.`,
			{ cause: error },
		);
	}
}

/** The folder with the headers of Node that its npm package brings; node-gyp would fetch them from nodejs.org. */
async function headersIn(folder: string): Promise<string | undefined> {
	const parts = path.join(folder, 'node_modules/node/node_modules');
	for (const part of await readdir(parts).catch(() => [])) {
		const candidate = path.join(parts, part);
		if (await exists(path.join(candidate, 'include/node/node_api.h'))) return candidate;
	}
	return undefined;
}

const exists = async (file: string): Promise<boolean> =>
	await access(file).then(
		() => true,
		() => false,
	);

/** What node-gyp compiles with, and the programs that do it. */
const COMPILERS = {
	Python: ['python3', 'python'],
	make: ['make', 'gmake'],
	'C++ compiler': ['c++', 'g++', 'clang++'],
};

/** Those of them that this machine does not have; Windows has others. */
export async function missingCompilers(env = process.env): Promise<string[]> {
	if (process.platform === 'win32') return [];
	const works = async (program: string) =>
		await run(program, ['--version'], { env }).then(
			() => true,
			() => false,
		);
	const missing: string[] = [];
	for (const [name, programs] of Object.entries(COMPILERS))
		if (!(await Promise.all(programs.map(works))).includes(true)) missing.push(name);
	return missing;
}

/**
 * Makes an n8n that came some other way, as in its Docker image, one of those that tests find by version, with the Node that runs
 * this. `n8n`: the folder of its package. Returns its version.
 */
export async function adoptN8n(n8n: string): Promise<ExactVersion> {
	const { version } = JSON.parse(await readFile(path.join(n8n, 'package.json'), 'utf8')) as {
		version: ExactVersion;
	};
	const modules = path.join(CACHE, `n8n-${version}`, 'node_modules');
	await mkdir(path.join(modules, 'node/bin'), { recursive: true });
	await symlink(process.execPath, path.join(modules, 'node/bin/node'));
	await symlink(n8n, path.join(modules, 'n8n'));
	await writeFile(path.join(modules, '../installed.sha256'), hashOf(await manifestOf(version)));
	return version;
}

function hashOf(files: Record<string, string>): string {
	const hash = createHash('sha256');
	for (const text of Object.values(files)) hash.update(text);
	return hash.digest('hex');
}

const stampFile = ({ folder }: InstalledN8n) => path.join(folder, 'installed.sha256');

/** What tells one installation from another of the same version: the hash of what it was made from. */
export const stampOf = async (installed: InstalledN8n): Promise<string> =>
	await readFile(stampFile(installed), 'utf8');

/**
 * Installs an n8n version into `.cache/n8n-<version>` unless it is there.
 * A stamp with the lock's hash is written last, so that an interrupted or outdated installation is done again.
 */
export async function installN8n(
	version: N8nVersion,
	log: Log = console.log, // eslint-disable-line no-console -- prints what takes minutes
): Promise<InstalledN8n> {
	const folder = path.join(CACHE, `n8n-${version}`);
	const installed: InstalledN8n = {
		version,
		folder,
		node: path.join(folder, 'node_modules/node/bin/node'),
		command: path.join(folder, 'node_modules/n8n/bin/n8n'),
	};
	const files = await manifestOf(version);
	const stamp = stampFile(installed);
	const wanted = hashOf(files);
	if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return installed;

	await rm(stamp, { force: true });
	await mkdir(folder, { recursive: true });
	for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, file), text);
	await step(
		`n8n ${version}: npm install (2 GB, minutes, only once)`,
		log,
		async () =>
			// Without the flags npm resolves peers for ten minutes and compiles drivers that no test needs.
			await npm(
				[
					'install',
					'--legacy-peer-deps',
					'--ignore-scripts',
					'--no-save',
					'--no-audit',
					'--no-fund',
				],
				folder,
			),
	);
	await step(
		`n8n ${version}: its own Node`,
		log,
		async () => await npm(['rebuild', 'node', '--ignore-scripts=false'], folder),
	);
	if (!(await sqliteWorks(installed)))
		await step(
			`n8n ${version}: SQLite driver (compiles)`,
			log,
			async () => await compileSqlite(installed),
		);
	await writeFile(stamp, wanted);
	return installed;
}
