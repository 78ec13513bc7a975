import type {
	IBinaryData,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	IRunExecutionData,
	ISupplyDataFunctions,
	IWorkflowExecuteAdditionalData,
	IWorkflowSettings,
	Workflow,
} from 'n8n-workflow';

import { givingWay } from '../core/pause';

/** What n8n's contexts have at run time beyond their types. */
interface Internals {
	additionalData?: Partial<IWorkflowExecuteAdditionalData>;
	runExecutionData?: Partial<IRunExecutionData>;
	workflow?: Partial<Pick<Workflow, 'connectionsBySourceNode' | 'nodes'>>;
}

/** What a node that is executed and one that supplies a model have in common, in all versions of n8n. */
type Shared = Pick<IExecuteFunctions, keyof IExecuteFunctions & keyof ISupplyDataFunctions>;

/** n8n's context of a node; what only some kinds of nodes or versions of n8n have is optional. */
export type NodeContext = Shared & Partial<IExecuteFunctions> & Internals;

/** The settings of the workflow, such as `binaryMode`; empty where n8n tells none. */
export const settingsOf = (context: NodeContext): IWorkflowSettings =>
	context.getWorkflowSettings() ?? {};

/** n8n tries a node twice at least and five times at most, three times unless told otherwise. */
const [FEWEST_TRIES, USUAL_TRIES, MOST_TRIES] = [2, 3, 5];

/** n8n cuts longer values of custom data. */
const MAX_CUSTOM_VALUE_LENGTH = 500;

/** One call of a node by n8n's engine. The other files of this room do to its `context` what n8n has no method for. */
export class NodeCall {
	/** To be awaited between items, for n8n's other work. */
	readonly giveWay = givingWay(() => this.isCancelled);
	private copy?: INode;

	constructor(readonly context: NodeContext) {}

	/** Asked for once: n8n copies the node, with all of its texts, each time. */
	get node(): INode {
		return (this.copy ??= this.context.getNode());
	}

	/** Whether the node is used as a tool of an AI agent; n8n gives it a type of its own then. */
	get isTool(): boolean {
		return this.node.type.endsWith('Tool');
	}

	/**
	 * Puts a file into n8n's store. The store gets the MIME type without parameters, the only form that n8n's preview
	 * plays; the item gets all of it.
	 */
	async store(
		data: Parameters<NodeContext['helpers']['prepareBinaryData']>[0],
		fileName: string | undefined,
		mimeType: string,
	): Promise<IBinaryData> {
		const [bare] = mimeType.split(';');
		return { ...(await this.helpers.prepareBinaryData(data, fileName, bare)), mimeType };
	}

	/**
	 * n8n's signed address of a file, valid for a day. Throws where n8n has none: it then keeps files in memory, or is
	 * too old.
	 */
	linkTo(file: IBinaryData): string {
		const { createBinarySignedUrl }: Partial<NodeContext['helpers']> = this.helpers;
		if (!createBinarySignedUrl) throw new Error('this version of n8n has no such links');
		if (!file.id) throw new Error('it keeps files in memory, not in a store');
		return createBinarySignedUrl(file, '1 day');
	}

	/** n8n's documented helpers: files, HTTP, deduplication. */
	get helpers(): NodeContext['helpers'] {
		return this.context.helpers;
	}

	/** Undefined outside of an execution, as for the tools of an MCP Server Trigger. */
	get id(): string | undefined {
		return this.context.getExecutionId();
	}

	/** The round of the loop that the node is in, from 0. */
	get round(): number {
		return Number(this.context.getWorkflowDataProxy(0).$runIndex ?? 0);
	}

	/**
	 * What the node keeps in the execution's data: JSON that outlives Retry On Fail, and is in the record of a failed
	 * execution, from which a retry starts. Shared by all rounds.
	 */
	get memory(): Record<string, unknown> {
		return this.context.getContext?.('node') ?? {};
	}

	/** See `settingsOf`. */
	get settings(): IWorkflowSettings {
		return settingsOf(this.context);
	}

	/** The input of the node. Some nodes hand over items that have files and no json at all. */
	get items(): INodeExecutionData[] {
		return this.context.getInputData();
	}

	/** Whether an error ends the execution: by the node's setting, or after `endOnError`. */
	get stopsOnError(): boolean {
		const { name, onError } = this.context.getExecuteData?.().node ?? {};
		const isEnded = name === this.node.name && onError === 'stopWorkflow';
		return isEnded || !this.context.continueOnFail();
	}

	/** Whether this is a retry of a failed execution, by hand. */
	get isRetry(): boolean {
		return this.context.getMode() === 'retry';
	}

	/** Whether n8n saves the execution if it fails, for a retry; undefined where the settings of n8n itself decide. */
	get isSavedOnFailure(): boolean | undefined {
		if (!this.keepsMemory) return false;
		const { saveManualExecutions: manual, saveDataErrorExecution: failed } = this.settings;
		if (this.context.getMode() === 'manual')
			return typeof manual === 'boolean' ? manual : undefined;
		return failed === 'none' ? false : failed === 'all' || undefined;
	}

	/** Whether "Retry this execution" may help: it fails, may be saved, and is no sub-workflow's. */
	get canBeRetried(): boolean {
		return this.stopsOnError && this.isSavedOnFailure !== false && !this.isSubWorkflow;
	}

	/**
	 * Whether n8n calls the node again, with what it wrote into `memory`. Its engine 2.0, which names executions by UUIDs instead
	 * of numbers, does neither.
	 */
	get keepsMemory(): boolean {
		const { id = '0' } = this;
		return this.settings.engineType !== 'v2' && /^\d+$/.test(id);
	}

	/**
	 * Whether this is "Execute step" of this very node: n8n runs nothing behind it, and shows its output to whoever has
	 * clicked.
	 */
	get endsHere(): boolean {
		const { destinationNode } = this.context.runExecutionData?.startData ?? {};
		return destinationNode?.nodeName === this.node.name;
	}

	/**
	 * Whether n8n's Assistant runs the node by itself, in a temporary workflow: n8n deletes the execution and its files
	 * as soon as it has ended.
	 */
	get isDeletedAtOnce(): boolean {
		return this.context.getWorkflow().name === `Execute node ${this.node.type}`;
	}

	/** Whether this is the execution of a sub-workflow: a retry of its parent starts it anew. */
	get isSubWorkflow(): boolean {
		return this.context.getMode() === 'integrated';
	}

	/** How often n8n runs the node, at most, as long as it fails (Retry On Fail). */
	private get tries(): number {
		const { retryOnFail, maxTries } = this.node;
		if (!retryOnFail) return 1;
		return Math.min(MOST_TRIES, Math.max(FEWEST_TRIES, maxTries || USUAL_TRIES));
	}

	/**
	 * Whether n8n runs the whole node again after this attempt (from 1): with Retry On Fail, it does so when the first item is
	 * an error, also in the continue modes.
	 */
	willRunAgain(outputs: INodeExecutionData[][], attempt: number): boolean {
		return outputs[0]?.[0]?.json.error !== undefined && attempt < this.tries;
	}

	/** Aborts on Stop, and when the workflow's timeout ends the execution. n8n's engine 2.0 has none. */
	get cancel(): AbortSignal | undefined {
		return this.context.getExecutionCancelSignal?.();
	}

	get isCancelled(): boolean {
		return this.cancel?.aborted === true;
	}

	/**
	 * Whether the workflow's trigger passes chunks of an answer on while they come; an agent waits for its tool's whole
	 * answer.
	 */
	get streams(): boolean {
		return !this.isTool && this.context.isStreaming?.() === true;
	}

	/** Sends a chunk of a streamed answer. A client that has gone away does not cost the answer. */
	async stream(
		type: 'begin' | 'item' | 'end' | 'error',
		index: number,
		content?: string,
	): Promise<void> {
		// On n8n it is a promise, whatever its type says.
		const sent = new Promise((resolve) => resolve(this.context.sendChunk?.(type, index, content)));
		await sent.catch(() => undefined);
	}

	/** Shows a hint beside the output once the node has finished. */
	hint(message: string, type: 'info' | 'warning' = 'info'): void {
		this.context.addExecutionHints?.({ message, type, location: 'outputPane' });
	}

	/** Makes the execution findable by a value ("Highlighted data"); n8n keeps ten. */
	tag(key: string, value: string): void {
		// n8n tells no type for `$execution`.
		const variable: { customData?: { set(key: string, value: string): void } } | undefined =
			this.context.getWorkflowDataProxy(0).$execution;
		variable?.customData?.set(key, value.slice(0, MAX_CUSTOM_VALUE_LENGTH));
	}
}
