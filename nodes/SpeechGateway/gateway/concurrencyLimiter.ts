import { asError, NotStartedError } from '../core/errors';
import { pause } from '../core/pause';

/** A gateway frees what it has set aside for a request a moment after its answer, ms. */
const SETTLED_AFTER_MS = 1_000;

/**
 * Bounds the requests in flight of one run of the node. It starts at the user's concurrency and adapts downward: a 429
 * halves the limit and holds everybody back until the gateway may be asked again; successes win it back one by one.
 * Free requests (polls, downloads) go before billed ones, so that finished jobs are not stuck behind a long queue.
 */
export class ConcurrencyLimiter {
	private limit: number;
	private inFlight = 0;
	private billedInFlight = 0;
	/** When a billed request was last over, by `performance.now()`. */
	private billedEndedAt = 0;
	private oneByOne = false;
	private successes = 0;
	private slowdowns = 0;
	private holds = 0;
	private closedToOthersUntil = 0;
	private draining = false;
	private readonly stopping = new AbortController();
	/** What starts the requests that wait for room. */
	private readonly free: Array<() => void> = [];
	private readonly billed: Array<() => void> = [];

	constructor(
		private maximum: number,
		private readonly cancel?: AbortSignal,
	) {
		this.limit = maximum;
	}

	/**
	 * Resolves when there is room for one request; the caller leaves when it is over. `signal` ends the wait for room, with its
	 * reason. Without one, free requests wait until the run is cancelled, billed ones until it stops.
	 */
	async enter(
		billed: boolean,
		signal: AbortSignal | undefined = billed ? this.ending() : this.cancel,
	): Promise<Ticket> {
		await this.admission(billed, signal);
		try {
			for (let wait = this.closedFor(); wait > 0; wait = this.closedFor())
				await pause(wait, signal);
			signal?.throwIfAborted();
		} catch (error) {
			this.leave(billed);
			throw asError(error);
		}
		const { slowdowns } = this;
		const enteredAt = performance.now();
		return {
			leave: () => this.leave(billed),
			slowDown: (milliseconds) => this.slowDown(milliseconds, slowdowns === this.slowdowns),
			awaitOthers: () => this.awaitOthers(enteredAt),
		};
	}

	/**
	 * When billed requests may no longer start: the run is cancelled or stopped, or `more` says so. One for many requests,
	 * since signals that are made of others cost time and memory.
	 */
	ending(...more: AbortSignal[]): AbortSignal {
		return AbortSignal.any([...(this.cancel ? [this.cancel] : []), this.stopping.signal, ...more]);
	}

	/** No billed request starts any more; those in flight go on. Free ones still pass: what is paid for is fetched. */
	stop(reason: string): void {
		this.stopping.abort(new NotStartedError(reason));
	}

	get isHeld(): boolean {
		return this.holds > 0;
	}

	/** No billed request starts until all holds are released: whether the run stops is not decided yet. */
	hold(): void {
		this.holds++;
	}

	release(): void {
		this.holds--;
		this.startNext();
	}

	/** After an outage: one billed request at a time, until one succeeds. */
	sendOneByOne(): void {
		this.oneByOne = true;
	}

	succeeded(billed: boolean): void {
		if (billed && this.oneByOne) {
			this.oneByOne = false;
			this.startNext();
		}
		if (this.limit >= this.maximum || ++this.successes < this.limit * 2) return;
		this.successes = 0;
		this.limit++;
		this.startNext();
	}

	private leave(billed: boolean): void {
		this.inFlight--;
		if (billed) {
			this.billedInFlight--;
			this.billedEndedAt = performance.now();
		}
		if (this.draining && this.billedInFlight === 0) {
			this.draining = false;
			this.closeFor(SETTLED_AFTER_MS);
		}
		this.startNext();
	}

	private awaitOthers(enteredAt: number): boolean {
		const others = this.billedInFlight - 1;
		// One that was in flight beside this request may have ended while the refusal was on its way.
		const endedSince = Math.max(enteredAt, performance.now() - SETTLED_AFTER_MS);
		if (others === 0 && this.billedEndedAt <= endedSince) return false;
		this.maximum = Math.min(this.maximum, Math.max(1, others));
		this.limit = Math.min(this.limit, this.maximum);
		this.draining = true;
		return true;
	}

	private closeFor(milliseconds: number): void {
		this.closedToOthersUntil = Math.max(this.closedToOthersUntil, performance.now() + milliseconds);
	}

	private slowDown(milliseconds: number, isNew: boolean): void {
		this.closeFor(milliseconds);
		if (!isNew) return;
		this.slowdowns++;
		this.successes = 0;
		this.limit = Math.max(1, Math.floor(this.limit / 2));
	}

	private async admission(billed: boolean, signal: AbortSignal | undefined): Promise<void> {
		signal?.throwIfAborted();
		if (this.inFlight < this.limit && (!billed || this.mayBill)) {
			this.admit(billed);
			return;
		}
		const queue = billed ? this.billed : this.free;
		// Each waiting request has a signal of its own: many listeners on a shared one make Node warn of a leak.
		const mine = signal && AbortSignal.any([signal]);
		await new Promise<void>((resolve, reject) => {
			const aborted = () => {
				queue.splice(queue.indexOf(start), 1);
				reject(asError(signal?.reason));
			};
			const start = () => {
				this.admit(billed);
				// A signal with listeners stays in memory as long as its source signals.
				mine?.removeEventListener('abort', aborted);
				resolve();
			};
			queue.push(start);
			mine?.addEventListener('abort', aborted, { once: true });
		});
	}

	/** How long nobody starts because the gateway asked for that, ms. */
	closedFor(): number {
		return this.closedToOthersUntil - performance.now();
	}

	private get mayBill(): boolean {
		return this.holds === 0 && !this.draining && !(this.oneByOne && this.billedInFlight > 0);
	}

	private startNext(): void {
		while (this.inFlight < this.limit) {
			const next = this.free.shift() ?? (this.mayBill ? this.billed.shift() : undefined);
			if (!next) return;
			next();
		}
	}

	private admit(billed: boolean): void {
		this.inFlight++;
		if (billed) this.billedInFlight++;
	}
}

export interface Ticket {
	/** The request is over. Call once. */
	leave(this: void): void;
	/** After a 429: nobody asks for `milliseconds`, and fewer ask at once. One burst of 429s counts once. */
	slowDown(this: void, milliseconds: number): void;
	/**
	 * Too little money, but some may be set aside for other billed requests, in flight or only just over: no further one starts
	 * until all are over, and from then on no more at once than were let in now. False when there are no others.
	 */
	awaitOthers(this: void): boolean;
}
