import type { IExecuteFunctions, IRunData, ITaskMetadata } from 'n8n-workflow';

/** What n8n's contexts offer of the node's earlier runs; `runExecutionData` is there at run time, not in the types. */
export type RunHistoryContext = Pick<
	IExecuteFunctions,
	'getExecutionId' | 'getNode' | 'getWorkflowDataProxy'
> &
	Partial<Pick<IExecuteFunctions, 'setMetadata'>> & {
		runExecutionData?: { resultData?: { runData?: IRunData } };
	};

interface Marked extends ITaskMetadata {
	speechGateway?: { firstExecutionId?: string };
}

/** The round of the loop the node is in, from 0. */
export function runIndex(context: RunHistoryContext): number {
	return Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
}

/**
 * The id of the execution in which this node first ran, from its earlier runs. A retry of a failed execution has an id of
 * its own but starts from the old run data; n8n tells it nothing else of where it comes from.
 */
export function firstExecutionId(context: RunHistoryContext): string | undefined {
	const runs = context.runExecutionData?.resultData?.runData?.[context.getNode().name] ?? [];
	for (const { metadata } of runs) {
		const first = (metadata as Marked | undefined)?.speechGateway?.firstExecutionId;
		if (first !== undefined) return first;
	}
	return undefined;
}

/** Leaves that id in the record of this run, for the rounds and retries to come. */
export function rememberFirstExecution(context: RunHistoryContext, id: string): void {
	const metadata: Marked = { speechGateway: { firstExecutionId: id } };
	context.setMetadata?.(metadata);
}
