import { startHttp } from '../support/hostileServers';
import { useBench } from '../support/n8n/bench';
import { buildWorkflow, connection, makeNode, NODE_NAME } from '../support/workflow';

/** Takes n8n a millisecond to evaluate, or more: reading 2,000 items takes two seconds. */
const SLOW_TEXT = '={{ $json.text + "a".repeat(100000).split("").length }}';

const bench = useBench();

/** Starts a workflow whose HTTP Request hands over rows without a pause, and waits until n8n has them. */
async function startReading(length: number) {
	const texts = Array.from({ length }, (_, row) => ({ text: `Row ${row}, letters: ` }));
	let taken = () => {};
	const isTaken = new Promise<void>((resolve) => (taken = resolve));
	const rows = await startHttp((_, response) => {
		response.setHeader('content-type', 'application/json').end(JSON.stringify(texts), taken);
	});
	const url = `http://127.0.0.1:${rows.port}`;
	const built = buildWorkflow({
		parameters: { resource: 'speech', operation: 'generate', text: SLOW_TEXT },
		outputs: [],
	});
	const [trigger, items, node] = built.nodes;
	const request = makeNode(items.name, 'n8n-nodes-base.httpRequest', 4.2, 200, { url });
	const workflow = await bench.api.importWorkflow(
		{
			...built,
			nodes: [trigger, request, node],
			connections: { Trigger: connection(['Items']), Items: connection([NODE_NAME]) },
		},
		[bench.credential],
	);
	const id = await bench.api.start(workflow);
	await isTaken;
	await rows.close();
	return id;
}

test('n8n answers its health check again and again while it reads many items', async () => {
	bench.sim.fault({ method: 'POST', status: 401, times: Infinity });
	const id = await startReading(2_000);
	let answered = 0;
	for (; bench.sim.requests.length === 0; answered++)
		await (await fetch(`${bench.api.url}/healthz`)).text();
	expect(answered).toBeGreaterThan(10);
	expect((await bench.api.waitForExecution(id)).status).toBe('error');
});

test('a run that is stopped while it reads sends nothing', async () => {
	// n8n takes half a second to stop it.
	const id = await startReading(10_000);
	await bench.api.stop(id);
	expect(bench.sim.requests).toEqual([]);
	expect((await bench.api.waitForExecution(id)).status).toBe('canceled');
	// Its node ends later: another execution waits for its turn in n8n's only thread.
	await bench.run({ parameters: { resource: 'speech', operation: 'generate', text: 'Later.' } });
	expect(bench.sim.charged()).toEqual(['Later.']);
});
