/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../../package.json';
import { installN8n } from '../../support/n8n/install';
import { run } from '../../support/n8n/steps';
import { round, type BenchCase } from '../stage';

/** Processes, of which the median counts. */
const RUNS = 15;

/** What n8n does with an installed package whenever one of its processes starts; n8n-workflow is loaded by then. */
const START = `
	require('n8n-workflow');
	const path = require('path');
	const names = ${JSON.stringify([...manifest.n8n.nodes, ...manifest.n8n.credentials])};
	const cpu = process.cpuUsage();
	for (const name of names) {
		const [Made] = Object.values(require(path.resolve(name)));
		new Made();
	}
	const { user, system } = process.cpuUsage(cpu);
	const ms = (user + system) / 1000;
	const dist = path.resolve('dist');
	const files = Object.keys(require.cache).filter((name) => name.startsWith(dist)).length;
	console.log(JSON.stringify({ ms, files }));`;

/** Unpacks the package; returns its unpacked size, bytes. */
async function unpack(tarball: string, folder: string): Promise<number> {
	await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	const { stdout } = await run('tar', ['-tvzf', tarball]);
	const sizes = stdout.split('\n').map((line) => Number(/^\S+ \S+ +(\d+)/.exec(line)?.[1] ?? 0));
	return sizes.reduce((sum, size) => sum + size, 0);
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** What n8n pays at every start, in each of its processes. */
export const load: BenchCase = {
	name: 'load',
	title: 'Cost of being installed',
	async run({ tarball }) {
		const { node, folder: n8n } = await installN8n('2.41');
		const env = { ...process.env, NODE_PATH: path.join(n8n, 'node_modules') };
		const folder = await mkdtemp(path.join(tmpdir(), 'speech-gateway-load-'));
		try {
			const packed = (await stat(tarball)).size / 1024;
			const unpacked = (await unpack(tarball, folder)) / 1024;
			const starts: Array<{ ms: number; files: number }> = [];
			for (let i = 0; i < RUNS; i++) {
				const { stdout } = await run(node, ['-e', START], { cwd: folder, env });
				starts.push(JSON.parse(stdout) as (typeof starts)[number]);
			}
			const ms = median(starts.map((start) => start.ms));
			return {
				head: ['', 'now'],
				rows: [
					['packed size', `${round(packed)} KB`],
					['unpacked size', `${round(unpacked)} KB`],
					['files loaded at the start of n8n', `${starts[0].files}`],
					[`CPU time to load them, median of ${RUNS} processes`, `${round(ms)} ms`],
				],
				checks: [{ what: 'CPU time to load', value: ms, limit: 15, unit: 'ms' }],
			};
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	},
};
