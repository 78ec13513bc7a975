import {
	type ErrorDetails,
	GatewayError,
	type NotStartedError,
	type UnknownReason,
} from '../core/errors';
import type { ConcurrencyLimiter } from '../gateway/concurrencyLimiter';
import type { Failure } from './exchange';
import type { RunRecord } from './records';

/** This many unknown outcomes in a row mean an outage. */
const MOST_UNKNOWN_IN_A_ROW = 3;

/** Reasons that point to an outage; the others say nothing about whether the gateway works. */
const OUTAGE_REASONS = new Set<UnknownReason>([
	'upstream_outcome_unknown',
	'connection_lost',
	'client_timeout',
]);

/** Refusals that every other billed request would get, too: the key is not accepted, the balance is too low. */
const ACCOUNT_WIDE = new Set(['401', '402']);

/** In the ledger, so that a retry knows of the outage. */
export type UnknownRow = Pick<RunRecord, 'unknownInRow'>;

/**
 * Stops billed requests for the whole run: after several unknown outcomes in a row, so that an outage does not fill the
 * review list, and after a refusal that concerns the whole account. Those in flight go on. A run that retries after an outage
 * sends one request at a time until one succeeds.
 */
export class CircuitBreaker {
	private refusal: GatewayError | undefined;
	private isOpen = false;

	constructor(
		private readonly limiter: ConcurrencyLimiter,
		private readonly row: UnknownRow = {},
	) {
		if (this.isOutage) limiter.sendOneByOne();
	}

	/** Whether the run sends nothing more. */
	get hasTripped(): boolean {
		return this.isOpen;
	}

	/** For the user, who finds the unsent items among the errors. */
	get hint(): string {
		const why = this.refusal?.message ?? `${MOST_UNKNOWN_IN_A_ROW} unknown outcomes in a row`;
		return `Sending stopped: ${why}. What was not sent by then was not charged; the errors say which items that are.`;
	}

	succeeded(): void {
		delete this.row.unknownInRow;
	}

	/** A request failed for good, and was certainly not charged. */
	failed({ outcome, error }: Failure): void {
		// Nothing was sent, or a proxy cut the request: the gateway itself has said nothing.
		if (outcome === 'notSent' || outcome === 'cut') return;
		delete this.row.unknownInRow;
		if (!ACCOUNT_WIDE.has(error.details.httpCode ?? '')) return;
		this.refusal ??= error;
		this.trip();
	}

	unknown(reason: UnknownReason): void {
		if (!OUTAGE_REASONS.has(reason)) return;
		this.row.unknownInRow = (this.row.unknownInRow ?? 0) + 1;
		if (this.isOutage) this.trip();
	}

	/** The error of an item that was not sent, or only in part. `unknown`: number of items whose outcome is unknown. */
	notSent({ details, files }: NotStartedError, unknown: number): GatewayError {
		if (this.refusal) {
			const { message, description } = this.refusal;
			const { httpCode, code } = this.refusal.details;
			const same: ErrorDetails = { httpCode, ...(code !== undefined && { code }), ...details };
			return new GatewayError(`${message}: not sent`, description, same, files);
		}
		const items = unknown === 1 ? '1 item' : `${unknown} items`;
		return new GatewayError(
			`This item was not sent: the outcome of ${items} is unknown, so the gateway or a proxy in front of it may be down`,
			`Sending stopped after ${MOST_UNKNOWN_IN_A_ROW} unknown outcomes in a row; nothing more was charged. Once the gateway works again, retry this execution: it sends what was not sent, one request at a time until one succeeds.`,
			details,
			files,
		);
	}

	private get isOutage(): boolean {
		return (this.row.unknownInRow ?? 0) >= MOST_UNKNOWN_IN_A_ROW;
	}

	private trip(): void {
		this.isOpen = true;
		this.limiter.stop('The run sends nothing more');
	}
}
