import type { IDataObject, INodeExecutionData, OnError } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import type { WorkflowJson } from './n8n/client';

type Node = WorkflowJson['nodes'][number];

export const NODE_TYPE = 'n8n-nodes-speech-gateway.speechGateway';
/** Name of the node under test in every workflow built here. */
export const NODE_NAME = 'Speech Gateway';

/** What the node says of an item beside its row: the field of its resource. */
export const toldOf = ({ json }: Pick<INodeExecutionData, 'json'>, field = 'speech'): IDataObject =>
	json[field] as IDataObject;

interface TestFile {
	data: Buffer;
	mimeType: string;
	fileName: string;
}

export interface TestWorkflow {
	/** `resource`, `operation` and their parameters; a string that starts with `=` is an expression. */
	parameters: IDataObject;
	/** The json of each input item; default: one empty item. */
	items?: IDataObject[];
	/** Code that makes the items of what the trigger brings, in place of `items`. */
	code?: string;
	/** The files of each input item, by position: binary property `data`, and others by their name. */
	files?: Array<TestFile & { more?: Record<string, TestFile> }>;
	name?: string;
	/** `webhook` makes executions that are saved and can be retried, as in production. */
	trigger?: 'manual' | 'webhook';
	responseMode?: 'onReceived' | 'lastNode' | 'streaming';
	onError?: OnError;
	retryOnFail?: boolean;
	/** Names of the No Operation nodes, one after each output of the node, in order; undefined: nothing is there. */
	outputs?: Array<string | undefined>;
	/** Settings of the workflow, such as `executionTimeout`. */
	settings?: IDataObject;
}

/** A workflow for one test: trigger → Code node with the items → Speech Gateway → a No Operation node per output. */
export function buildWorkflow(test: TestWorkflow): WorkflowJson {
	const { parameters, items = [{}], files = [], outputs = ['Success', 'Unknown'] } = test;
	const input = Array.from({ length: Math.max(items.length, files.length) }, (_, index) => {
		const file = files[index];
		return {
			json: items[index] ?? {},
			...(file && { binary: binaryOf({ data: file, ...file.more }) }),
		};
	});
	const gateway: Node = {
		...makeNode(NODE_NAME, NODE_TYPE, 1, 400, parameters),
		...(test.onError && { onError: test.onError }),
		...(test.retryOnFail && { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }),
	};
	return {
		name: test.name ?? `Test ${randomUUID().slice(0, 8)}`,
		nodes: [
			test.trigger === 'webhook'
				? webhook(test.responseMode)
				: makeNode('Trigger', 'n8n-nodes-base.manualTrigger', 1, 0, {}),
			makeNode('Items', 'n8n-nodes-base.code', 2, 200, {
				jsCode: test.code ?? `return ${JSON.stringify(input)};`,
			}),
			gateway,
			...outputs.flatMap((name, index) =>
				name ? makeNode(name, 'n8n-nodes-base.noOp', 1, 600, {}, index * 160) : [],
			),
		],
		connections: {
			Trigger: connection(['Items']),
			Items: connection([NODE_NAME]),
			[NODE_NAME]: connection(outputs),
		},
		settings: { executionOrder: 'v1', ...test.settings },
	};
}

const binaryOf = (files: Record<string, TestFile>) =>
	Object.fromEntries(
		Object.entries(files).map(([name, { data, mimeType, fileName }]) => [
			name,
			{ data: data.toString('base64'), mimeType, fileName },
		]),
	);

/** The connections of one node: the name of the node behind each of its outputs. */
export const connection = (targets: Array<string | undefined>) => ({
	main: targets.map((node) => (node ? [{ node, type: 'main', index: 0 }] : [])),
});

/** A node as a workflow file holds it. */
export function makeNode(
	name: string,
	type: string,
	typeVersion: number,
	x: number,
	parameters: IDataObject,
	y = 0,
): Node {
	return { id: randomUUID(), name, type, typeVersion, position: [x, y], parameters };
}

function webhook(responseMode: TestWorkflow['responseMode'] = 'onReceived'): Node {
	const path = randomUUID();
	return {
		// 2.1 is needed for streams only.
		...makeNode('Trigger', 'n8n-nodes-base.webhook', responseMode === 'streaming' ? 2.1 : 2, 0, {
			httpMethod: 'POST',
			path,
			responseMode,
			options: {},
		}),
		webhookId: path,
	};
}
