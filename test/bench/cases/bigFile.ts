import type { IDataObject } from 'n8n-workflow';
import type { Execution } from '../../support/n8n/client';
import { makeNode, NODE_NAME, NODE_TYPE } from '../../support/workflow';
import { bestOfEach, inFreshN8n, round, type BenchCase, type Check, type Stage } from '../stage';
import { runner } from './floor';

const BYTES = 300_000_000;

const KINDS = {
	'a video': {
		resource: 'video',
		model: { __rl: true, mode: 'id', value: 'sim-video' },
		prompt: 'The sea.',
	},
	'a job, WAV': { resource: 'speechJob', text: 'The sea.', responseFormat: 'wav' },
	'a job, MP3': { resource: 'speechJob', text: 'The sea.', responseFormat: 'mp3' },
};

const bytesOf = ({ data }: Execution): number =>
	Number(data.resultData.runData[NODE_NAME][0].data?.main[0]?.[0].json.bytes);

/** A big file on its way from the gateway into n8n's store. One goes before it, which any n8n takes 70 to 170 MB for. */
export const bigFile: BenchCase = {
	name: 'bigFile',
	title: `A file of ${BYTES / 1e6} MB`,
	async run({ tarball }) {
		const rows: Array<Array<string | number>> = [];
		const checks: Check[] = [];
		for (const [what, parameters] of Object.entries(KINDS)) {
			const { grown, cpu, wall } = await inFreshN8n(tarball, async (stage) => {
				const download = await downloader(stage, parameters);
				await download();
				const [best] = await bestOfEach(3, (one) => one.grown, download);
				return best;
			});
			rows.push([what, ...[grown, cpu, wall / 1000].map(round)]);
			checks.push({ what: `${what}: n8n grows by`, value: grown, limit: 60, unit: 'MB' });
		}
		return { head: ['', 'grown by, MB', 'CPU ms', 'seconds in the node'], rows, checks };
	},
};

async function downloader(stage: Stage, parameters: IDataObject) {
	const node = makeNode(NODE_NAME, NODE_TYPE, 1, 400, {
		...parameters,
		operation: 'createAndWait',
	});
	const fault = { path: /content$/, contentBytes: BYTES };
	const run = await runner(stage, node, '[{}]', () => stage.bench.sim.fault(fault));
	return async () => {
		const { execution, ...measured } = await run();
		if (!(bytesOf(execution) > 0.9 * BYTES))
			throw new Error(`The file has ${bytesOf(execution)} bytes`);
		return measured;
	};
}
