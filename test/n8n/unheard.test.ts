/** In a real n8n: an unknown outcome with nothing connected to "Unknown" is heard of, and the fields of a row come along. */
import { useBench } from '../support/n8n/bench';
import { executionError, nodeOutputs } from '../support/n8n/client';
import { NODE_NAME, type TestWorkflow, toldOf } from '../support/workflow';

const bench = useBench({ latencyMs: 10 });

const ROW = { text: 'The ferry leaves at nine.', title: 'News', message: { chat: { id: 7 } } };
const speech = (more: Partial<TestWorkflow> = {}): TestWorkflow => ({
	trigger: 'webhook',
	outputs: ['Success'],
	items: [ROW],
	parameters: {
		resource: 'speech',
		operation: 'generate',
		text: '={{ $json.text }}',
		options: { maxRetries: 0 },
	},
	...more,
});

test.each([false, true])(
	'with only Success wired the execution fails, and a retry hands the item over; Retry On Fail %s',
	async (retryOnFail) => {
		bench.sim.fault({ input: ROW.text, status: 504, charge: true });
		const failed = await bench.run(speech({ retryOnFail }));
		expect(failed.status).toBe('error');
		expect(executionError(failed)?.message).toMatch(
			/nobody knows yet whether .* charged.*"Unknown"/,
		);
		const again = await bench.api.retry(failed.id);
		expect(again.status).toBe('success');
		const [success, [unknown]] = nodeOutputs(again, NODE_NAME);
		expect(success).toEqual([]);
		expect(unknown.json).toMatchObject({ ...ROW, speech: { outcome: 'unknown' } });
		expect(bench.sim.requests).toHaveLength(1);
	},
);

test('Continue (using error output): it leaves there, with its facts and its row', async () => {
	bench.sim.fault({ input: ROW.text, corrupt: true });
	const execution = await bench.run(
		speech({
			outputs: ['Success', undefined, 'Error'],
			retryOnFail: true,
			onError: 'continueErrorOutput',
		}),
	);
	expect(execution.status).toBe('success');
	const [done, unknown, [failed]] = nodeOutputs(execution, NODE_NAME);
	expect([done, unknown]).toEqual([[], []]);
	expect(failed.json).toMatchObject({ title: 'News', error: { reason: 'damaged_response' } });
	expect(failed.binary).toHaveProperty('received');
	expect(bench.sim.requests).toHaveLength(1);
});

test('Continue (using error output) with only Success wired: the execution fails', async () => {
	bench.sim.fault({ input: ROW.text, status: 504, charge: true });
	const failed = await bench.run(speech({ onError: 'continueErrorOutput' }));
	expect(failed.status).toBe('error');
	const again = await bench.api.retry(failed.id);
	expect(nodeOutputs(again, NODE_NAME)[1]).toHaveLength(1);
	expect(bench.sim.requests).toHaveLength(1);
});

test('Continue: it leaves on Success as an error', async () => {
	bench.sim.fault({ input: ROW.text, status: 504, charge: true });
	const execution = await bench.run(
		speech({ onError: 'continueRegularOutput', retryOnFail: true }),
	);
	expect(execution.status).toBe('success');
	const [[item]] = nodeOutputs(execution, NODE_NAME);
	expect(item.json.error).toMatchObject({ outcome: 'unknown' });
	expect(bench.sim.requests).toHaveLength(1);
});

test('the file of a row has the row beside it', async () => {
	const execution = await bench.run(speech({ outputs: ['Success', 'Unknown'] }));
	const [[item]] = nodeOutputs(execution, 'Success');
	expect(item.json).toMatchObject(ROW);
	expect((await bench.api.binary(item.binary!.data)).length).toBe(toldOf(item).bytes);
});
