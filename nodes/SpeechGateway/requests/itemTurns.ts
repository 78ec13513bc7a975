/**
 * How the requests of one item take turns with all others of the run. A request may start when the gate is open and the
 * limiter has room; after a failure that may pass it queues again, behind a pause that grows. When one has failed for
 * good, the item gives up: its gate closes, what waits ends, what is in flight goes on. In stop mode the item's failure
 * ends the run, so until that is decided, the billed requests of the others are held. Free requests need nothing else;
 * `itemRequests.ts` adds what billed ones do.
 */
import { asError, NotStartedError } from '../core/errors';
import { abortsIn, pause } from '../core/pause';
import type { Ticket } from '../gateway/concurrencyLimiter';
import type { Billing, FreeEndpoint } from '../gateway/endpoints';
import type { GatewayResponse } from '../gateway/transport';
import {
	exchangeFree,
	type FreeRequest,
	isFailure,
	notDeleted,
	type ResourceRef,
} from './exchange';
import type { Failure } from './explain';
import { Gate } from './gate';
import { mayGoAgain, OUTCOMES } from './outcome';
import { MAX_RETRY_AFTER_MS, pauseAfter } from './retryPolicy';
import type { Session } from './session';

/** The options of an item that all of its requests share. */
export interface ItemSettings {
	maxRetries: number;
	timeoutMs: number;
	sendOnceKey?: string;
	whenSentBefore?: 'unknown' | 'again';
}

/** The turns of an item's requests, and its free requests. */
export class ItemTurns {
	private readonly gate: Gate;
	private isHolding = false;

	constructor(
		readonly session: Session,
		protected readonly settings: ItemSettings,
		/** The run stops when this item ends with an error. */
		private readonly stopsRun: boolean,
		/** Called at each turn to send. */
		private readonly onTurn: () => void,
		/** Why the gateway cannot be asked about what the item has: another one made it. */
		barred?: Error,
	) {
		this.gate = new Gate(session.gate.signal);
		this.gate.barred = session.gate.barred ?? barred;
	}

	/** Sends nothing more of the item, for this reason; what is on record is still handed over. */
	refuse(error: Error): void {
		this.gate.refused = error;
	}

	/** Throws if the gateway cannot be asked about what the item has; what an earlier attempt has paid for is still handed over. */
	mustBeReachable(): void {
		this.gate.check('free');
	}

	/** Starts no further billed request of this item, because a segment has failed; those in flight go on. */
	giveUp(): void {
		this.gate.close('requestFailed');
	}

	/** After `giveUp`: the item goes on in another way. */
	goOn(): void {
		this.gate.reopen();
	}

	/** The item has ended. In stop mode an error stops the run; otherwise held requests go on. */
	protected endTurns(failed: boolean): void {
		const { runGate, concurrency } = this.session;
		if (failed && this.stopsRun) runGate.close('itemFailed');
		if (this.isHolding) concurrency.release();
		this.isHolding = false;
	}

	/** Whether the run has ended, or was put on hold, since a billed request got its turn. */
	protected get mayNotLeave(): boolean {
		return this.gate.signal.aborted || this.session.concurrency.isHeld;
	}

	/** Sends a free request, retried up to `maxRetries` times on failures that may pass. */
	async free<T>(request: FreeRequest<T>): Promise<T> {
		return await this.inTurns('free', async () => {
			const result = await this.tryFree(request);
			const { whenThrottled } = request;
			if (!whenThrottled || !isFailure(result) || result.outcome !== 'throttled') return result;
			return whenThrottled(result.retryAfter);
		});
	}

	/** Deletes. A 404 on a repeat counts as deleted, because the first response was lost. */
	async delete(endpoint: FreeEndpoint, about: ResourceRef): Promise<void> {
		await this.inTurns('free', async (failures) => {
			const read = async (response: GatewayResponse) =>
				(await notDeleted(this.session.transport, response, about)) ?? true;
			const result = await this.tryFree({ endpoint, read, about });
			const gone = failures > 0 && isFailure(result) && result.error.details.httpCode === '404';
			return gone || result;
		});
	}

	/**
	 * One try of a free request, for callers that ask again anyway (polls). All of it, its turn and its body included, is
	 * over by `deadline` (by `performance.now()`, ms).
	 */
	async freeOnce<T>(request: FreeRequest<T>, deadline: number): Promise<T | Failure> {
		const { limiter, transport } = this.session;
		const leftMs = Math.max(1, deadline - performance.now());
		if (limiter.closedFor() > leftMs) throw new NotStartedError('noTime');
		const over = abortsIn(leftMs);
		const ends = transport.cancel ? AbortSignal.any([transport.cancel, over]) : over;
		const ticket = await limiter.enter('free', ends).catch((error) => {
			throw over.aborted ? new NotStartedError('noTime') : asError(error);
		});
		this.onTurn();
		try {
			const result = await this.tryFree(request, over);
			if (isFailure(result)) slowDownAfter(result, ticket, pauseAfter(result, 0));
			return result;
		} finally {
			ticket.leave();
		}
	}

	/**
	 * Repeats `attempt` until it has a result, each time with a ticket of the limiter, and pauses longer after each failure
	 * that may pass. `attempt` gets the number of failures so far, and returns undefined to queue again. `givenUp` gets the
	 * last failure. Throws what has closed the gate.
	 */
	protected async inTurns<T>(
		billing: Billing,
		attempt: (failures: number) => Promise<T | Failure | undefined>,
		givenUp: (failure: Failure) => void = () => this.fail(),
	): Promise<T> {
		const { limiter, transport, patience } = this.session;
		const isBilled = billing === 'billed';
		const signal = isBilled ? this.gate.signal : transport.cancel;
		let pauseMs = 0;
		let failures = 0;
		let isRetrying = false;
		try {
			for (;;) {
				this.gate.check(billing);
				await pause(pauseMs, signal);
				pauseMs = 0;
				const ticket = await limiter.enter(billing, signal, failures === 0);
				this.onTurn();
				try {
					const result = await attempt(failures);
					if (result === undefined) continue;
					if (!isFailure(result)) {
						limiter.succeeded(billing);
						return result;
					}
					const { inRun } = OUTCOMES[result.outcome];
					if (isBilled && inRun === 'again') limiter.failed();
					else if (isBilled) limiter.answered();
					// Too little money is no failure of this request while others in flight may hold some: it goes again after them.
					if (inRun === 'afterOthers' && ticket.awaitOthers()) continue;
					pauseMs = pauseAfter(result, failures);
					const isImpatient = isBilled && patience.isOver(result.outcome);
					const goesOn =
						mayGoAgain(result.outcome) &&
						failures++ < (isImpatient ? 0 : this.settings.maxRetries) &&
						pauseMs <= MAX_RETRY_AFTER_MS;
					// A request that is given up need not hold back the others.
					slowDownAfter(result, ticket, goesOn ? pauseMs : 0);
					if (!goesOn) {
						givenUp(result);
						throw result.error;
					}
					if (isBilled && !isRetrying) limiter.beginRetrying();
					isRetrying ||= isBilled;
				} finally {
					ticket.leave();
				}
			}
		} finally {
			if (isRetrying) limiter.endRetrying();
		}
	}

	/**
	 * A request failed for good, or brought nothing of use. In stop mode, no other billed request starts until it is decided
	 * whether the item ends the run.
	 */
	fail(): void {
		this.giveUp();
		if (this.stopsRun && !this.isHolding) this.session.concurrency.hold();
		this.isHolding = this.stopsRun;
	}

	private async tryFree<T>(request: FreeRequest<T>, deadline?: AbortSignal): Promise<T | Failure> {
		const { transport } = this.session;
		return await exchangeFree(transport, request, this.settings.timeoutMs, deadline);
	}
}

/** After "too many requests", fewer run at once, and none for `milliseconds`. */
function slowDownAfter({ outcome }: Failure, ticket: Ticket, milliseconds: number): void {
	if (OUTCOMES[outcome].inRun === 'slower')
		ticket.slowDown(Math.min(milliseconds, MAX_RETRY_AFTER_MS));
}
