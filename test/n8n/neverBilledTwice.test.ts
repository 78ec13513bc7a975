import { type Bench, useBench } from '../support/n8n/bench';
import { nodeOutputs, poll, type Execution } from '../support/n8n/client';
import { n8nIsAtLeast } from '../support/n8n/shared';
import { buildWorkflow, connection, NODE_NAME } from '../support/workflow';

const bench = useBench({ latencyMs: 10 });

const texts = ['one', 'two', 'three', 'four', 'five'].map((word) => `This is item ${word}.`);
const items = texts.map((text) => ({ text }));
const speech = {
	resource: 'speech',
	operation: 'generate',
	text: '={{ $json.text }}',
	options: { maxRetries: 0 },
};

const charged = ({ sim }: Bench) => sim.charges.map(({ input }) => input).sort();
const inputItems = (execution: Execution, output: number) =>
	nodeOutputs(execution, NODE_NAME)[output].map(({ pairedItem }) => pairedItem);

test('an item of Waiting that comes back on two paths, one round after the other, is one job', async () => {
	bench.sim.fault({ method: 'POST', jobSeconds: 0 });
	const processing = { status: 200, body: { status: 'processing' } };
	bench.sim.fault({ method: 'GET', path: /\/jobs\/[^/]+$/, ...processing });
	const options = { maxWait: 0, whenMaxWaitReached: 'stillProcessing' };
	const parameters = { ...speech, resource: 'speechJob', operation: 'createAndWait', options };
	const outputs = ['Success', 'Unknown', 'Waiting', 'Later'];
	const built = buildWorkflow({ parameters, items: [items[0]], outputs });
	const to = (...names: string[]) => ({
		main: [names.map((node) => ({ node, type: 'main', index: 0 }))],
	});
	Object.assign(built.connections, {
		[NODE_NAME]: connection(outputs.slice(0, 3)),
		Waiting: to(NODE_NAME, 'Later'),
		Later: to(NODE_NAME),
	});
	const execution = await bench.api.run(await bench.api.importWorkflow(built, [bench.credential]));
	expect(execution.status).toBe('success');
	const runs = execution.data.resultData.runData[NODE_NAME].map(({ data }) => data?.main ?? []);
	const done = runs.flatMap(([success]) => success ?? []).map(({ json }) => json.id);
	expect(runs[0][2]).toHaveLength(1);
	expect(done).toEqual([bench.sim.jobs[0].id, bench.sim.jobs[0].id]);
	expect(charged(bench)).toEqual([texts[0]]);
});

test('Stop: what is in flight is broken off and nothing more is sent', async () => {
	bench.sim.fault({ input: texts[0], connection: 'stall' });
	const workflow = await bench.save({
		parameters: { ...speech, options: { concurrency: 1 } },
		items,
		trigger: 'webhook',
		retryOnFail: true,
	});
	const id = await bench.api.trigger(workflow);
	await bench.sim.waitFor((requests) => requests.some(({ input }) => input === texts[0]));
	await bench.api.stop(id);
	await bench.sim.waitFor((requests) => requests.some(({ aborted }) => aborted));
	expect((await bench.api.execution(id)).status).toBe('canceled');
	// n8n's retry, which ignores Stop, comes within the time that a whole execution takes.
	await bench.run({ parameters: speech, items: [{ text: 'Afterwards.' }] });
	expect(bench.sim.requests.map(({ input }) => input)).toEqual([texts[0], 'Afterwards.']);
});

// n8n 1 drops what the node returns after a timeout.
const onCurrent = n8nIsAtLeast('2.41') ? test : test.skip;
onCurrent(
	"the workflow's timeout: what is finished is handed over, what is under way is Unknown",
	async () => {
		bench.sim.fault({ input: texts[1], connection: 'stall' });
		const workflow = await bench.save({
			...{ parameters: speech, items, trigger: 'webhook' },
			settings: { executionTimeout: 3 },
		});
		const id = await bench.api.trigger(workflow);
		expect((await bench.api.waitForExecution(id)).status).toBe('canceled');
		// n8n ends the execution first, and then stores what the node returns.
		const execution = await poll(`items of execution ${id}`, async () => {
			const ended = await bench.api.execution(id);
			return nodeOutputs(ended, NODE_NAME).length > 0 ? ended : undefined;
		});
		expect(inputItems(execution, 0)).toEqual([0, 2, 3, 4].map((item) => ({ item })));
		expect(nodeOutputs(execution, NODE_NAME)[1].map(({ json }) => json.reason)).toEqual([
			'interrupted',
		]);
	},
);
