import type { INodeExecutionData } from 'n8n-workflow';
import { isRecord } from '../core/json';
import { ownFieldOf } from '../core/ownField';
import type { NodeCall } from '../engine/nodeCall';
import { withToolLinks } from '../engine/outputs';
import { firstExecutionId } from '../engine/history';
import type { Accounts } from '../gateway/account';
import { keep, recall } from './keptResults';
import { callKey, type Operation } from '../requests/operation';
import { copyOf } from '../requests/ownFiles';
import { readOne } from './readItems';

type Outputs = INodeExecutionData[][];

/** What a call of the tool has brought. */
export interface CallResult {
	outputs: Outputs;
	/** Whether every item was delivered: none failed, is unknown, or is still being made. */
	succeeded: boolean;
	/** The execution in which the call was first made: this one, or the failed one that it retries. */
	firstExecutionId?: string;
}

/** Calls in progress in this process, by where they are made and their content. */
const underWay = new Map<string, Promise<CallResult>>();

/**
 * One call of an agent's tool, known by its content: n8n runs the tool anew for each call, and for each retry of its agent.
 * Within an execution, a call with the same content as one that succeeded gets the same result, and one that repeats a call
 * under way waits for it. `run` gets a name for the call, under which its ledger is kept until it has succeeded.
 */
export async function asToolCall(
	nodeCall: NodeCall,
	operation: Operation,
	accounts: Accounts,
	run: (call: string) => Promise<CallResult>,
): Promise<Outputs> {
	const field = ownFieldOf(operation.resource);
	const read = await readOne(nodeCall, operation, 0);
	const key =
		'failed' in read ? 'unreadable' : callKey(operation, { input: read.parameters, ...read });
	// Each account pays for itself. One that cannot be read sends nothing.
	const account = await accounts.of(0).catch(() => undefined);
	const call = `tool ${key} ${account?.name}`;
	const names = callNames(nodeCall, call, firstExecutionId(nodeCall.context));
	const earlier = names.map(recall).find((result) => result !== undefined);
	if (earlier !== undefined) return await own(nodeCall, field, earlier, names);

	const place = `${callPlace(nodeCall)}\n${call}`;
	const other = underWay.get(place);
	if (other) return fromJson(again((await other).outputs, field));
	const running = run(call);
	underWay.set(place, running);
	try {
		const { outputs, succeeded, firstExecutionId: first } = await running;
		if (succeeded)
			for (const name of callNames(nodeCall, call, first)) keep(name, again(outputs, field));
		return outputs;
	} finally {
		underWay.delete(place);
	}
}

/** The execution and the tool; outside of an execution, as for an MCP Server Trigger, the tool alone. */
const callPlace = ({ id, node, context }: NodeCall): string =>
	id === undefined ? `${context.getWorkflow().id} ${node.id}` : `${id}\n${node.name}`;

/**
 * A call in this execution, and in the failed one that it retries. None outside of an execution, where an MCP Server
 * Trigger calls its tools: there, the next call like it is that of another client, or of another workflow.
 */
const callNames = ({ id, node }: NodeCall, call: string, first?: string): string[] =>
	[...new Set([id, first])].flatMap((one) => (one ? [`${one}\n${node.name}\n${call}`] : []));

/** The same result once more, as JSON: its charges have left with the first. */
function again(outputs: Outputs, field: string): string {
	const copy = structuredClone(outputs);
	for (const { json } of copy.flat())
		for (const said of [json, json[field], json.error])
			if (isRecord(said) && said.charges) said.charges = [];
	return JSON.stringify(copy);
}

const fromJson = (json: string): Outputs => JSON.parse(json) as Outputs;

/** A kept result; its files become those of this execution if they are of the failed one that it retries. */
async function own(
	nodeCall: NodeCall,
	field: string,
	json: string,
	[name]: string[],
): Promise<Outputs> {
	const outputs = fromJson(json);
	if (recall(name) !== undefined) return outputs;
	for (const { binary = {} } of outputs.flat())
		for (const [field, file] of Object.entries(binary))
			if (file.id !== undefined) binary[field] = await copyOf(nodeCall, file).catch(() => file);
	const linked = withToolLinks(nodeCall.context, outputs, field);
	keep(name, JSON.stringify(linked));
	return linked;
}
