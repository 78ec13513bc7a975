import type { IExecuteData, INode } from 'n8n-workflow';
import { isRecord } from '../core/json';
import { pause } from '../core/pause';
import type { Execution, NodeContext } from './execution';

/**
 * How one node puts its execution to sleep and is called again; `run/sleep` decides what is recorded and shown meanwhile. An
 * execution that wakes up skips the first entry of its stack, that of the node that put it to sleep, and goes on with the
 * next. So the node's entry is put on the stack twice: the first is skipped, the second is run. A third, the decoy, makes n8n
 * refuse the retry that would skip both. Where the stack is not as in n8n 1 and 2, or somebody waits for the answer, the
 * execution stays awake.
 */

/** Modes of executions for whose end n8n itself waits. */
const WAITS_FOR_RESULT: Record<string, string | undefined> = {
	integrated: 'it is the execution of a sub-workflow, and its caller waits for the result',
	agent: 'an agent has started it, and waits for the result',
	evaluation: 'it is part of an evaluation, which waits for the result',
	cli: 'it was started from the command line, by an n8n that ends with it',
};

/** Why the execution cannot sleep, to follow "it stayed awake:"; undefined if it can. */
export function whyAwake(execution: Execution): string | undefined {
	const { context, isTool, keepsMemory, settings } = execution;
	if (isTool) return 'the node is used as a tool, and the agent waits for its answer';
	if (!keepsMemory) return "n8n's engine 2.0 calls no node again after a sleep";
	const waits = WAITS_FOR_RESULT[context.getMode()];
	if (waits) return waits;
	if (resumesCaller(context)) return 'n8n might run its caller again after a sleep';
	if (callerWaits(context)) return 'whoever called its trigger waits for the answer';
	if (settings.executionOrder !== 'v1')
		return 'in the workflow\'s settings, "Execution Logic" (in older versions "Execution Order") is "v0 (legacy)"';
	if (!sleepable(context)) return 'this version of n8n gives a node no way to go on after a sleep';
	return undefined;
}

/**
 * Puts the execution to sleep as soon as the node has returned. At the given time (ms since 1970), n8n calls the node
 * again with the same items, run index and context; what it returns now is only shown while it sleeps.
 */
export async function putToSleep(execution: Execution, until: number): Promise<void> {
	const { context, round: runIndex } = execution;
	const found = sleepable(context);
	if (!found) throw new Error('This execution cannot sleep');
	const { stack, live } = found;
	const entry = { ...live };
	delete entry.metadata;
	await context.putExecutionToWait?.(new Date(until));
	// n8n switches it off when it wakes up. Always Output Data would send an empty item on.
	const node = { ...entry.node, alwaysOutputData: false };
	const skipped = { ...entry, data: { main: [[]] }, node, runIndex };
	stack.unshift(
		// For the moment until n8n puts `live` back: a Stop, or a crash, may make this the first entry.
		{ ...skipped, node: { ...node } },
		{ ...entry, node: { ...entry.node }, runIndex },
		{ ...skipped, node: { ...node, name: decoyName(node) } },
	);
	Object.assign(live, skipped);
}

/** Takes the decoy off the stack, once n8n runs the node again. */
export function removeDecoy(context: NodeContext): void {
	const { stack } = sleepable(context) ?? { stack: [] };
	const index = stack.findIndex(({ node }) => node.name === decoyName(context.getNode()));
	if (index >= 0) stack.splice(index, 1);
}

/**
 * The decoy makes n8n refuse "Retry with currently saved workflow", and show this name: that retry gives all entries of a node
 * one object, so skipping the first would skip them all and pass the input on as if it were the node's output.
 */
const decoyName = ({ name }: INode) =>
	`${name}, which was asleep: use Retry with original workflow`;

/**
 * When the workflow's timeout ends the execution, ms since 1970; undefined: never, as far as n8n says. It counts time
 * asleep, and n8n cancels what wakes up later at once, without naming its jobs. `earlier`: what was known before a sleep;
 * each process counts anew from its own start.
 */
export function timeoutAt({ context, settings }: Execution, earlier?: number): number | undefined {
	const { additionalData, runExecutionData } = context;
	const runs = Object.values(runExecutionData?.resultData?.runData ?? {});
	const startedAt = Math.min(...runs.map(([first]) => first?.startTime ?? Infinity));
	const { executionTimeout = 0 } = settings;
	const bySetting = executionTimeout > 0 ? startedAt + executionTimeout * 1000 : Infinity;
	const ends = [
		earlier ?? Infinity,
		additionalData?.executionTimeoutTimestamp ?? Infinity,
		bySetting,
	];
	// A timeout in the past belongs to the execution being retried.
	const first = Math.min(...ends.filter((at) => at > Date.now()));
	return Number.isFinite(first) ? first : undefined;
}

/** This is loaded by the first run of the node after n8n's start, so when n8n wakes up what became due while it was down. */
const LOADED_AT = performance.now();

/** n8n takes 2 to 10 s from waking up what is due to the end of its start. */
const LONGEST_START_MS = 30_000;

/**
 * Lets n8n finish its start before a run ends that it has woken up. Late in its start, n8n marks all executions as crashed
 * that its log has as unfinished, and writes what it read of them a moment before: one that ends in that moment stays
 * "crashed", although it has delivered everything. Stop ends the wait at once.
 */
export async function outlastStart(cancel?: AbortSignal): Promise<void> {
	await pause(LOADED_AT + LONGEST_START_MS - performance.now(), cancel).catch(() => {});
}

/**
 * Whether n8n runs the caller when this execution has slept, as it does for the retry of a sub-workflow. n8n 1 does so
 * whatever became of the caller: one that has failed would start the sub-workflow, and pay for it, once more.
 */
const resumesCaller = ({ runExecutionData }: NodeContext): boolean => {
	const { parentExecution } = runExecutionData ?? {};
	return parentExecution !== undefined && parentExecution.shouldResume !== false;
};

/** The entries that are still to be run, and that of this node; undefined if anything is not as it is in n8n 1 and 2. */
function sleepable(
	context: NodeContext,
): { stack: IExecuteData[]; live: IExecuteData } | undefined {
	const stack: unknown = context.runExecutionData?.executionData?.nodeExecutionStack;
	const live: unknown = context.getExecuteData?.();
	const isAsExpected =
		Array.isArray(stack) &&
		stack.every(isStackEntry) &&
		isStackEntry(live) &&
		!stack.includes(live) &&
		live.node.name === context.getNode().name &&
		typeof context.putExecutionToWait === 'function';
	return isAsExpected ? { stack, live } : undefined;
}

const isStackEntry = (entry: unknown): entry is IExecuteData =>
	isRecord(entry) &&
	isRecord(entry.node) &&
	typeof entry.node.name === 'string' &&
	isRecord(entry.data) &&
	Array.isArray(entry.data.main);

/** Whether what the last node hands over on Success goes back to whoever started the workflow. */
export const returnsToCaller = ({ context, isSubWorkflow }: Execution): boolean =>
	isSubWorkflow || callerWaits(context);

/** Response modes of triggers whose answer ends when the execution sleeps. */
const ANSWERS_AT_ONCE: unknown[] = ['lastNode', 'streaming'];

/** Whether the workflow's caller gets, as the answer, what its nodes return or stream: now, or never. */
function callerWaits(context: NodeContext): boolean {
	if (context.getMode() === 'retry') return false;
	const runs = context.runExecutionData?.resultData?.runData ?? {};
	return context
		.getParentNodes(context.getNode().name, { includeNodeParameters: true })
		.some(
			({ name, type, parameters }) =>
				name in runs &&
				(ANSWERS_AT_ONCE.includes(parameters?.responseMode) || type.endsWith('.chatTrigger')),
		);
}
