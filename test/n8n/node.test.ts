import { useBench } from '../support/n8n/bench';
import { executionError, nodeOutputs } from '../support/n8n/client';
import { NODE_NAME } from '../support/workflow';

const bench = useBench();

const speech = { resource: 'speech', operation: 'generate', text: '={{ $json.text }}' };

describe('a bad item costs nothing', () => {
	const tooFast = { ...speech, options: { speed: '={{ $json.speed }}' } };
	const items = [{ text: 'A good text.' }, { text: 'Too fast.', speed: 9 }];

	test('in stop mode nothing is sent, and the message names field, limit and value', async () => {
		const execution = await bench.run({ parameters: tooFast, items });
		expect(execution.status).toBe('error');
		expect(executionError(execution)?.message).toMatch(/speed/i);
		const words = `${executionError(execution)?.message} ${String(executionError(execution)?.description)}`;
		expect(words).toMatch(/\b2\b.*\b9\b|\b9\b.*\b2\b/s);
		expect(bench.sim.requests).toEqual([]);
	});

	test('with the error output the good item is sent and the bad one goes to Error', async () => {
		const execution = await bench.run({
			parameters: tooFast,
			items,
			onError: 'continueErrorOutput',
			outputs: ['Success', 'Unknown', 'Error'],
		});
		expect(execution.status).toBe('success');
		const [success, unknown, error] = nodeOutputs(execution, NODE_NAME);
		expect(success.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
		expect(unknown).toEqual([]);
		expect(error).toHaveLength(1);
		expect(error[0].json.error).toMatchObject({ message: expect.stringMatching(/speed/i) });
		expect(nodeOutputs(execution, 'Error')[0]).toHaveLength(1);
		expect(bench.sim.charges.map(({ input }) => input)).toEqual(['A good text.']);
	});
});
