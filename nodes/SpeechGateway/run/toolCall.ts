import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { askedHash, type Operation } from './operation';
import { readOne } from './readItems';
import { replayForTool } from './requests/replay';

type Outputs = INodeExecutionData[][];

/** Calls of agents under way in this process, by what the node knows of their execution, which no other execution has. */
const underWay = new WeakMap<object, Map<string, Promise<Outputs>>>();

/**
 * One call of an agent's tool. Every call and every retry of an agent is another run of the node, so the call is known by
 * its input: `run` gets a name for it, under which its ledger is kept until it has succeeded. A call that repeats one
 * under way waits for that one's result; one that succeeded is answered from memory when n8n retries the agent.
 */
export async function asToolCall(
	context: IExecuteFunctions,
	operation: Operation,
	run: (call: string) => Promise<Outputs>,
): Promise<Outputs> {
	const input = await readOne(context, operation, 0);
	const call = `tool ${'parameters' in input ? askedHash(operation, input.parameters) : 'unreadable'}`;
	const replay = replayForTool(context);
	const earlier = replay?.next(call) as Outputs | undefined;
	if (earlier) return earlier;

	const execution = context.getContext('node');
	const calls = underWay.get(execution) ?? new Map<string, Promise<Outputs>>();
	underWay.set(execution, calls);
	const running = calls.get(call) ?? run(call);
	calls.set(call, running);
	try {
		const outputs = await running;
		if (outputs[0]?.every(({ json }) => json.error === undefined && json.outcome !== 'unknown'))
			replay?.add(call, outputs);
		return outputs;
	} finally {
		calls.delete(call);
	}
}
