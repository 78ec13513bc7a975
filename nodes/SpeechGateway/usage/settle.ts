import { type LogEntry, refundedIds, totalOf } from './logEntry';
import { certainAt, type Clock, hasLogsId, Moment, type UnknownRequest } from './moment';

/** The gateway's log as it was read. */
export interface UsageLog {
	entries: LogEntry[];
	/** The account whose log it is. */
	account: string;
	/** When it was asked for, ms since 1970 by our clock. */
	readAt: number;
	/** Undefined if the gateway did not say what time it is there. */
	clock?: Clock;
	/** What the gateway says that the key has used, read after the entries; undefined if it does not say so. */
	totalUsed?: number;
}

/** Whether a request was charged, and how that is known. `entry`: the one that says so; `candidates`: those that may. */
export interface Verdict {
	charged: 'yes' | 'no' | 'unknown';
	why: string;
	entry?: LogEntry;
	candidates?: LogEntry[];
}

/** The log is complete for a request only if it lists something that is this much older. */
const LOG_REACHES_BACK_MS = 60_000;
/** The log lists no more than its newest ones: with so many, it may not be whole. */
const MOST_ENTRIES = 1_000;
/** Two readings of one clock differ by no more than this. */
const SAME_CLOCK_MS = 2_000;

/**
 * Whether a request was charged, as the gateway's log has it. "Yes" is said by its ID alone. "No" is never wrong, whoever else
 * uses the key: the log has no charge that may be this request's.
 */
export function requestVerdict(request: UnknownRequest, log: UsageLog): Verdict {
	const { reason, requestId, paidBy = log.account } = request;
	const { entries } = log;
	if (reason === 'already_sent')
		return unknown('Another execution has sent it, at a time that is not known here.');
	if (paidBy !== log.account)
		return unknown(
			'Another API key, or another gateway, was charged than the one of this credential.',
		);
	const own = requestId === undefined ? [] : entries.filter((one) => one.requestId === requestId);
	const entry = own.find(({ kind }) => kind === 'charge');
	if (entry && refundedIds(own).size > 0)
		return ifSettled(request, log, 'The log has it as refunded.');
	if (entry) return { charged: 'yes', why: 'The log has a charge with its request ID.', entry };
	if (own.some(({ kind }) => kind === 'refund'))
		return unknown('The log has a refund with its request ID, and its charge no longer.');
	const hasFailed = own.some(({ kind }) => kind === 'error');
	return byTime(
		request,
		log,
		hasFailed
			? 'The log has it as an error, and no charge with its request ID.'
			: 'The log has no charge since then that is not another request’s.',
		hasFailed,
	);
}

const unknown = (why: string): Verdict => ({ charged: 'unknown', why });

/**
 * The verdict by what the log has around that time. "No" is said last, when nothing is left that would let the log lack the
 * charge: other clocks, missing neighbours, too short a list, too early a look.
 */
function byTime(request: UnknownRequest, log: UsageLog, why: string, hasFailed: boolean): Verdict {
	const { entries, clock } = log;
	if (entries.length === 0) return unknown('The log is empty.');
	if (!clock)
		return unknown(
			'The gateway did not say what time it is there, so its log cannot be compared with this request.',
		);
	const { clockAhead } = request.neighbours ?? {};
	if (clockAhead !== undefined && Math.abs(clockAhead * 1000 - clock.aheadMs) > SAME_CLOCK_MS)
		return unknown(
			'The clocks here and at the gateway have not kept together since the request was sent, so the log cannot be compared with it.',
		);
	const moment = new Moment(request, entries, clock);
	if (moment.lacksCharge)
		return unknown(
			'The log lacks a charge of another request of the run, or its clock is wrong, so it may lack this one, too.',
		);
	const { candidates } = moment;
	if (candidates.length > 0 && !hasFailed)
		return {
			...unknown('The log has charges since then that may be for this request or another.'),
			candidates,
		};
	const oldest = Math.min(...entries.map(({ at }) => at)) - clock.aheadMs;
	if (oldest > request.sentAt - LOG_REACHES_BACK_MS)
		return unknown(
			`The log lists nothing from before ${time(oldest)}, so it may not list this request.`,
		);
	return ifSettled(request, log, why);
}

/** "No", unless the gateway may still be at work, has answered with success, or may keep what no log lists. */
function ifSettled(request: UnknownRequest, log: UsageLog, why: string): Verdict {
	if (request.httpCode?.startsWith('2') || ANSWERED.has(request.reason))
		return unknown(
			'The gateway answered with success, so it may charge for it, whatever its log lists.',
		);
	if (log.readAt < certainAt(request))
		return unknown(
			`Too early: the gateway may still be working on it. Ask again at ${time(certainAt(request))}.`,
		);
	if (mayBeRestarted(request, log) && !explainsAll(log))
		return unknown(
			'The gateway may have been restarted, and may keep what it had set aside: its log alone does not show that, and what the key has used in all does not agree with it.',
		);
	return { charged: 'no', why };
}

/** Whether a gateway that is restarted within a request looks like this from outside: no answer, or the page of a proxy. */
export const mayBeRestarted = (request: UnknownRequest, { entries }: UsageLog): boolean =>
	request.reason === 'connection_lost' ||
	(/^5\d\d$/.test(request.httpCode ?? '') && !hasLogsId(request, entries));

/** Whether the log explains all that the key has used: nothing is set aside. */
const explainsAll = ({ entries, totalUsed }: UsageLog): boolean =>
	totalUsed !== undefined && entries.length < MOST_ENTRIES && totalUsed <= totalOf(entries);

/** Reasons of requests that were answered with success. */
const ANSWERED = new Set(['damaged_response', 'not_stored']);

/** A time for people, to the second. */
export const time = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '');
