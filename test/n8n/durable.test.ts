/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openBench } from '../support/n8n/bench';
import { nodeOutputs, type WorkflowJson } from '../support/n8n/client';
import { REPOSITORY } from '../support/n8n/install';
import { startN8n } from '../support/n8n/server';
import { n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';

const TEST_LIMIT_MS = 600_000;

/** Two minutes, as n8n wakes it up in its own time; asleep.test.ts has both versions. */
const onCurrent = n8nIsAtLeast('2.41') ? test : test.skip;

onCurrent(
	'durable narration: n8n is killed while jobs run; after the restart every job is delivered, none submitted twice',
	async () => {
		const { tarball, version } = sharedN8n();
		const n8n = await startN8n({ tarball, version });
		const { api, sim, credential, close } = await openBench({ jobSeconds: Infinity }, n8n.api);
		try {
			const workflow = await api.importWorkflow(forTest(), [credential]);
			await api.activate(workflow);
			const id = await api.trigger(workflow);
			expect((await api.waitForExecution(id)).status).toBe('waiting');
			expect(sim.jobs).toHaveLength(2);
			await n8n.kill();
			sim.finish();
			await n8n.restart();
			const execution = await api.waitForResumed(id);
			expect(execution.status).toBe('success');
			const files = nodeOutputs(execution, 'Audio files').flat();
			expect(files.map(({ json }) => json.id).sort()).toEqual(sim.jobs.map((job) => job.id).sort());
			expect(files.map(({ binary }) => binary?.data.mimeType)).toEqual([
				'audio/mpeg',
				'audio/mpeg',
			]);
			expect(sim.charges).toHaveLength(2);
		} finally {
			await close();
			await n8n.stop();
		}
	},
	TEST_LIMIT_MS,
);

/** The example, started by a webhook instead of the clock. */
function forTest(): WorkflowJson {
	const file = path.join(REPOSITORY, 'examples', 'durable-narration.json');
	const workflow = JSON.parse(readFileSync(file, 'utf8')) as WorkflowJson;
	for (const node of workflow.nodes) {
		if (node.type.endsWith('.scheduleTrigger')) {
			Object.assign(node, {
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: 'durable-narration',
				parameters: { path: 'durable-narration', httpMethod: 'POST', responseMode: 'onReceived' },
			});
		}
	}
	return workflow;
}
