import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { defined, isRecord } from '../core/json';
import { COMBINED_FILES } from '../engine/outputs';
import type { Branch } from '../requests/records';

/**
 * How a row, an item of the input, comes along with what the node makes of it: the next node finds the title of a file beside
 * the file. The ledger never holds a row: a retry hands out its results with the present one.
 */

/** What a node like this one says of its own work, which would be taken for the words of the next one. */
const SAID_BY_US = new Set([
	...['outcome', 'reason', 'charged', 'why', 'logEntry', 'charges', 'paidBy', 'waitedSeconds'],
	...['replayed', 'sentIn', 'link', 'parts', 'segments', 'remainingText', 'warnings'],
]);
/** What an item of Unknown says of its request beside that. It has the fields of the row that this displaces in `row`. */
const SAID_OF_REQUEST = new Set([
	...['message', 'advice', 'item', 'input', 'operation', 'httpCode', 'requestId', 'code'],
	...['location', 'sentAt', 'endedAt', 'inputHash', 'neighbours', 'otherUnknown', 'failedPart'],
	...['fileName', 'model', 'characters', 'estimatedTokens'],
]);
/** n8n's address of a file: a link that the row had before the first of our nodes is its own. */
const OUR_LINK = /\/binary-data\/signed\?/;
const OUR_FILES = /^(completed|received)(_\d+)?$/;

/** What Settle, or this node when an item comes back, would read as the node's own. */
const READ_AS_OURS = [
	...['requestId', 'jobId', 'neighbours', 'otherUnknown', 'paidBy', 'charged', 'bytes'],
];

/** Whether a row has passed through a node like this one, by what only such a node writes. */
const isOurs = ({ outcome, waitedSeconds, charges, bytes, mimeType, id }: IDataObject): boolean =>
	outcome === 'unknown' ||
	typeof waitedSeconds === 'number' ||
	Array.isArray(charges) ||
	(typeof bytes === 'number' && [mimeType, id].some((value) => typeof value === 'string'));

/**
 * Whether a row is an error item of such a node, by what only that says of a text: its files are that node's, its
 * fields are not.
 */
const isOurError = ({ error }: IDataObject): boolean =>
	isRecord(error) && (error.outcome === 'unknown' || isRecord(error.segments));

/** The fields of a row, also of one that comes from Unknown: then as they were before that. */
function rowOf(fields: IDataObject): IDataObject {
	if (fields.outcome !== 'unknown' || typeof fields.advice !== 'string') return fields;
	const { row, ...others } = fields;
	const ofRow = Object.entries(others).filter(
		([name, value]) => !isSaidByUs(name, value) && !SAID_OF_REQUEST.has(name),
	);
	return { ...Object.fromEntries(ofRow), ...(isRecord(row) ? row : defined({ row })) };
}

/** The fields of a row alone. */
export function withoutFiles({ json = {} }: INodeExecutionData): INodeExecutionData {
	const fields = { ...json };
	delete fields[COMBINED_FILES];
	return { json: fields };
}

/**
 * An item of the node with the row that it was made of. Its own fields and files win; fields of the row that they displace are
 * in `row`. On Unknown, the node's own fields come first: people read them.
 */
export function withRow(
	{ json: input = {}, binary: files = {} }: INodeExecutionData,
	own: INodeExecutionData,
	branch: Branch,
): INodeExecutionData {
	const hasOurFiles = isOurs(input) || isOurError(input);
	const fields = rowOf(input);
	const ours = isOurs(fields);
	const reserved = branch === 'success' ? [] : READ_AS_OURS;
	const rest: IDataObject = {};
	const displaced: IDataObject = {};
	for (const [name, value] of Object.entries(fields)) {
		if (name === 'error' || (ours && isSaidByUs(name, value))) continue;
		const isDisplaced = Object.hasOwn(own.json, name) || reserved.includes(name);
		(isDisplaced ? displaced : rest)[name] = value;
	}
	if (isRecord(rest[COMBINED_FILES]))
		rest[COMBINED_FILES] = passedOn(rest[COMBINED_FILES] as IBinaryKeyData, hasOurFiles);
	const json = branch === 'unknown' ? { ...own.json, ...rest } : { ...rest, ...own.json };
	if (Object.keys(displaced).length > 0) {
		const { row } = rest;
		// What an earlier node of ours has put there is the first row's, and stays: in a loop it would nest deeper each time.
		json.row = { ...displaced, ...(ours && isRecord(row) ? row : defined({ row })) };
	}
	const binary = { ...passedOn(files, hasOurFiles), ...own.binary };
	return { ...own, json, ...(Object.keys(binary).length > 0 && { binary }) };
}

const isSaidByUs = (name: string, value: unknown): boolean =>
	SAID_BY_US.has(name) && (name !== 'link' || OUR_LINK.test(String(value)));

/** References to files; nothing is read. */
const passedOn = (files: IBinaryKeyData, ours: boolean): IBinaryKeyData =>
	ours
		? Object.fromEntries(Object.entries(files).filter(([field]) => !OUR_FILES.test(field)))
		: files;
