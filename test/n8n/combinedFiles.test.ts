/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { useBench } from '../support/n8n/bench';
import { executionError, nodeOutputs } from '../support/n8n/client';
import { REPOSITORY } from '../support/n8n/install';
import { n8nIsAtLeast } from '../support/n8n/shared';
import { NODE_NAME, type TestWorkflow } from '../support/workflow';

/** n8n 2's "Execution logic v2": what nodes hand over as binary is under `json._files` for the next node. */
const settings = { binaryMode: 'combined' };
const describeCombined = n8nIsAtLeast('2.16') ? describe : describe.skip;

const FIXTURE = path.join(REPOSITORY, 'test/audio/fixtures/wav-24000-mono-s16.wav');
const wav = { data: readFileSync(FIXTURE), mimeType: 'audio/wav', fileName: 'a.wav' };

const bench = useBench({ latencyMs: 2, jobSeconds: 0 });

async function items(test: TestWorkflow): Promise<INodeExecutionData[]> {
	const execution = await bench.run({ ...test, settings });
	expect([execution.status, executionError(execution)?.message]).toEqual(['success', undefined]);
	return nodeOutputs(execution, NODE_NAME)[0];
}

const filesOf = ({ json }: INodeExecutionData) =>
	json._files as unknown as Record<string, IBinaryData>;

describeCombined('files under json._files', () => {
	test('what is generated is there, with its subtitles', async () => {
		const speech = { resource: 'speech', operation: 'generate', text: 'Good morning.' };
		const [item] = await items({ parameters: { ...speech, options: { subtitles: 'srt' } } });
		expect(item.binary).toBeUndefined();
		expect(Object.keys(filesOf(item)).sort()).toEqual(['data', 'subtitles']);
		expect((await bench.api.binary(filesOf(item).data)).length).toBe(item.json.bytes);
	});

	test("a recording is cloned; n8n's editor writes its field so when it is dragged there", async () => {
		const binaryPropertyName = "={{ $('Items').item._files.data }}";
		const [{ json }] = await items({
			parameters: { resource: 'voice', operation: 'create', title: 'Anna', binaryPropertyName },
			files: [wav],
		});
		expect(json.title).toBe('Anna');
		expect(bench.sim.voices).toMatchObject([{ title: 'Anna', size: wav.data.length }]);
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
	});
});
