import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { GatewayError } from '../core/errors';
import { isRecord } from '../core/json';
import type { ItemLedger } from './requests/itemLedger';

/**
 * In a retry: the error of an item whose paid files are gone. n8n deletes the files of an execution together with it, and
 * a retry starts from the files of the execution that failed.
 */
export async function missingFile(
	context: Pick<IExecuteFunctions, 'helpers'>,
	ledger: ItemLedger,
): Promise<GatewayError | undefined> {
	const files = [
		...(ledger.result?.items ?? []).flatMap(({ binary }) => Object.values(binary ?? {})),
		...ledger
			.entries()
			.flatMap((entry) =>
				entry.state === 'done' && 'binary' in entry.value && isRecord(entry.value.binary)
					? [entry.value.binary as unknown as IBinaryData]
					: [],
			),
	];
	for (const { id, fileName } of files) {
		if (!id) continue;
		try {
			await context.helpers.getBinaryMetadata(id);
		} catch {
			return new GatewayError(
				`The file "${fileName ?? 'data'}", which an earlier attempt has paid for, is no longer in n8n's storage`,
				'n8n deletes the files of an execution together with the execution. The item is not sent or charged again by a retry; to pay for it once more, run it in a new execution.',
			);
		}
	}
	return undefined;
}
