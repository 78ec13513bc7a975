import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { grouped } from '../core/grouped';
import { idIn, isRecord } from '../core/json';
import { ItemLedger, taskAt } from './itemLedger';
import {
	BRANCHES,
	type LeftTask,
	readRun,
	RECORD_VERSION,
	type Rounds,
	type RunRecord,
} from './records';
import { requestKey } from './requestKey';
import type { Execution } from '../engine/execution';
import { type DoneTask, doneAfterWaiting, firstExecutionId } from '../engine/history';

/**
 * Key of the record, beside the rounds, of tasks that left the node on Still Processing. Its items go by the ID of the
 * task.
 */
const WAITING = 'waiting';

/**
 * What has been paid for in this run of the node. It lives in the node's execution context, which n8n keeps over Retry
 * On Fail and in the record of a failed execution, and it is written before a request leaves. One object a round of a
 * loop, so that rounds stay apart. Plain JSON. `close` removes all of the round.
 */
export class Ledger {
	private constructor(
		private readonly execution: Execution,
		private readonly name: string,
		private readonly key: string,
		private readonly rounds: Rounds,
		private readonly round: RunRecord,
		/** Whether the node's settings are those of the last attempt, or others; undefined in the first. */
		readonly isChanged: boolean | undefined,
	) {}

	/** Opens the record of a round, and counts this call as a new attempt. */
	static begin(execution: Execution, name: string, key: string): Ledger {
		const { memory, id } = execution;
		const onRecord = memory[name];
		const rounds: Rounds = isRecord(onRecord) ? onRecord : {};
		memory[name] = rounds;
		const round = readRun(rounds, key) ?? {
			version: RECORD_VERSION,
			firstExecutionId: firstExecutionId(execution.context) ?? id,
			executionId: id,
			attempts: 0,
			items: {},
		};
		rounds[key] = round;
		const isNewRetry = round.executionId !== id;
		if (isNewRetry) {
			for (const item of Object.values(round.items)) new ItemLedger(item).retryByHand();
			Object.assign(round, { executionId: id, attempts: 0 });
		}
		const { settings = '' } = round;
		round.settings = requestKey('settings', execution.node.parameters);
		const isChanged = settings === '' ? undefined : settings !== round.settings;
		round.attempts++;
		return new Ledger(execution, name, key, rounds, round, isChanged);
	}

	/** Calls of `execute()` for this round in this execution, this one included. */
	get attempts(): number {
		return this.round.attempts;
	}

	get firstExecutionId(): string | undefined {
		return this.round.firstExecutionId;
	}

	/**
	 * In a retry of a failed execution, the name of this round, which is the same in every retry of that execution. n8n offers
	 * "Retry" again when a retry failed, and starts it from the same old record, without what the first retry paid for.
	 */
	get retryOf(): string | undefined {
		const { firstExecutionId: first, executionId } = this.round;
		if (executionId === first) return undefined;
		return `retry of ${first}, round ${this.key}`;
	}

	/** The items of the input and, behind them, those that were paid for and are missing from the input now. */
	items(inputs: number): ItemLedger[] {
		const paid = this.keys().filter((key) => this.item(key).maybeCharged);
		const length = paid.reduce((most, key) => Math.max(most, Number(key) + 1), inputs);
		return Array.from({ length }, (_, index) => this.item(String(index)));
	}

	item(key: string): ItemLedger {
		return new ItemLedger((this.round.items[key] ??= { requests: {} }), this.round.settings);
	}

	keys(): string[] {
		return Object.keys(this.round.items);
	}

	/** The tasks of all rounds on record. */
	tasks(): string[] {
		return Object.keys(this.rounds).flatMap((key) =>
			Object.values(readRun(this.rounds, key)?.items ?? {}).flatMap(
				(record) => new ItemLedger(record).tasks,
			),
		);
	}

	/** An item leaves on Still Processing: when its task comes back to this node, the node continues with it. */
	letWait(key: string, left: LeftTask): void {
		const waiting = readRun(this.rounds, WAITING) ?? { ...this.round, items: {} };
		this.rounds[WAITING] = waiting;
		const record = structuredClone(this.round.items[key]);
		waiting.items[taskAt(record.asked?.gateway, left.id)] = { ...record, left };
	}

	/**
	 * Items that come back as they left this node on Still Processing go on with their task, however many come back with it,
	 * and however late. Once it is done, they get what the first got. `gatewayOf`: the gateway of an item's account; a task of
	 * another one is taken up, too, to say so.
	 */
	async takeBack(
		items: INodeExecutionData[],
		gatewayOf: (index: number) => Promise<string | undefined>,
	): Promise<void> {
		const records = Object.values(readRun(this.rounds, WAITING)?.items ?? {});
		const waiting = grouped(records, ({ left }) => left?.id);
		let done: Map<string, DoneTask> | undefined;
		// Some nodes hand over items that have files, and no json at all.
		for (const [index, { json = {} }] of items.entries()) {
			const id = idIn(json, 'id');
			const item = this.item(String(index));
			if (id === undefined || item.maybeCharged) continue;
			const candidates = (waiting.get(id) ?? []).filter(({ left }) => isAsLeft(json, left));
			if (candidates.length > 0) {
				const gateway = await gatewayOf(index);
				const own = candidates.find(({ asked }) => asked?.gateway === gateway);
				item.adopt(structuredClone(own ?? candidates[0]));
				continue;
			}
			done ??= doneAfterWaiting(this.execution.context, BRANCHES.indexOf('waiting'));
			const { left = [], result } = done.get(id) ?? {};
			// An item with `bytes` has left on Success before: it comes back for something new.
			if (result && json.bytes === undefined && left.some((one) => isAsLeft(json, one)))
				item.finish({ branch: 'success', items: [structuredClone(beside(json, result))] }, id);
		}
	}

	/** Forgets a task that left on Still Processing and is done now: its item is in the execution's data. */
	waitNoMore(key: string, id: string): void {
		const waiting = readRun(this.rounds, WAITING);
		if (!waiting) return;
		delete waiting.items[taskAt(this.round.items[key]?.asked?.gateway, id)];
		if (Object.keys(waiting.items).length === 0) delete this.rounds[WAITING];
	}

	/** Forgets an item with nothing left to protect. With the last one, the ledger closes. */
	forget(key: string): void {
		delete this.round.items[key];
		if (this.keys().length === 0) this.close();
	}

	/** Removes the round: no trace stays in the execution data. */
	close(): void {
		delete this.rounds[this.key];
		if (Object.keys(this.rounds).length === 0) delete this.execution.memory[this.name];
	}
}

/** An item that has left the node, without the fields that it has in common with the row that gets it once more. */
const beside = (row: IDataObject, { json, binary }: INodeExecutionData): INodeExecutionData => {
	const isShared = ([name, value]: [string, unknown]) =>
		name === 'row' || (name !== 'id' && JSON.stringify(value) === JSON.stringify(row[name]));
	const own = Object.entries(json).filter((field) => !isShared(field));
	return { json: Object.fromEntries(own), binary };
};

/** Whether an item looks as it did when it left: another row may have the same `id`. */
const isAsLeft = (json: IDataObject, left: Omit<LeftTask, 'id'> = {}): boolean =>
	[
		[json.object, left.object],
		[json.waitedSeconds, left.waitedSeconds],
	].some(([now, then]) => now !== undefined && now === then);
