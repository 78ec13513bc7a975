import type { ICheckProcessedOptions } from 'n8n-workflow';
import { asError, InputError } from '../core/errors';
import type { Execution } from '../engine/execution';
import type { ItemLedger } from './itemLedger';

/**
 * Keys that n8n remembers for one node (the newest ones win): 20,000 of items, and as many of retries, which must not
 * crowd them out. n8n rewrites the whole list with every change, so the bound keeps that cheap: it is a megabyte.
 */
const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: 40_000 };

/** n8n reads, changes and writes the list without a lock; within this process the changes take turns. */
let turn: Promise<unknown> = Promise.resolve();

async function inTurn<T>(action: () => Promise<T>): Promise<T> {
	const mine = turn.then(action);
	turn = mine.catch(() => undefined);
	return await mine;
}

interface Waiting {
	key: string;
	resolve: (fresh: boolean) => void;
	reject: (error: Error) => void;
}

/**
 * The keys of what this node has sent, in n8n's database: they survive a crash of n8n. Keys that come while the list is
 * being written are written together next.
 */
export class SentKeys {
	private readonly waiting: Waiting[] = [];

	constructor(private readonly helpers: Execution['helpers']) {}

	/**
	 * Records a key before anything is sent. False when this node has recorded it before, in any execution. Throws when it
	 * cannot be recorded; then nothing may be sent.
	 */
	async record(key: string): Promise<boolean> {
		return await new Promise((resolve, reject) => {
			this.waiting.push({ key, resolve, reject });
			if (this.waiting.length === 1) void inTurn(async () => await this.write());
		});
	}

	/** Forgets a key whose request is known not to have been charged, so that it may be sent later. */
	async forget(key: string): Promise<void> {
		await inTurn(async () => await this.helpers.removeProcessed([key], 'node', OPTIONS));
	}

	private async write(): Promise<void> {
		const batch = this.waiting.splice(0);
		try {
			const keys = [...new Set(batch.map(({ key }) => key))];
			const recorded = await this.helpers.checkProcessedAndRecord(keys, 'node', OPTIONS);
			const fresh = new Set(recorded.new);
			// Of two items with the same key, only one may go.
			for (const { key, resolve } of batch) resolve(fresh.delete(key));
		} catch (error) {
			for (const { reject } of batch) reject(asError(error));
		}
	}
}

/** What an item must claim as its own before a billed request of it leaves. */
export interface ClaimSettings {
	/** One key for all requests of the item, over all executions. */
	sendOnceKey?: string;
	/** In a retry of a failed execution: what names this item in all of that execution's retries. */
	retryOf?: string;
}

/** A retry from one state of the item's record. */
interface Turn {
	state: string;
	key: string;
}

/**
 * The claims of one item. They are taken before a request leaves, and given back when it was certainly not charged. A key
 * that cannot be given back stays taken: too few requests are sent rather than too many.
 */
export class ItemClaims {
	private takingKey: Promise<boolean> | undefined;
	private takingTurn: Promise<boolean> | undefined;
	private readonly turn: Turn | undefined;

	constructor(
		private readonly keys: SentKeys,
		private readonly ledger: ItemLedger,
		private readonly settings: ClaimSettings,
		/** Called when a key could not be given back. */
		private readonly onKept: () => void,
	) {
		const { retryOf } = settings;
		if (retryOf) this.turn = { state: ledger.state, key: `${retryOf}, after ${ledger.state}` };
	}

	/** False when another execution has sent the request, which its key names. Throws InputError when n8n cannot record the claims. */
	async take(request: string): Promise<boolean> {
		return (await this.takeKey()) && (await this.takeRetry(request));
	}

	/** The request was certainly not charged: another retry may send it. */
	async giveBack(request: string): Promise<void> {
		const { retryOf } = this.settings;
		if (retryOf) await this.forget(retryKey(retryOf, request));
	}

	/**
	 * The item has ended. Its keys are given back if nothing of it was charged, or if `sentNothing`: then another retry has
	 * sent it, and would have kept the key had it been charged.
	 */
	async settle(sentNothing: boolean): Promise<void> {
		const { sendOnceKey } = this.settings;
		const { turn, ledger } = this;
		const isTaken = await this.takingTurn?.catch(() => undefined);
		if (turn && isTaken && ledger.state === turn.state)
			for (const key of [turn.key, this.askedIn(turn)]) await this.forget(key);
		// A key that is still being recorded is not on the ledger yet.
		await this.takingKey?.catch(() => undefined);
		if (sendOnceKey === undefined || !this.ledger.keyRecorded) return;
		if (this.ledger.maybeCharged && !sentNothing) return;
		// First here, then in the database: a failure in between leaves the key taken rather than sent twice.
		this.ledger.keyRecorded = false;
		await this.forget(sendOnceKey);
	}

	private async takeKey(): Promise<boolean> {
		const { sendOnceKey } = this.settings;
		if (sendOnceKey === undefined || this.ledger.keyRecorded) return true;
		this.takingKey ??= this.keys.record(sendOnceKey).then((fresh) => {
			if (fresh) this.ledger.keyRecorded = true;
			return fresh;
		});
		try {
			return await this.takingKey;
		} catch (error) {
			throw notRecorded('The "Send Once Key"', error);
		}
	}

	private async takeRetry(request: string): Promise<boolean> {
		const { retryOf } = this.settings;
		if (!retryOf || !this.turn) return true;
		this.takingTurn ??= this.takeTurn(this.turn);
		try {
			return (await this.takingTurn) && (await this.keys.record(retryKey(retryOf, request)));
		} catch (error) {
			throw notRecorded('The retry', error);
		}
	}

	/**
	 * Equal requests have equal names, but a text may be cut otherwise, and its words would be paid for twice. So once a retry has
	 * sent anything, other retries from the same record send what it asked for, or nothing.
	 */
	private async takeTurn(turn: Turn): Promise<boolean> {
		const asked = this.askedIn(turn);
		const isFirst = await this.keys.record(turn.key);
		const isNew = await this.keys.record(asked);
		if (isFirst || !isNew) return true;
		await this.forget(asked);
		return false;
	}

	private readonly askedIn = ({ key }: Turn): string => `${key}, asked ${this.ledger.askedKey}`;

	private async forget(key: string): Promise<void> {
		try {
			await this.keys.forget(key);
		} catch {
			this.onKept();
		}
	}
}

const retryKey = (retryOf: string, request: string) => `${retryOf}, ${request}`;

const notRecorded = (what: string, error: unknown) =>
	new InputError(
		`${what} could not be recorded in n8n's database: ${asError(error).message}`,
		'Nothing was sent and nothing was charged. Try again once the database responds.',
	);
