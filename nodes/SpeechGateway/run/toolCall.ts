import type { INodeExecutionData } from 'n8n-workflow';
import type { Execution } from '../engine/execution';
import { askedKey, type Operation } from './operation';
import { readOne } from './readItems';

type Outputs = INodeExecutionData[][];

/** The result of one call of a tool. */
export interface CallResult {
	outputs: Outputs;
	/** Whether every item was delivered: none failed, is unknown, or is still being made. */
	succeeded: boolean;
}

/** Executions whose results are kept in this process; the oldest are forgotten. */
const MAX_EXECUTIONS = 200;

/** Results that were paid for, by execution and by call. */
const results = new Map<string, Map<string, Outputs>>();

/** Calls in progress in this process, by the node's memory, which no other execution shares. */
const underWay = new WeakMap<object, Map<string, Promise<CallResult>>>();

/**
 * One call of an agent's tool, known by its content: n8n runs the tool anew for each call, and for each retry of its agent.
 * Within an execution, a call with the same content as one that succeeded gets the same result, and one that repeats a call
 * under way waits for it. `run` gets a name for the call, under which its ledger is kept until it has succeeded.
 */
export async function asToolCall(
	execution: Execution,
	operation: Operation,
	run: (call: string) => Promise<CallResult>,
): Promise<Outputs> {
	const input = await readOne(execution, operation, 0);
	const call = `tool ${'parameters' in input ? askedKey(operation, input.parameters) : 'unreadable'}`;
	const known = resultsOf(execution);
	const key = `${execution.node.name}\n${call}`;
	const earlier = known.find((of) => of.has(key))?.get(key);
	if (earlier) return structuredClone(earlier);

	const { memory } = execution;
	const calls = underWay.get(memory) ?? new Map<string, Promise<CallResult>>();
	underWay.set(memory, calls);
	const running = calls.get(call) ?? run(call);
	calls.set(call, running);
	try {
		const { outputs, succeeded } = await running;
		if (succeeded) for (const of of known) of.set(key, structuredClone(outputs));
		return outputs;
	} finally {
		calls.delete(call);
	}
}

/**
 * What this execution has paid for, and the failed one that it retries. None outside of an execution, where an MCP Server
 * Trigger calls its tools: there, the next call like it is that of another client, or of another workflow.
 */
function resultsOf({ id, firstId }: Execution): Array<Map<string, Outputs>> {
	return [...new Set([id, firstId])].flatMap((known) => (known ? [resultsOfExecution(known)] : []));
}

function resultsOfExecution(id: string): Map<string, Outputs> {
	const known = results.get(id) ?? new Map<string, Outputs>();
	// Keeps the most recently used execution last.
	results.delete(id);
	results.set(id, known);
	for (const [oldest] of results) {
		if (results.size <= MAX_EXECUTIONS) break;
		results.delete(oldest);
	}
	return known;
}
