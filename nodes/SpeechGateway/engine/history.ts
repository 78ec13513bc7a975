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
 * The ID of the execution in which this node first ran. A retry starts from the failed execution's run data, under a new ID,
 * and n8n does not say which execution it retries.
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

/** By task ID: items on Success of tasks that had left on Still Processing before (the output `waiting`). */
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
		// Where the node has no Still Processing, this may be the Error output, whose items copy their input.
		for (const { json } of outputs[waiting] ?? [])
			if (json.waitedSeconds !== undefined && json.error === undefined) waited.add(json.id);
	}
	return done;
}

/**
 * Whether this node has ended in another execution, or that one is gone. Of one that runs n8n shows nothing of its nodes, nor of one
 * that crashed.
 */
export async function hasEndedIn(context: NodeContext, executionId: string): Promise<boolean> {
	const data = await context.getExecutionDataById?.(executionId).catch(() => undefined);
	if (!data) return true;
	const { runData = {}, error } = data.resultData;
	return !data.waitTill && (error !== undefined || context.getNode().name in runData);
}
