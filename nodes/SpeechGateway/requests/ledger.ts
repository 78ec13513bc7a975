import type { INodeExecutionData } from 'n8n-workflow';
import { idIn, isRecord } from '../core/json';
import type { UnknownRow } from './circuitBreaker';
import { ItemLedger } from './itemLedger';
import { BRANCHES, readRun, RECORD_VERSION, type Rounds, type RunRecord } from './records';
import type { Execution } from '../engine/execution';

/** Under this name, beside the rounds: tasks that left the node on Still Processing, by ID. */
const WAITING = 'waiting';

const roundsIn = (memory: Record<string, unknown>, name: string): Rounds => {
	const rounds = memory[name];
	return isRecord(rounds) ? rounds : {};
};

/** Whether an earlier attempt has paid for anything in this round. */
export function hasPaid({ memory }: Execution, name: string, key: string): boolean {
	const records = Object.values(readRun(roundsIn(memory, name), key)?.items ?? {});
	return records.some((record) => new ItemLedger(record).maybeCharged);
}

/**
 * What has been paid for in this run of the node. It lives in the node's execution context, which n8n keeps over Retry
 * On Fail, over a wait and in the record of a failed execution, and it is written before a request leaves. One object a
 * round of a loop, so that rounds stay apart. Plain JSON. `close` removes all of the round.
 */
export class Ledger {
	private constructor(
		private readonly execution: Execution,
		private readonly memory: Record<string, unknown>,
		private readonly name: string,
		private readonly key: string,
		private readonly rounds: Rounds,
		private readonly round: RunRecord,
		/** Whether this call goes on after a sleep of the execution; it is no new attempt. */
		readonly wokeUp: boolean,
		/** Of the time before the sleep, still to be shown. */
		readonly hints: string[],
		/** When the execution's timeout is, as it was known before the sleep; ms since 1970. */
		readonly endsAt?: number,
	) {}

	/** Opens the record of a round, and counts this call as a new attempt or as a wake-up. */
	static begin(execution: Execution, name: string, key: string): Ledger {
		const { memory, id } = execution;
		const rounds = roundsIn(memory, name);
		memory[name] = rounds;
		takeOverSleeping(rounds, key);
		const round = readRun(rounds, key) ?? {
			version: RECORD_VERSION,
			firstExecutionId: execution.firstId ?? id,
			executionId: id,
			attempts: 0,
			items: {},
		};
		rounds[key] = round;
		const isNewRetry = round.executionId !== id;
		if (isNewRetry) Object.assign(round, { executionId: id, attempts: 0, attemptsInAll: 0 });
		const { asleep } = round;
		const wokeUp = asleep !== undefined && !isNewRetry;
		delete round.asleep;
		round.attempts = wokeUp ? 1 : round.attempts + 1;
		round.attemptsInAll = (round.attemptsInAll ?? 0) + (wokeUp ? 0 : 1);
		const [hints, endsAt] = [asleep?.hints ?? [], wokeUp ? asleep.endsAt : undefined];
		return new Ledger(execution, memory, name, key, rounds, round, wokeUp, hints, endsAt);
	}

	/** The run goes to sleep; all is on record. Its next call is a wake-up, unless it is that of a retry. */
	sleep(hints: Iterable<string>, endsAt: number): void {
		this.round.asleep = { hints: [...hints], ...(Number.isFinite(endsAt) && { endsAt }) };
	}

	/** A new attempt, if this is one, of all items; `tries`: how many n8n makes. */
	tryAgain(tries: number): void {
		if (this.wokeUp) return;
		// Each sleep makes n8n count anew: without an end of its own, Retry On Fail would wait again and again.
		const waitAnew = (this.round.attemptsInAll ?? 0) <= tries;
		for (const key of this.keys()) this.item(key).tryAgain(waitAnew);
	}

	/** Calls of `execute()` for this round since the execution started or woke up, this one included. */
	get attempts(): number {
		return this.round.attempts;
	}

	get firstExecutionId(): string | undefined {
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

	/** The items of the input and, behind them, those that were paid for and are missing from the input now. */
	items(inputs: number): ItemLedger[] {
		const paid = this.keys().filter((key) => this.item(key).maybeCharged);
		const length = paid.reduce((most, key) => Math.max(most, Number(key) + 1), inputs);
		return Array.from({ length }, (_, index) => this.item(String(index)));
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
		const waiting = readRun(this.rounds, WAITING) ?? { ...this.round, items: {} };
		this.rounds[WAITING] = waiting;
		waiting.items[id] = structuredClone(this.round.items[key]);
	}

	/**
	 * Items that carry the id of a task which left this node on Still Processing go on with that task, however many come
	 * back with it, and however late. Once it is done, they get what the first got.
	 */
	takeBack(items: INodeExecutionData[]): void {
		const waiting = readRun(this.rounds, WAITING)?.items ?? {};
		let done: Map<string, INodeExecutionData> | undefined;
		// Some nodes hand over items that have files, and no json at all.
		for (const [index, { json = {} }] of items.entries()) {
			const id = idIn(json, 'id');
			const item = this.item(String(index));
			if (id === undefined || item.maybeCharged) continue;
			if (Object.hasOwn(waiting, id)) {
				item.adopt(structuredClone(waiting[id]));
				continue;
			}
			done ??= this.execution.doneAfterWaiting(BRANCHES.indexOf('waiting'));
			const result = done.get(id);
			// What has left on Success says so: it comes back to have something else made.
			if (result && json.bytes === undefined)
				item.finish({ branch: 'success', items: [structuredClone(result)] }, id);
		}
	}

	/** A task that once left on Still Processing is done: its item is in the execution's data from now on. */
	waitNoMore(id: string): void {
		const waiting = readRun(this.rounds, WAITING);
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
		if (Object.keys(this.rounds).length === 0) delete this.memory[this.name];
	}
}

/**
 * The first call after a sleep goes on with the round that slept, also where n8n gives it another run index: older n8n,
 * 1.100 among them, counts what it skips when it wakes up as a run of the node.
 */
function takeOverSleeping(rounds: Rounds, key: string): void {
	const slept = Object.keys(rounds).find((name) => readRun(rounds, name)?.asleep);
	if (slept === undefined || slept === key) return;
	rounds[key] = rounds[slept];
	delete rounds[slept];
}
