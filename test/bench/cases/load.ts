/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../../package.json';
import { installN8n, REPOSITORY } from '../../support/n8n/install';
import { packPackage } from '../../support/n8n/package';
import { run } from '../../support/n8n/steps';
import { round, type BenchCase } from '../case';

/** The last commit of version 0.1.0. A shallow clone lacks it: then there is nothing beside today's figures. */
const FIRST_VERSION = '44da4d6';

/** Processes for each version. */
const RUNS = 15;

/** What n8n does with an installed package whenever one of its processes starts; n8n-workflow is loaded by then. */
const START = `
	require('n8n-workflow');
	const path = require('path');
	const names = ${JSON.stringify([...manifest.n8n.nodes, ...manifest.n8n.credentials])};
	const from = performance.now();
	for (const name of names) {
		const [Made] = Object.values(require(path.resolve(name)));
		new Made();
	}
	const ms = performance.now() - from;
	const dist = path.resolve('dist');
	const files = Object.keys(require.cache).filter((name) => name.startsWith(dist)).length;
	console.log(JSON.stringify({ ms, files }));`;

/** A version of the package, unpacked. */
interface Version {
	name: string;
	folder: string;
	packedKilobytes: number;
	unpackedKilobytes: number;
	starts: Array<{ ms: number; files: number }>;
}

async function unpack(name: string, tarball: string, scratch: string): Promise<Version> {
	const folder = await mkdtemp(path.join(scratch, 'version-'));
	await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	const { stdout } = await run('tar', ['-tvzf', tarball]);
	const sizes = stdout.split('\n').map((line) => Number(/^\S+ \S+ +(\d+)/.exec(line)?.[1] ?? 0));
	return {
		name,
		folder,
		packedKilobytes: (await stat(tarball)).size / 1024,
		unpackedKilobytes: sizes.reduce((sum, size) => sum + size, 0) / 1024,
		starts: [],
	};
}

/** Version 0.1.0, built from its commit; undefined where the commit is not at hand. */
async function firstVersion(scratch: string): Promise<Version | undefined> {
	const sources = await mkdtemp(path.join(scratch, 'sources-'));
	const archive = path.join(scratch, 'sources.tar');
	try {
		const args = ['archive', '--output', archive, FIRST_VERSION];
		await run('git', args, { cwd: REPOSITORY });
	} catch {
		return undefined;
	}
	await run('tar', ['-xf', archive, '-C', sources]);
	return await unpack('0.1.0', await packPackage(sources), scratch);
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** What n8n pays at every start, in each of its processes: the versions take turns, in processes of their own. */
export const load: BenchCase = {
	name: 'load',
	title: 'Cost of being installed',
	async run({ tarball }) {
		const { node, folder: n8n } = await installN8n('2.41');
		const env = { ...process.env, NODE_PATH: path.join(n8n, 'node_modules') };
		const scratch = await mkdtemp(path.join(tmpdir(), 'speech-gateway-load-'));
		try {
			const now = await unpack('now', tarball, scratch);
			const before = await firstVersion(scratch);
			const versions = before ? [now, before] : [now];
			for (let i = 0; i < RUNS; i++) {
				for (const { folder, starts } of versions) {
					const { stdout } = await run(node, ['-e', START], { cwd: folder, env });
					starts.push(JSON.parse(stdout) as Version['starts'][number]);
				}
			}
			const msOf = ({ starts }: Version) => median(starts.map(({ ms }) => ms));
			const row = (what: string, value: (version: Version) => number, unit = '') => [
				what,
				...versions.map((version) => `${round(value(version))}${unit && ` ${unit}`}`),
			];
			return {
				head: ['', ...versions.map(({ name }) => name)],
				rows: [
					row('packed size', ({ packedKilobytes }) => packedKilobytes, 'KB'),
					row('unpacked size', ({ unpackedKilobytes }) => unpackedKilobytes, 'KB'),
					row('files loaded at the start of n8n', ({ starts }) => starts[0].files),
					row(`time to load them, median of ${RUNS} processes`, msOf, 'ms'),
				],
				checks: [
					{ what: 'packed size', value: now.packedKilobytes, limit: 200, unit: 'KB' },
					{ what: 'time to load', value: msOf(now), limit: 15, unit: 'ms' },
					...(before
						? [
								{
									what: 'time to load, over that of 0.1.0',
									value: msOf(now) / msOf(before),
									limit: 1,
								},
							]
						: []),
				],
			};
		} finally {
			await rm(scratch, { recursive: true, force: true });
		}
	},
};
