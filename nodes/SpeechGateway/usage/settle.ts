import type { LogEntry } from './logEntry';
import { type Clock, Moment, type UnknownRequest } from './moment';

export interface UsageLog {
	entries: LogEntry[];
	/** When it was asked for, ms since 1970 by our clock. */
	readAt: number;
	/** Undefined if the gateway did not say what time it is there. */
	clock?: Clock;
}

export interface Verdict {
	charged: 'yes' | 'no' | 'unknown';
	why: string;
	entry?: LogEntry;
}

/** A gateway may work on, and settle, for as long as we waited, and for at least this long. */
const SETTLES_WITHIN_MS = 180_000;
/** The log is complete for a request only if it lists something that is this much older. */
const LOG_REACHES_BACK_MS = 60_000;

/** When the log can say for certain that a request was not charged, ms since 1970. */
export const certainAt = ({
	sentAt,
	endedAt,
}: Pick<UnknownRequest, 'sentAt' | 'endedAt'>): number =>
	endedAt + Math.max(SETTLES_WITHIN_MS, endedAt - sentAt);

/**
 * Whether a request was charged, as the gateway's log has it. "No" is never wrong, whoever else uses the key: there is no
 * way to give the request and every charged one of its run an entry of its own. "Yes" means that the others of its run
 * cannot explain all entries that fit it, which is right if nothing else used the key at that moment.
 */
export function settle(request: UnknownRequest, log: UsageLog): Verdict {
	if (request.reason === 'already_sent')
		return unknown('Another execution has sent it, at a time that is not known here.');
	const entries = log.entries.filter(({ model }) => model === request.model);
	const moment = log.clock && new Moment(request, entries, log.clock);
	const verdict =
		byRequestId(request, entries) ?? (moment ? byTime(request, moment) : unknown(CLOCK_UNKNOWN));
	const doubt = verdict.charged === 'no' ? doubtOfNo(request, log, moment) : undefined;
	return doubt === undefined ? verdict : unknown(doubt);
}

const unknown = (why: string): Verdict => ({ charged: 'unknown', why });
const no = (why: string): Verdict => ({ charged: 'no', why });

const CLOCK_UNKNOWN =
	'The gateway did not say what time it is there, so its log cannot be compared with this request.';

/** The request ID decides alone, where the log has IDs of the same kind. */
function byRequestId(
	{ requestId, neighbours }: UnknownRequest,
	entries: LogEntry[],
): Verdict | undefined {
	if (requestId === undefined) return undefined;
	const own = entries.filter((entry) => entry.requestId === requestId);
	if (own.some(({ kind }) => kind === 'refund')) return no(REFUNDED);
	const entry = own.find(({ kind }) => kind === 'charge');
	if (entry) return { charged: 'yes', why: 'The log has a charge with its request ID.', entry };
	const known = neighbours?.requestIds ?? [];
	const charges = entries.filter(({ kind }) => kind === 'charge');
	const isComparable = charges.every(
		({ requestId: id }) => id !== undefined && (known.includes(id) || isSameKind(id, requestId)),
	);
	return isComparable ? no('No charge in the log has its request ID.') : undefined;
}

const REFUNDED = 'The log has it as refunded.';

/** Whether two IDs look like the work of one program: those that a proxy makes are not in the log. */
const isSameKind = (one: string, other: string): boolean =>
	Math.abs(one.length - other.length) <= 2 && one.replace(/\w/g, '') === other.replace(/\w/g, '');

function byTime({ neighbours }: UnknownRequest, moment: Moment): Verdict {
	const entry = neighbours && moment.mustBeCharged ? moment.ownEntry : undefined;
	if (entry) {
		return {
			charged: 'yes',
			why: `The log has a charge from ${time(moment.startOf(entry))} that no other request of the run explains. That is certain only if nothing else used this API key at that moment.`,
			entry,
		};
	}
	if (moment.mayBeCharged)
		return unknown('The log has charges from that moment that may be for this request or another.');
	const { starting } = moment;
	if (starting.length === 0) return no('The log has no charge from that moment.');
	return no(
		starting.some((entry) => moment.isRefunded(entry))
			? REFUNDED
			: 'The charges from that moment are those of other requests of the run.',
	);
}

/** Why a log without a charge for a request may not mean that there was none. */
function doubtOfNo(
	request: UnknownRequest,
	{ entries, readAt, clock }: UsageLog,
	moment: Moment | undefined,
): string | undefined {
	if (entries.length === 0) return 'The log is empty.';
	if (!clock || !moment) return CLOCK_UNKNOWN;
	const oldest = Math.min(...entries.map(({ at }) => at)) - clock.aheadMs;
	if (oldest > request.sentAt - LOG_REACHES_BACK_MS)
		return `The log lists nothing from before ${time(oldest)}, so it may not list this request.`;
	if (moment.lacksCharge)
		return 'The log lacks a charge of another request of the run, so it may lack this one, too.';
	if (readAt < certainAt(request))
		return `Too early: the gateway may still be working on it. Ask again at ${time(certainAt(request))}.`;
	return undefined;
}

const time = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '');
