/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { useBench } from '../support/n8n/bench';
import { executionError, nodeOutputs } from '../support/n8n/client';
import { REPOSITORY } from '../support/n8n/install';
import { n8nIsAtLeast } from '../support/n8n/shared';
import { PNG } from '../support/png';
import { NODE_NAME, type TestWorkflow } from '../support/workflow';

/** n8n 2's "Execution logic v2": what nodes hand over as binary is under `json._files` for the next node. */
const settings = { binaryMode: 'combined' };
const describeCombined = n8nIsAtLeast('2.16') ? describe : describe.skip;

const fixture = (name: string) => readFileSync(path.join(REPOSITORY, 'test/audio/fixtures', name));
const wav = { data: fixture('wav-24000-mono-s16.wav'), mimeType: 'audio/wav', fileName: 'a.wav' };
const mp3 = { data: fixture('mp3-24000-mono-cbr.mp3'), mimeType: 'audio/mpeg', fileName: 'a.mp3' };
const cover = {
	data: PNG,
	mimeType: 'image/png',
	fileName: 'cover.png',
};

const bench = useBench({ latencyMs: 2, jobSeconds: 0 });

async function items(test: TestWorkflow, branch = 0): Promise<INodeExecutionData[]> {
	const execution = await bench.run({ ...test, settings });
	expect([execution.status, executionError(execution)?.message]).toEqual(['success', undefined]);
	return nodeOutputs(execution, NODE_NAME)[branch];
}

const filesOf = ({ json }: INodeExecutionData) =>
	json._files as unknown as Record<string, IBinaryData>;

async function firstBytes(file: IBinaryData): Promise<string> {
	return (await bench.api.binary(file)).subarray(0, 4).toString('latin1');
}

describeCombined('files under json._files', () => {
	const speech = { model: 'fish-speech', text: 'Good morning.', responseFormat: 'wav' };
	const video = { model: 'sim-video', prompt: 'A boat' };

	test.each<[string, IDataObject, string[]]>([
		[
			'generate',
			{ resource: 'speech', operation: 'generate', ...speech, options: { subtitles: 'srt' } },
			['data', 'subtitles'],
		],
		['job', { resource: 'speechJob', operation: 'createAndWait', ...speech }, ['data']],
		['video', { resource: 'video', operation: 'createAndWait', ...video }, ['data']],
	])('%s gives its files', async (_, parameters, names) => {
		const [item] = await items({ parameters });
		expect(item.binary).toBeUndefined();
		expect(Object.keys(filesOf(item)).sort()).toEqual(names);
		expect((await bench.api.binary(filesOf(item).data)).length).toBe(item.json.bytes);
	});

	/** A path, and as n8n's editor writes it when a file is dragged onto it. */
	const NAMED = ['_files.data', "={{ $('Items').item._files.data }}"];

	test.each(NAMED)('a recording in %s is cloned', async (binaryPropertyName) => {
		const [{ json }] = await items({
			parameters: { resource: 'voice', operation: 'create', title: 'Anna', binaryPropertyName },
			files: [wav],
		});
		expect(json.title).toBe('Anna');
		expect(bench.sim.voices).toMatchObject([{ title: 'Anna', size: wav.data.length }]);
	});

	test('several fields of an item are joined, with a cover and chapters', async () => {
		const [item] = await items({
			parameters: {
				resource: 'audio',
				operation: 'join',
				combine: 'eachItem',
				binaryPropertyName: 'data, data',
				options: {
					chapters: 'headings',
					tags: { values: { coverBinaryPropertyName: '={{ $json._files.cover }}' } },
				},
			},
			files: [{ ...mp3, more: { cover } }],
			outputs: ['Success'],
		});
		const { data, chapters } = filesOf(item);
		expect((await bench.api.binary(data)).includes(cover.data)).toBe(true);
		expect(await firstBytes(chapters)).toMatch(/^{/);
	});

	// n8n 2.41 cannot read the parameters that decide about the outputs.
	describe('with an error output, each item is on its branch', () => {
		const onError = 'continueErrorOutput';
		const branches = async (test: TestWorkflow) => {
			const execution = await bench.run({ ...test, settings, onError });
			expect(executionError(execution)?.message).toBeUndefined();
			const outputs = nodeOutputs(execution, NODE_NAME);
			expect(outputs.splice(test.outputs?.length ?? 0).flat()).toEqual([]); // which lead nowhere
			return outputs;
		};

		test('of a billed operation', async () => {
			bench.sim.fault({ path: '/v1/audio/speech', input: 'One', corrupt: true });
			bench.sim.fault({ path: '/v1/audio/speech', input: 'Three', status: 422 });
			const [success, unknown, error] = await branches({
				parameters: {
					...{ resource: 'speech', operation: 'generate', text: '={{ $json.text }}' },
					options: { longText: 'split', maxSegmentCharacters: 6, concurrency: 1 },
				},
				items: [{ text: 'One.' }, { text: 'Two.\n\nThree.' }, { text: 'Four.' }],
				outputs: ['Success', 'Unknown', 'Error'],
			});
			expect(success.map((item) => Object.keys(filesOf(item)))).toEqual([['data']]);
			expect(Object.keys(filesOf(unknown[0]))).toEqual(['received']);
			expect(error).toHaveLength(1);
			expect(error[0].json.text).toBe('Two.\n\nThree.'); // n8n adds the item that failed
			const { httpCode, _files } = error[0].json.error as IDataObject;
			expect([httpCode, Object.keys(_files as object)]).toEqual(['422', ['completed']]);
		});

		test('of one that waits: what is still processing is not replaced by what failed', async () => {
			bench.sim.fault({ path: '/v1/audio/speech/jobs', input: 'Refused', status: 402 });
			bench.sim.fault({ path: '/v1/audio/speech/jobs', input: 'Lost', status: 504 });
			bench.sim.fault({ path: '/v1/audio/speech/jobs', input: 'Slow', jobSeconds: Infinity });
			const wait = { whenMaxWaitReached: 'stillProcessing', maxWait: 1, pollInterval: 1 };
			const texts = ['Refused.', 'Lost.', 'Slow.', 'Quick.'];
			const found = await branches({
				parameters: {
					...{ resource: 'speechJob', operation: 'createAndWait', text: '={{ $json.text }}' },
					options: { ...wait, maxRetries: 0 },
				},
				items: texts.map((text) => ({ text })),
				outputs: ['Success', 'Unknown', 'Waiting', 'Error'],
			});
			expect(found.map((items) => items.map(({ pairedItem }) => pairedItem))).toEqual(
				[3, 1, 2, 0].map((item) => [{ item }]),
			);
			const [, , [waiting], [error]] = found;
			expect(waiting.json.id).toBe(bench.sim.jobs[0].id);
			expect(error.json).toMatchObject({ text: 'Refused.', error: { httpCode: '402' } });
		});

		test.each<[string, IDataObject]>([
			['with fields', { title: 'One' }],
			['that is empty', {}],
			['that is itself an error', { error: 'earlier' }],
		])('of one that has no Unknown: an item %s', async (_, json) => {
			const [success, error] = await branches({
				parameters: { resource: 'audio', operation: 'join', combine: 'eachItem' },
				files: [wav],
				items: [{}, json],
				outputs: ['Success', 'Error'],
			});
			expect(success.map((item) => Object.keys(filesOf(item)))).toEqual([['data']]);
			const message = expect.stringContaining('has no file') as string;
			expect(error.map((item) => item.json)).toMatchObject([{ ...json, error: { message } }]);
		});
	});
});
