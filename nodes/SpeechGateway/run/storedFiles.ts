import type { IBinaryData } from 'n8n-workflow';
import { type ErrorDetails, GatewayError } from '../core/errors';
import { errorText } from './errors';
import type { ItemLedger } from '../requests/itemLedger';
import type { Session } from '../requests/session';

/**
 * The error of an item in a retry whose paid files are gone, with the files that are left. n8n deletes files together with
 * their execution, and a retry starts from the files of the failed one.
 */
export async function missingFile(
	{ execution }: Session,
	ledger: ItemLedger,
): Promise<GatewayError | undefined> {
	const { helpers } = execution;
	const { files, taskId, maybeCharged } = ledger;
	const isThere = async ({ id }: IBinaryData) =>
		id === undefined ||
		(await helpers.getBinaryMetadata(id).then(
			() => true,
			() => false,
		));
	const left: Record<string, IBinaryData> = {};
	let missing: IBinaryData | undefined;
	for (const [field, file] of Object.entries(files)) {
		if (await isThere(file)) left[field] = file;
		else missing ??= file;
	}
	for (const file of maybeCharged ? ledger.reusedFiles : []) {
		if (!(await isThere(file))) missing ??= file;
	}
	if (!missing) return undefined;
	return new GatewayError(
		`The file "${missing.fileName ?? 'data'}", which an earlier attempt has paid for, is no longer in n8n's storage`,
		`n8n deletes the files of an execution together with the execution. The item is not sent or charged again by a retry; to pay for it once more, run it in a new execution.${taskId === undefined ? '' : ' The ID may still bring its file: use the operation "Download", which is free.'}`,
		paidDetails(ledger),
		left,
	);
}

/** Adds what was paid for to an item's error: the ID of its task, and its files. */
export function withPaid(error: unknown, ledger: ItemLedger): unknown {
	if (!ledger.maybeCharged) return error;
	const { message, description, details, binary = {} } = errorText(error);
	const files = Object.keys(binary).length > 0 ? binary : ledger.files;
	return new GatewayError(message, description, { ...paidDetails(ledger), ...details }, files);
}

/** The ID of its task and, for a finished item, its json as `paid`, also if its outcome is unknown. */
function paidDetails({ taskId, result }: ItemLedger): ErrorDetails {
	const paid = result?.items[0]?.json;
	return { ...(taskId !== undefined && { jobId: taskId }), ...(paid && { paid }) };
}
