import { type LogEntry, refundedIds } from './logEntry';
import { spareSeats } from './match';

/** The other billed requests of a run whose charges may be taken for that of one. */
export interface Neighbours {
	/** How many were charged, and of how many that is not known. */
	charged: number;
	unknown: number;
	/** Seconds after the request, seconds until the answer or until it was given up, and 1 if it was charged. */
	sent?: Array<[offsetSeconds: number, seconds: number, charged: 0 | 1]>;
	/** Of those that were answered, however, by the same header as the request's own. */
	requestIds?: string[];
	/** By how many seconds the gateway's clock was ahead of ours, by the dates of the run's own answers. */
	clockAhead?: number;
}

/** A billed request of which it is not known whether it was charged. Times are ms since 1970 by our clock. */
export interface UnknownRequest {
	reason: string;
	sentAt: number;
	endedAt: number;
	httpCode?: string;
	requestId?: string;
	/** The header that the ID came in. */
	idHeader?: string;
	/** The account that sent it; undefined: the one whose log is read. */
	paidBy?: string;
	neighbours?: Neighbours;
}

/** By how much the gateway's clock is ahead of ours, and how far that may be wrong, ms. */
export interface Clock {
	aheadMs: number;
	withinMs: number;
}

/** A gateway may work on, and settle, for as long as we waited, and for at least this long. */
const SETTLES_WITHIN_MS = 180_000;
/** How far the times of an entry may be wrong: seconds are cut off, and clocks compared to the second. */
const PRECISION_MS = 2_000;

/**
 * By how much the log's clock may be ahead of the one in the gateway's answers, ms, the likeliest first: up to a minute
 * either way.
 */
const CLOCK_DIFFERS_MS = 60_000;
const LOG_AHEAD = Array.from({ length: CLOCK_DIFFERS_MS / 1000 }, (_, index) => [
	-1000 * index,
	1000 * (index + 1),
]).flat();

/** The form of new-api's IDs: when the request came, to the second or finer, then digits and letters. */
const NEW_API_ID = /^\d{14}[0-9A-Za-z]+$/;
/** Headers of those in front of the gateway, or behind it: an ID of theirs that is not in the log says nothing. */
const OTHERS_HEADERS = /^(cf-ray|x-generation-id|x-amzn-.*|.*-trace-id)$/;

/** Candidates that are told. */
const MOST_CANDIDATES = 10;

/** A request of the run, ms since 1970 by our clock. */
interface TimedRequest {
	sentAt: number;
	endedAt: number;
}

/** Which IDs of the log are of the kind that the request has, so that another one is another request's. */
function kindOfId(
	{ requestId, idHeader = '', neighbours }: UnknownRequest,
	entries: LogEntry[],
): (id: string) => boolean {
	if (requestId === undefined || OTHERS_HEADERS.test(idHeader)) return () => false;
	const answered = new Set(idHeader === '' ? [] : neighbours?.requestIds);
	const isInLog = ({ kind, requestId: id = '' }: LogEntry) => kind === 'charge' && answered.has(id);
	if (entries.some(isInLog)) return () => true;
	return (id) => NEW_API_ID.test(requestId) && NEW_API_ID.test(id);
}

/** Whether the gateway itself gave the request its ID, as far as the log shows. */
export const hasLogsId = (request: UnknownRequest, entries: LogEntry[]): boolean =>
	request.requestId !== undefined && kindOfId(request, entries)(request.requestId);

/** When the log can say for certain that a request was not charged, ms since 1970. */
export const certainAt = ({ sentAt, endedAt }: Pick<TimedRequest, 'sentAt' | 'endedAt'>): number =>
	endedAt + Math.max(SETTLES_WITHIN_MS, endedAt - sentAt);

/**
 * A request in question, the answered ones of its run, and the charges of their key: which can be whose? The charge for a
 * request that was answered lies between its sending and its answer. The one in question may begin late: something in front
 * may have held it for minutes. What time it is in the log is told by the requests that were answered: each must have a charge.
 */
export class Moment {
	private readonly own: TimedRequest;
	private readonly charged: TimedRequest[];
	private readonly charges: LogEntry[];
	private readonly refunded: Set<string>;
	private readonly precision: number;
	private readonly isOfItsKind: (id: string) => boolean;
	/** Whether a charge is missing that must be in the log, because the run got an answer for it. */
	readonly lacksCharge: boolean;
	/** Charges that may be for the request in question when all that was answered has one; the nearest to it, and first. */
	readonly candidates: LogEntry[];

	constructor(
		private readonly request: UnknownRequest,
		entries: LogEntry[],
		private readonly clock: Clock,
	) {
		const { sentAt, endedAt, neighbours } = request;
		this.own = { sentAt, endedAt };
		this.charged = (neighbours?.sent ?? []).flatMap(([offset, seconds, charged]) => {
			const at = sentAt + offset * 1000;
			return charged === 1 ? [{ sentAt: at, endedAt: at + seconds * 1000 }] : [];
		});
		this.precision = PRECISION_MS + clock.withinMs;
		this.refunded = refundedIds(entries);
		const first = Math.min(sentAt, ...this.charged.map((one) => one.sentAt)) - CLOCK_DIFFERS_MS;
		this.charges = entries.filter(
			(entry) => entry.kind === 'charge' && this.startOf(entry) >= first - this.precision,
		);
		this.isOfItsKind = kindOfId(request, entries);
		const candidates = new Set<LogEntry>();
		this.lacksCharge = true;
		for (const ahead of LOG_AHEAD) {
			const spare = spareSeats(this.charged, this.charges, (one, entry) =>
				this.fits(one, entry, ahead),
			);
			if (!spare) continue;
			this.lacksCharge = false;
			for (const entry of spare)
				if (this.isFree(entry) && this.isInTime(entry, ahead)) candidates.add(entry);
		}
		const distance = (entry: LogEntry) => Math.abs(this.startOf(entry) - sentAt);
		this.candidates = [...candidates]
			.sort((one, other) => distance(one) - distance(other))
			.slice(0, MOST_CANDIDATES);
	}

	/** When the gateway began with the request of an entry, ms since 1970 by our clock. */
	startOf({ at, seconds }: LogEntry, logAhead = 0): number {
		return at - seconds * 1000 - this.clock.aheadMs - logAhead;
	}

	/** Whether a charge can be for a request that was answered, by its times. */
	private fits(one: TimedRequest, entry: LogEntry, ahead: number): boolean {
		const start = this.startOf(entry, ahead);
		const end = start + entry.seconds * 1000;
		return start >= one.sentAt - this.precision && end <= one.endedAt + this.precision;
	}

	/** Whether the request in question can have this charge, by the log's clock as it seems or as it should be. */
	private isInTime(entry: LogEntry, ahead: number): boolean {
		const [earliest, latest] = [Math.max(0, ahead), Math.min(0, ahead)].map((each) =>
			this.startOf(entry, each),
		);
		return (
			latest >= this.own.sentAt - this.precision && earliest <= certainAt(this.own) + this.precision
		);
	}

	/** Whether a charge may be for the request in question: by its ID it is no other's, and was not given back. */
	private isFree({ requestId }: LogEntry): boolean {
		if (requestId === undefined) return true;
		if (this.isOfItsKind(requestId)) return false;
		return (
			!this.request.neighbours?.requestIds?.includes(requestId) && !this.refunded.has(requestId)
		);
	}
}
