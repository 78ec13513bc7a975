import type { INodeExecutionData, ITaskData, ITaskMetadata } from 'n8n-workflow';
import { isRecord } from '../core/json';
import { ownIn } from '../core/ownField';
import type { NodeContext } from './nodeCall';

/**
 * What n8n's run data says of earlier runs of this node: those of this execution, and in a retry those of the failed one, whose
 * run data n8n copies. Two things cannot be asked of n8n. Which execution a retry retries: so the node writes the ID of the
 * first one into the metadata of its runs, and where it had not run yet, the start of the first task names it, which all
 * retries share. And what an item was before it came back: so items that left on Unknown are looked up by what they carry.
 * Nothing here is written but that ID.
 */

interface Marked extends ITaskMetadata {
	/** `firstExecutionId`: the execution in which this node first ran. */
	speechGateway?: { firstExecutionId?: string };
}

/** The earlier runs of this node in this execution and, in a retry, in the failed one. */
const nodeRuns = (context: NodeContext): ITaskData[] =>
	context.runExecutionData?.resultData?.runData?.[context.getNode().name] ?? [];

/**
 * The ID of the execution in which this node first ran. A retry starts from the failed execution's run data, under a new ID,
 * and n8n does not say which execution it retries.
 */
export function firstExecutionId(context: NodeContext): string | undefined {
	for (const run of nodeRuns(context)) {
		const metadata: Marked | undefined = run.metadata;
		const first = metadata?.speechGateway?.firstExecutionId;
		if (first !== undefined) return first;
	}
	return context.getMode() === 'retry' ? beginning(context) : undefined;
}

/**
 * Names an execution that failed before this node ran: all of its retries have the first task of its run data, with the same
 * times.
 */
function beginning({ runExecutionData }: NodeContext): string | undefined {
	const tasks = Object.values(runExecutionData?.resultData?.runData ?? {}).flat();
	const [first] = tasks.toSorted((one, other) => one.startTime - other.startTime);
	return first && `that began at ${first.startTime} and took ${first.executionTime}`;
}

/** Writes it into the record of this run, for later rounds and retries. */
export function rememberFirst(context: NodeContext, firstExecutionId?: string): void {
	const metadata: Marked = { speechGateway: { firstExecutionId } };
	if (firstExecutionId !== undefined) context.setMetadata?.(metadata);
}

/**
 * What an item says of requests whose outcome is unknown: under the node's own field or, if it has left as an error, under
 * `error`. Behind other nodes, it may have both.
 */
export const unknownIn = ({ json = {} }: Partial<INodeExecutionData>, field: string) =>
	[json.error, ownIn(json, field)].filter(isRecord).filter(({ outcome }) => outcome === 'unknown');

/** The request keys of what this node has handed out as unknown in this execution. */
export const handedOutUnknown = (context: NodeContext, field: string): Set<unknown> =>
	new Set(
		nodeRuns(context).flatMap(({ data }) =>
			(data?.main ?? []).flatMap((items) =>
				(items ?? []).flatMap(({ json }) => {
					// n8n puts the input under an item with an error, with what an earlier node has said there.
					const { error } = json;
					return unknownIn({ json: error ? { error } : json }, field).map(
						({ inputHash }) => inputHash,
					);
				}),
			),
		),
	);
