/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { statSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../../package.json';
import { installN8n } from '../../support/n8n/install';
import { run } from '../../support/n8n/steps';
import { best, round, type BenchCase } from '../case';

/** What n8n pays at every start, in each of its processes. */
export const load: BenchCase = {
	name: 'load',
	title: 'Cost of being installed',
	async run({ n8n, tarball }) {
		const { node, folder } = await installN8n('2.41');
		const home = path.join(n8n.userFolder, '.n8n/nodes/node_modules', manifest.name);
		const files = manifest.n8n.nodes.map((file) => path.join(home, file));
		const script = `
			require('n8n-workflow');
			const files = ${JSON.stringify(files)};
			const from = performance.now();
			const made = files.map((file) => new (require(file)[require('path').basename(file, '.node.js')])());
			console.log(performance.now() - from);`;
		const requireMs = await best(
			7,
			async () =>
				Number(
					(
						await run(node, ['-e', script], {
							cwd: folder,
							env: { ...process.env, NODE_PATH: path.join(folder, 'node_modules') },
						})
					).stdout,
				),
			(ms) => ms,
		);
		const kilobytes = statSync(tarball).size / 1024;
		return {
			head: ['', ''],
			rows: [
				['packed size', `${round(kilobytes)} KB`],
				['require and make all nodes, n8n-workflow loaded', `${round(requireMs)} ms`],
			],
			checks: [
				{ what: 'packed size', value: kilobytes, limit: 150, unit: 'KB' },
				{ what: 'require of all nodes', value: requireMs, limit: 20, unit: 'ms' },
			],
		};
	},
};
