import { asError } from '../core/errors';
import { pause } from '../core/pause';
import type { Billing } from './endpoints';

/** A gateway frees what it has set aside for a request a moment after its answer, ms. */
const SETTLED_AFTER_MS = 1_000;

/** So many billed tries in a row that failed in a way that may pass make an outage likely. */
const DOUBTFUL_AFTER = 3;

interface WaitingRequest {
	account: AccountLimiter;
	/** None of its tries has failed. */
	isNew: boolean;
	start: () => void;
}

/**
 * Bounds the requests in flight of one run of the node, over all its accounts. Free requests (polls, downloads) go
 * before billed ones, so that finished jobs are not stuck behind a long queue.
 */
export class ConcurrencyLimiter {
	private inFlight = 0;
	private billedInFlight = 0;
	private oneByOne = false;
	private holds = 0;
	/** Requests that wait for room, each in its order. */
	private readonly waiting: Record<Billing, WaitingRequest[]> = { free: [], billed: [] };

	constructor(
		readonly maximum: number,
		readonly cancel?: AbortSignal,
	) {}

	/** Whether billed requests wait for a decision: see `hold`. */
	get isHeld(): boolean {
		return this.holds > 0;
	}

	/** No billed request starts until all holds are released: whether the run stops is not decided yet. */
	hold(): void {
		this.holds++;
	}

	/** Ends one hold; the last one lets billed requests go on. */
	release(): void {
		this.holds--;
		this.startNext();
	}

	/** After n8n could not store a file: one billed request at a time, until one succeeds. */
	sendOneByOne(): void {
		this.oneByOne = true;
	}

	/** One billed success shows that things work again. */
	succeeded(billing: Billing): void {
		if (billing === 'billed') this.oneByOne = false;
	}

	/** Whether one more request may start now, as far as the run is concerned; its account has limits of its own. */
	hasRoom(billing: Billing): boolean {
		return this.inFlight < this.maximum && (billing === 'free' || this.mayBill);
	}

	admit(billing: Billing): void {
		this.inFlight++;
		if (billing === 'billed') this.billedInFlight++;
	}

	leave(billing: Billing): void {
		this.inFlight--;
		if (billing === 'billed') this.billedInFlight--;
	}

	/** Waits for room. `signal` ends the wait, with its reason. */
	async wait(
		account: AccountLimiter,
		billing: Billing,
		isNew: boolean,
		signal?: AbortSignal,
	): Promise<void> {
		const queue = this.waiting[billing];
		// Each waiting request has a signal of its own: many listeners on a shared one make Node warn of a leak.
		const mine = signal && AbortSignal.any([signal]);
		await new Promise<void>((resolve, reject) => {
			const aborted = () => {
				queue.splice(queue.indexOf(waiting), 1);
				reject(asError(signal?.reason));
			};
			const start = () => {
				// A signal with listeners stays in memory as long as its source signals.
				mine?.removeEventListener('abort', aborted);
				resolve();
			};
			const waiting = { account, isNew, start };
			queue.push(waiting);
			mine?.addEventListener('abort', aborted, { once: true });
		});
	}

	/** Starts those that wait and have room now, in their order; one account's do not hold up another's. */
	startNext(): void {
		while (this.inFlight < this.maximum) {
			const next = this.take('free') ?? this.take('billed');
			if (!next) return;
			next.start();
		}
	}

	private get mayBill(): boolean {
		return this.holds === 0 && !(this.oneByOne && this.billedInFlight > 0);
	}

	/** Takes the first request whose account has room out of a queue, and admits it at once, so that no other takes its place. */
	private take(billing: Billing): WaitingRequest | undefined {
		if (!this.hasRoom(billing)) return undefined;
		const queue = this.waiting[billing];
		const at = queue.findIndex(({ account, isNew }) => account.hasRoom(billing, isNew));
		if (at < 0) return undefined;
		const [next] = queue.splice(at, 1);
		next.account.admit(billing);
		return next;
	}
}

/**
 * Bounds the requests in flight of one account. It starts at the user's concurrency and adapts downward: a 429 halves the
 * limit and holds back the account's requests until the gateway may be asked again; successes win it back one by one.
 */
export class AccountLimiter {
	private maximum: number;
	private limit: number;
	private inFlight = 0;
	private billedInFlight = 0;
	/** When a billed request was last over, by `performance.now()`. */
	private billedEndedAt = 0;
	private oneByOne = false;
	private successes = 0;
	private slowdowns = 0;
	private closedUntil = 0;
	private opening = false;
	private draining = false;
	/** Billed tries since the last answer that failed in a way that may pass. */
	private failuresInRow = 0;
	/** Billed requests between two of their tries. */
	private retrying = 0;

	constructor(private readonly run: ConcurrencyLimiter) {
		this.maximum = run.maximum;
		this.limit = run.maximum;
	}

	/**
	 * Resolves when there is room for one request; the caller leaves when it is over. `signal` ends the wait for room, with its
	 * reason; without one, only Stop does. `isNew`: none of its tries has failed.
	 */
	async enter(billing: Billing, signal = this.run.cancel, isNew = true): Promise<Ticket> {
		signal?.throwIfAborted();
		if (this.run.hasRoom(billing) && this.hasRoom(billing, isNew)) this.admit(billing);
		else await this.run.wait(this, billing, isNew, signal);
		const { slowdowns } = this;
		const enteredAt = performance.now();
		return {
			leave: () => this.leave(billing),
			slowDown: (milliseconds) => this.slowDown(milliseconds, slowdowns === this.slowdowns),
			awaitOthers: () => this.awaitOthers(enteredAt),
		};
	}

	/** After an outage: one billed request at a time, until one succeeds. */
	sendOneByOne(): void {
		this.oneByOne = true;
	}

	/** A request has succeeded. Twice as many successes as may run at once raise the limit by one. */
	succeeded(billing: Billing): void {
		this.run.succeeded(billing);
		if (billing === 'billed') this.oneByOne = false;
		if (billing === 'billed') this.failuresInRow = 0;
		if (this.limit < this.maximum && ++this.successes >= this.limit * 2) {
			this.successes = 0;
			this.limit++;
		}
		this.run.startNext();
	}

	/** A billed try was answered in another way: no outage. */
	answered(): void {
		this.failuresInRow = 0;
		this.run.startNext();
	}

	/** A billed try has failed in a way that may pass. */
	failed(): void {
		this.failuresInRow++;
	}

	/** A billed request goes again after a pause; to be followed by `endRetrying`. */
	beginRetrying(): void {
		this.retrying++;
	}

	/** It has ended, in whatever way. */
	endRetrying(): void {
		this.retrying--;
		if (this.retrying === 0) this.failuresInRow = 0;
		this.run.startNext();
	}

	/** How long the account's requests are held back because the gateway asked for it, ms. */
	closedFor(): number {
		return this.closedUntil - performance.now();
	}

	hasRoom(billing: Billing, isNew: boolean): boolean {
		if (billing === 'billed' && isNew && this.isDoubtful) return false;
		return (
			this.inFlight < this.limit && this.closedFor() <= 0 && (billing === 'free' || this.mayBill)
		);
	}

	/** Whether an outage is likely: then those that go again show whether it is one, before others begin. */
	private get isDoubtful(): boolean {
		return this.retrying > 0 && this.failuresInRow >= DOUBTFUL_AFTER;
	}

	admit(billing: Billing): void {
		this.run.admit(billing);
		this.inFlight++;
		if (billing === 'billed') this.billedInFlight++;
	}

	/** A request is over. After the last one of a drain, the gateway gets a moment to free what it had set aside. */
	private leave(billing: Billing): void {
		this.run.leave(billing);
		this.inFlight--;
		if (billing === 'billed') {
			this.billedInFlight--;
			this.billedEndedAt = performance.now();
		}
		if (this.draining && this.billedInFlight === 0) {
			this.draining = false;
			this.closeFor(SETTLED_AFTER_MS);
		}
		this.run.startNext();
	}

	/**
	 * See `Ticket.awaitOthers`. Gateways such as new-api set money aside for each request in flight, so a low balance may
	 * be enough for fewer at once: refusals lower the maximum for the rest of the run.
	 */
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
		this.closedUntil = Math.max(this.closedUntil, performance.now() + milliseconds);
		if (!this.opening) void this.open();
	}

	/** Starts those that wait once the gateway may be asked again. */
	private async open(): Promise<void> {
		this.opening = true;
		try {
			for (let wait = this.closedFor(); wait > 0; wait = this.closedFor())
				await pause(wait, this.run.cancel);
			this.run.startNext();
		} catch {
			// The run was cancelled: nobody starts.
		} finally {
			this.opening = false;
		}
	}

	/** `isNew`: the request started after the last slowdown; 429s of requests that were in flight beside it are the same news. */
	private slowDown(milliseconds: number, isNew: boolean): void {
		this.closeFor(milliseconds);
		if (!isNew) return;
		this.slowdowns++;
		this.successes = 0;
		this.limit = Math.max(1, Math.floor(this.limit / 2));
	}

	private get mayBill(): boolean {
		return !this.draining && !(this.oneByOne && this.billedInFlight > 0);
	}
}

/** Room for one request, from its start to its end. */
export interface Ticket {
	/** The request is over. Call once. */
	leave(this: void): void;
	/** After a 429: nobody asks for `milliseconds`, and fewer ask at once. One burst of 429s counts once. */
	slowDown(this: void, milliseconds: number): void;
	/**
	 * After a refusal for too little money, some of which may be set aside for other billed requests, in flight or only
	 * just over: none starts until they are over, and then no more at once than are in flight now. False if there are no
	 * others.
	 */
	awaitOthers(this: void): boolean;
}
