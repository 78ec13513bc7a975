import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';
import { isRecord } from '../core/json';
import { COMBINED_FILES } from '../engine/outputs';
import { isPartialFile } from '../requests/itemLedger';

/**
 * How a row, an item of the input, comes along with what the node makes of it: unchanged, beside one field in which the node
 * says all that it has to say. So the next node finds the title of a file beside the file. The ledger never holds a row: a
 * retry hands out its results with the present one.
 */

/** The fields of a row alone. */
export function withoutFiles({ json = {} }: INodeExecutionData): INodeExecutionData {
	const fields = { ...json };
	delete fields[COMBINED_FILES];
	return { json: fields };
}

/**
 * An item of the node with what it says under `field`, and beside that the row that it was made of. A field of the row with
 * that name is replaced, and its `error` stays behind: n8n would take the item for a failed one. The node's own files win.
 */
export function besideRow(
	field: string,
	own: INodeExecutionData,
	{ json: input = {}, binary: files = {} }: Partial<INodeExecutionData> = {},
): INodeExecutionData {
	const row = { ...input };
	delete row.error;
	delete row[field];
	// Files of an earlier node, beside some of this one, would be taken for its own.
	const hasPartialFiles = Object.keys(own.binary ?? {}).some(isPartialFile);
	const passedOn = (all: object): IBinaryKeyData =>
		Object.fromEntries(
			Object.entries(all).filter(([name]) => !hasPartialFiles || !isPartialFile(name)),
		);
	const { [COMBINED_FILES]: combined } = row;
	if (isRecord(combined)) row[COMBINED_FILES] = passedOn(combined);
	const binary = { ...passedOn(files), ...own.binary };
	return {
		...own,
		json: { [field]: own.json, ...row },
		...(Object.keys(binary).length > 0 && { binary }),
	};
}
