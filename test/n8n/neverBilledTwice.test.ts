import type { INodeExecutionData, OnError } from 'n8n-workflow';
import { useBench } from '../support/n8n/bench';
import { executionError, nodeOutputs } from '../support/n8n/client';
import { n8nIsAtLeast } from '../support/n8n/shared';
import { buildWorkflow, NODE_NAME, toldOf } from '../support/workflow';

const bench = useBench({ latencyMs: 10 });

const texts = ['one', 'two', 'three', 'four', 'five'].map((word) => `This is item ${word}.`);
const items = texts.map((text) => ({ text }));
const speech = {
	resource: 'speech',
	operation: 'generate',
	text: '={{ $json.text }}',
	options: { maxRetries: 0 },
};

const charged = () => bench.sim.charged().sort();
const places = (output: INodeExecutionData[]) =>
	output.map(({ pairedItem }) => (pairedItem as { item: number }).item);

const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
test.each(MODES.flatMap((onError) => [true, false].map((again) => ({ onError, again }))))(
	'$onError, Retry On Fail $again: each item is where it belongs and charged once, or not at all',
	async ({ onError, again }) => {
		const stops = onError === 'stopWorkflow';
		// n8n itself runs the node again when the first item is an error.
		bench.sim.fault({ input: texts[0], status: 503 });
		bench.sim.fault({ input: texts[1], status: 504, charge: true });
		bench.sim.fault({ input: texts[3], status: 422, times: Infinity });
		const tooFast = stops ? [] : [{ text: texts[4], speed: 9 }];
		let execution = await bench.run({
			parameters: { ...speech, options: { maxRetries: 0, speed: '={{ $json.speed }}' } },
			items: [...items.slice(0, 4), ...tooFast],
			outputs: ['Success', 'Unknown', ...(onError === 'continueErrorOutput' ? ['Error'] : [])],
			trigger: 'webhook',
			onError,
			retryOnFail: again,
		});
		if (stops) {
			expect(execution.status).toBe('error');
			bench.sim.clearFaults();
			execution = await bench.api.retry(execution.id);
		}
		expect(execution.status).toBe('success');

		const failed = stops ? [] : [...(again ? [] : [0]), 3, 4];
		const done = [0, 2, ...(stops ? [3] : [])].filter((place) => !failed.includes(place));
		const [first, unknown, third = []] = nodeOutputs(execution, NODE_NAME);
		const success = first.filter(({ json }) => !json.error);
		const errors = [...first, ...third].filter(({ json }) => json.error);
		expect([success, unknown, errors].map(places)).toEqual([done, [1], failed]);
		expect(third).toEqual(onError === 'continueErrorOutput' ? errors : []);
		for (const item of success)
			expect((await bench.api.binary(item.binary!.data)).length).toBe(toldOf(item).bytes);

		const paid = [...done, 1].map((place) => texts[place]);
		expect(charged()).toEqual(paid.sort());
		expect(bench.sim.requests.filter(({ input }) => input === texts[1])).toHaveLength(1);
		const kept = execution.data.executionData?.contextData?.[`node:${NODE_NAME}`] ?? {};
		expect(kept).toEqual({});
	},
);

test('a bad item stops all before anything is sent; the message names field, limit and value', async () => {
	const execution = await bench.run({
		parameters: { ...speech, options: { speed: '={{ $json.speed }}' } },
		items: [items[0], { text: texts[1], speed: 9 }],
	});
	const { message, description } = executionError(execution)!;
	expect(message).toMatch(/speed/i);
	expect(`${message} ${String(description)}`).toMatch(/\b2\b.*\b9\b|\b9\b.*\b2\b/s);
	expect(bench.sim.requests).toEqual([]);
});

test('an item of Waiting that is led back is an error that names the job: it is charged once', async () => {
	bench.sim.fault({ method: 'POST', jobSeconds: Infinity });
	const options = { maxWait: 0, whenMaxWaitReached: 'stillProcessing' };
	const parameters = { ...speech, resource: 'speechJob', operation: 'createAndWait', options };
	const outputs = ['Success', 'Unknown', 'Waiting'];
	const built = buildWorkflow({ parameters, items: [items[0]], outputs });
	const back = { main: [[{ node: NODE_NAME, type: 'main', index: 0 }]] };
	Object.assign(built.connections, { Waiting: back });
	const execution = await bench.api.run(await bench.api.importWorkflow(built, [bench.credential]));
	expect(executionError(execution)?.message).toContain(bench.sim.jobs[0].id);
	expect(charged()).toEqual([texts[0]]);
});

/**
 * n8n 2.16 keeps what it has at the moment of the timeout: it makes the text that it writes before it comes back to its event
 * loop, and no node has returned by then. 2.41 looks into its database first, for which the node does not wait.
 */
const KEEPS_WHAT_COMES_AFTER_TIMEOUT = n8nIsAtLeast('2.41');

test("the workflow's timeout, in all modes and with keys: what is finished is handed over, what is under way is Unknown", async () => {
	bench.sim.fault({ input: texts[1], connection: 'stall', times: Infinity });
	const key = { sendOnceKey: '={{ $execution.id }}-{{ $json.text }}' };
	const keys = [{}, key, { ...key, whenSentBefore: 'again' }];
	const beginning = (id: string) => `Execution ${id}: `;
	const text = (id: string, index: number) => beginning(id) + texts[index];
	// At once, so that there is time for a table to be made on a busy machine; one that is too busy begins less.
	const ended = await Promise.all(
		MODES.flatMap((onError) => keys.map((keyed) => ({ onError, keyed }))).map(
			async ({ onError, keyed }) => {
				const workflow = await bench.save({
					parameters: {
						...speech,
						text: '=Execution {{ $execution.id }}: {{ $json.text }}',
						options: { maxRetries: 0, ...keyed },
					},
					items,
					onError,
					trigger: 'webhook',
					settings: { executionTimeout: 20 },
				});
				return await bench.api.waitForExecution(await bench.api.trigger(workflow));
			},
		),
	);
	expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'canceled'));
	const whole = ended.filter(({ id }) => charged().includes(text(id, 1)));
	expect(whole.length).toBeGreaterThan(0);
	if (!KEEPS_WHAT_COMES_AFTER_TIMEOUT) return;
	for (const execution of ended) {
		const [success = [], unknown = []] = nodeOutputs(execution, NODE_NAME);
		expect(unknown.map((item) => toldOf(item).reason)).toEqual(unknown.map(() => 'interrupted'));
		expect(places(success)).not.toContain(1);
		const told = places([...success, ...unknown]).map((place) => text(execution.id, place));
		expect(told.sort()).toEqual(charged().filter((one) => one.startsWith(beginning(execution.id))));
	}
});
