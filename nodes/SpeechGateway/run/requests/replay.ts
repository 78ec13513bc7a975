import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { runIndex, type RunHistoryContext } from './runHistory';

/** Agent runs whose answers are remembered; the oldest are forgotten. An agent is retried within seconds, if at all. */
const MAX_AGENT_RUNS = 200;

/** By agent run, then by call: what was answered, in order. */
const remembered = new Map<string, Map<string, unknown[]>>();

/**
 * What one attempt of an agent has asked for so far. When n8n retries the agent, its tools and models are called anew;
 * the answers that were paid for are given again, each once, so that two equal calls of one attempt stay two calls.
 *
 * In memory: it only serves retries within the execution, and a success must leave nothing in the execution's data.
 */
export class Replay {
	private readonly asked = new Map<string, number>();

	constructor(private readonly agentRun: string) {}

	/** The answer that an earlier attempt got to this call; undefined when it is asked for the first time. */
	next(call: string): unknown {
		const count = this.asked.get(call) ?? 0;
		this.asked.set(call, count + 1);
		return remembered.get(this.agentRun)?.get(call)?.[count];
	}

	/** A new answer, for the attempts to come. */
	add(call: string, answer: unknown): void {
		const answers = remembered.get(this.agentRun) ?? new Map<string, unknown[]>();
		answers.set(call, [...(answers.get(call) ?? []), answer]);
		remembered.delete(this.agentRun);
		remembered.set(this.agentRun, answers);
		for (const [oldest] of remembered) {
			if (remembered.size <= MAX_AGENT_RUNS) break;
			remembered.delete(oldest);
		}
	}
}

/** What n8n's contexts of sub-nodes have at run time, beyond their types. */
export type SubNodeContext = RunHistoryContext & {
	parentNode?: INode;
	/** A list of its own for each attempt of the parent node. */
	closeFunctions?: object;
};

/**
 * Undefined outside of an execution, where an MCP Server Trigger calls its tools: nothing is retried there, and the next call
 * like it is that of another client, or of another workflow.
 */
function replayOf(context: SubNodeContext, ...where: number[]): Replay | undefined {
	const executionId: string | undefined = context.getExecutionId();
	if (!executionId) return undefined;
	const names = [context.getNode().name, context.parentNode?.name];
	return new Replay([executionId, ...names, ...where].join('\n'));
}

/** For a chat model, which n8n supplies anew for each attempt of its agent. */
export const replayForModel = (context: SubNodeContext, itemIndex: number): Replay | undefined =>
	replayOf(context, runIndex(context), itemIndex);

/** By the attempt of an agent, then by the name of its tool. */
const attempts = new WeakMap<object, Map<string, Replay>>();

/** For a tool that its agent calls itself; undefined where n8n's engine calls it, which does not call it again. */
export function replayForTool(context: IExecuteFunctions & SubNodeContext): Replay | undefined {
	const { parentNode, closeFunctions, runExecutionData } = context;
	if (!parentNode || !closeFunctions) return undefined;
	const tools = attempts.get(closeFunctions) ?? new Map<string, Replay>();
	attempts.set(closeFunctions, tools);
	const { name } = context.getNode();
	const round = runExecutionData?.resultData?.runData?.[parentNode.name]?.length ?? 0;
	const replay = tools.get(name) ?? replayOf(context, round);
	if (replay) tools.set(name, replay);
	return replay;
}
