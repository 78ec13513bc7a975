import { round, type BenchCase, type Stage } from '../case';
import { inFreshN8n } from '../fresh';
import { memoryOf, watchPeak } from '../process';
import { httpRequest, ours, runsOf, saveWith, timeOf } from '../workflows';

const BYTES = 300 * 1024 * 1024;
const MB = 1024 * 1024;

type Node = Parameters<typeof saveWith>[1];

async function downloadWith({ bench, n8n }: Stage, node: Node, id: string) {
	const workflow = await saveWith(bench, node, `[{ id: '${id}' }]`);
	const before = memoryOf(n8n.pid);
	const peak = watchPeak(n8n.pid);
	const execution = await bench.api.runProduction(workflow);
	if (execution.status !== 'success') throw new Error(`${node.type} ended as ${execution.status}`);
	const binary = Object.values(runsOf(execution)[0].data!.main[0]![0].binary ?? {})[0];
	return {
		seconds: timeOf(execution) / 1000,
		grown: peak() - before,
		megabytes: (binary as { bytes?: number }).bytes! / MB,
	};
}

const jobDownload = (responseFormat: string) =>
	ours({ resource: 'speechJob', operation: 'download', jobId: '={{ $json.id }}', responseFormat });

/** Downloads a small file, because what the first execution loads is not the download's, and then a large one. */
async function measured(stage: Stage, format: string, nodeFor: (stage: Stage) => Node) {
	return await inFreshN8n(stage, {}, async (fresh) => {
		const { sim } = fresh.bench;
		const submit = async (contentBytes: number) => {
			sim.fault({ method: 'POST', jobSeconds: 0, contentBytes });
			const response = await fetch(`${sim.url}/v1/audio/speech/jobs`, {
				method: 'POST',
				headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
				body: JSON.stringify({ model: 'fish-speech', input: 'Long.', response_format: format }),
			});
			return ((await response.json()) as { id: string }).id;
		};
		const node = nodeFor(fresh);
		for (let i = 0; i < 3; i++) await downloadWith(fresh, node, await submit(1000));
		return await downloadWith(fresh, node, await submit(BYTES));
	});
}

export const download: BenchCase = {
	name: 'download',
	title: 'Download of 300 MB, binary data in files',
	async run(stage) {
		const wav = await measured(stage, 'wav', () => jobDownload('wav'));
		const http = await measured(stage, 'wav', ({ bench }) => {
			const url = `=${bench.sim.url}/v1/audio/speech/jobs/{{ $json.id }}/content`;
			return httpRequest(bench, { method: 'GET', url });
		});
		const mp3 = await measured(stage, 'mp3', () => jobDownload('mp3'));
		const opus = await measured(stage, 'opus', () => jobDownload('opus'));
		return {
			head: ['', 'MB', 'seconds', 'n8n grew by at most, MB'],
			rows: [
				['Speech Gateway, wav', wav] as const,
				['Speech Gateway, mp3 (every frame is checked)', mp3] as const,
				['Speech Gateway, opus (every page is checked)', opus] as const,
				['HTTP Request, wav', http] as const,
			].map(([name, { megabytes, seconds, grown }]) => [
				name,
				round(megabytes),
				round(seconds),
				round(grown),
			]),
			checks: [
				{ what: 'growth, wav', value: wav.grown, limit: 60, unit: 'MB' },
				{ what: 'growth, mp3', value: mp3.grown, limit: 60, unit: 'MB' },
				{ what: 'growth, opus', value: opus.grown, limit: 60, unit: 'MB' },
			],
			notes: ['Each in an n8n of its own.'],
		};
	},
};
