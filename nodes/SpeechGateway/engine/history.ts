import type {
	IExecuteFunctions,
	INodeExecutionData,
	IRunData,
	ITaskData,
	ITaskMetadata,
} from 'n8n-workflow';
import { BRANCHES } from '../requests/itemLedger';

/** What n8n's contexts offer of the node's earlier runs; `runExecutionData` is there at run time, not in the types. */
export type RunHistoryContext = Pick<
	IExecuteFunctions,
	'getExecutionId' | 'getNode' | 'getWorkflowDataProxy'
> &
	Partial<Pick<IExecuteFunctions, 'setMetadata'>> & {
		runExecutionData?: { resultData?: { runData?: IRunData } };
	};

interface Remembered {
	/** The execution in which this node first ran. */
	firstExecutionId: string;
}

interface Marked extends ITaskMetadata {
	speechGateway?: Partial<Remembered>;
}

/** The round of the loop the node is in, from 0. */
export function runIndex(context: RunHistoryContext): number {
	return Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
}

/** The earlier runs of this node in this execution and, in a retry, in what the failed one had done. */
const runsOf = (context: RunHistoryContext): ITaskData[] =>
	context.runExecutionData?.resultData?.runData?.[context.getNode().name] ?? [];

/**
 * The id of the execution in which this node first ran, from its earlier runs. A retry of a failed execution has an id of
 * its own but starts from the old run data; n8n tells it nothing else of where it comes from.
 */
export function firstExecutionId(context: RunHistoryContext): string | undefined {
	for (const { metadata } of runsOf(context)) {
		const first = (metadata as Marked | undefined)?.speechGateway?.firstExecutionId;
		if (first !== undefined) return first;
	}
	return undefined;
}

/** Writes into the record of this run what later rounds and retries need to know. */
export function remember(context: RunHistoryContext, run: Remembered): void {
	const metadata: Marked = { speechGateway: run };
	context.setMetadata?.(metadata);
}

/** The items on Success of tasks that had left a billed operation on Still Processing before, by the id of the task. */
export function doneAfterWaiting(context: RunHistoryContext): Map<string, INodeExecutionData> {
	const done = new Map<string, INodeExecutionData>();
	const waited = new Set<unknown>();
	for (const { data } of runsOf(context)) {
		const outputs = data?.main ?? [];
		for (const item of outputs[0] ?? [])
			if (waited.has(item.json.id)) done.set(String(item.json.id), item);
		// An error item has what its input had, where there is no Still Processing.
		for (const { json } of outputs[BRANCHES.indexOf('waiting')] ?? [])
			if (json.waitedSeconds !== undefined && json.error === undefined) waited.add(json.id);
	}
	return done;
}
