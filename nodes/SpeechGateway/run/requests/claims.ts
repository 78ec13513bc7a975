import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import { asError } from '../../core/errors';

/**
 * Keys that n8n remembers for one node (the newest ones win). n8n rewrites the whole list with every change, so the bound
 * keeps that cheap: 20,000 hashes are half a megabyte.
 */
const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: 20_000 };

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

	constructor(private readonly helpers: IExecuteFunctions['helpers']) {}

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
			// Of two items with one key, one may go.
			for (const { key, resolve } of batch) resolve(fresh.delete(key));
		} catch (error) {
			for (const { reject } of batch) reject(asError(error));
		}
	}
}
