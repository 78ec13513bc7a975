import type { INodeExecutionData } from 'n8n-workflow';
import { derived } from '../core/derived';
import { isRecord } from '../core/json';
import type { Execution } from '../engine/execution';
import { withLinks } from '../engine/outputs';
import { firstExecutionId } from '../engine/history';
import type { Accounts } from '../gateway/account';
import { callKey, type Operation } from './operation';
import { copyOf } from './storedFiles';
import { readOne } from './readItems';

type Outputs = INodeExecutionData[][];

export interface CallResult {
	outputs: Outputs;
	/** Whether every item was delivered: none failed, is unknown, or is still being made. */
	succeeded: boolean;
	/** The execution in which the call was first made: this one, or the failed one that it retries. */
	firstExecutionId?: string;
}

/** What is kept of results in this process, in bytes as JSON with inline files; the oldest are forgotten. */
const MOST_BYTES = 64 * 2 ** 20;

/** Results that were paid for, as JSON, by execution and call; the oldest first. */
const results = new Map<string, string>();
let keptBytes = 0;

/** Calls in progress in this process, by the node's memory, which no other execution shares. */
const underWay = derived<object, Map<string, Promise<CallResult>>>(() => new Map());

/**
 * One call of an agent's tool, known by its content: n8n runs the tool anew for each call, and for each retry of its agent.
 * Within an execution, a call with the same content as one that succeeded gets the same result, and one that repeats a call
 * under way waits for it. `run` gets a name for the call, under which its ledger is kept until it has succeeded.
 */
export async function asToolCall(
	execution: Execution,
	operation: Operation,
	accounts: Accounts,
	run: (call: string) => Promise<CallResult>,
): Promise<Outputs> {
	const read = await readOne(execution, operation, 0);
	const key =
		'failed' in read ? 'unreadable' : callKey(operation, { input: read.parameters, ...read });
	// Each account pays for itself. One that cannot be read sends nothing.
	const account = await accounts.of(0).catch(() => undefined);
	const call = `tool ${key} ${account?.name}`;
	const names = namesIn(execution, call, firstExecutionId(execution.context));
	const earlier = names.map((name) => results.get(name)).find((known) => known !== undefined);
	if (earlier !== undefined) return await own(execution, earlier, names);

	const calls = underWay(execution.memory);
	const other = calls.get(call);
	if (other) return fromJson(again((await other).outputs));
	const running = run(call);
	calls.set(call, running);
	try {
		const { outputs, succeeded, firstExecutionId: first } = await running;
		if (succeeded) for (const name of namesIn(execution, call, first)) keep(name, again(outputs));
		return outputs;
	} finally {
		calls.delete(call);
	}
}

/**
 * A call in this execution, and in the failed one that it retries. None outside of an execution, where an MCP Server
 * Trigger calls its tools: there, the next call like it is that of another client, or of another workflow.
 */
const namesIn = ({ id, node }: Execution, call: string, first?: string): string[] =>
	[...new Set([id, first])].flatMap((known) => (known ? [`${known}\n${node.name}\n${call}`] : []));

/** The same result once more, as JSON: its charges have left with the first. */
function again(outputs: Outputs): string {
	const copy = structuredClone(outputs);
	for (const { json } of copy.flat())
		for (const said of [json, json.error]) if (isRecord(said) && said.charges) said.charges = [];
	return JSON.stringify(copy);
}

const fromJson = (kept: string): Outputs => JSON.parse(kept) as Outputs;

/** A kept result; its files become those of this execution if they are of the failed one that it retries. */
async function own(execution: Execution, kept: string, [name]: string[]): Promise<Outputs> {
	const outputs = fromJson(kept);
	if (results.has(name)) return outputs;
	for (const { binary = {} } of outputs.flat())
		for (const [field, file] of Object.entries(binary))
			if (file.id !== undefined) binary[field] = await copyOf(execution, file).catch(() => file);
	const linked = withLinks(execution.context, outputs);
	keep(name, JSON.stringify(linked));
	return linked;
}

function keep(name: string, result: string): void {
	keptBytes += result.length - (results.get(name)?.length ?? 0);
	results.set(name, result);
	for (const [oldest, { length }] of results) {
		if (keptBytes <= MOST_BYTES) break;
		results.delete(oldest);
		keptBytes -= length;
	}
}
