import type {
	IExecuteData,
	IExecuteFunctions,
	INode,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { isRecord } from '../core/json';
import { isTool } from '../run/branches';
import { workflowSettings } from './workflowSettings';

/**
 * The one file that knows n8n's engine from inside. An execution that wakes up skips the first entry of its stack, which
 * is that of the node that has put it to sleep, and goes on with the next. So that the node is called again, its entry is
 * on the stack twice: what is skipped, and behind it what is run.
 */

/** Modes of executions for whose end n8n itself waits. */
const WAITS_FOR_RESULT: Record<string, string | undefined> = {
	integrated: 'it is the execution of a sub-workflow, and its caller waits for the result',
	agent: 'an agent has started it, and waits for the result',
	evaluation: 'it is part of an evaluation, which waits for the result',
	cli: 'it was started from the command line, by an n8n that ends with it',
};

/** Why this node cannot put the execution to sleep and be called again, to follow "it stayed awake:"; undefined: it can. */
export function whyAwake(context: IExecuteFunctions): string | undefined {
	if (isTool(context)) return 'the node is used as a tool, and the agent waits for its answer';
	const waits = WAITS_FOR_RESULT[context.getMode()];
	if (waits) return waits;
	if (resumesCaller(context)) return 'n8n might run its caller again after a sleep';
	if (callerWaits(context)) return 'whoever called its trigger waits for the answer';
	if (workflowSettings(context).executionOrder !== 'v1')
		return 'in the workflow\'s settings, "Execution Logic" (in older versions "Execution Order") is "v0 (legacy)"';
	if (!stackOf(context)) return 'this version of n8n gives a node no way to go on after a sleep';
	return undefined;
}

/**
 * Puts the execution to sleep as soon as the node has returned. From then on, at the given time, n8n calls the node again
 * with the same items, run index and context; what it returns now is only shown while it sleeps.
 */
export async function putToSleep(
	context: IExecuteFunctions,
	until: Date,
	runIndex: number,
): Promise<void> {
	const live = context.getExecuteData();
	const entry = { ...live };
	delete entry.metadata;
	await context.putExecutionToWait(until);
	// n8n switches it off when it wakes up. Always Output Data would send an empty item on.
	const node = { ...entry.node, alwaysOutputData: false };
	const skipped = { ...entry, data: { main: [[]] }, node, runIndex };
	stackOf(context)?.unshift(
		// For the moment until n8n puts `live` back: a Stop, or a crash, may make this the first entry.
		{ ...skipped, node: { ...node } },
		{ ...entry, node: { ...entry.node }, runIndex },
		{ ...skipped, node: { ...node, name: refusal(node) } },
	);
	Object.assign(live, skipped);
}

/**
 * A tool has no error output. n8n lets one be set to "Continue (using error output)" all the same, and then puts an empty
 * list of errors in the place of what the tool has made, which is lost. So it runs as if it were set to "Continue".
 */
export function withoutErrorOutput(context: IExecuteFunctions): void {
	const entry = context.getExecuteData();
	const { name, onError } = context.getNode();
	// The entry is that of the agent where the agent calls the tool itself. Then n8n makes no outputs of it.
	if (onError !== 'continueErrorOutput' || entry.node.name !== name) return;
	entry.node = { ...entry.node, onError: 'continueRegularOutput' };
}

/** What was only on the stack while the execution slept goes. */
export function wakeUp(context: IExecuteFunctions): void {
	const stack = stackOf(context);
	const index = stack?.findIndex(({ node }) => node.name === refusal(context.getNode())) ?? -1;
	if (index >= 0) stack?.splice(index, 1);
}

/**
 * "Retry with currently saved workflow" gives all entries of a node one object: of an n8n that was killed after a sleep,
 * skipping the first entry would skip them all, and send the input on as if it were what the node has made of it. But n8n
 * refuses such a retry if it does not find the node of an entry, and shows the name.
 */
const refusal = ({ name }: INode) => `${name}, which was asleep: use Retry with original workflow`;

/**
 * When the workflow's timeout ends the execution, ms since 1970; undefined: never, as far as n8n says. It counts the time
 * asleep, and n8n cancels what wakes up later at once: nothing would name the jobs. `earlier`: what was known before a
 * sleep; each process counts anew from its own start.
 */
export function timeoutAt(context: IExecuteFunctions, earlier?: number): number | undefined {
	const { additionalData, runExecutionData } = context as Internals;
	const runs = Object.values(runExecutionData?.resultData?.runData ?? {});
	const startedAt = Math.min(...runs.map(([first]) => first?.startTime ?? Infinity));
	const { executionTimeout = 0 } = workflowSettings(context);
	const bySetting = executionTimeout > 0 ? startedAt + executionTimeout * 1000 : Infinity;
	// What is over is that of an execution that this one retries.
	const ahead = [earlier, additionalData?.executionTimeoutTimestamp, bySetting].filter(
		(at = Infinity) => Number.isFinite(at) && at > Date.now(),
	);
	return ahead.length > 0 ? Math.min(...(ahead as number[])) : undefined;
}

/** What is there at run time, not in the types. */
interface Internals {
	additionalData?: Partial<IWorkflowExecuteAdditionalData>;
	runExecutionData?: Partial<IRunExecutionData>;
}

/**
 * Whether n8n runs the caller when this execution has slept, as it does for the retry of a sub-workflow: n8n 1 does so
 * whatever became of the caller. One that has failed would start the sub-workflow, and pay for it, once more.
 */
const resumesCaller = (context: IExecuteFunctions): boolean => {
	const { parentExecution } = (context as Internals).runExecutionData ?? {};
	return parentExecution !== undefined && parentExecution.shouldResume !== false;
};

/** The entries that are still to be run; undefined if anything is not as it is in n8n 1 and 2. */
function stackOf(context: IExecuteFunctions): IExecuteData[] | undefined {
	const { runExecutionData } = context as Internals;
	const stack: unknown = runExecutionData?.executionData?.nodeExecutionStack;
	const live: unknown = context.getExecuteData?.();
	const known =
		Array.isArray(stack) &&
		[...stack, live].every(isEntry) &&
		!stack.includes(live) &&
		(live as IExecuteData).node.name === context.getNode().name &&
		typeof context.putExecutionToWait === 'function';
	return known ? (stack as IExecuteData[]) : undefined;
}

const isEntry = (entry: unknown): boolean =>
	isRecord(entry) &&
	isRecord(entry.node) &&
	typeof entry.node.name === 'string' &&
	isRecord(entry.data) &&
	Array.isArray(entry.data.main);

/** Response modes of triggers whose answer ends when the execution sleeps. */
const ANSWERS_AT_ONCE: unknown[] = ['lastNode', 'streaming'];

/** Whether somebody has called the workflow and gets, as the answer, what its nodes return or stream: now, or never. */
function callerWaits(context: IExecuteFunctions): boolean {
	if (context.getMode() === 'retry') return false;
	const { runExecutionData } = context as Internals;
	const runs = runExecutionData?.resultData?.runData ?? {};
	return context
		.getParentNodes(context.getNode().name, { includeNodeParameters: true })
		.some(
			({ name, type, parameters }) =>
				name in runs &&
				(ANSWERS_AT_ONCE.includes(parameters?.responseMode) || type.endsWith('.chatTrigger')),
		);
}
