import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { UnknownFacts } from '../../core/errors';

/** Where one billed request stands. A request that is known not to be charged leaves no entry: it may be sent again. */
export type Entry =
	| { state: 'sending'; sentAt: string; inputHash: string }
	| { state: 'done'; value: IDataObject }
	| { state: 'unknown'; facts: UnknownFacts }
	| { state: 'cut' /* 524: not charged, never the same request again */ };

export interface ItemRecord {
	/** By request of the item: `speech`, `job`, `segment 3`, … */
	requests: Record<string, Entry>;
	/** Parameters frozen when the item was first paid for, so that a retry finishes the same thing. */
	frozen?: IDataObject;
	/** The item is finished: what came out of it, and on which branch. */
	result?: { branch: Branch; items: INodeExecutionData[] };
	/** This execution has recorded the item's `sendOnceKey`. */
	keyRecorded?: boolean;
}

export type Branch = 'success' | 'unknown' | 'waiting';

interface RunRecord {
	firstExecutionId: string;
	executionId: string;
	attempts: number;
	items: Record<string, ItemRecord>;
}

export type LedgerContext = Pick<
	IExecuteFunctions,
	'getContext' | 'getExecutionId' | 'getWorkflowDataProxy' | 'getNode'
>;

/**
 * What has been paid for in this run of the node. It lives in the node's execution context, which n8n keeps over Retry
 * On Fail, over a wait and in the record of a failed execution, and it is written before a request leaves. One object a
 * round of a loop, so that rounds stay apart. Plain JSON. `close` removes all of it.
 */
export class Ledger {
	private readonly runs: Record<string, RunRecord>;
	private readonly run: RunRecord;

	constructor(
		private readonly context: LedgerContext,
		private readonly name: string,
		private readonly key: string,
	) {
		const stored = this.context.getContext('node') as Record<
			string,
			Record<string, RunRecord> | undefined
		>;
		this.runs = stored[name] ??= {};
		const executionId = context.getExecutionId();
		this.run = this.runs[key] ??= {
			firstExecutionId: executionId,
			executionId,
			attempts: 0,
			items: {},
		};
		if (this.run.executionId !== executionId) Object.assign(this.run, { executionId, attempts: 0 });
		this.run.attempts++;
	}

	/** Calls of `execute()` for this round within this execution, this one included. */
	get attempts(): number {
		return this.run.attempts;
	}

	/**
	 * In a retry of a failed execution, what names this round in every retry of that execution. n8n offers "Retry" again
	 * when a retry failed, and starts it from the same old record, which knows nothing of what the first retry paid for.
	 */
	get retryOf(): string | undefined {
		const { firstExecutionId, executionId } = this.run;
		return executionId === firstExecutionId
			? undefined
			: `retry of ${firstExecutionId}, round ${this.key}`;
	}

	item(key: string): ItemRecord {
		return (this.run.items[key] ??= { requests: {} });
	}

	/** The items on record. */
	keys(): string[] {
		return Object.keys(this.run.items);
	}

	/** Nothing is left to protect of one item. With the last one, the ledger closes. */
	forget(key: string): void {
		delete this.run.items[key];
		if (this.keys().length === 0) this.close();
	}

	/** Nothing is left to protect: no trace stays in the execution data. */
	close(): void {
		delete this.runs[this.key];
		if (Object.keys(this.runs).length === 0) delete this.context.getContext('node')[this.name];
	}
}

/** The round of the loop the node is in, from 0. */
export function runIndex(context: LedgerContext): number {
	return Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
}

/** Whether any request of the item has been, or may have been, paid for. */
export function maybeCharged(record: ItemRecord): boolean {
	return (
		record.result !== undefined ||
		Object.values(record.requests).some((entry) => entry.state !== 'cut')
	);
}
