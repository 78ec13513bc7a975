import { mayBeSentAgain } from './outcome';
import { backoffMs, MAX_RETRY_AFTER_MS } from './retryPolicy';
import type { ConcurrencyLimiter, Ticket } from '../gateway/concurrencyLimiter';
import { pause } from '../core/pause';
import type { Failure } from './exchange';
import type { Session } from './session';

/** What came of one try of a request. */
export type Tried<T> =
	| { value: T }
	/** `retryInMs`: the pause before the next try; undefined if it failed for good. */
	| { failure: Failure; retryInMs?: number }
	/** Nothing was sent: the request lost its turn and queues again. */
	| { lostTurn: true };

/** The one loop of retries: tries again, with growing pauses, as `attempt` says. Throws the last failure's error. */
export async function retrying<T>(
	{ limiter, unavailable }: Session,
	billed: boolean,
	attempt: (ticket: Ticket, tries: number) => Promise<Tried<T>>,
	/** Ends waiting for a place and pauses between tries, with its reason. */
	signal?: AbortSignal,
): Promise<T> {
	if (unavailable) throw unavailable;
	for (let tries = 0; ; ) {
		const tried = await limiter.run(billed, async (ticket) => await attempt(ticket, tries), signal);
		if ('value' in tried) return tried.value;
		if ('lostTurn' in tried) continue;
		if (tried.retryInMs === undefined) throw tried.failure.error;
		await pause(tried.retryInMs, signal);
		tries++;
	}
}

/** Decides whether a failed request is tried again; after a 429, all requests slow down. */
export function afterFailure(
	limiter: ConcurrencyLimiter,
	ticket: Ticket,
	failure: Failure,
	tries: number,
	maxRetries: number,
): { failure: Failure; retryInMs?: number } {
	const delay = failure.retryAfter ?? backoffMs(tries);
	const isRetried =
		mayBeSentAgain(failure.outcome) && tries < maxRetries && delay <= MAX_RETRY_AFTER_MS;
	// A request that is given up need not hold back the others.
	slowDownAfter(limiter, ticket, failure.outcome, isRetried ? delay : 0);
	return { failure, retryInMs: isRetried ? delay : undefined };
}

/** After "too many requests", fewer run at once, and none for `milliseconds`. */
export function slowDownAfter(
	limiter: ConcurrencyLimiter,
	ticket: Ticket,
	outcome: Failure['outcome'],
	milliseconds: number,
): void {
	if (outcome === 'throttled') limiter.slowDown(ticket, Math.min(milliseconds, MAX_RETRY_AFTER_MS));
}
