import { GatewayError, type NotStartedError, type UnknownReason } from '../core/errors';
import type { ConcurrencyLimiter } from '../gateway/concurrencyLimiter';
import type { Failure } from './exchange';
import type { LastingRecord, Stop } from './lasting';
import { isAccountWide } from './outcome';

/** This many unknown outcomes in a row mean an outage. */
const MOST_UNKNOWN_IN_A_ROW = 3;

/** Reasons that point to an outage; the others say nothing about whether the gateway works. */
const OUTAGE_REASONS = new Set<UnknownReason>([
	'upstream_outcome_unknown',
	'connection_lost',
	'client_timeout',
]);

/** One request may try this long after the last failure, and after twice as long each time that it fails again. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

const isPaused = (stop?: Stop): boolean =>
	stop !== undefined &&
	Date.now() < stop.at + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** stop.tries);

/**
 * Stops billed requests for the whole execution: after several unknown outcomes in a row, so that an outage does not fill the
 * review list; after a refusal that concerns the whole account; and when n8n cannot store what is paid for. Those in flight
 * go on. Where it is tried again, one request at a time is sent until one succeeds.
 */
export class CircuitBreaker {
	/** Whether the run sends nothing more. */
	hasTripped = false;
	private unknowns = 0;

	/** `attempt`: of this round, from 1: Retry On Fail asks again after a refusal, the next round of a loop does not. */
	constructor(
		private readonly limiter: ConcurrencyLimiter,
		private readonly lasting: LastingRecord,
		attempt: number,
	) {
		const { outage, store, refusal } = lasting.value;
		if (isPaused(outage) || isPaused(store) || (refusal && attempt === 1)) this.trip();
		else if (outage || store || refusal || lasting.retriesRefused) limiter.sendOneByOne();
		if (!this.hasTripped) lasting.set({ refusal: undefined });
	}

	/** For the user, who finds the unsent items among the errors. */
	get hint(): string {
		const { refusal, store } = this.lasting.value;
		const why =
			refusal?.message ??
			(store ? NOT_STORED : `${MOST_UNKNOWN_IN_A_ROW} unknown outcomes in a row`);
		return `Sending stopped: ${why}. What was not sent by then was not charged; the errors say which items that are.`;
	}

	/** A request failed for good, and was certainly not charged. */
	failed({ outcome, error, who }: Failure): void {
		// Nothing was sent, or a proxy cut the request: the gateway itself has said nothing.
		if (outcome === 'notSent' || outcome === 'cut') return;
		this.succeeded();
		const { message, description, details } = error;
		if (!isAccountWide(who)) return;
		const { httpCode, code } = details;
		const said = { httpCode, ...(code !== undefined && { code }) };
		if (!this.lasting.value.refusal)
			this.lasting.set({ refusal: { message, description, details: said } });
		this.trip();
	}

	unknown(reason: UnknownReason): void {
		if (!OUTAGE_REASONS.has(reason)) return;
		this.unknowns++;
		const unknownInRow = (this.lasting.value.unknownInRow ?? 0) + 1;
		const { outage } = this.lasting.value;
		this.lasting.set({ unknownInRow });
		if (!outage && unknownInRow < MOST_UNKNOWN_IN_A_ROW) return;
		this.lasting.set({ outage: this.failedAgain(outage) });
		this.trip();
	}

	/** n8n could not store a file that was paid for; `why` in its words. */
	notStored(why: string): void {
		this.lasting.set({ store: { ...this.failedAgain(this.lasting.value.store), why } });
		this.trip();
	}

	get storeFailed(): boolean {
		return this.hasTripped && this.lasting.value.store !== undefined;
	}

	stored(): void {
		if (!this.hasTripped && this.lasting.value.store) this.lasting.set({ store: undefined });
	}

	/** The error of an item that was not sent, or only in part. `unknown`: number of items whose outcome is unknown. */
	notSent({ details, files }: NotStartedError, unknown: number, canRetry = true): GatewayError {
		const { refusal, store, unknownInRow } = this.lasting.value;
		if (refusal) {
			const { message, description } = refusal;
			return new GatewayError(
				`${message}: not sent`,
				description,
				{ ...refusal.details, ...details },
				files,
			);
		}
		if (store) {
			return new GatewayError(
				`This item was not sent: ${NOT_STORED}`,
				`Nothing more was charged for it. Check the disk, or the database, of this n8n, then run what was not sent again. n8n says: "${store.why}"`,
				details,
				files,
			);
		}
		const those =
			this.unknowns > 0 ? plural(unknown, 'item') : plural(unknownInRow ?? 0, 'request');
		return new GatewayError(
			`This item was not sent: the outcome of ${those} is unknown, so the gateway or a proxy in front of it may be down`,
			`Sending stopped after ${MOST_UNKNOWN_IN_A_ROW} unknown outcomes in a row; nothing more was charged. Once the gateway works again, ${canRetry ? RETRY : RUN_AGAIN}.`,
			details,
			files,
		);
	}

	/** The gateway has answered, which ends a row. Once sending has stopped, answers to what was in flight do not end the outage. */
	succeeded(): void {
		const { unknownInRow, outage } = this.lasting.value;
		if (unknownInRow === undefined && !outage) return;
		this.lasting.set({ unknownInRow: undefined, ...(!this.hasTripped && { outage: undefined }) });
	}

	/** All failures of one run count as one try. */
	private failedAgain(stop: Stop | undefined): Stop {
		const { tries = -1 } = stop ?? {};
		return { at: Date.now(), tries: this.hasTripped ? Math.max(0, tries) : tries + 1 };
	}

	private trip(): void {
		this.hasTripped = true;
		this.limiter.stop('The run sends nothing more');
	}
}

const NOT_STORED = 'n8n could not store a file that was paid for';

const RETRY =
	'retry this execution: it sends what was not sent, one request at a time until one succeeds';
const RUN_AGAIN =
	'run the items that were not sent in a new execution; with a "Send Once Key", all items can be run again';

const plural = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;
