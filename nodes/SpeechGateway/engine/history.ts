import type { INodeExecutionData, ITaskData, ITaskMetadata } from 'n8n-workflow';
import type { NodeContext } from './execution';

interface Marked extends ITaskMetadata {
	/** `firstExecutionId`: the execution in which this node first ran. */
	speechGateway?: { firstExecutionId?: string };
}

/** The earlier runs of this node in this execution and, in a retry, in the failed one. */
const runsOf = (context: NodeContext): ITaskData[] =>
	context.runExecutionData?.resultData?.runData?.[context.getNode().name] ?? [];

/**
 * The ID of the execution in which this node first ran, from its earlier runs. A retry of a failed execution has an ID of
 * its own and starts from the old run data; n8n does not name the execution that it retries.
 */
export function firstExecutionId(context: NodeContext): string | undefined {
	for (const run of runsOf(context)) {
		const metadata: Marked | undefined = run.metadata;
		const first = metadata?.speechGateway?.firstExecutionId;
		if (first !== undefined) return first;
	}
	return undefined;
}

/** Writes it into the record of this run, for later rounds and retries. */
export function rememberFirst(context: NodeContext, firstExecutionId?: string): void {
	const metadata: Marked = { speechGateway: { firstExecutionId } };
	if (firstExecutionId !== undefined) context.setMetadata?.(metadata);
}

/**
 * Items that earlier runs delivered on Success for tasks that had left the node on Still Processing before, by the ID of the
 * task. `waiting`: the index of that output.
 */
export function doneAfterWaiting(
	context: NodeContext,
	waiting: number,
): Map<string, INodeExecutionData> {
	const done = new Map<string, INodeExecutionData>();
	const waited = new Set<unknown>();
	for (const { data } of runsOf(context)) {
		const outputs = data?.main ?? [];
		for (const item of outputs[0] ?? [])
			if (waited.has(item.json.id)) done.set(String(item.json.id), item);
		// Without Still Processing, this output may be that of errors, whose items copy their input.
		for (const { json } of outputs[waiting] ?? [])
			if (json.waitedSeconds !== undefined && json.error === undefined) waited.add(json.id);
	}
	return done;
}
