import type { IBinaryData } from 'n8n-workflow';
import { asError, type ErrorDetails, GatewayError, NotStoredError } from '../core/errors';
import { given } from '../core/json';
import { pause } from '../core/pause';
import type { Execution } from '../engine/execution';
import { AccountLimiter, ConcurrencyLimiter } from '../gateway/concurrencyLimiter';
import { errorText } from './errors';
import type { ItemLedger } from '../requests/itemLedger';
import type { Session } from '../requests/session';

/**
 * How long to wait before n8n is asked again to store a paid file, ms. n8n looks for a lost database after 1, 2, 4 and 8 s, counted
 * from when it notices.
 */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 8_000];

/**
 * Stores again what n8n could not store, which `failure` tells of. Throws NotStoredError with the store's own words, or the
 * GatewayError of a file that cannot be fetched again.
 */
export async function storeAgain<T>(
	{ store, transport }: Session,
	failure: Error,
	storeOnce: () => Promise<T>,
): Promise<T> {
	let last = failure;
	// Where it has just failed for all that time, it is not waited for again.
	for (const milliseconds of store.hasTripped ? [] : PAUSES_MS) {
		await pause(milliseconds, transport.cancel);
		try {
			return await storeOnce();
		} catch (error) {
			last = asError(error);
			if (last instanceof GatewayError) throw last;
		}
	}
	const notStored = new NotStoredError(last);
	store.failed(notStored.words);
	throw notStored;
}

/** Copying bounds what is open and in memory, however many items a retry has. */
const copying = new AccountLimiter(new ConcurrencyLimiter(4));

/** Stores a file anew, in the present execution, as a stream. */
export async function copyOf(execution: Execution, file: IBinaryData): Promise<IBinaryData> {
	const { id = '', fileName, mimeType } = file;
	const ticket = await copying.enter(false);
	try {
		const source = await execution.helpers.getBinaryStream(id);
		return await execution.store(source, fileName, mimeType).finally(() => source.destroy());
	} finally {
		ticket.leave();
	}
}

/**
 * Makes the files that an item has from the failed execution this retry's own, since n8n deletes files together with their
 * execution. Resolves to an error, with the files that are left, if one is gone already. What n8n cannot store stays where it is.
 */
export async function ownFiles(
	session: Session,
	ledger: ItemLedger,
): Promise<GatewayError | undefined> {
	const { execution, store, hints, transport } = session;
	const gone = new Set<unknown>();
	await ledger.moveFiles(execution.id, async (file) => {
		if (transport.cancel?.aborted) return undefined;
		try {
			await execution.helpers.getBinaryMetadata(file.id ?? '');
		} catch {
			gone.add(file);
			return undefined;
		}
		const copy = async () => await copyOf(execution, file);
		try {
			const own = await copy().catch(async (error) => await storeAgain(session, error, copy));
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
		paidDetails(ledger),
		Object.fromEntries(Object.entries(files).filter(([, file]) => !gone.has(file))),
	);
}

/** Adds what was paid for to an item's error: the ID of its task, and its files. */
export function withPaid(error: unknown, ledger: ItemLedger): unknown {
	if (!ledger.maybeCharged) return error;
	const { message, description, details, binary = {} } = errorText(error);
	const files = Object.keys(binary).length > 0 ? binary : ledger.files;
	const todo = withCharged(description, details, ledger);
	return new GatewayError(message, todo, { ...paidDetails(ledger), ...details }, files);
}

/** Adds how many requests of a text were charged. */
function withCharged(todo: string, { segments }: ErrorDetails, ledger: ItemLedger): string {
	const charged = ledger.entries().filter(({ state }) => state === 'done').length;
	if (!segments || charged === 0) return todo;
	const all = charged + segments.total - segments.completed;
	const words = `${charged} of ${all} requests ${charged === 1 ? 'was' : 'were'} charged.`;
	return todo.includes(words) ? todo : `${todo} ${words}`;
}

/** The ID of its task and, for a finished item, its json as `paid`, also if its outcome is unknown. */
const paidDetails = ({ taskId: jobId, result }: ItemLedger): ErrorDetails =>
	given({ jobId, paid: result?.items[0]?.json });
