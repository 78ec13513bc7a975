import { round, type BenchCase, type Stage } from '../case';
import { memoryOf, watchPeak } from '../process';
import { httpRequest, MEASURED, ours, runsOf, saveWith, timeOf } from '../workflows';

const BYTES = 300 * 1024 * 1024;
const MB = 1024 * 1024;

async function downloadWith(
	{ bench, n8n }: Stage,
	node: Parameters<typeof saveWith>[1],
	id: string,
) {
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

export const download: BenchCase = {
	name: 'download',
	title: 'Download of 300 MB, binary data in files',
	fresh: true,
	async run(stage) {
		const { bench } = stage;
		const submit = async (contentBytes: number, format: string) => {
			bench.sim.fault({ method: 'POST', jobSeconds: 0, contentBytes });
			const response = await fetch(`${bench.sim.url}/v1/audio/speech/jobs`, {
				method: 'POST',
				headers: {
					authorization: `Bearer ${bench.sim.apiKey}`,
					'content-type': 'application/json',
				},
				body: JSON.stringify({ model: 'fish-speech', input: 'Long.', response_format: format }),
			});
			return ((await response.json()) as { id: string }).id;
		};
		const own = (responseFormat: string) =>
			ours({
				resource: 'speechJob',
				operation: 'download',
				jobId: '={{ $json.id }}',
				responseFormat,
			});
		// What the first execution loads is not the download's.
		await downloadWith(stage, own('wav'), await submit(1000, 'wav'));
		await downloadWith(stage, own('mp3'), await submit(1000, 'mp3'));
		const url = `=${bench.sim.url}/v1/audio/speech/jobs/{{ $json.id }}/content`;
		const wav = await downloadWith(stage, own('wav'), await submit(BYTES, 'wav'));
		const mp3 = await downloadWith(stage, own('mp3'), await submit(BYTES, 'mp3'));
		const http = await downloadWith(
			stage,
			httpRequest(bench, { method: 'GET', url }),
			await submit(BYTES, 'wav'),
		);
		void MEASURED;
		return {
			head: ['', 'MB', 'seconds', 'n8n grew by at most, MB'],
			rows: [
				['Speech Gateway, wav', wav] as const,
				['Speech Gateway, mp3 (every frame is checked)', mp3] as const,
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
			],
		};
	},
};
