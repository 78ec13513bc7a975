import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../../core/errors';
import { isRecord, parseJson } from '../../core/json';
import type { Neighbours, UnknownRequest } from '../../usage/moment';

/**
 * What an item says of an unknown outcome. On n8n's Error output that is within `error`; it is lifted out, since n8n
 * would run Settle again for an item with that key.
 */
export function unknownItemIn({ error, ...json }: IDataObject): IDataObject {
	return isRecord(error) && error.outcome === 'unknown' ? { ...json, ...error } : { ...json };
}

/**
 * The requests of an item from the branch Unknown whose outcome is unknown: of a text in segments there may be several. Throws
 * InputError, which names what is missing.
 */
export function unknownRequestsIn(json: IDataObject): UnknownRequest[] {
	if (json.outcome !== 'unknown') throw noUnknownItem(['outcome']);
	const others = fromTable(json.otherUnknown);
	const all = [json, ...(Array.isArray(others) ? others.filter(isRecord) : [])];
	return all.map((facts) => readRequest(facts, textIn(json.paidBy)));
}

/**
 * The facts of one request, as `usage/` takes them. `paidBy`: the item's, for other segments of its text that do not
 * say it.
 */
function readRequest(facts: Record<string, unknown>, paidBy?: string): UnknownRequest {
	const { reason, model } = facts;
	const [sentAt, endedAt] = [Date.parse(String(facts.sentAt)), Date.parse(String(facts.endedAt))];
	const missing = Object.entries({
		reason: !reason,
		model: !model,
		sentAt: Number.isNaN(sentAt),
		endedAt: Number.isNaN(endedAt),
	}).flatMap(([name, isMissing]) => (isMissing ? [name] : []));
	if (missing.length > 0) throw noUnknownItem(missing);
	const neighbours = fromTable(facts.neighbours);
	return {
		reason: String(reason),
		sentAt,
		endedAt,
		httpCode: textIn(facts.httpCode),
		requestId: textIn(facts.requestId),
		paidBy: textIn(facts.paidBy) ?? paidBy,
		...(isNeighbours(neighbours) && { neighbours }),
	};
}

/** A table of n8n has null where there was nothing, and numbers where a text looked like one. */
const textIn = (value: unknown): string | undefined =>
	value === undefined || value === null || value === '' ? undefined : String(value);

/** A table of n8n keeps objects and lists as texts. */
const fromTable = (value: unknown): unknown =>
	typeof value === 'string' ? parseJson(value) : value;

/** Neighbours that are not as the node wrote them are left out: a charge that they explain wrongly might become a "no". */
const isNeighbours = (value: unknown): value is Neighbours =>
	isRecord(value) &&
	typeof value.charged === 'number' &&
	typeof value.unknown === 'number' &&
	isListOf(value.sent, (one) => Array.isArray(one) && one.every(Number.isFinite)) &&
	isListOf(value.requestIds, (id) => typeof id === 'string') &&
	(value.clockAhead === undefined || Number.isFinite(value.clockAhead));

const isListOf = (value: unknown, is: (one: unknown) => boolean): boolean =>
	value === undefined || (Array.isArray(value) && value.every(is));

const noUnknownItem = (missing: string[]): InputError =>
	new InputError(
		`This is no item from the branch "Unknown": it has no ${missing.map((name) => `"${name}"`).join(', ')}`,
		'Connect the branch "Unknown" of a Speech Gateway node, and pass its items on as they are. Nothing was sent.',
	);
