/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Bench } from '../support/n8n/bench';
import type { Execution, SavedWorkflow, WorkflowJson } from '../support/n8n/client';
import { buildWorkflow, connection, makeNode, NODE_NAME, NODE_TYPE } from '../support/workflow';

type Node = WorkflowJson['nodes'][number];

/** The node under measurement has this name in every workflow built here. */
const MEASURED = NODE_NAME;

/** Our node; `text` and options may be expressions on the input item. */
export const oursSpeech = (options: IDataObject): Node =>
	makeNode(MEASURED, NODE_TYPE, 1, 400, {
		resource: 'speech',
		operation: 'generate',
		text: '={{ $json.text }}',
		options,
	});

/** Environment of an n8n that has the floor. */
export const WITH_FLOOR = { N8N_CUSTOM_EXTENSIONS: path.join(__dirname, 'floor') };

/** The least node that sends: see floor/. */
export const floor = ({ credential: { id, name } }: Bench, concurrency: number): Node => ({
	...makeNode(MEASURED, 'CUSTOM.floor', 1, 400, { text: '={{ $json.text }}', concurrency }),
	credentials: { speechGatewayApi: { id, name } },
});

/** An expression for texts to speak, an item each. */
export const itemsOf = (count: number): string =>
	`Array.from({ length: ${count} }, (_, index) => ({ text: \`Text number \${index} of the bench.\` }))`;

/**
 * Webhook → Code that makes the items → the node, saved and active. `itemsCode` is an expression for an array of json. The
 * webhook answers at the end, so it can run undisturbed.
 */
export async function saveWith(
	bench: Bench,
	node: Node,
	itemsCode: string,
): Promise<SavedWorkflow> {
	const built = buildWorkflow({
		parameters: {},
		trigger: 'webhook',
		responseMode: 'lastNode',
		outputs: [],
	});
	const [trigger, items] = built.nodes;
	items.parameters = { jsCode: `return (${itemsCode}).map((json) => ({ json }));` };
	const workflow = await bench.api.importWorkflow(
		{
			...built,
			nodes: [trigger, items, node],
			connections: { Trigger: connection(['Items']), Items: connection([MEASURED]) },
		},
		[bench.credential],
	);
	await bench.api.activate(workflow);
	return workflow;
}

/** Milliseconds that n8n spent within the node. */
export const timeOf = ({ data }: Execution): number =>
	data.resultData.runData[MEASURED][0].executionTime;
