import { type LogEntry, refundedIds } from './logEntry';
import { match } from './match';

/** The other billed requests of a run whose charges may be taken for that of one. */
export interface Neighbours {
	/** How many were charged, and of how many that is not known. */
	charged: number;
	unknown: number;
	/** Seconds after the request, seconds until the answer or until it was given up, and 1 if it was charged. */
	sent?: Array<[offsetSeconds: number, seconds: number, charged: 0 | 1]>;
	/** Of those that were answered, however. */
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

/** A request of the run, ms since 1970 by our clock. */
interface TimedRequest {
	sentAt: number;
	endedAt: number;
}

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
	/** Those of LOG_AHEAD with which all that was answered has a charge. */
	private readonly logAhead: number[];
	private readonly precision: number;

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
		this.logAhead = LOG_AHEAD.filter((ahead) => this.haveCharges(this.charged, ahead));
	}

	/** When the gateway began with the request of an entry, ms since 1970 by our clock. */
	startOf({ at, seconds }: LogEntry, logAhead = 0): number {
		return at - seconds * 1000 - this.clock.aheadMs - logAhead;
	}

	/** Whether a charge is missing that must be in the log, because the run got an answer for it. */
	get lacksCharge(): boolean {
		return this.logAhead.length === 0;
	}

	/** Whether a charge is left for the request in question when all that was answered has one, whoever else uses the key. */
	get mayBeCharged(): boolean {
		const all = [...this.charged, this.own];
		return this.logAhead.some((ahead) => this.haveCharges(all, ahead));
	}

	/** Whether each of these requests can have a charge of its own. */
	private haveCharges(requests: TimedRequest[], ahead: number): boolean {
		const fits = (one: TimedRequest, entry: LogEntry) => this.fits(one, entry, ahead);
		return (
			requests.every((one) => this.charges.some((entry) => fits(one, entry))) &&
			match(requests, this.charges, fits).size === requests.length
		);
	}

	/** Whether a charge can be for a request, by its times and its ID. */
	private fits(one: TimedRequest, entry: LogEntry, ahead: number): boolean {
		if (one === this.own) return this.isFree(entry) && this.isInTime(entry, ahead);
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

	/** Whether a charge may be for the request in question: by its ID, it is no neighbour's, and was not given back. */
	private isFree({ requestId }: LogEntry): boolean {
		if (requestId === undefined) return true;
		return (
			!this.request.neighbours?.requestIds?.includes(requestId) && !this.refunded.has(requestId)
		);
	}
}
