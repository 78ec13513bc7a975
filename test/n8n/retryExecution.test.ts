import { decode, whichText } from '../support/listen';
import { useBench } from '../support/n8n/bench';
import { executionError, nodeOutputs, type Execution } from '../support/n8n/client';
import { sharedN8n } from '../support/n8n/shared';
import { buildWorkflow, connection, makeNode, NODE_NAME, toldOf } from '../support/workflow';

const bench = useBench({ latencyMs: 5 });

const texts = ['one', 'two', 'three', 'four', 'five', 'six'].map((word) => `This is row ${word}.`);
const items = texts.map((text) => ({ text }));
const speech = (options = {}) => ({
	resource: 'speech',
	operation: 'generate',
	text: '={{ $json.text }}',
	options: { maxRetries: 0, concurrency: 1, ...options },
});
const charged = () => bench.sim.charged();
const indexes = (execution: Execution, output: number) =>
	nodeOutputs(execution, NODE_NAME)[output].map(
		({ pairedItem }) => (pairedItem as { item: number }).item,
	);
const ledgerOf = (execution: Execution) =>
	execution.data.executionData?.contextData?.[`node:${NODE_NAME}`] ?? {};

describe('an account that runs dry', () => {
	const price = async () => {
		await bench.run({ parameters: speech(), items: [items[0]] });
		const [{ tokens }] = bench.sim.charges;
		bench.sim.reset();
		return tokens;
	};

	test.each([{ loadWorkflow: false }, { loadWorkflow: true }])(
		'402, top up, "Retry execution" (%j): each row is charged once, and its file outlives the failed execution',
		async (options) => {
			bench.sim.accounts[0].balanceTokens = (await price()) * 3.5;
			const failed = await bench.run({ parameters: speech(), items, trigger: 'webhook' });
			expect(failed.status).toBe('error');
			expect(executionError(failed)?.message).toMatch(/balance.*item 4 of 6/i);
			expect(charged()).toEqual(texts.slice(0, 3));
			bench.sim.topUp(1e6);
			const retried = await bench.api.retry(failed.id, options);
			expect(retried.status).toBe('success');
			expect(charged()).toEqual(texts);
			expect(ledgerOf(retried)).toEqual({});
			await bench.api.deleteExecution(failed.id);
			const [success] = nodeOutputs(retried, NODE_NAME);
			const files = success.map(async ({ binary }) => await bench.api.binary(binary!.data));
			expect((await Promise.all(files)).map(({ length }) => length)).toEqual(
				success.map((item) => toldOf(item).bytes),
			);
			expect(indexes(retried, 0)).toEqual([0, 1, 2, 3, 4, 5]);
		},
	);

	test('the same failed execution retried twice: n8n offers it, nothing is charged twice', async () => {
		const tokens = await price();
		bench.sim.accounts[0].balanceTokens = tokens * 2.5;
		const first = await bench.run({ parameters: speech(), items, trigger: 'webhook' });
		bench.sim.topUp(tokens * 2);
		const second = await bench.api.retry(first.id);
		expect(second.status).toBe('error');
		expect(charged()).toHaveLength(4);
		bench.sim.topUp(1e6);
		const again = await bench.api.retry(first.id);
		expect(again.status).toBe('success');
		expect(charged()).toEqual(texts);
		expect(indexes(again, 0)).toEqual([0, 1, 4, 5]);
		expect(indexes(again, 1)).toEqual([2, 3]);
		expect(nodeOutputs(again, NODE_NAME)[1].map((item) => toldOf(item).reason)).toEqual([
			'already_sent',
			'already_sent',
		]);
	});
});

test('a loop (two rows a round), 402 in the third round, "Retry execution"', async () => {
	const rows = [...items, items[0]]; // the last row has the text of the first
	const built = buildWorkflow({ parameters: speech(), items: rows, trigger: 'webhook' });
	built.nodes.push(
		makeNode('Loop', 'n8n-nodes-base.splitInBatches', 3, 300, { batchSize: 2, options: {} }),
		makeNode('Done', 'n8n-nodes-base.noOp', 1, 500, {}),
		// Both branches lead back into the loop as one: n8n would run it once for each of them.
		makeNode('Both', 'n8n-nodes-base.merge', 3, 600, {}),
	);
	Object.assign(built.connections, {
		Items: connection(['Loop']),
		Loop: connection(['Done', NODE_NAME]),
		[NODE_NAME]: { main: [0, 1].map((index) => [{ node: 'Both', type: 'main', index }]) },
		Both: connection(['Loop']),
	});
	const workflow = await bench.api.importWorkflow(built, [bench.credential]);
	await bench.api.activate(workflow);
	bench.sim.fault({ input: texts[5], status: 402 });
	const failed = await bench.api.runProduction(workflow);
	expect(failed.status).toBe('error');
	expect(charged()).toEqual(texts.slice(0, 5));
	const retried = await bench.api.retry(failed.id, { loadWorkflow: true });
	expect(retried.status).toBe('success');
	expect(charged()).toEqual([...texts, texts[0]]);
	expect(nodeOutputs(retried, 'Done')[0]).toHaveLength(rows.length);
	expect(ledgerOf(retried)).toEqual({});
});

test('Stop breaks off what is in flight and nothing more is sent; nor does a retry through the API send anything twice', async () => {
	bench.sim.fault({ input: texts[1], connection: 'stall' });
	const workflow = await bench.save({
		parameters: speech({ sendOnceKey: '={{ $json.text }}' }),
		items,
		trigger: 'webhook',
		retryOnFail: true,
	});
	const id = await bench.api.trigger(workflow);
	await bench.sim.waitFor((requests) => requests.some(({ input }) => input === texts[1]));
	await bench.api.stop(id);
	await bench.sim.waitFor((requests) => requests.some(({ aborted }) => aborted));
	// n8n's own retry, which ignores Stop, comes within the time that a whole execution takes.
	await bench.run({ parameters: speech(), items: [{ text: 'Afterwards.' }] });
	expect(bench.sim.requests.map(({ input }) => input)).toEqual([texts[0], texts[1], 'Afterwards.']);
	const retried = await bench.api.retry(id);
	// At a Stop, n8n saves the execution as it began and, from elsewhere, as it stands, without the node that is stopped. It
	// retries what was saved last: everything (mostly on 2.41), or nothing.
	if (nodeOutputs(retried, NODE_NAME).length === 0) {
		expect(bench.sim.requests).toHaveLength(3);
		return;
	}
	expect(indexes(retried, 0)).toEqual([2, 3, 4, 5]);
	expect(nodeOutputs(retried, NODE_NAME)[1].map((item) => toldOf(item).reason)).toEqual([
		'already_sent',
		'already_sent',
	]);
	expect(charged()).toEqual([...texts.slice(0, 2), 'Afterwards.', ...texts.slice(2)]);
});

test('Send Once Key: a retry sends what was refused, and a new execution sends nothing', async () => {
	const workflow = await bench.save({
		parameters: speech({ sendOnceKey: '={{ $json.text }}' }),
		items: items.slice(0, 2),
		trigger: 'webhook',
	});
	bench.sim.fault({ input: texts[1], status: 402 });
	const first = await bench.api.runProduction(workflow);
	expect(first.status).toBe('error');
	expect(indexes(await bench.api.retry(first.id), 0)).toEqual([0, 1]);
	expect(indexes(await bench.api.runProduction(workflow), 1)).toEqual([0, 1]);
	expect(charged()).toEqual(texts.slice(0, 2));
});

test('the API key is in no execution and not in the log', async () => {
	bench.sim.fault({ input: texts[0], status: 401, body: { error: `bad key ${bench.sim.apiKey}` } });
	const failed = await bench.run({ parameters: speech(), items, trigger: 'webhook' });
	expect(failed.status).toBe('error');
	const workflows = await bench.api.request<
		{ data: Array<{ id: string }> } | Array<{ id: string }>
	>('GET', '/rest/workflows?take=250');
	let looked = 0;
	for (const { id } of Array.isArray(workflows) ? workflows : workflows.data)
		for (const execution of await bench.api.executions(id)) {
			const raw = JSON.stringify(
				await bench.api.request('GET', `/rest/executions/${execution.id}`),
			);
			expect(raw).not.toContain(bench.sim.apiKey);
			expect(raw).not.toMatch(/Bearer sk-/);
			looked++;
		}
	expect(looked).toBeGreaterThan(10);
	expect(sharedN8n().log()).not.toContain(bench.sim.apiKey);
});

test('a dialogue of twelve lines, the seventh refused: corrected in the workflow and retried', async () => {
	const names = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
	const lines = names.map((name) => `Sentence ${name} is a part of this text.`);
	const corrected = lines.with(6, 'Sentence corrected is a part of this text.');
	const speakers = ['Anna', 'Ben', 'Cleo'];
	for (const title of speakers) bench.sim.addVoice(title);
	const dialogueOf = (said: string[]) => ({
		...speech({ maxSegmentCharacters: 60, textFormat: 'plain', timings: true }),
		operation: 'dialogue',
		responseFormat: 'opus',
		script: said.map((text, index) => `${speakers[index % 3]}: ${text}`).join('\n'),
		speakers: { values: speakers.map((name) => ({ name, voice: name.toLowerCase() })) },
	});
	bench.sim.fault({ input: 'seven', status: 422, times: Infinity });
	const workflow = await bench.save({ parameters: dialogueOf(lines), trigger: 'webhook' });
	const failed = await bench.api.runProduction(workflow);
	expect(executionError(failed)?.message).toContain('(segment 7 of 12)');
	expect(charged()).toEqual(lines.slice(0, 6));

	const { id, nodes, connections } = workflow;
	nodes.find(({ name }) => name === NODE_NAME)!.parameters = dialogueOf(corrected);
	await bench.api.request('PATCH', `/rest/workflows/${id}?forceSave=true`, { nodes, connections });
	const retried = await bench.api.retry(failed.id, { loadWorkflow: true });
	expect(executionError(retried)?.message).toBeUndefined();
	expect(charged()).toEqual(corrected);
	expect(ledgerOf(retried)).toEqual({});
	const [item] = nodeOutputs(retried, NODE_NAME)[0];
	const parts = toldOf(item).parts as Array<{
		text: string;
		startSeconds: number;
		endSeconds: number;
	}>;
	expect(parts.map(({ text }) => text)).toEqual(corrected);
	const samples = await decode(await bench.api.binary(item.binary!.data));
	for (const { text, startSeconds, endSeconds } of parts) {
		const heard = whichText(samples, corrected, startSeconds, endSeconds - startSeconds);
		expect(corrected[heard]).toBe(text);
	}
});
