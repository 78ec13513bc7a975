import { isRecord } from '../core/json';

/** An entry of new-api's usage log (`GET /api/log/token`), as far as it matters here. */
export interface LogEntry {
	kind: 'charge' | 'refund' | 'error' | 'other';
	model: string;
	/** When it was settled, ms since 1970 by the gateway's clock; the log has whole seconds. */
	at: number;
	/** How long the gateway worked on the request, in whole seconds. */
	seconds: number;
	/** What was charged or given back, in the gateway's unit. */
	quota: number;
	/** Undefined: the gateway does not log it. */
	requestId?: string;
}

/** Types of new-api's log; logins and the like are others. */
const ENTRY_KINDS: Record<number, LogEntry['kind'] | undefined> = {
	2: 'charge',
	5: 'error',
	6: 'refund',
};

/** Reads the entries of new-api's log; undefined if a charge or refund lacks what it is recognised by. */
export function readEntries(list: unknown[]): LogEntry[] | undefined {
	const entries = list.map(readEntry);
	return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

/** IDs of requests whose charges are in the log, and were given back, all of them. */
export function refundedIds(entries: LogEntry[]): Set<string> {
	const charged = new Set<string>();
	const balances = new Map<string, number>();
	for (const { kind, requestId, quota } of entries) {
		if (requestId === undefined || (kind !== 'charge' && kind !== 'refund')) continue;
		if (kind === 'charge') charged.add(requestId);
		const change = kind === 'refund' ? -quota : quota;
		balances.set(requestId, (balances.get(requestId) ?? 0) + change);
	}
	return new Set([...charged].filter((id) => balances.get(id)! <= 0));
}

/** What all charges of the log come to, less what was given back. */
export const totalOf = (entries: LogEntry[]): number =>
	entries.reduce((sum, { kind, quota }) => {
		if (kind === 'charge') return sum + quota;
		return kind === 'refund' ? sum - quota : sum;
	}, 0);

/** Undefined if it cannot be read; what moves no money needs only a time. */
function readEntry(value: unknown): LogEntry | undefined {
	if (!isRecord(value)) return undefined;
	const {
		type,
		model_name: model,
		created_at: at,
		use_time: seconds,
		quota,
		request_id: id,
	} = value;
	const kind = ENTRY_KINDS[Number(type)] ?? 'other';
	const movesMoney = kind === 'charge' || kind === 'refund';
	const isKnown = typeof model === 'string' && model !== '' && typeof seconds === 'number';
	if (typeof at !== 'number' || (movesMoney && !isKnown)) return undefined;
	return {
		kind,
		model: String(model),
		at: at * 1000,
		seconds: Number(seconds),
		quota: Number(quota),
		...(typeof id === 'string' && id !== '' && { requestId: id }),
	};
}
