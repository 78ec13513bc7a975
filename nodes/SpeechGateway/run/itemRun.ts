import { AsleepError, NotStartedError, OutcomeUnknownError } from '../core/errors';
import type { ItemLedger } from '../requests/itemLedger';
import { ItemRequests } from '../requests/itemRequests';
import type { Session } from '../requests/session';
import { operationName, type Operation } from './operation';
import { type Settled, unknownItem } from './outputItems';
import type { Input, ReadItem } from './readItems';
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
		private readonly input: ReadItem | undefined,
	) {}

	/** In a retry, before anything is sent: stores the item's files anew. Never rejects. */
	async ownFiles(): Promise<void> {
		if (this.session.retries) this.missing = await ownFiles(this.session, this.ledger);
	}

	/**
	 * Asks the gateway whether the item's values are good; free. Resolves to the failure, if there is one. `onTurn`: see
	 * ItemRequests.
	 */
	async lookUp(onTurn: () => void): Promise<ReadItem | undefined> {
		const { operation, input, ledger } = this;
		if (!operation.lookUp || !input || 'failed' in input || ledger.maybeCharged) return undefined;
		try {
			await operation.lookUp(input.parameters, () => this.requests(input, onTurn));
			return undefined;
		} catch (failed) {
			return { failed };
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
			const { parameters, changed } = input;
			if (changed) session.hints.add(SETTINGS_OF_BEFORE);
			if (operation.billed) ledger.ask({ operation: operationName(operation), parameters });
			const item = this.requests(input, onTurn);
			const settled: Settled = await operation
				.execute(parameters, item)
				.catch((error) => this.endedWith(error, parameters));
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

	private endedWith(error: unknown, parameters: object): Settled {
		const { operation, index, ledger } = this;
		const { execution } = this.session;
		if (error instanceof AsleepError) return { asleep: error };
		const { isCancelled } = execution;
		const interrupted = isCancelled ? ledger.interruption() : undefined;
		const unknown = error instanceof OutcomeUnknownError ? error : interrupted;
		if (unknown) return unknownItem(operation, index, ledger, unknown, execution, parameters);
		if (isCancelled || error instanceof NotStartedError) return { notStarted: error };
		return { failed: error };
	}

	private requests({ settings }: Input, onTurn: () => void): ItemRequests {
		const { session, index, ledger } = this;
		const { stopsOnError } = session.execution;
		return new ItemRequests(session, index, ledger, settings, stopsOnError, onTurn);
	}
}

const SETTINGS_OF_BEFORE =
	'Some items were already paid for in part with other settings. They were finished with the settings that were paid for.';
