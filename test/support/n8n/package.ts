/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { REPOSITORY } from './install';
import { npm, onExit, run } from './steps';

/** What the build reads. It works on a copy, so that tests neither use nor disturb a `dist/` in the work tree. */
const SOURCES = [
	'package.json',
	'tsconfig.json',
	'gulpfile.js',
	'scripts/finishCompiled.cjs',
	'index.js',
	'README.md',
	'LICENSE',
	'nodes',
	'credentials',
];

/**
 * Builds and packs the package; returns the path of the tarball that `npm publish` would upload, which this process's end removes.
 * `root`: where its sources are.
 */
export async function packPackage(root = REPOSITORY): Promise<string> {
	const folder = await mkdtemp(path.join(tmpdir(), 'speech-gateway-package-'));
	onExit(() => rmSync(folder, { recursive: true, force: true }));
	for (const name of SOURCES)
		if (existsSync(path.join(root, name)))
			await cp(path.join(root, name), path.join(folder, name), { recursive: true });
	await symlink(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
	await npm(['run', 'build'], folder);
	const [{ filename }] = JSON.parse(
		await npm(['pack', '--json', '--ignore-scripts'], folder),
	) as Array<{ filename: string }>;
	return path.join(folder, filename);
}

/** The package under test: what PACKAGE_TARBALL names, as scripts/test.ts packs it once for all, or packed now. */
export const packedPackage = async (): Promise<string> =>
	process.env.PACKAGE_TARBALL ?? (await packPackage());

/**
 * Puts a packed package where n8n's own installer puts it, and as it does: unpacked, without its
 * development and peer dependencies. n8n then runs `npm install` for the others; this package may have none.
 */
export async function unpackInto(userFolder: string, tarball: string): Promise<void> {
	const nodes = path.join(userFolder, '.n8n/nodes');
	const unpacked = path.join(nodes, 'unpacked');
	await mkdir(unpacked, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
	const { devDependencies, peerDependencies, optionalDependencies, ...manifest } = JSON.parse(
		await readFile(path.join(unpacked, 'package.json'), 'utf8'),
	) as Record<string, unknown> & { name: string; version: string };
	void [devDependencies, peerDependencies, optionalDependencies];
	if (Object.keys(manifest.dependencies ?? {}).length > 0)
		throw new Error(
			`${manifest.name} has runtime dependencies; n8n forbids them for verified nodes`,
		);
	await writeFile(path.join(unpacked, 'package.json'), JSON.stringify(manifest, null, 2));
	const target = path.join(nodes, 'node_modules', manifest.name);
	await rm(target, { recursive: true, force: true });
	await cp(unpacked, target, { recursive: true });
	await rm(unpacked, { recursive: true });
	await writeFile(
		path.join(nodes, 'package.json'),
		JSON.stringify(
			{
				name: 'installed-nodes',
				private: true,
				dependencies: { [manifest.name]: manifest.version },
			},
			null,
			2,
		),
	);
}
