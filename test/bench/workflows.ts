import type { IDataObject, ITaskData } from 'n8n-workflow';
import type { Bench } from '../support/n8n/bench';
import type { Credential, Execution, SavedWorkflow, WorkflowJson } from '../support/n8n/client';
import { buildWorkflow, connection, makeNode, NODE_NAME, NODE_TYPE } from '../support/workflow';

type Node = WorkflowJson['nodes'][number];

/** The node under measurement has this name in every workflow built here. */
export const MEASURED = NODE_NAME;

/** Our node; `text` and such are expressions on the input item. */
export const ours = (parameters: IDataObject, settings: IDataObject = {}): Node => ({
	...makeNode(MEASURED, NODE_TYPE, 1, 400, parameters),
	...settings,
});

export const oursSpeech = (options: IDataObject = {}, settings: IDataObject = {}): Node =>
	ours({ resource: 'speech', operation: 'generate', text: '={{ $json.text }}', options }, settings);

const withGatewayKey = ({ id, name }: Credential) => ({ speechGatewayApi: { id, name } });

/** n8n's HTTP Request node, set up by the book: predefined credential, JSON body, the answer as a file. */
export function httpRequest(
	bench: Bench,
	{ options = {}, settings = {}, ...parameters }: IDataObject & { settings?: IDataObject },
): Node {
	return {
		...makeNode(MEASURED, 'n8n-nodes-base.httpRequest', 4.2, 400, {
			method: 'POST',
			url: `${bench.sim.url}/v1/audio/speech`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'speechGatewayApi',
			...(parameters.method === 'GET'
				? {}
				: {
						sendBody: true,
						specifyBody: 'json',
						jsonBody: '={{ { model: "fish-speech", input: $json.text } }}',
					}),
			options: { response: { response: { responseFormat: 'file' } }, ...(options as IDataObject) },
			...parameters,
		}),
		credentials: withGatewayKey(bench.credential),
		...settings,
	};
}

/** Items are sent in batches of `size`, one batch each `milliseconds`; without this, all at once. */
export const batching = (size: number, milliseconds: number) => ({
	batching: { batch: { batchSize: size, batchInterval: milliseconds } },
});

/** n8n's OpenAI node, Audio → Generate Audio, with the gateway's base URL in its credential. */
export async function openAi(bench: Bench): Promise<Node> {
	const credential = await bench.api.createCredential('openAiApi', {
		apiKey: bench.sim.apiKey,
		url: `${bench.sim.url}/v1`,
		header: false,
	});
	return {
		...makeNode(MEASURED, '@n8n/n8n-nodes-langchain.openAi', 2, 400, {
			resource: 'audio',
			operation: 'generate',
			model: 'fish-speech',
			voice: 'default',
			input: '={{ $json.text }}',
			options: {},
		}),
		credentials: { openAiApi: { id: credential.id, name: credential.name } },
	};
}

/** An expression for texts to speak, an item each. */
export const itemsOf = (count: number): string =>
	`Array.from({ length: ${count} }, (_, index) => ({ text: \`Text number \${index} of the bench.\` }))`;

/**
 * Webhook → Code that makes the items → the node, saved and active. `itemsCode` is an expression for an array of json; with
 * the response mode `lastNode`, the webhook answers at the end, and it can run undisturbed.
 */
export async function saveWith(
	bench: Bench,
	node: Node,
	itemsCode: string,
	responseMode?: 'lastNode',
): Promise<SavedWorkflow> {
	const built = buildWorkflow({ parameters: {}, trigger: 'webhook', responseMode, outputs: [] });
	const [trigger, items] = built.nodes;
	items.parameters = { jsCode: `return (${itemsCode}).map((json) => ({ json }));` };
	return await activate(bench, {
		...built,
		nodes: [trigger, items, node],
		connections: { Trigger: connection(['Items']), Items: connection([MEASURED]) },
	});
}

export async function activate(bench: Bench, built: WorkflowJson): Promise<SavedWorkflow> {
	const workflow = await bench.api.importWorkflow(built, [bench.credential]);
	await bench.api.activate(workflow);
	return workflow;
}

/** The runs of a node in an execution. */
export const runsOf = (execution: Execution, name = MEASURED): ITaskData[] =>
	execution.data.resultData.runData[name] ?? [];

/** Milliseconds that n8n spent within the node, over all its runs. */
export const timeOf = (execution: Execution, name = MEASURED): number =>
	runsOf(execution, name).reduce((sum, { executionTime }) => sum + executionTime, 0);
