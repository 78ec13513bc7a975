/* n8n's engine 2.0: executions named by a UUID, no settings, no memory between two calls, no cancel signal, no second call. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { SpeechGateway } from '../../../nodes/SpeechGateway/SpeechGateway.node';
import { type EngineRun, jobNode, runNode, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 400 });

/** What the engine hands to a node. */
const MEASURED = {
	getExecutionId: () => '0b5f3c1e-6a53-4c6f-9d0e-2f1f0f4a7c11',
	getWorkflowSettings: () => ({}),
	getContext: () => ({}),
	getExecutionCancelSignal: () => undefined,
	setMetadata: undefined,
};
/** The same, once it passes the settings of the workflow, and should its executions ever have numbers. */
const WITH_SETTINGS = {
	...MEASURED,
	getExecutionId: () => '7',
	getWorkflowSettings: () => ({ executionOrder: 'v1', engineType: 'v2' }),
};

class OnEngine2 extends SpeechGateway {
	constructor(context: object) {
		super();
		const { execute } = SpeechGateway.prototype;
		this.execute = async function (this: IExecuteFunctions) {
			const { runExecutionData } = this as unknown as { runExecutionData: object };
			const executionData = { contextData: {}, nodeExecutionStack: [] };
			Object.assign(this, context, {
				runExecutionData: { ...runExecutionData, executionData },
			});
			return await execute.call(this);
		};
	}
}

const run = async (more: Partial<EngineRun>, context: object = MEASURED) =>
	await runNode({
		url: sim.url,
		apiKey: sim.apiKey,
		items: texts(3),
		parameters: speechNode(),
		...more,
		nodeType: new OnEngine2(context),
	});

test.each([
	['by the ID of the execution', MEASURED],
	["by the workflow's settings", WITH_SETTINGS],
])('%s: a job is waited for, and a hint says what protects', async (_, context) => {
	const parameters = jobNode();
	const { outputs, hints } = await run({ parameters }, context);
	expect(outputs[0].map(({ json }) => json.id)).toEqual(sim.jobs.map(({ id }) => id));
	for (const { binary } of outputs[0]) expect(binary).toHaveProperty('data');
	expect(hints).toEqual([
		expect.stringContaining('only "Send Once Key"'),
		expect.stringContaining('As a job, this costs'),
	]);
	expect(sim.charges).toHaveLength(3);
});

test('Send Once Key: what one execution has sent, the next one skips', async () => {
	const parameters = speechNode({ sendOnceKey: '={{ $json.id }}' });
	const nodeId = 'on-engine-2';
	const first = await run({ parameters, nodeId });
	const second = await run({ parameters, nodeId });
	expect(first.outputs.map(({ length }) => length)).toEqual([3, 0]);
	expect(second.outputs.map(({ length }) => length)).toEqual([0, 3]);
	expect(second.outputs[1][0].json).toMatchObject({ reason: 'already_sent' });
	expect(sim.charges).toHaveLength(3);
});

test("Send Once Key: where the engine cannot reach n8n's database, nothing is sent, and it says so", async () => {
	const parameters = speechNode({ sendOnceKey: '={{ $json.id }}' });
	const { error } = await run({ parameters, keyFault: () => 'before' });
	expect(`${error?.message} ${error?.description}`).toContain('Send Once Key');
	expect(sim.charges).toHaveLength(0);
});

test('an item fails: nothing promises that a retry goes on with what is done', async () => {
	sim.fault({ input: 'number 2.', status: 422 });
	const { error } = await run({ parameters: speechNode({ concurrency: 1 }) });
	expect(error?.description).toContain('2 of 3 items are done, but lost');
	expect(error?.description).toContain('engine 2.0');
});

test('a free operation needs no hint', async () => {
	const { hints } = await run({ parameters: { resource: 'model', operation: 'getMany' } });
	expect(hints).toEqual([]);
});
