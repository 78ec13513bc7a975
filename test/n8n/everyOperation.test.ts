import type { IDataObject } from 'n8n-workflow';
import { descriptions } from '../../nodes/SpeechGateway/operations/forms';
import { useBench } from '../support/n8n/bench';
import { executionError, nodeOutputs } from '../support/n8n/client';
import { buildWorkflow, connection, makeNode, NODE_TYPE, toldOf } from '../support/workflow';

const bench = useBench({ jobSeconds: 1 });

const of = (node: string, key = 'id') => `={{ $('${node}').first().json.${key} }}`;
const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const text = 'The first sentence is here. The second sentence follows it.';
const prompt = 'A boat on a lake';
const chat = {
	model: byId('sim-chat'),
	messages: { values: [{ role: 'user', content: 'Hello' }] },
};
const speakers = { values: [{ name: 'Anna', voice: byId('default') }] };
const options = { pollInterval: 1, maxWait: 60 };
const AUDIO = ['mimeType', 'fileName', 'durationSeconds', 'bytes'];
const JOB = ['id', 'object', 'status', 'created_at'];

type Row = [name: string, parameters: IDataObject, keys: string[], file?: string];

/**
 * Every operation once, one node behind the other, with parameters as the newest version saves them. From its release on, a row
 * stays as it is: a change that breaks one breaks somebody's night.
 */
const NODES: Row[] = [
	['voice.create', { title: 'Anna', options: { reuseExisting: true } }, ['_id', 'title']],
	['voice.getMany', { limit: 1 }, ['_id', 'title']],
	['speech.estimate', { text }, ['characters', 'segments', 'minutes', 'estimatedTokens']],
	[
		'speech.generate',
		{
			text,
			voice: byId(of('voice.create', '_id')),
			responseFormat: 'wav',
			options: { maxSegmentCharacters: 30, binaryPropertyName: 'speech' },
		},
		[...AUDIO, 'model', 'voice', 'responseFormat', 'characters', 'segments', 'estimatedTokens'],
		'speech',
	],
	['audio.join', { binaryPropertyName: 'speech' }, [...AUDIO, 'files', 'starts'], 'data'],
	['speech.dialogue', { script: `Anna: ${text}`, speakers }, [...AUDIO, 'speakers'], 'data'],
	['speechJob.create', { text }, [...JOB, 'characters', 'estimatedTokens']],
	['speechJob.get', { jobId: of('speechJob.create') }, JOB],
	['speechJob.wait', { jobId: of('speechJob.create'), options }, [...JOB, 'bytes'], 'data'],
	['speechJob.download', { jobId: of('speechJob.create') }, ['durationSeconds', 'bytes'], 'data'],
	['speechJob.createAndWait', { text, options }, [...JOB, 'bytes'], 'data'],
	['voice.delete', { voice: byId(of('voice.create', '_id')) }, ['_id', 'deleted']],
	['model.getMany', { limit: 1 }, ['id']],
	['chat.complete', chat, ['text', 'model', 'finishReason', 'usage']],
	['video.create', { model: byId('sim-video'), prompt }, ['id', 'status']],
	['video.get', { videoId: of('video.create') }, ['id', 'status']],
	['video.wait', { videoId: of('video.create'), options }, ['id', 'status'], 'data'],
	['video.download', { videoId: of('video.create') }, [], 'data'],
	['video.createAndWait', { model: byId('sim-video'), prompt, options }, ['id', 'status'], 'data'],
	['account.getPrices', {}, ['model', 'multiplier', 'groups']],
];

test('every operation has a row', () => {
	const operations = descriptions.map(({ resource, operation }) => `${resource}.${operation}`);
	// Settle takes items from Unknown: the example settle-unknown runs it.
	const rows = [...NODES.map(([name]) => name), 'account.settle'];
	expect(rows.sort()).toEqual(operations.sort());
});

test('every operation runs, and hands its item on', async () => {
	const recording = { data: Buffer.from('ID3'), mimeType: 'audio/mpeg', fileName: 'voice.mp3' };
	const { nodes, ...workflow } = buildWorkflow({ parameters: {}, files: [recording] });
	const names = NODES.map(([name]) => name);
	const saved = await bench.api.importWorkflow(
		{
			...workflow,
			nodes: [
				...nodes.slice(0, 2),
				...NODES.map(([name, parameters], index) => {
					const [resource, operation] = name.split('.');
					const all = { resource, operation, ...parameters };
					return makeNode(name, NODE_TYPE, 1, 400 + 200 * index, all);
				}),
			],
			connections: {
				Trigger: connection(['Items']),
				...Object.fromEntries(
					['Items', ...names.slice(0, -1)].map((name, index) => [name, connection([names[index]])]),
				),
			},
		},
		[bench.credential],
	);
	const execution = await bench.api.run(saved);
	expect(executionError(execution)?.message).toBeUndefined();
	for (const [name, , keys, file] of NODES) {
		const [item] = nodeOutputs(execution, name)[0];
		const field = name.split('.')[0] === 'speechJob' ? 'speech' : name.split('.')[0];
		const told = file ? toldOf(item, field) : item.json;
		expect([name, Object.keys(told)]).toEqual([name, expect.arrayContaining(keys)]);
		expect([name, Object.keys(item.binary ?? {})]).toEqual([name, file ? [file] : []]);
	}
	expect(bench.sim.charges).toHaveLength(10);
});
