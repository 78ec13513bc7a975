import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../../core/errors';
import { isRecord } from '../../core/json';
import { ownFieldOf, ownFields, ownIn } from '../../core/ownField';
import type { Neighbours, UnknownRequest } from '../../usage/moment';

/** What an item says of an unknown outcome, the field of the item where it says so, and the rest of the item. */
interface UnknownItem {
	facts: IDataObject;
	field: string;
	row: IDataObject;
}

/**
 * The latest unknown outcome of which an item tells. On n8n's Error output that is within `error`; it is moved to the field that
 * it has on Unknown, since n8n would run Settle again for an item with that key. Throws InputError if there is none.
 */
export function unknownItemIn({ error, ...row }: IDataObject): UnknownItem {
	const failed = isRecord(error) ? [error] : [];
	const told = [
		...failed.map((facts) => ({ facts, field: ownFieldOf(resourceOf(facts)) })),
		...ownFields().flatMap((field) => {
			const facts = ownIn(row, field);
			return facts ? [{ facts, field }] : [];
		}),
	];
	const [latest] = told
		.filter(({ facts }) => facts.outcome === 'unknown')
		.sort((one, other) => sentAtOf(other.facts) - sentAtOf(one.facts));
	if (!latest) throw noUnknownItem(['outcome']);
	return { ...latest, row };
}

const resourceOf = ({ operation }: IDataObject): string => String(operation).split('.')[0];

const sentAtOf = ({ sentAt }: IDataObject): number => Date.parse(String(sentAt)) || 0;

/**
 * The requests of an item whose outcome is unknown: of a text in segments there may be several. Throws InputError, which names
 * what is missing.
 */
export function unknownRequestsIn({ facts }: UnknownItem): UnknownRequest[] {
	const { neighbours, otherUnknown, paidBy, idHeader } = isRecord(facts.settle) ? facts.settle : {};
	const others = Array.isArray(otherUnknown) ? otherUnknown.filter(isRecord) : [];
	const all = [{ ...facts, neighbours, paidBy, idHeader }, ...others];
	return all.map((one) => readRequest(one, textIn(paidBy)));
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
	const { neighbours } = facts;
	return {
		reason: String(reason),
		sentAt,
		endedAt,
		httpCode: textIn(facts.httpCode),
		requestId: textIn(facts.requestId),
		idHeader: textIn(facts.idHeader),
		paidBy: textIn(facts.paidBy) ?? paidBy,
		...(isNeighbours(neighbours) && { neighbours }),
	};
}

/** Whatever made the item anew may have null where there was nothing, and a number where a text looked like one. */
const textIn = (value: unknown): string | undefined =>
	value === undefined || value === null || value === '' ? undefined : String(value);

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
