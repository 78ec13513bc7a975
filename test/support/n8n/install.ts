/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { npm, run, step, type Log } from './steps';

export const REPOSITORY = path.resolve(__dirname, '../../..');
export const CACHE = path.join(REPOSITORY, '.cache');

/** The n8n versions under test: a folder each in test/n8n/versions, with a lock. */
export const N8N_VERSIONS = ['2.41', '1.123'] as const;
export type N8nVersion = (typeof N8N_VERSIONS)[number];

/** An installed n8n: its own Node (n8n 2.41 wants Node 24, whatever runs the tests) and its command. */
export interface InstalledN8n {
	version: N8nVersion;
	folder: string;
	node: string;
	command: string;
}

/** Whether the native SQLite driver is built: it is compiled once, and N-API lets every Node load it. */
const sqliteWorks = async ({ node, folder }: InstalledN8n): Promise<boolean> =>
	await run(node, ['-e', "require('sqlite3')"], { cwd: folder }).then(
		() => true,
		() => false,
	);

/**
 * Installs an n8n version into `.cache/n8n-<version>` unless it is there.
 * A stamp with the lock's hash is written last, so that an interrupted or outdated installation is done again.
 */
export async function installN8n(
	version: N8nVersion,
	log: Log = console.log, // eslint-disable-line no-console -- prints what takes minutes
): Promise<InstalledN8n> {
	const source = path.join(REPOSITORY, 'test/n8n/versions', version);
	const folder = path.join(CACHE, `n8n-${version}`);
	const installed: InstalledN8n = {
		version,
		folder,
		node: path.join(folder, 'node_modules/node/bin/node'),
		command: path.join(folder, 'node_modules/n8n/bin/n8n'),
	};
	const files = ['package.json', 'package-lock.json'];
	const hash = createHash('sha256');
	for (const file of files) hash.update(await readFile(path.join(source, file)));
	const stamp = path.join(folder, 'installed.sha256');
	const wanted = hash.digest('hex');
	if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return installed;

	await rm(stamp, { force: true });
	await mkdir(folder, { recursive: true });
	for (const file of files) await cp(path.join(source, file), path.join(folder, file));
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
			async () => await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], folder),
		);
	await writeFile(stamp, wanted);
	return installed;
}
