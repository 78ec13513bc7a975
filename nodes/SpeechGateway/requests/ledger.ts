import { isRecord } from '../core/json';
import { ItemLedger } from './itemLedger';
import { readRun, RECORD_VERSION, type Rounds, type RunRecord } from './records';
import { requestKey } from './requestKey';
import type { NodeCall } from '../engine/nodeCall';
import { firstExecutionId } from '../engine/history';

/**
 * What has been paid for in this run of the node. It lives in the node's execution context, which n8n keeps over Retry
 * On Fail and in the record of a failed execution, and it is written before a request leaves. One object a round of a
 * loop, so that rounds stay apart. Plain JSON. `close` removes all of the round.
 */
export class Ledger {
	private constructor(
		private readonly nodeCall: NodeCall,
		private readonly name: string,
		private readonly key: string,
		private readonly rounds: Rounds,
		private readonly round: RunRecord,
		/** Whether the node's settings are those of the last attempt, or others; undefined in the first. */
		readonly isChanged: boolean | undefined,
	) {}

	/** Opens the record of a round, and counts this call as a new attempt. */
	static begin(nodeCall: NodeCall, name: string, key: string): Ledger {
		const { memory, id } = nodeCall;
		const onRecord = memory[name];
		const rounds: Rounds = isRecord(onRecord) ? onRecord : {};
		memory[name] = rounds;
		const round = readRun(rounds, key) ?? {
			version: RECORD_VERSION,
			firstExecutionId: firstExecutionId(nodeCall.context) ?? id,
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
		round.settings = requestKey('settings', nodeCall.node.parameters);
		const isChanged = settings === '' ? undefined : settings !== round.settings;
		round.attempts++;
		return new Ledger(nodeCall, name, key, rounds, round, isChanged);
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

	/** Forgets an item with nothing left to protect. With the last one, the ledger closes. */
	forget(key: string): void {
		delete this.round.items[key];
		if (this.keys().length === 0) this.close();
	}

	/** Removes the round: no trace stays in the execution data. */
	close(): void {
		delete this.rounds[this.key];
		if (Object.keys(this.rounds).length === 0) delete this.nodeCall.memory[this.name];
	}
}
