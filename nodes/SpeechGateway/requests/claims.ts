import type { ICheckProcessedOptions } from 'n8n-workflow';
import { asError, InputError, NOTHING_SENT } from '../core/errors';
import { pause } from '../core/pause';
import type { NodeCall } from '../engine/nodeCall';
import type { ItemLedger } from './itemLedger';

/**
 * Claims keep two executions from sending the same item: its Send Once Key, and in a retry the item itself, are written into n8n's
 * database before its first paid request leaves. n8n offers a list of hashes for that, which survives a crash, but has three
 * flaws. It takes no lock, so within this process one change follows another, and keys that other workers have overwritten are written
 * again. It forgets the oldest keys and never renews one, so a key has two names: it is renewed by writing the name that is not
 * in the list. And asking writes, so a key whose request was certainly not charged is taken out again. Where that fails, the
 * key stays: better a request too few than one too many.
 */

/**
 * n8n remembers this many keys of one node, the newest: 20,000 of items and 20,000 of retries. It rewrites the whole list with
 * every change, about a megabyte at this bound.
 */
const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: 40_000 };

/** Names are taken away this many at a time: n8n searches its whole list for each. */
const REMOVED_AT_ONCE = 200;

/** Keys get lost when another execution writes the list, and its next write may lose them again. */
const LOOK_AGAIN_MS = 2_000;

/**
 * The words of SQLite, PostgreSQL and MySQL where executions on two workers make the list at the same moment: the
 * second has recorded nothing, and finds the list when it tries again.
 */
const MADE_TWICE = /UNIQUE constraint|duplicate (?:key|entry)/i;

/** n8n reads, changes and writes the list without a lock; within this process one change follows another. */
let lastChange: Promise<unknown> = Promise.resolve();

async function oneAfterAnother<T>(action: () => Promise<T>): Promise<T> {
	const change = lastChange.then(action);
	lastChange = change.catch(() => undefined);
	return await change;
}

/**
 * A key's second name (no key ends in a space). n8n drops the oldest names and never moves one that it sees again, so a key is
 * renewed by recording the name that is not on record, then removing the other.
 */
const otherName = (key: string) => `${key} `;

interface WaitingKey {
	key: string;
	/** Whether a key that is seen again becomes the newest of n8n's list, which forgets the oldest. */
	renews: boolean;
	resolve: (fresh: boolean) => void;
	reject: (error: Error) => void;
}

/**
 * The keys of what this node has sent, in n8n's database: they survive a crash of n8n. Keys that come while the list is
 * being written are written together next.
 */
export class SentKeys {
	private readonly waiting: WaitingKey[] = [];
	/** The name under which each key of this run is on record. */
	private readonly names = new Map<string, string>();
	/** Old names, still to be removed. After a crash both names stay, and the key counts as seen. */
	private readonly surplus = new Set<string>();

	constructor(
		private readonly helpers: NodeCall['helpers'],
		private readonly cancel?: AbortSignal,
	) {}

	/**
	 * Adds a key to the list before anything is sent. False when it is there already, from any execution of this node; with
	 * 'renew', it becomes the newest all the same. Throws when it cannot be added; then nothing may be sent.
	 */
	async add(key: string, ifKnown: 'keep' | 'renew' = 'keep'): Promise<boolean> {
		return await new Promise((resolve, reject) => {
			this.waiting.push({ key, renews: ifKnown === 'renew', resolve, reject });
			if (this.waiting.length === 1) void oneAfterAnother(async () => await this.write());
		});
	}

	/** Forgets a key whose request is known not to have been charged, so that it may be sent later. */
	async forget(key: string): Promise<void> {
		this.names.delete(key);
		await oneAfterAnother(async () => await this.remove([key, otherName(key)]));
	}

	/**
	 * After the last item: records again the keys of this run that n8n has lost, since executions on other workers change the
	 * same list. If there were any, it looks once more a little later. A list that cannot be read is left as it is.
	 */
	async makeSure(): Promise<void> {
		try {
			await oneAfterAnother(async () => await this.removeSurplus());
			if ((await this.addLost()) === 0) return;
			await pause(LOOK_AGAIN_MS, this.cancel);
			await this.addLost();
		} catch {
			// Each key was recorded once, and nothing more is sent.
		}
	}

	private async addLost(): Promise<number> {
		const names = [...this.names.values()];
		return (await oneAfterAnother(async () => await this.check(names))).size;
	}

	/**
	 * Records all keys that wait, with one change of n8n's list, and tells each whether it was new. A key to be renewed is asked
	 * for under both names, which records both: the one that was new is its name from now on, and the other is removed later. If
	 * neither was new, a crash came between those two steps, and one of them is recorded anew.
	 */
	private async write(): Promise<void> {
		const batch = this.waiting.splice(0);
		try {
			const renewed = new Set(batch.flatMap(({ key, renews }) => (renews ? [key] : [])));
			const keys = [...new Set(batch.map(({ key }) => key))];
			const fresh = await this.check(
				keys.flatMap((key) => (renewed.has(key) ? [key, otherName(key)] : [key])),
			);
			const seenTwice: string[] = [];
			for (const key of keys) {
				const other = otherName(key);
				const [isFresh, isOtherFresh] = [fresh.has(key), fresh.has(other)];
				if (!renewed.has(key)) this.names.set(key, key);
				else if (isFresh || isOtherFresh) {
					this.names.set(key, isFresh ? key : other);
					this.surplus.add(isFresh ? other : key);
					if (!isOtherFresh) fresh.delete(key);
				} else seenTwice.push(other);
			}
			await this.renew(seenTwice);
			// Of two items with the same key, only one may go.
			for (const { key, resolve } of batch) resolve(fresh.delete(key));
		} catch (error) {
			for (const { reject } of batch) reject(asError(error));
		}
		if (this.surplus.size >= REMOVED_AT_ONCE) await this.removeSurplus();
	}

	/** Where a crash has left both names of a key on record, one is removed and recorded as the newest. */
	private async renew(names: string[]): Promise<void> {
		await this.remove(names).catch(() => undefined);
		await this.check(names).catch(() => undefined);
	}

	/** A name that n8n does not take away does no harm. */
	private async removeSurplus(): Promise<void> {
		const names = [...this.surplus];
		this.surplus.clear();
		await this.remove(names).catch(() => undefined);
	}

	/** Records names; resolves to those that were new. */
	private async check(names: string[]): Promise<Set<string>> {
		if (names.length === 0) return new Set();
		const record = async () => await this.helpers.checkProcessedAndRecord(names, 'node', OPTIONS);
		const { new: fresh } = await record().catch(async (error) => {
			if (!MADE_TWICE.test(asError(error).message)) throw asError(error);
			return await record();
		});
		return new Set(fresh.map(String));
	}

	private async remove(names: string[]): Promise<void> {
		if (names.length > 0) await this.helpers.removeProcessed(names, 'node', OPTIONS);
	}
}

/**
 * Before an item's first billed request leaves, it records its claims: its Send Once Key and, in a retry, the item. They are
 * given back when nothing was charged. A claim that cannot be given back stays: better a request too few than one too many.
 */
export class ItemClaims {
	private taking: Promise<boolean> | undefined;
	/** Of all retries that start from the same record, only one sends, even if the text or settings were changed in between. */
	private readonly retry?: { state: string; key: string };
	private hasRetry = false;

	constructor(
		private readonly keys: SentKeys,
		private readonly ledger: ItemLedger,
		/** One key for all requests of the item, over all executions. */
		private readonly sendOnceKey: string | undefined,
		/** In a retry of a failed execution: what names this item in all of that execution's retries. */
		retryOf?: string,
		/** Called when a key could not be given back. */
		private readonly onStuck = () => {},
	) {
		const { state } = ledger;
		if (retryOf) this.retry = { state, key: `${retryOf}, after ${state}` };
	}

	/** False when another execution has sent the item. Throws InputError when n8n cannot record the claims. */
	async take(): Promise<boolean> {
		return await (this.taking ??= this.takeAll());
	}

	/**
	 * The item has ended: gives its claims back if nothing was charged. With `sentNothing` another retry sent it, and that one
	 * keeps the key if it was charged.
	 */
	async end(sentNothing: boolean): Promise<void> {
		const { sendOnceKey, retry, ledger } = this;
		await this.taking?.catch(() => undefined);
		if (retry && this.hasRetry && ledger.state === retry.state) await this.forget(retry.key);
		if (sendOnceKey === undefined) return;
		if (ledger.maybeCharged && !sentNothing) {
			// The key was added after the item had been paid for: the next run must not send the item again.
			if (!ledger.keyRecorded)
				ledger.keyRecorded = await this.keys.add(sendOnceKey, 'renew').then(
					() => true,
					() => false,
				);
			return;
		}
		if (!ledger.keyRecorded) return;
		// First here, then in the database: a failure in between leaves the key taken rather than sent twice.
		ledger.keyRecorded = false;
		await this.forget(sendOnceKey);
	}

	/** The key before the retry: where another item was sent with the key, a later retry may still send this one. */
	private async takeAll(): Promise<boolean> {
		const { sendOnceKey, ledger, retry } = this;
		if (sendOnceKey !== undefined && !ledger.keyRecorded) {
			const isFresh = await this.add('The "Send Once Key"', sendOnceKey, 'renew');
			if (!isFresh) return false;
			ledger.keyRecorded = true;
		}
		if (retry) this.hasRetry = await this.add('The retry', retry.key);
		return this.hasRetry || !retry;
	}

	private async add(what: string, key: string, ifKnown?: 'renew'): Promise<boolean> {
		return await this.keys.add(key, ifKnown).catch((error) => {
			throw new InputError(
				`${what} could not be recorded in n8n's database`,
				`${NOTHING_SENT} Try again once the database responds. n8n says: "${asError(error).message}"`,
			);
		});
	}

	private async forget(key: string): Promise<void> {
		await this.keys.forget(key).catch(this.onStuck);
	}
}
