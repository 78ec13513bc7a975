import type { IBinaryData } from 'n8n-workflow';
import { asError, GatewayError, NotStoredError } from '../core/errors';
import type { NodeCall } from '../engine/nodeCall';
import { AccountLimiter, ConcurrencyLimiter } from '../gateway/concurrencyLimiter';
import type { ItemLedger } from './itemLedger';
import type { Session } from './session';
import { storeAgain } from './storeAgain';

/** Four copies at a time bound what is open and in memory, however many items a retry has. */
const copying = new AccountLimiter(new ConcurrencyLimiter(4));

/** Stores a file anew, in the present execution, as a stream. */
export async function copyOf(nodeCall: NodeCall, file: IBinaryData): Promise<IBinaryData> {
	const { id = '', fileName, mimeType } = file;
	const ticket = await copying.enter('free');
	try {
		const source = await nodeCall.helpers.getBinaryStream(id);
		return await nodeCall.store(source, fileName, mimeType).finally(() => source.destroy());
	} finally {
		ticket.leave();
	}
}

/** Whether n8n still has a file. What describes it may outlive its bytes, so it is opened as well. */
async function isStillStored({ helpers }: NodeCall, { id = '' }: IBinaryData): Promise<boolean> {
	try {
		await helpers.getBinaryMetadata(id);
		(await helpers.getBinaryStream(id)).destroy();
		return true;
	} catch {
		return false;
	}
}

/**
 * Stores the files that an item has from the failed execution anew, as this retry's own: n8n deletes files together with
 * their execution. Resolves to an error, with the files that are left, if one is already gone. A file that n8n cannot store
 * stays where it is.
 */
export async function ownFiles(
	session: Session,
	ledger: ItemLedger,
): Promise<GatewayError | undefined> {
	const { nodeCall, store, hints, transport } = session;
	const gone = new Set<unknown>();
	await ledger.moveFiles(nodeCall.id, async (file) => {
		if (transport.cancel?.aborted) return undefined;
		const copy = async () => await copyOf(nodeCall, file);
		try {
			const own = await copy().catch(async (error) =>
				(await isStillStored(nodeCall, file)) ? await storeAgain(session, error, copy) : undefined,
			);
			if (!own) {
				gone.add(file);
				return undefined;
			}
			store.stored();
			return own;
		} catch (error) {
			const { words } = new NotStoredError(asError(error));
			hints.add(
				`n8n could not store all files of the failed execution anew: store them elsewhere before that execution is deleted. n8n says: "${words}"`,
			);
			return undefined;
		}
	});
	ledger.forgetReused((file) => gone.has(file));
	const { files, taskId } = ledger;
	const missing = Object.values(files).find((file) => gone.has(file));
	if (!missing) return undefined;
	return new GatewayError(
		`The file "${missing.fileName ?? 'data'}", which an earlier attempt has paid for, is no longer in n8n's storage`,
		`n8n deletes the files of an execution together with the execution. The item is not sent or charged again by a retry; to pay for it once more, run it in a new execution.${taskId === undefined ? '' : ' The ID may still bring its file: use the operation "Download", which is free.'}`,
		ledger.paidDetails,
		Object.fromEntries(Object.entries(files).filter(([, file]) => !gone.has(file))),
	);
}
