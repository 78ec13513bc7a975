import type { LogEntry } from './logEntry';

/** The other billed requests of a run that were sent within 10 s of one, with the same model. */
export interface Neighbours {
	/** How many were charged, and of how many that is not known. */
	charged: number;
	unknown: number;
	/** Seconds after the request, seconds until the answer or until it was given up, and 1 if it was charged. */
	sent?: Array<[offsetSeconds: number, seconds: number, charged: 0 | 1]>;
	requestIds?: string[];
}

/** A billed request of which it is not known whether it was charged. Times are ms since 1970 by our clock. */
export interface UnknownRequest {
	reason: string;
	model: string;
	sentAt: number;
	endedAt: number;
	requestId?: string;
	neighbours?: Neighbours;
}

/** By how much the gateway's clock is ahead of ours, and how far that may be wrong, ms. */
export interface Clock {
	aheadMs: number;
	withinMs: number;
}

interface Sent {
	offset: number;
	seconds: number;
	charged: boolean;
}

interface Range {
	least: number;
	most: number;
}

/** An entry starts this long after its request was sent, ms: seconds are cut off, clocks compared to the second, requests travel. */
const STARTS_AFTER: Range = { least: -1_500, most: 2_500 };
/** The gateway's time for a request that was answered, less ours, in seconds. */
const TAKES_LONGER_BY: Range = { least: -2, most: 1 };
/** A request that was given up took the gateway at least as long as we waited, less this. */
const GIVEN_UP_EARLIER_SECONDS = 1;

/** Where entries of neighbours may start, ms after the request in question was sent. */
const NEIGHBOURS_START: Range = { least: -11_500, most: 12_500 };
/** Where entries start that can be nobody's but a neighbour's. */
const ONLY_NEIGHBOURS_START: Range = { least: -7_500, most: 8_500 };

/** A charge and its refund tell the same start, but for this. */
const SAME_START_MS = 1_000;

const isWithin = (value: number, { least, most }: Range, margin = 0): boolean =>
	value >= least - margin && value <= most + margin;

/** A request in question, the others of its run, and the log's entries of their model: all that is compared. */
export class Moment {
	private readonly charges: LogEntry[];
	private readonly request: Sent;
	private readonly charged: Sent[];
	private readonly uncertain: Sent[];
	private readonly neighbours: Neighbours;

	constructor(
		private readonly given: UnknownRequest,
		private readonly entries: LogEntry[],
		private readonly clock: Clock,
	) {
		const { sentAt, endedAt, reason } = given;
		this.neighbours = given.neighbours ?? { charged: 0, unknown: 0, sent: [] };
		// A run that broke off did not wait until it was looked at again.
		const waited = reason === 'interrupted' ? 0 : (endedAt - sentAt) / 1000;
		this.request = { offset: 0, seconds: waited, charged: false };
		const others = (this.neighbours.sent ?? []).map(
			([offset, seconds, charged]): Sent => ({
				offset: offset * 1000,
				seconds,
				charged: charged === 1,
			}),
		);
		this.charged = others.filter(({ charged }) => charged);
		this.uncertain = others.filter(({ charged }) => !charged);
		this.charges = entries.filter(({ kind }) => kind === 'charge');
	}

	/** When the request of an entry was sent, ms since 1970 by our clock. */
	startOf({ at, seconds }: LogEntry): number {
		return at - seconds * 1000 - this.clock.aheadMs;
	}

	/** Charges that start with the request in question, whether or not they were given back. */
	get starting(): LogEntry[] {
		return this.charges.filter((entry) => this.starts(this.request, entry));
	}

	/** Whether a charge is missing that must be in the log, because the run got an answer for it. */
	get lacksCharge(): boolean {
		const { sent, charged } = this.neighbours;
		if (!sent) return this.around(this.charges, NEIGHBOURS_START).length < charged;
		return match(this.charged, this.charges, this.canBe).size < charged;
	}

	/**
	 * Whether the request in question may have been charged, whoever else uses the key: every charged neighbour and the
	 * request can have an entry of their own. How long it took is left open: an answer may have got lost long before we gave up.
	 */
	get mayBeCharged(): boolean {
		const { sent, charged } = this.neighbours;
		if (!sent) return this.around(this.charges, NEIGHBOURS_START).length > charged;
		const all = [...this.charged, this.request];
		const each = match(all, this.charges, (one, entry) =>
			one === this.request
				? this.isFree(entry) && !this.isRefunded(entry) && this.starts(one, entry)
				: this.canBe(one, entry),
		);
		return each.has(this.request);
	}

	/**
	 * Whether the request in question must have been charged, if nothing but its run uses the key: the others cannot explain
	 * all entries that fit it, or all of that moment only together with it.
	 */
	get mustBeCharged(): boolean {
		const { sent, charged, unknown } = this.neighbours;
		const { kept } = this;
		const around = this.around(kept, ONLY_NEIGHBOURS_START);
		const fitting = kept.filter((entry) => this.canBe(this.request, entry));
		if (!sent) return fitting.length > 0 && around.length === charged + unknown + 1;
		const others = [...this.charged, ...this.uncertain];
		return (
			!this.explain(fitting, others) ||
			(!this.explain(around, others) && this.explain(around, [...others, this.request]))
		);
	}

	/** Whether each of these entries can be that of another one of these requests. */
	private explain(entries: LogEntry[], requests: Sent[]): boolean {
		const each = match(entries, requests, (entry, one) => this.canBe(one, entry));
		return each.size === entries.length;
	}

	/** The charge that is left for the request in question when every charged neighbour has one. */
	get ownEntry(): LogEntry | undefined {
		return match([...this.charged, this.request], this.kept, this.canBe).get(this.request);
	}

	/** Charges that were certainly not given back. */
	private get kept(): LogEntry[] {
		return this.charges.filter((entry) => this.refundsOf(entry) === 0);
	}

	private starts({ offset }: Sent, entry: LogEntry): boolean {
		const after = this.startOf(entry) - this.given.sentAt - offset;
		return isWithin(after, STARTS_AFTER, this.clock.withinMs);
	}

	/** Whether an entry can be that of a request: it starts with it and, but for neighbours that were given up, took as long. */
	private readonly canBe = (one: Sent, entry: LogEntry): boolean => {
		const longer = entry.seconds - one.seconds;
		const isOwn = one === this.request;
		return (
			this.starts(one, entry) &&
			(!one.charged || isWithin(longer, TAKES_LONGER_BY)) &&
			(!isOwn || (this.isFree(entry) && longer >= -GIVEN_UP_EARLIER_SECONDS))
		);
	};

	/** Whether an entry may be that of the request in question: it is no neighbour's. */
	private isFree({ requestId = '' }: LogEntry): boolean {
		return !this.neighbours.requestIds?.includes(requestId);
	}

	/** Whether a charge was certainly given back: by its ID or, without IDs, if all of its amount and start were. */
	isRefunded(entry: LogEntry): boolean {
		const back = this.refundsOf(entry);
		return entry.requestId === undefined
			? back >= this.countLike(entry, this.charges, 2 * SAME_START_MS)
			: back > 0;
	}

	/** How many refunds there are that may be of this charge. */
	private refundsOf(entry: LogEntry): number {
		const refunds = this.entries.filter(({ kind }) => kind === 'refund');
		return entry.requestId === undefined
			? this.countLike(entry, refunds, SAME_START_MS)
			: refunds.filter(({ requestId }) => requestId === entry.requestId).length;
	}

	/** How many of these entries have the amount of one, and start when it does. */
	private countLike(one: LogEntry, entries: LogEntry[], ms: number): number {
		return entries.filter(
			(entry) =>
				entry.quota === one.quota && Math.abs(this.startOf(entry) - this.startOf(one)) <= ms,
		).length;
	}

	private around(charges: LogEntry[], range: Range): LogEntry[] {
		return charges.filter((entry) => isWithin(this.startOf(entry) - this.given.sentAt, range));
	}
}

/**
 * Gives as many takers as possible a thing of their own, one that fits: bipartite matching by augmenting paths. Takers are
 * served in their order, and none loses its place to a later one. Resolves to what each taker got.
 */
export function match<T, E>(
	takers: T[],
	things: E[],
	fits: (taker: T, thing: E) => boolean,
): Map<T, E> {
	const takerOf = new Map<E, T>();
	const serve = (taker: T, tried: Set<E>): boolean => {
		for (const thing of things) {
			if (tried.has(thing) || !fits(taker, thing)) continue;
			tried.add(thing);
			const holder = takerOf.get(thing);
			if (holder !== undefined && !serve(holder, tried)) continue;
			takerOf.set(thing, taker);
			return true;
		}
		return false;
	};
	for (const taker of takers) serve(taker, new Set());
	return new Map([...takerOf].map(([thing, taker]) => [taker, thing]));
}
