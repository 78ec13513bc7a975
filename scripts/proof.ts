/* eslint-disable no-console -- runs outside n8n */
import type { IDataObject } from 'n8n-workflow';
import { type Bench, openBench } from '../test/support/n8n/bench';
import { nodeOutputs, type WorkflowJson } from '../test/support/n8n/client';
import { packedPackage } from '../test/support/n8n/package';
import { startN8n } from '../test/support/n8n/server';
import { step } from '../test/support/n8n/steps';
import type { Fault } from '../test/support/simulator';
import { connection, makeNode, NODE_NAME, NODE_TYPE } from '../test/support/workflow';

type Node = WorkflowJson['nodes'][number];

const ROWS = 10;
/** Voices of OpenAI that this gateway does not have: without one, n8n's OpenAI node could not be compared. */
const VOICE = 'alloy';

/** What befalls the fifth of ten rows, once. */
const FAULTS: Record<string, Fault> = {
	'504, work done': { status: 504, charge: true },
	'Answer lost': { connection: 'reset-after-work' },
	'503 in JSON, uncharged': { status: 503 },
};

/** The ways of making speech that are compared: the parameters as the editor's defaults leave them. */
const NODES: Record<string, (bench: Bench, openAi: Node['credentials']) => Node> = {
	'OpenAI node': (_, credentials) => ({
		...speechNode('@n8n/n8n-nodes-langchain.openAi', 1.8, {
			resource: 'audio',
			operation: 'generate',
			input: '={{ $json.text }}',
			model: '={{ "fish-speech" }}',
			voice: VOICE,
			options: {},
		}),
		credentials,
	}),
	'HTTP Request': ({ sim, credential: { type, id, name } }) => ({
		...speechNode('n8n-nodes-base.httpRequest', 4.2, {
			method: 'POST',
			url: `${sim.url}/v1/audio/speech`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: type,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ { model: "fish-speech", input: $json.text } }}',
			options: { response: { response: { responseFormat: 'file' } } },
		}),
		credentials: { [type]: { id, name } },
	}),
	'This node': () =>
		speechNode(NODE_TYPE, 1, {
			resource: 'speech',
			operation: 'generate',
			text: '={{ $json.text }}',
			options: {},
		}),
};

/** With Retry On Fail as n8n sets it: three tries, a second apart. */
const speechNode = (type: string, version: number, parameters: IDataObject): Node => ({
	...makeNode(NODE_NAME, type, version, 400, parameters),
	retryOnFail: true,
});

/**
 * `npm run proof`: for how many requests n8n's OpenAI node, its HTTP Request node and this one are charged for the same ten rows
 * when one request goes wrong, in a real n8n; prints the table of the README.
 */
export async function main(): Promise<number> {
	const log = (line: string) => console.log(line);
	const tarball = await step('Build and pack the package', log, packedPackage);
	const n8n = await step('Start n8n with it', log, async () => await startN8n({ tarball }));
	const bench = await openBench({ latencyMs: 20 }, n8n.api);
	try {
		bench.sim.addVoice(VOICE);
		const { id, name } = await n8n.api.createCredential('openAiApi', {
			apiKey: bench.sim.apiKey,
			url: `${bench.sim.url}/v1`,
		});
		const rows: string[][] = [];
		for (const [what, fault] of Object.entries(FAULTS)) {
			const cells: string[] = [];
			for (const [title, make] of Object.entries(NODES)) {
				const node = make(bench, { openAiApi: { id, name } });
				cells.push(
					await step(`${what}: ${title}`, log, async () => await narrate(bench, node, fault)),
				);
			}
			rows.push([what, ...cells]);
		}
		log('');
		const head = ['Charged / files', ...Object.keys(NODES)];
		for (const row of [head, head.map(() => '---'), ...rows]) log(`| ${row.join(' | ')} |`);
	} finally {
		await bench.close();
		await n8n.stop();
	}
	return 0;
}

/** Narrates the rows with a node; tells how many requests were charged, and how many files came of it. */
async function narrate({ sim, api, credential }: Bench, node: Node, fault: Fault): Promise<string> {
	sim.reset();
	sim.addVoice(VOICE);
	sim.fault({ input: 'Row 5.', ...fault });
	const items = makeNode('Rows', 'n8n-nodes-base.code', 2, 200, {
		jsCode: `return Array.from({ length: ${ROWS} }, (_, index) => ({ json: { text: \`Row \${index + 1}.\` } }));`,
	});
	const files = makeNode('Files', 'n8n-nodes-base.noOp', 1, 600, {});
	const workflow = await api.importWorkflow(
		{
			name: 'Ten rows',
			nodes: [makeNode('Trigger', 'n8n-nodes-base.manualTrigger', 1, 0, {}), items, node, files],
			connections: {
				Trigger: connection(['Rows']),
				Rows: connection([node.name]),
				[node.name]: connection([files.name]),
			},
		},
		[credential],
	);
	const execution = await api.run(workflow);
	if (execution.status !== 'success') return `${sim.charges.length} / failed`;
	const [made] = nodeOutputs(execution, files.name);
	return `${sim.charges.length} / ${made.filter(({ binary }) => binary).length}`;
}
