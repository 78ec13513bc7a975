import { AsleepError, asError, NotStartedError, OutcomeUnknownError } from '../core/errors';
import type { ItemLedger } from '../requests/itemLedger';
import { ItemRequests } from '../requests/itemRequests';
import type { Session } from '../requests/session';
import { operationName, type Operation, type Settled } from './operation';
import { unknownItem } from './outputItems';
import { type Input, readable, type ReadItem } from './readItems';
import { beforeSleep } from './sleep';
import { ownFiles, withPaid } from './storedFiles';

export class ItemRun {
	/** Why it cannot go on: files of it are gone. */
	private missing: Error | undefined;

	constructor(
		private readonly operation: Operation,
		private readonly session: Session,
		private readonly index: number,
		private readonly ledger: ItemLedger,
		/** Undefined if an earlier attempt has finished the item. */
		private input: ReadItem | undefined,
	) {}

	/** What is to be checked together with the other items. */
	get readable(): Input[] {
		return readable(this.input);
	}

	/** Undefined as long as the item may go on. */
	get failure(): ReadItem | undefined {
		return this.input && 'failed' in this.input ? this.input : undefined;
	}

	/** Sends nothing, for this reason. */
	refuse(failed: unknown): void {
		if (this.readable.length > 0) this.input = { failed };
	}

	/** In a retry, before anything is sent: stores the item's files anew. Never rejects. */
	async ownFiles(): Promise<void> {
		if (this.session.retries) this.missing = await ownFiles(this.session, this.ledger);
	}

	/**
	 * Looks up what only the gateway knows, and completes the plan; free. Never rejects: an item fails, but of one that is paid for
	 * in part, what there is is still handed over. `onTurn`: see ItemRequests.
	 */
	async lookUp(onTurn: () => void): Promise<void> {
		const { operation, ledger, input } = this;
		if (!operation.lookUp || !input || 'failed' in input || ledger.beforeSleep) return;
		const { parameters, plan } = input;
		try {
			const planned = { input: parameters, plan };
			const ids = await operation.lookUp(planned, () => this.requests(input, onTurn));
			if (ids) this.input = { ...input, plan: operation.plan?.(parameters, ids, plan) };
		} catch (error) {
			if (this.session.execution.isCancelled) return;
			this.input = ledger.maybeCharged ? { ...input, refused: asError(error) } : { failed: error };
		}
	}

	/** Never rejects: other items are in flight, and some of them are paid for. */
	async run(onTurn: () => void): Promise<Settled> {
		const { operation, session, ledger, input } = this;
		try {
			if (this.missing) return { failed: this.missing };
			if (ledger.beforeSleep) return beforeSleep(ledger.beforeSleep);
			if (!input) return ledger.result ?? { failed: undefined };
			if ('failed' in input) return { failed: withPaid(input.failed, ledger) };
			const { parameters, plan, changed } = input;
			if (changed) session.hints.add(SETTINGS_OF_BEFORE);
			const { gateway } = session.transport.account;
			if (operation.billed)
				ledger.ask({ operation: operationName(operation), parameters, gateway });
			const item = this.requests(input, onTurn);
			const settled: Settled = await operation
				.execute(parameters, item, plan)
				.catch((error) => this.endedWith(error, input));
			const { sentNothing } = ledger;
			// What is still processing is not finished: a retry goes on waiting for the same task.
			if (operation.billed && 'branch' in settled && settled.branch !== 'waiting')
				ledger.finish(settled);
			await item.settle('failed' in settled, sentNothing);
			return 'failed' in settled ? { failed: withPaid(settled.failed, ledger) } : settled;
		} catch (error) {
			return { failed: withPaid(error, ledger) };
		}
	}

	private endedWith(error: unknown, input: Input): Settled {
		const { operation, index, ledger } = this;
		const { execution } = this.session;
		if (error instanceof AsleepError) return { asleep: error };
		const { isCancelled } = execution;
		const interrupted = isCancelled ? ledger.interruption() : undefined;
		const unknown = error instanceof OutcomeUnknownError ? error : interrupted;
		if (unknown) return unknownItem(operation, index, ledger, unknown, execution, input);
		if (isCancelled || error instanceof NotStartedError) return { notStarted: error };
		return { failed: error };
	}

	private requests({ settings, refused }: Input, onTurn: () => void): ItemRequests {
		const { session, index, ledger } = this;
		const { stopsOnError } = session.execution;
		const item = new ItemRequests(session, index, ledger, settings, stopsOnError, onTurn);
		item.refused = refused;
		return item;
	}
}

const SETTINGS_OF_BEFORE =
	'Some items were already paid for in part with other settings. They were finished with the settings that were paid for.';
