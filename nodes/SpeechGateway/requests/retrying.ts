import { mayBeSentAgain } from './outcome';
import { backoffMs, MAX_RETRY_AFTER_MS } from './retryPolicy';
import type { ConcurrencyLimiter, Ticket } from '../gateway/concurrencyLimiter';
import { pause } from '../core/pause';
import { type Failure, isFailure } from './exchange';
import type { Session } from './session';

/** One request that may be tried several times. */
export interface Tries<T> {
	/** Undefined: its turn had passed before anything was sent, so it queues again. */
	attempt: () => Promise<T | Failure | undefined>;
	/** Called when it failed for good, before its place in the limiter is given up. */
	failed: (failure: Failure) => void;
	/** Called after each failed try, when it is decided whether there is another; also before its place is given up. */
	over?: (failure: Failure) => Promise<void>;
	/** Ends waiting for a place and pauses between tries, with its reason. */
	signal?: AbortSignal;
}

/** The one loop of retries: tries again, with growing pauses, whatever may be sent again. Throws the last failure's error. */
export async function retrying<T>(
	{ limiter, unavailable }: Session,
	billed: boolean,
	maxRetries: number,
	{ attempt, failed, over, signal }: Tries<T>,
): Promise<T> {
	if (unavailable) throw unavailable;
	for (let tries = 0; ; tries++) {
		let delay = 0;
		let again = false;
		const answer = await limiter.run(
			billed,
			async (ticket) => {
				const result = await attempt();
				if (result === undefined) return undefined;
				if (!isFailure(result)) {
					limiter.succeeded(billed);
					return result;
				}
				delay = result.retryAfter ?? backoffMs(tries);
				again = mayBeSentAgain(result.outcome) && tries < maxRetries && delay <= MAX_RETRY_AFTER_MS;
				// What is given up need not hold back the others.
				slowDownAfter(limiter, ticket, result.outcome, again ? delay : 0);
				if (!again) failed(result);
				await over?.(result);
				return result;
			},
			signal,
		);
		if (answer === undefined) {
			tries--;
			continue;
		}
		if (!isFailure(answer)) return answer;
		if (!again) throw answer.error;
		await pause(delay, signal);
	}
}

/** After "too many requests", fewer run at once, and none for `milliseconds`. */
export function slowDownAfter(
	limiter: ConcurrencyLimiter,
	ticket: Ticket,
	outcome: Failure['outcome'],
	milliseconds: number,
): void {
	if (outcome === 'notCharged')
		limiter.slowDown(ticket, Math.min(milliseconds, MAX_RETRY_AFTER_MS));
}
