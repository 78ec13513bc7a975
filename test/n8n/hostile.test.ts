/** What a gateway that misbehaves does to a real n8n: its execution ends, nothing is sent twice, and no key is in it. */
import { KEY, MISBEHAVIOURS, spellings } from '../support/hostile/misbehaviours';
import { useBench } from '../support/n8n/bench';
import { nodeOutputs } from '../support/n8n/client';
import { sharedN8n } from '../support/n8n/shared';
import { NODE_NAME } from '../support/workflow';

const bench = useBench();

const NAMES = [
	'101 Switching Protocols',
	'the key in a success, in each spelling',
	'an endless JSON text, as gzip',
];

test('every item is unknown', async () => {
	const { sim, api } = bench;
	sim.accounts[0].apiKey = KEY;
	for (const { name, answer } of MISBEHAVIOURS)
		if (NAMES.includes(name)) sim.fault({ input: name, answer, times: Infinity });
	const credential = await api.createCredential('speechGatewayApi', {
		apiKey: KEY,
		baseUrl: sim.url,
	});
	const workflow = await bench.save({
		parameters: {
			resource: 'speech',
			operation: 'generate',
			text: '={{ $json.text }}',
			options: { timeout: 2, maxRetries: 0 },
		},
		items: NAMES.map((text) => ({ text })),
		retryOnFail: true,
	});
	const execution = await api.run(await api.importWorkflow(workflow, [credential]));
	expect(nodeOutputs(execution, NODE_NAME)[1]).toHaveLength(NAMES.length);
	expect(sim.requests).toHaveLength(NAMES.length);
	const saved = JSON.stringify(execution);
	const log = sharedN8n().log();
	for (const spelling of spellings(KEY)) {
		expect(saved).not.toContain(JSON.stringify(spelling).slice(1, -1));
		expect(log).not.toContain(spelling);
	}
});
