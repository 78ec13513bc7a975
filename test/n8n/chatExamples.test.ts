/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type HeldChat, startHeldChat } from '../support/heldChat';
import { decoderMessages } from '../support/listen';
import { probe } from '../support/readers';
import { useBench } from '../support/n8n/bench';
import {
	type Credential,
	type Execution,
	executionError,
	nodeOutputs,
	type SavedWorkflow,
	type WorkflowJson,
} from '../support/n8n/client';
import { REPOSITORY } from '../support/n8n/install';
import { HAS_AI_SDK, HAS_STREAMS } from '../support/n8n/shared';

const bench = useBench({ latencyMs: 10, jobSeconds: 0.05 });

/** An example as a user has filled it in: `values` by the name of the node. */
async function example(
	file: string,
	values: Record<string, object>,
	credential: Credential = bench.credential,
): Promise<SavedWorkflow> {
	const text = readFileSync(path.join(REPOSITORY, 'examples', file), 'utf8');
	const workflow = JSON.parse(text) as WorkflowJson;
	for (const node of workflow.nodes) Object.assign(node.parameters, values[node.name]);
	return await bench.api.importWorkflow(workflow, [credential]);
}
const model = { __rl: true, mode: 'id', value: 'sim-chat' };

/** The agent of the example, whose model calls the tool with these arguments. */
async function narrates(call: object, values: Record<string, object> = {}): Promise<Execution> {
	const value = `call tool Narrate ${JSON.stringify(call)}`;
	const assignments = [{ id: '1', name: 'chatInput', type: 'string', value }];
	const workflow = await example('ai-agent.json', {
		...{ 'Speech Gateway Chat Model': { model }, Question: { assignments: { assignments } } },
		...values,
	});
	return await bench.api.run(workflow);
}

if (HAS_AI_SDK) {
	test('ai-agent: what the agent narrates, with a voice by its title, comes out as an audio file', async () => {
		bench.sim.addVoice('Anna', 'voice-1');
		const execution = await narrates(
			{ text: 'Welcome to the museum.', voice: 'Anna' },
			{ 'Wait for the audio': { options: { pollInterval: 1 } } },
		);
		expect(executionError(execution)).toBeUndefined();
		expect(bench.sim.charges.map(({ kind }) => kind)).toEqual(['chat', 'job', 'chat']);
		expect(bench.sim.jobs).toMatchObject([{ voice: 'voice-1' }]);
		const [{ json }] = nodeOutputs(execution, 'AI Agent')[0];
		expect(json.output).toMatch(/"id":"spj_\w+"/);
		const [file] = nodeOutputs(execution, 'Wait for the audio')[0];
		const audio = await bench.api.binary(file.binary!.data);
		expect(probe(audio).codec).toBe('mp3');
		expect(await decoderMessages(audio)).toBe('');
	});

	test('ai-agent: audio that is made at once is answered with a link, which needs no login', async () => {
		const execution = await narrates(
			{ text: 'Welcome.', voice: 'default' },
			{ Narrate: { resource: 'speech', operation: 'generate' } },
		);
		const [{ json }] = nodeOutputs(execution, 'AI Agent')[0];
		const answer = String(json.output).replaceAll('\\', '');
		const LINK = /"links":\{"data":"([^"]+)"\}/;
		expect(answer).toMatch(LINK);
		const audio = await (await fetch(LINK.exec(answer)![1])).arrayBuffer();
		expect(probe(Buffer.from(audio)).codec).toBe('mp3');
		expect(nodeOutputs(execution, 'Wait for the audio').flat()).toEqual([]);
	});
}

(HAS_STREAMS ? describe : describe.skip)('streaming-chat', () => {
	let held: HeldChat;
	let credential: Credential;
	beforeAll(async () => {
		held = await startHeldChat();
		credential = await bench.api.createCredential('speechGatewayApi', {
			apiKey: 'held-key',
			baseUrl: held.url,
		});
	});
	afterAll(async () => await held.close());

	/** The published example, behind an address of its own. */
	async function published(to: Credential): Promise<SavedWorkflow> {
		const workflow = await example(
			'streaming-chat.json',
			{ Webhook: { path: crypto.randomUUID() }, 'Speech Gateway': { model } },
			to,
		);
		await bench.api.activate(workflow);
		return workflow;
	}

	test('each piece is with the caller before the next one is there', async () => {
		const workflow = await published(credential);
		const chunks = bench.api.stream(workflow, { text: 'Tell me about lighthouses' });
		const first = chunks.next();
		const answer = await held.answer();
		answer.say('Light');
		expect((await first).value).toMatchObject({ type: 'begin' });
		expect((await chunks.next()).value).toMatchObject({ type: 'item', content: 'Light' });
		for (const piece of ['houses ', 'stand ', '灯台', '🗼']) {
			answer.say(piece);
			expect((await chunks.next()).value).toMatchObject({ type: 'item', content: piece });
		}
		answer.finish();
		expect((await chunks.next()).value).toMatchObject({ type: 'end' });
		expect((await chunks.next()).done).toBe(true);
		const [{ id }] = await bench.api.executions(workflow.id);
		const execution = await bench.api.waitForExecution(id);
		expect(nodeOutputs(execution, 'Answer')[0][0].json).toMatchObject({
			text: 'Lighthouses stand 灯台🗼',
		});
	});
});
