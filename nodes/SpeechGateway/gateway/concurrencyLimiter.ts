import { NotStartedError } from '../core/errors';
import { pause } from './pause';

const NO_ROOM = 'There was no room for the request in time';

interface Waiting {
	start: () => void;
	reject: (error: Error) => void;
}

/**
 * Bounds the requests in flight of one run of the node. It starts at the user's concurrency and adapts downward: a 429
 * halves the limit and holds everybody back until the gateway may be asked again; successes win it back one by one.
 * Free requests (polls, downloads) go before billed ones, so that finished jobs are not stuck behind a long queue.
 */
export class ConcurrencyLimiter {
	private limit: number;
	private inFlight = 0;
	private successes = 0;
	private slowdowns = 0;
	private closedToOthersUntil = 0;
	private stopped: Error | undefined;
	private readonly free: Waiting[] = [];
	private readonly billed: Waiting[] = [];

	constructor(
		private readonly maximum: number,
		private readonly cancel?: AbortSignal,
	) {
		this.limit = maximum;
	}

	/**
	 * Runs one request when there is room. Rejects with NotStartedError when it was stopped before it began, or when it
	 * cannot begin before `deadline` (ms since 1970).
	 */
	async run<T>(
		billed: boolean,
		request: (ticket: Ticket) => Promise<T>,
		deadline = Infinity,
	): Promise<T> {
		await this.enter(billed, deadline);
		try {
			await this.waitUntilOpen(deadline);
			if (billed && this.stopped) throw this.stopped;
			return await request({ slowdowns: this.slowdowns });
		} finally {
			this.inFlight--;
			this.startNext();
		}
	}

	/** No billed request starts any more; those in flight go on. Free ones still pass: what is paid for is fetched. */
	stop(reason: string): void {
		this.stopped = new NotStartedError(reason);
		for (const waiting of this.billed.splice(0)) waiting.reject(this.stopped);
	}

	/** After a 429: nobody asks for `milliseconds`, and fewer ask at once. One burst of 429s counts once. */
	slowDown(ticket: Ticket, milliseconds: number): void {
		this.closedToOthersUntil = Math.max(this.closedToOthersUntil, Date.now() + milliseconds);
		if (ticket.slowdowns !== this.slowdowns) return;
		this.slowdowns++;
		this.successes = 0;
		this.limit = Math.max(1, Math.floor(this.limit / 2));
	}

	succeeded(): void {
		if (this.limit >= this.maximum || ++this.successes < this.limit * 2) return;
		this.successes = 0;
		this.limit++;
		this.startNext();
	}

	private async enter(billed: boolean, deadline: number): Promise<void> {
		this.cancel?.throwIfAborted();
		if (billed && this.stopped) throw this.stopped;
		if (this.inFlight < this.limit) {
			this.inFlight++;
			return;
		}
		const queue = billed ? this.billed : this.free;
		await new Promise<void>((start, reject) => {
			const waiting = { start, reject };
			queue.push(waiting);
			if (deadline === Infinity) return;
			void pause(deadline - Date.now()).then(() => {
				const place = queue.indexOf(waiting);
				if (place >= 0) queue.splice(place, 1);
				reject(new NotStartedError(NO_ROOM));
			});
		});
	}

	private async waitUntilOpen(deadline: number): Promise<void> {
		for (let wait = this.closedFor(); wait > 0; wait = this.closedFor()) {
			if (Date.now() + wait > deadline) throw new NotStartedError(NO_ROOM);
			await pause(wait, this.cancel);
		}
		this.cancel?.throwIfAborted();
	}

	private closedFor(): number {
		return this.closedToOthersUntil - Date.now();
	}

	private startNext(): void {
		while (this.inFlight < this.limit) {
			const next = this.free.shift() ?? this.billed.shift();
			if (!next) return;
			this.inFlight++;
			next.start();
		}
	}
}

/** Handed to a request: which slow-downs it had already seen when it started. */
export interface Ticket {
	readonly slowdowns: number;
}
