/* n8n's Assistant runs a node by itself, in a temporary workflow that n8n deletes with its files as soon as it has ended. */
import type { IDataObject } from 'n8n-workflow';
import { descriptions } from '../../../nodes/SpeechGateway/operations/forms';
import { jobNode, runnerOf, speechNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const TEMPORARY = 'Execute node n8n-nodes-speech-gateway.speechGateway';
const run = runnerOf(sim, () => ({ workflowName: TEMPORARY, mode: 'manual' as const, behind: [] }));

const video = { resource: 'video', operation: 'createAndWait', model: 'sim-video', prompt: 'Go' };
const dialogue = {
	resource: 'speech',
	operation: 'dialogue',
	script: 'Anna: Hello.',
	speakers: { values: [{ name: 'Anna', voice: 'default' }] },
};
test.each<[string, IDataObject]>([
	['a text', speechNode()],
	['a dialogue', dialogue],
	['a job', jobNode()],
	['a video', video],
])('the file of %s would be lost: nothing is sent', async (_, parameters) => {
	for (const onError of ['stopWorkflow', 'continueErrorOutput', 'continueRegularOutput'] as const) {
		const { error, outputs } = await run({ parameters, onError });
		const said = error ?? (outputs.flat()[0].json.error as IDataObject);
		expect(said.description).toContain('Add the node to a workflow');
	}
	expect(sim.requests).toEqual([]);
});

const messages = { values: [{ role: 'user', content: 'Hello' }] };
test.each<[string, IDataObject]>([
	['an estimate', speechNode({}, { operation: 'estimate' })],
	['a chat', { resource: 'chat', operation: 'complete', model: 'sim-chat', messages }],
	['a list', { resource: 'model', operation: 'getMany', returnAll: true }],
	['a job that is only submitted', { ...jobNode(), operation: 'create' }],
	['a video that is only submitted', { ...video, operation: 'create' }],
])('%s is as good there as anywhere', async (_, parameters) => {
	const { error, outputs } = await run({ parameters });
	expect(error).toBeUndefined();
	expect(outputs[0].length).toBeGreaterThan(0);
});

test('the file of a job that was paid for elsewhere is fetched', async () => {
	const created = await run({ parameters: { ...jobNode(), operation: 'create' } });
	const jobId = String(created.outputs[0][0].json.id);
	const parameters = speechNode({}, { resource: 'speechJob', operation: 'download', jobId });
	const { outputs } = await run({ parameters });
	expect(outputs[0][0].binary).toHaveProperty('data');
});

test('a workflow of another name, and another node of that name, are not meant', async () => {
	for (const workflowName of ['Execute node', 'Execute node n8n-nodes-base.httpRequest'])
		expect((await run({ workflowName })).outputs[0]).toHaveLength(1);
});

test('the description of an operation says whether it is charged', () => {
	for (const { resource, operation, billed, description } of descriptions) {
		const says = [/\bCharged\b/.test(description), /\bFree\b/.test(description)];
		expect([resource, operation, ...says]).toEqual([resource, operation, billed, !billed]);
	}
});
