/** What a gateway that misbehaves does to a real n8n: it lives, ends every execution, and keeps the key to itself. */
import { HostileGateway, KEY } from '../support/hostile/gateway';
import { MISBEHAVIOURS, spellings } from '../support/hostile/misbehaviours';
import { nodeOutputs } from '../support/n8n/client';
import { startN8n } from '../support/n8n/server';
import { sharedN8n } from '../support/n8n/shared';
import { buildWorkflow, NODE_NAME, type TestWorkflow } from '../support/workflow';

let gateway: HostileGateway;
beforeAll(async () => (gateway = await new HostileGateway().listen()));
afterAll(async () => await gateway.close());

const named = (name: string) => MISBEHAVIOURS.find((misbehaviour) => misbehaviour.name === name)!;
let cells = 0;

async function run(misbehaviour: string, test: TestWorkflow, api = sharedN8n().api) {
	const misbehave = named(misbehaviour).answer;
	const cell = gateway.open(`n8n-${cells++}`, { target: /^POST/, misbehave });
	const credential = await api.createCredential('speechGatewayApi', {
		apiKey: KEY,
		baseUrl: cell.url,
	});
	const workflow = await api.importWorkflow(buildWorkflow({ ...test, trigger: 'webhook' }), [
		credential,
	]);
	await api.activate(workflow);
	return { execution: await api.runProduction(workflow), cell };
}
const options = { timeout: 2, maxRetries: 0 };
const chat = (stream: boolean) => ({
	resource: 'chat',
	operation: 'complete',
	model: 'chat',
	messages: { values: [{ role: 'user', content: 'Hello.' }] },
	options: { ...options, stream },
});
const speech = {
	resource: 'speech',
	operation: 'generate',
	text: 'Hello.',
	options,
};

test('chats that are answered without end do not take n8n with them', async () => {
	const { tarball, version } = sharedN8n();
	const env = { NODE_OPTIONS: '--max-old-space-size=700' };
	const n8n = await startN8n({ tarball, version, env });
	try {
		const items = [{}, {}, {}, {}];
		for (const [misbehaviour, stream] of [
			['an endless JSON text, as gzip', false],
			['an endless event stream, as gzip', true],
		] as const) {
			const test = {
				parameters: chat(stream),
				items,
				onError: 'continueErrorOutput' as const,
			};
			const { execution, cell } = await run(misbehaviour, test, n8n.api);
			expect(execution.status).toBe('success');
			expect(nodeOutputs(execution, NODE_NAME).map(({ length }) => length)).toEqual([0, 4, 0]);
			expect(cell.requests).toHaveLength(4);
		}
	} finally {
		await n8n.stop();
	}
});

test.each(['101 Switching Protocols', 'the key in a success, in each spelling'])(
	'%s: the execution ends, sends nothing twice, and has no key in it',
	async (misbehaviour) => {
		const { execution, cell } = await run(misbehaviour, {
			parameters: speech,
			retryOnFail: true,
		});
		expect(nodeOutputs(execution, NODE_NAME)[1]).toHaveLength(1);
		expect(cell.requests).toHaveLength(1);
		const saved = JSON.stringify(execution);
		const log = sharedN8n().log();
		for (const spelling of spellings(KEY)) {
			expect(saved).not.toContain(JSON.stringify(spelling).slice(1, -1));
			expect(log).not.toContain(spelling);
		}
	},
);
