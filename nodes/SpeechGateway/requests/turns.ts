import { mayBeSentAgain } from './outcome';
import { backoffMs, MAX_RETRY_AFTER_MS, throttledMs } from './retryPolicy';
import type { Ticket } from '../gateway/concurrencyLimiter';
import { pause } from '../core/pause';
import type { Failure } from './exchange';
import type { Session } from './session';

/** The turns of one request: each has a place in the limiter, and after failures there are growing pauses between them. */
export class Turns {
	failures = 0;
	private pauseMs = 0;
	private ticket: Ticket | undefined;

	constructor(
		private readonly session: Session,
		private readonly billed: boolean,
		private readonly maxRetries: number,
		/** Ends the wait for a turn, with its reason. */
		private readonly signal?: AbortSignal,
	) {}

	/** Waits for the next turn, which must be ended. Throws what keeps all requests of the run from being sent. */
	async begin(): Promise<void> {
		const { limiter, unavailable } = this.session;
		if (unavailable) throw unavailable;
		await pause(this.pauseMs, this.signal);
		this.pauseMs = 0;
		this.ticket = await limiter.enter(this.billed, this.signal);
	}

	end(): void {
		this.ticket?.leave();
	}

	/**
	 * Counts a failure; whether there is another turn after it. After a 429, all requests slow down. Too little money is no
	 * failure of this request as long as others in flight may hold some: it goes again when they are over.
	 */
	goOnAfter(failure: Failure): boolean {
		if (failure.outcome === 'held') return this.ticket?.awaitOthers() ?? false;
		const delay = failure.retryAfter ?? backoffAfter(failure, this.failures);
		const goesOn =
			mayBeSentAgain(failure.outcome) &&
			this.failures < this.maxRetries &&
			delay <= MAX_RETRY_AFTER_MS;
		// A request that is given up need not hold back the others.
		slowDownAfter(failure, this.ticket, goesOn ? delay : 0);
		this.failures++;
		this.pauseMs = delay;
		return goesOn;
	}
}

const backoffAfter = ({ outcome }: Failure, failures: number): number =>
	outcome === 'throttled' ? throttledMs(failures) : backoffMs(failures);

/** After "too many requests", fewer run at once, and none for `milliseconds`. */
export function slowDownAfter(
	failure: Failure,
	ticket: Ticket | undefined,
	milliseconds = failure.retryAfter ?? backoffAfter(failure, 0),
): void {
	if (failure.outcome === 'throttled') ticket?.slowDown(Math.min(milliseconds, MAX_RETRY_AFTER_MS));
}
