/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { useBench } from '../support/n8n/bench';
import { executionError, nodeOutputs } from '../support/n8n/client';
import { REPOSITORY } from '../support/n8n/install';
import { NODE_NAME, type TestWorkflow, toldOf } from '../support/workflow';

/** n8n 2's "Execution logic v2": what nodes hand over as binary is under `json._files` for the next node. */
const settings = { binaryMode: 'combined' };

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

describe('files under json._files', () => {
	test('what is generated is there, with its subtitles', async () => {
		const speech = { resource: 'speech', operation: 'generate', text: 'Good morning.' };
		const [item] = await items({ parameters: { ...speech, options: { subtitles: 'srt' } } });
		expect(item.binary).toBeUndefined();
		expect(Object.keys(filesOf(item)).sort()).toEqual(['data', 'subtitles']);
		expect((await bench.api.binary(filesOf(item).data)).length).toBe(toldOf(item).bytes);
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
	test('with an error output, what is still processing is not replaced by what failed', async () => {
		bench.sim.fault({ path: '/v1/audio/speech/jobs', input: 'Refused', status: 402 });
		bench.sim.fault({ path: '/v1/audio/speech/jobs', input: 'Lost', status: 504 });
		bench.sim.fault({ path: '/v1/audio/speech/jobs', input: 'Slow', jobSeconds: Infinity });
		const wait = { whenMaxWaitReached: 'stillProcessing', maxWait: 1, pollInterval: 1 };
		const execution = await bench.run({
			parameters: {
				resource: 'speechJob',
				operation: 'createAndWait',
				text: '={{ $json.text }}',
				options: { ...wait, maxRetries: 0 },
			},
			items: ['Refused.', 'Lost.', 'Slow.', 'Quick.'].map((text) => ({ text })),
			outputs: ['Success', 'Unknown', 'Waiting', 'Error'],
			settings,
			onError: 'continueErrorOutput',
		});
		expect(executionError(execution)?.message).toBeUndefined();
		const [success, unknown, waiting, errors, ...nowhere] = nodeOutputs(execution, NODE_NAME);
		expect(nowhere.flat()).toEqual([]);
		const outputs = [success, unknown, waiting, errors];
		expect(outputs.map((items) => items.map(({ pairedItem }) => pairedItem))).toEqual(
			[3, 1, 2, 0].map((item) => [{ item }]),
		);
		expect(Object.keys(filesOf(success[0]))).toEqual(['data']);
		expect(toldOf(waiting[0]).id).toBe(bench.sim.jobs[0].id);
		// n8n adds the item that failed.
		expect(errors[0].json).toMatchObject({ text: 'Refused.', error: { httpCode: '402' } });
	});
});
