import { createHash } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { OutcomeUnknownError, type UnknownFacts } from '../../core/errors';
import { firstExecutionId, type RunHistoryContext } from './runHistory';
import { outcomeUnknown } from './unknownOutcome';

/** When a request left, and a hash of what it asks for. */
export type Sent = Pick<UnknownFacts, 'sentAt' | 'inputHash'>;

/** Where one billed request stands. A request that is known not to be charged leaves no entry: it may be sent again. */
export type Entry =
	| ({ state: 'sending' } & Sent)
	| ({ state: 'done'; value: object } & Partial<Sent>)
	| { state: 'unknown'; facts: UnknownFacts }
	| { state: 'cut' /* 524: not charged, never the same request again */ };

export type Branch = 'success' | 'unknown' | 'waiting';

/** What came out of an item, and on which branch. */
export interface Result {
	branch: Branch;
	items: INodeExecutionData[];
}

/** The stored form of one item: plain JSON. */
export interface ItemRecord {
	/** By request of the item: `speech`, `job`, `segment 3`, … */
	requests: Record<string, Entry>;
	/** What was asked for when the item was first paid for: `resource.operation` and its parameters. */
	operation?: string;
	frozen?: object;
	/** The item is finished. */
	result?: Result;
	/** This execution has recorded the item's `sendOnceKey`. */
	keyRecorded?: boolean;
	/** Since when its tasks are being waited for, ms since 1970; over sleeps. */
	waitingSince?: number;
	/** How the item stood when the run went to sleep, as far as waking up is not to do it again. */
	asleep?: Asleep;
}

/** An outcome that holds over a sleep, but not over a new attempt. */
export type Asleep = Result | { failed: Failed };

/** An error as plain JSON. */
export interface Failed {
	message: string;
	description: string;
	details: object;
	binary?: object;
}

/**
 * One item's way through its billed requests; nobody else writes its record. Each request goes from nothing to `begin`,
 * and from there to `done`, `unknown` or `cut`, or back to nothing with `clear` when it was certainly not charged.
 */
export class ItemLedger {
	private asked: { operation?: string; frozen?: object } = {};

	constructor(private readonly record: ItemRecord) {}

	get result(): Result | undefined {
		return this.record.result;
	}

	/** What was first paid for; undefined while nothing may have been charged. */
	get paidFor(): { operation?: string; parameters?: object } | undefined {
		const { operation, frozen } = this.record;
		return this.maybeCharged ? { operation, parameters: frozen } : undefined;
	}

	/** Whether any request of the item has been, or may have been, paid for. */
	get maybeCharged(): boolean {
		const { result, requests } = this.record;
		return result !== undefined || Object.values(requests).some(({ state }) => state !== 'cut');
	}

	get keyRecorded(): boolean {
		return this.record.keyRecorded === true;
	}

	set keyRecorded(recorded: boolean) {
		if (recorded) this.record.keyRecorded = true;
		else delete this.record.keyRecorded;
	}

	get hasWaited(): boolean {
		return this.record.waitingSince !== undefined;
	}

	/** Since when tasks of the item are being waited for; from now on, when there were none. */
	waitingSince(): number {
		return (this.record.waitingSince ??= Date.now());
	}

	/** How the item stood when the run went to sleep; nothing when this is no wake-up. */
	get beforeSleep(): Asleep | undefined {
		return this.record.asleep;
	}

	/** The run goes to sleep: what has come of the item holds until it wakes up. */
	sleep(outcome: Asleep): void {
		this.record.asleep = outcome;
	}

	/** Another attempt: what is not finished is tried again, and Max Wait counts anew if there are attempts left. */
	tryAgain(waitAnew: boolean): void {
		delete this.record.asleep;
		if (waitAnew) delete this.record.waitingSince;
	}

	/** What is asked for, to be kept with the first request that leaves. */
	ask(operation: string, parameters: object): void {
		this.asked = { operation, frozen: parameters };
	}

	/** Names what is asked for, by its content. */
	get askedHash(): string {
		return createHash('sha256').update(JSON.stringify(this.asked)).digest('hex');
	}

	entry(request: string): Readonly<Entry> | undefined {
		return this.record.requests[request];
	}

	has(request: string): boolean {
		return request in this.record.requests;
	}

	/** Whether nothing at all is on record: no request is under way, paid for or cut. */
	get isUntouched(): boolean {
		return !this.maybeCharged && Object.keys(this.record.requests).length === 0;
	}

	/** All requests on record. */
	entries(): ReadonlyArray<Readonly<Entry>> {
		return Object.values(this.record.requests);
	}

	/**
	 * The run breaks off here: when something of the item may have been paid for, an error that says what is known of it,
	 * with the id of a task that was accepted.
	 */
	interruption(): OutcomeUnknownError | undefined {
		if (!this.maybeCharged) return undefined;
		const entries = Object.values(this.record.requests);
		for (const entry of entries)
			if (entry.state === 'unknown') return new OutcomeUnknownError(entry.facts);
		const paid = entries.filter(({ state }) => state === 'sending' || state === 'done');
		const sent = paid.filter((entry) => 'sentAt' in entry);
		const { sentAt = '', inputHash = '' } = (sent.at(-1) ?? {}) as Partial<Sent>;
		const error = outcomeUnknown('interrupted', { sentAt, inputHash });
		const ids = entries.flatMap((entry) =>
			entry.state === 'done' && 'id' in entry.value ? [entry.value.id] : [],
		);
		if (ids.length > 0) error.details.jobId = ids.at(-1);
		return error;
	}

	/** The request is about to leave. */
	begin(request: string, sent: Sent): void {
		if (!this.maybeCharged) Object.assign(this.record, this.asked);
		this.record.requests[request] = { state: 'sending', ...sent };
	}

	/** The request was paid for, and this came of it. */
	done(request: string, value: object): void {
		const before = this.record.requests[request];
		const sent =
			before?.state === 'sending' ? { sentAt: before.sentAt, inputHash: before.inputHash } : {};
		this.record.requests[request] = { state: 'done', ...sent, value };
	}

	/** The request may have been charged: it is never sent again. */
	unknown(request: string, facts: UnknownFacts): void {
		this.record.requests[request] = { state: 'unknown', facts };
	}

	/** The gateway cut the request (524): not charged, and never the same request again. */
	cut(request: string): void {
		this.record.requests[request] = { state: 'cut' };
		this.thaw();
	}

	/** The request was certainly not charged: it may be sent again. */
	clear(request: string): void {
		delete this.record.requests[request];
		this.thaw();
	}

	/** The item is finished: what led to its result need not be kept. */
	finish(result: Result): void {
		Object.assign(this.record, { result, requests: {} });
		delete this.record.frozen;
		delete this.record.waitingSince;
	}

	/** Goes on with what another round of the node has paid for. */
	adopt(record: ItemRecord): void {
		Object.assign(this.record, record);
		this.tryAgain(true);
	}

	private thaw(): void {
		if (this.maybeCharged) return;
		delete this.record.frozen;
		delete this.record.operation;
	}
}

interface RunRecord {
	firstExecutionId: string;
	executionId: string;
	/** Since the execution started or woke up: n8n counts its tries anew then. */
	attempts: number;
	/** Wake-ups do not count. */
	attemptsInAll?: number;
	/** The execution sleeps; the hints that are to be shown in the end. */
	asleep?: { hints: string[] };
	items: Record<string, ItemRecord>;
}

export type LedgerContext = RunHistoryContext & Pick<IExecuteFunctions, 'getContext'>;

type Rounds = Record<string, RunRecord | undefined>;

/** Under this name, beside the rounds: tasks that left the node on Still Processing, by id. */
const WAITING = 'waiting';

/**
 * What has been paid for in this run of the node. It lives in the node's execution context, which n8n keeps over Retry
 * On Fail, over a wait and in the record of a failed execution, and it is written before a request leaves. One object a
 * round of a loop, so that rounds stay apart. Plain JSON. `close` removes all of the round.
 */
export class Ledger {
	private readonly rounds: Rounds;
	private readonly round: RunRecord;
	private readonly items = new Map<string, ItemLedger>();
	/** Whether this is the first attempt of a retry of a failed execution. */
	readonly isFirstOfRetry: boolean;
	/** Whether this call goes on after a sleep of the execution; it is no new attempt. */
	readonly wokeUp: boolean;
	/** Of the time before the sleep, still to be shown. */
	readonly hints: string[];

	constructor(
		private readonly context: LedgerContext,
		private readonly name: string,
		private readonly key: string,
	) {
		const stored = context.getContext('node') as Record<string, Rounds | undefined>;
		this.rounds = stored[name] ??= {};
		const executionId = context.getExecutionId();
		const round = (this.rounds[key] ??= {
			firstExecutionId: firstExecutionId(context) ?? executionId,
			executionId,
			attempts: 0,
			items: {},
		});
		this.isFirstOfRetry = round.executionId !== executionId;
		if (this.isFirstOfRetry) Object.assign(round, { executionId, attempts: 0, attemptsInAll: 0 });
		this.wokeUp = round.asleep !== undefined && !this.isFirstOfRetry;
		this.hints = round.asleep?.hints ?? [];
		delete round.asleep;
		round.attempts = this.wokeUp ? 1 : round.attempts + 1;
		round.attemptsInAll = (round.attemptsInAll ?? 0) + (this.wokeUp ? 0 : 1);
		this.round = round;
	}

	/** The run goes to sleep; all is on record. Its next call is a wake-up, unless it is that of a retry. */
	sleep(hints: Iterable<string>): void {
		this.round.asleep = { hints: [...hints] };
	}

	/** A new attempt, if this is one, of all items; `tries`: how many n8n makes. */
	tryAgain(tries: number): void {
		if (this.wokeUp) return;
		// Each sleep makes n8n count anew: without an end of its own, Retry On Fail would wait again and again.
		const waitAnew = this.round.attemptsInAll! <= tries;
		for (const key of this.keys()) this.item(key).tryAgain(waitAnew);
	}

	/** Calls of `execute()` for this round since the execution started or woke up, this one included. */
	get attempts(): number {
		return this.round.attempts;
	}

	/** The execution that was first to run this node: this one, or the failed one that it retries. */
	get firstExecutionId(): string {
		return this.round.firstExecutionId;
	}

	/**
	 * In a retry of a failed execution, what names this round in every retry of that execution. n8n offers "Retry" again
	 * when a retry failed, and starts it from the same old record, which knows nothing of what the first retry paid for.
	 */
	get retryOf(): string | undefined {
		const { firstExecutionId: first, executionId } = this.round;
		return executionId === first ? undefined : `retry of ${first}, round ${this.key}`;
	}

	item(key: string): ItemLedger {
		let item = this.items.get(key);
		if (!item) {
			item = new ItemLedger((this.round.items[key] ??= { requests: {} }));
			this.items.set(key, item);
		}
		return item;
	}

	/** The items on record. */
	keys(): string[] {
		return Object.keys(this.round.items);
	}

	/** An item leaves on Still Processing: when its task comes back to this node, it is gone on with. */
	letWait(key: string, id: string): void {
		const waiting = (this.rounds[WAITING] ??= { ...this.round, items: {} });
		waiting.items[id] = structuredClone(this.round.items[key]);
	}

	/** An item that carries the id of a task which left this node on Still Processing goes on with that task. */
	takeBack(key: string, id: unknown): void {
		const waiting = this.rounds[WAITING];
		if (typeof id !== 'string' || !waiting?.items[id] || this.item(key).maybeCharged) return;
		this.item(key).adopt(waiting.items[id]);
		delete waiting.items[id];
		if (Object.keys(waiting.items).length === 0) delete this.rounds[WAITING];
	}

	/** Nothing is left to protect of one item. With the last one, the ledger closes. */
	forget(key: string): void {
		delete this.round.items[key];
		if (this.keys().length === 0) this.close();
	}

	/** Nothing is left to protect: no trace stays in the execution data. */
	close(): void {
		delete this.rounds[this.key];
		if (Object.keys(this.rounds).length === 0) delete this.context.getContext('node')[this.name];
	}
}
