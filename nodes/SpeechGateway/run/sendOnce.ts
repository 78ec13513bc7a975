import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

/**
 * Keys that n8n remembers for one node (the newest ones win). n8n rewrites the whole list with every key, so the bound
 * keeps that cheap: 20,000 hashes are half a megabyte.
 */
const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: 20_000 };

/** n8n reads, changes and writes the list without a lock; within this process the lists take turns. */
let turn: Promise<unknown> = Promise.resolve();

async function inTurn<T>(action: () => Promise<T>): Promise<T> {
	const mine = turn.then(action, action);
	turn = mine.catch(() => undefined);
	return await mine;
}

/**
 * Records a key as sent, in n8n's database, before anything is sent: it survives a crash of n8n. False when this node
 * has recorded it before, in any execution. Throws when it cannot be recorded; then nothing may be sent.
 */
export async function recordKey(
	context: Pick<IExecuteFunctions, 'helpers'>,
	key: string,
): Promise<boolean> {
	const { helpers } = context;
	const { new: fresh } = await inTurn(
		async () => await helpers.checkProcessedAndRecord([key], 'node', OPTIONS),
	);
	return fresh.length > 0;
}

/** Forgets a key whose request is known not to have been charged, so that a later execution may send it. */
export async function forgetKey(
	context: Pick<IExecuteFunctions, 'helpers'>,
	key: string,
): Promise<void> {
	const { helpers } = context;
	await inTurn(async () => await helpers.removeProcessed([key], 'node', OPTIONS));
}
