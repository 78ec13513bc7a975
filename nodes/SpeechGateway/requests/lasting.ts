/**
 * What the node remembers beside its ledgers has three lifetimes:
 *
 * | where             | what it serves                          | lost with                                      |
 * | ----------------- | --------------------------------------- | ---------------------------------------------- |
 * | `LastingMemory`   | one execution and its retries           | the execution's data                           |
 * | `InProcess`       | one execution, as far as it runs here   | the process: n8n restarts, a worker takes over |
 * | `run/keptResults` | all executions that run in this process | the process, or newer results of 64 MB         |
 */
import { defined, isRecord } from '../core/json';
import { InProcess } from './inProcess';
import type { ErrorText } from './records';

/** Its name in the node's memory, beside the ledgers. */
const NAME = 'speechGatewayExecution';

/** Why nothing more is sent: unknown outcomes in a row, a file that n8n could not store, or a refusal of the account. */
export interface Stop {
	reason: 'outage' | 'store' | 'refusal';
	/** Time of the last failure, ms since 1970; 0 in a retry by hand, which tries at once. */
	at: number;
	/** Tries after a pause that failed again. */
	tries: number;
	said?: ErrorText;
}

/** What stops sending, for one account or for all. */
export interface Stopping {
	/** Unknown outcomes since the last success or refusal. */
	unknownInRow?: number;
	stop?: Stop;
}

/** What holds for the whole execution: over rounds of a loop and Retry On Fail. */
interface Lasting {
	executionId?: string;
	/** That n8n could not store a file. */
	stop?: Stop;
	/** By the name of an account. */
	accounts?: Record<string, Stopping>;
	/** Tokens that were, or may have been, charged, where a spending limit counts them. */
	spent?: number;
	/** How many different Send Once Keys it has brought, from 1,000 on. */
	keys?: number;
}

/** One execution may bring this many keys: n8n's list has room for twice as many, and drops the oldest. */
export const MOST_KEYS = 20_000;

/** Fewer are not kept in the execution's data. */
const COUNTED_FROM = 1_000;

const lastingIn = (memory: Record<string, unknown>): Readonly<Lasting> => {
	const found = memory[NAME];
	return isRecord(found) ? found : {};
};

/** A retry by hand tries at once. */
const inRetry = (stop?: Stop): Stop | undefined => stop && { ...stop, at: 0, tries: -1 };

/** Plain JSON without what is undefined; undefined if nothing is left. */
const filled = <T extends object>(fields: T): T | undefined => {
	const all = defined(fields);
	return Object.keys(all).length > 0 ? all : undefined;
};

/** What lasts, in the execution's data: plain JSON, absent while there is nothing to keep. */
export class LastingMemory {
	private readonly inProcess: InProcess;

	constructor(
		private readonly memory: Record<string, unknown>,
		private readonly executionId?: string,
	) {
		this.inProcess = InProcess.of(memory);
		const { stop, accounts = {}, spent, executionId: of } = this.value;
		if (of === executionId) return;
		delete memory[NAME];
		this.set({ stop: inRetry(stop), spent });
		for (const [name, { stop: its }] of Object.entries(accounts))
			this.stopping(name).set({ stop: inRetry(its) });
	}

	get value(): Readonly<Lasting> {
		return lastingIn(this.memory);
	}

	/** Changes some of it; what is set to undefined is forgotten. */
	set(change: Omit<Lasting, 'executionId'>): void {
		const all = filled({ ...this.value, ...change, executionId: undefined });
		if (all) this.memory[NAME] = defined({ ...all, executionId: this.executionId });
		else delete this.memory[NAME];
	}

	/** What stops sending: for an account, or for all. */
	stopping(account?: string): StoppingMemory {
		const valueNow = () =>
			account === undefined ? { stop: this.value.stop } : (this.value.accounts?.[account] ?? {});
		return {
			get value() {
				return valueNow();
			},
			set: (change) => {
				if (account === undefined) this.set({ stop: change.stop });
				else {
					const { [account]: before, ...others } = this.value.accounts ?? {};
					const its = filled({ ...before, ...change });
					this.set({ accounts: filled(its ? { ...others, [account]: its } : others) });
				}
			},
		};
	}

	/** Counts from now on what is spent. */
	countSpending(): void {
		this.set({ spent: this.spent });
	}

	/** Tokens that were, or may have been, charged in this execution, and in the failed one that it retries. */
	get spent(): number {
		return this.value.spent ?? 0;
	}

	/** Counts what was, or may have been, charged, and releases the estimate that was set aside for it. */
	spend(tokens = 0, estimate = tokens): void {
		const { setAside } = this.inProcess;
		const own = setAside.get(this);
		if (own !== undefined) setAside.set(this, Math.max(0, own - estimate));
		if (this.value.spent !== undefined) this.set({ spent: this.spent + tokens });
	}

	/** Tokens that this and other calls under way have set aside for what they may still be charged. */
	get setAside(): number {
		return [...this.inProcess.setAside.values()].reduce((sum, tokens) => sum + tokens, 0);
	}

	/** Sets tokens aside until they are spent, or this call ends. */
	reserve(tokens: number): void {
		const { setAside } = this.inProcess;
		setAside.set(this, (setAside.get(this) ?? 0) + tokens);
	}

	/** To be called when this call ends. */
	release(): void {
		this.inProcess.setAside.delete(this);
	}

	/** Counts a key once, however often it comes. False if the execution has brought too many others. */
	bring(key: string): boolean {
		const { inProcess } = this;
		const { keys } = inProcess;
		const before = (inProcess.keysBefore ??= this.value.keys ?? 0);
		if (keys.has(key)) return true;
		if (before + keys.size >= MOST_KEYS) return false;
		const count = before + keys.add(key).size;
		if (count >= COUNTED_FROM) this.set({ keys: count });
		return true;
	}
}

/** What stops sending, for one account or for all. */
export interface StoppingMemory {
	readonly value: Readonly<Stopping>;
	/** Changes some of it; what is set to undefined is forgotten. */
	set(this: void, change: Stopping): void;
}
