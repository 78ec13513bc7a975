import { openBench, type Bench } from '../support/n8n/bench';
import { nodeOutputs, type Execution } from '../support/n8n/client';
import { startN8n, type N8n } from '../support/n8n/server';
import { n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';
import { NODE_NAME } from '../support/workflow';

/** The default, which the shared n8n has, is the store in files on 2.41, and the one in memory on 1.123. */
const MODES = n8nIsAtLeast('2.0') ? (['default', 'database'] as const) : (['filesystem'] as const);

const texts = ['one', 'two', 'three'].map((word) => `This is row ${word}.`);
const speech = (options = {}) => ({
	resource: 'speech',
	operation: 'generate',
	text: '={{ $json.text }}',
	responseFormat: 'wav',
	options: { maxRetries: 0, ...options },
});

describe.each(MODES)('binary data mode %s', (binaryMode) => {
	let own: N8n | undefined;
	let bench: Bench;
	beforeAll(async () => {
		const { tarball, version } = sharedN8n();
		if (binaryMode !== 'default') own = await startN8n({ tarball, version, binaryMode });
		bench = await openBench({ latencyMs: 2 }, own?.api);
	});
	beforeEach(() => bench.sim.reset());
	afterAll(async () => {
		await bench?.close();
		await own?.stop();
	});

	const charged = () => bench.sim.charges.map(({ input }) => input).sort();
	const audio = async (execution: Execution) =>
		await Promise.all(
			nodeOutputs(execution, NODE_NAME)[0].map(
				async ({ binary }) => await bench.api.binary(binary!.data),
			),
		);

	test('"Retry execution" after 402: the audio made before it is its own, even if the failed execution is deleted', async () => {
		bench.sim.fault({ input: texts[1], status: 402 });
		const failed = await bench.run({
			parameters: speech(),
			items: texts.map((text) => ({ text })),
			trigger: 'webhook',
		});
		expect(failed.status).toBe('error');
		const retried = await bench.api.retry(failed.id);
		expect(retried.status).toBe('success');
		expect(charged()).toEqual([...texts].sort());
		await bench.api.deleteExecution(failed.id);
		const files = await audio(retried);
		expect(files.map((file) => file.subarray(0, 4).toString())).toEqual(['RIFF', 'RIFF', 'RIFF']);
		expect(files.map(({ length }) => length)).toEqual(
			nodeOutputs(retried, NODE_NAME)[0].map(({ json }) => json.bytes),
		);
		expect(retried.data.executionData?.contextData?.[`node:${NODE_NAME}`] ?? {}).toEqual({});
	});

	test('a long text whose third segment fails is joined by Retry On Fail and by "Retry execution"', async () => {
		const parameters = speech({ longText: 'split', maxSegmentCharacters: 20 });
		const text = texts.join('\n\n');
		for (const retryOnFail of [true, false]) {
			bench.sim.reset();
			bench.sim.fault({ input: texts[2], status: 503 });
			let execution = await bench.run({
				parameters,
				items: [{ text }],
				trigger: 'webhook',
				retryOnFail,
			});
			const { id } = execution;
			if (!retryOnFail) {
				execution = await bench.api.retry(id);
				await bench.api.deleteExecution(id);
			}
			expect(execution.status).toBe('success');
			expect(charged()).toEqual([...texts].sort());
			const [file] = await audio(execution);
			const [{ json }] = nodeOutputs(execution, NODE_NAME)[0];
			expect(file.length).toBe(json.bytes as number);
			expect(json.segments).toBe(3);
		}
	});
});
