import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { idIn } from '../core/json';
import type { UnknownRow } from './circuitBreaker';
import { ItemLedger, type ItemRecord } from './itemLedger';
import { doneAfterWaiting, firstExecutionId, type RunHistoryContext } from '../engine/history';

interface RunRecord extends UnknownRow {
	firstExecutionId: string;
	executionId: string;
	/** Since the execution started or woke up: n8n counts its tries anew then. */
	attempts: number;
	/** Wake-ups do not count. */
	attemptsInAll?: number;
	/** The execution sleeps; the hints that are to be shown in the end, and when its timeout is, ms since 1970. */
	asleep?: { hints: string[]; endsAt?: number };
	items: Record<string, ItemRecord>;
}

export type LedgerContext = RunHistoryContext & Pick<IExecuteFunctions, 'getContext'>;

type Rounds = Record<string, RunRecord | undefined>;

/** Under this name, beside the rounds: tasks that left the node on Still Processing, by id. */
const WAITING = 'waiting';

/** Whether an earlier attempt has paid for anything in this round. */
export function hasPaid(context: LedgerContext, name: string, key: string): boolean {
	const stored = context.getContext('node') as Record<string, Rounds | undefined>;
	const records = Object.values(stored[name]?.[key]?.items ?? {});
	return records.some((record) => new ItemLedger(record).maybeCharged);
}

/**
 * What has been paid for in this run of the node. It lives in the node's execution context, which n8n keeps over Retry
 * On Fail, over a wait and in the record of a failed execution, and it is written before a request leaves. One object a
 * round of a loop, so that rounds stay apart. Plain JSON. `close` removes all of the round.
 */
export class Ledger {
	private readonly rounds: Rounds;
	private readonly round: RunRecord;
	/** Whether this call goes on after a sleep of the execution; it is no new attempt. */
	readonly wokeUp: boolean;
	/** Of the time before the sleep, still to be shown. */
	readonly hints: string[];
	/** When the execution's timeout is, as it was known before the sleep; ms since 1970. */
	readonly endsAt?: number;

	constructor(
		private readonly context: LedgerContext,
		private readonly name: string,
		private readonly key: string,
	) {
		const stored = context.getContext('node') as Record<string, Rounds | undefined>;
		this.rounds = stored[name] ??= {};
		this.takeOverSleeping();
		const executionId = context.getExecutionId();
		const round = (this.rounds[key] ??= {
			firstExecutionId: firstExecutionId(context) ?? executionId,
			executionId,
			attempts: 0,
			items: {},
		});
		const isNewRetry = round.executionId !== executionId;
		if (isNewRetry) Object.assign(round, { executionId, attempts: 0, attemptsInAll: 0 });
		this.wokeUp = round.asleep !== undefined && !isNewRetry;
		this.hints = round.asleep?.hints ?? [];
		this.endsAt = this.wokeUp ? round.asleep?.endsAt : undefined;
		delete round.asleep;
		round.attempts = this.wokeUp ? 1 : round.attempts + 1;
		round.attemptsInAll = (round.attemptsInAll ?? 0) + (this.wokeUp ? 0 : 1);
		this.round = round;
	}

	/**
	 * The first call after a sleep goes on with the round that slept, also where n8n gives it another run index: older n8n,
	 * 1.100 among them, counts what it skips when it wakes up as a run of the node.
	 */
	private takeOverSleeping(): void {
		const { rounds, key } = this;
		const slept = Object.keys(rounds).find((name) => rounds[name]?.asleep);
		if (slept === undefined || slept === key) return;
		rounds[key] = rounds[slept];
		delete rounds[slept];
	}

	/** The run goes to sleep; all is on record. Its next call is a wake-up, unless it is that of a retry. */
	sleep(hints: Iterable<string>, endsAt: number): void {
		this.round.asleep = { hints: [...hints], ...(Number.isFinite(endsAt) && { endsAt }) };
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
		if (executionId === first) return undefined;
		return `retry of ${first}, round ${this.key}`;
	}

	/** For the circuit breaker of the run. */
	get unknownRow(): UnknownRow {
		return this.round;
	}

	item(key: string): ItemLedger {
		return new ItemLedger((this.round.items[key] ??= { requests: {} }));
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

	/**
	 * Items that carry the id of a task which left this node on Still Processing go on with that task, however many come
	 * back with it, and however late. Once it is done, they get what the first got. `items`: the json of all, in order.
	 */
	takeBack(items: IDataObject[]): void {
		const waiting = this.rounds[WAITING]?.items ?? {};
		let done: ReturnType<typeof doneAfterWaiting> | undefined;
		for (const [index, json] of items.entries()) {
			const id = idIn(json, 'id');
			const item = this.item(String(index));
			if (id === undefined || item.maybeCharged) continue;
			if (Object.hasOwn(waiting, id)) {
				item.adopt(structuredClone(waiting[id]));
				continue;
			}
			done ??= doneAfterWaiting(this.context);
			const result = done.get(id);
			// What has left on Success says so: it comes back to have something else made.
			if (result && json.bytes === undefined)
				item.finish({ branch: 'success', items: [structuredClone(result)] }, id);
		}
	}

	/** A task that once left on Still Processing is done: its item is in the execution's data from now on. */
	waitNoMore(id: string): void {
		const waiting = this.rounds[WAITING];
		if (!waiting) return;
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
