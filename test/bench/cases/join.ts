/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { round, type BenchCase, type Stage } from '../case';
import { memoryOf, watchPeak } from '../process';
import { connection, makeNode } from '../../support/workflow';
import { renderAudio } from '../../support/simulator/audio';
import { MEASURED, ours, runsOf, timeOf } from '../workflows';

const MB = 1024 * 1024;
const COVER_BYTES = 5 * MB;
/** Seconds of 24 kHz, 16 bits, mono: 15 MB. */
const PART_SECONDS = (15 * MB) / 48_000;

/** A JPEG for whoever looks at its first bytes only. */
const cover = () => {
	const bytes = Buffer.alloc(COVER_BYTES, 7);
	bytes.set([0xff, 0xd8, 0xff, 0xe0]);
	return bytes;
};

const download = (name: string, url: string, x: number, field: string) =>
	makeNode(name, 'n8n-nodes-base.httpRequest', 4.2, x, {
		url,
		options: { response: { response: { responseFormat: 'file', outputPropertyName: field } } },
	});

/** n8n downloads a part and a cover once, makes `count` items of them, and joins those. */
async function joinOf(stage: Stage, url: string, count: number) {
	const { bench, n8n } = stage;
	const merge = makeNode('Both', 'n8n-nodes-base.merge', 3.1, 400, {
		mode: 'combine',
		combineBy: 'combineByPosition',
		options: {},
	});
	const many = makeNode('Many', 'n8n-nodes-base.set', 3.4, 600, {
		duplicateItem: true,
		duplicateCount: count - 1,
		includeOtherFields: true,
		options: { stripBinary: false },
	});
	const join = ours({
		resource: 'audio',
		operation: 'join',
		options: { chapters: 'headings', tags: { values: { coverBinaryPropertyName: 'cover' } } },
	});
	const workflow = await bench.api.importWorkflow(
		{
			name: `Join ${count}`,
			nodes: [
				makeNode('Trigger', 'n8n-nodes-base.manualTrigger', 1, 0, {}),
				download('Part', `${url}/part.wav`, 200, 'data'),
				download('Cover', `${url}/cover.jpg`, 200, 'cover'),
				...[merge, many, join],
			],
			connections: {
				Trigger: { main: [[...connection(['Part']).main[0], ...connection(['Cover']).main[0]]] },
				Part: connection(['Both']),
				Cover: { main: [[{ node: 'Both', type: 'main', index: 1 }]] },
				Both: connection(['Many']),
				Many: connection([MEASURED]),
			},
			settings: { executionOrder: 'v1' },
		},
		[],
	);
	const before = memoryOf(n8n.pid);
	const peak = watchPeak(n8n.pid);
	const execution = await bench.api.run(workflow);
	if (execution.status !== 'success') throw new Error(`The join ended as ${execution.status}`);
	const { json } = runsOf(execution)[0].data!.main[0]![0];
	return {
		megabytes: Number(json.bytes) / MB,
		seconds: timeOf(execution) / 1000,
		grown: peak() - before,
	};
}

export const join: BenchCase = {
	name: 'join',
	title: 'Audio → Join with chapters and a cover of 5 MB, binary data in files',
	fresh: true,
	async run(stage) {
		const part = Buffer.concat([...renderAudio('A part.', PART_SECONDS, 'wav').chunks()]);
		const files: Record<string, Buffer> = { '/part.wav': part, '/cover.jpg': cover() };
		const server = createServer(({ url = '' }, response) => {
			response.setHeader('content-type', url.endsWith('.wav') ? 'audio/wav' : 'image/jpeg');
			response.end(files[url]);
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		try {
			// What the first execution loads is not the join's.
			await joinOf(stage, url, 1);
			const some = await joinOf(stage, url, 5);
			const many = await joinOf(stage, url, 20);
			return {
				head: ['parts', 'MB', 'seconds', 'n8n grew by at most, MB'],
				rows: Object.entries({ 5: some, 20: many }).map(
					([count, { megabytes, seconds, grown }]) => [
						count,
						round(megabytes),
						round(seconds),
						round(grown),
					],
				),
				checks: [{ what: 'growth, 300 MB', value: many.grown, limit: 60, unit: 'MB' }],
			};
		} finally {
			server.close();
		}
	},
};
