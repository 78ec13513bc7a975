import { GatewayError, type NotStartedError, type UnknownReason } from '../core/errors';
import { given } from '../core/json';
import type { Execution } from '../engine/execution';
import type { ConcurrencyLimiter } from '../gateway/concurrencyLimiter';
import type { Failure } from './explain';
import type { LastingRecord, Stop } from './lasting';
import type { ErrorText } from './records';
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

type Retryable = Partial<Pick<Execution, 'canBeRetried' | 'isKeptOnFailure'>>;

/** A refusal lasts for all rounds of the execution, but each try of Retry On Fail asks again. */
const isPaused = ({ why, at, tries }: Stop, attempt: number): boolean =>
	why === 'refusal'
		? at > 0 && attempt === 1
		: Date.now() < at + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);

/**
 * Stops billed requests for the whole execution: after several unknown outcomes in a row, so that an outage does not fill the
 * review list; after a refusal that concerns the whole account; and when n8n cannot store what is paid for. Those in flight
 * go on. Where it is tried again, one request at a time is sent until one succeeds.
 */
export class CircuitBreaker {
	/** Whether the run sends nothing more. */
	hasTripped = false;

	/** `attempt`: of this round, from 1. */
	constructor(
		private readonly limiter: ConcurrencyLimiter,
		private readonly lasting: LastingRecord,
		attempt: number,
	) {
		const { stop } = this;
		if (stop && isPaused(stop, attempt)) this.trip();
		else if (stop) limiter.sendOneByOne();
		if (!this.hasTripped) this.end('refusal');
	}

	/** For the user, who finds the unsent items among the errors. */
	get hint(): string {
		const why = this.stop?.said?.message ?? `${MOST_UNKNOWN_IN_A_ROW} unknown outcomes in a row`;
		return `Sending stopped: ${why}. What was not sent by then was not charged; the errors say which items that are.`;
	}

	/** A request failed for good, and was certainly not charged. */
	failed({ outcome, error, who }: Failure): void {
		// Nothing was sent, or a proxy cut the request: the gateway itself has said nothing.
		if (outcome === 'notSent' || outcome === 'cut') return;
		this.succeeded();
		if (!isAccountWide(who)) return;
		const { message, description, details } = error;
		const { httpCode, code } = details;
		this.stopFor('refusal', { message, description, details: given({ httpCode, code }) });
	}

	unknown(reason: UnknownReason): void {
		if (!OUTAGE_REASONS.has(reason)) return;
		const unknownInRow = (this.lasting.value.unknownInRow ?? 0) + 1;
		this.lasting.set({ unknownInRow });
		if (this.stop?.why === 'outage' || unknownInRow >= MOST_UNKNOWN_IN_A_ROW)
			this.stopFor('outage');
	}

	/** n8n could not store a file that was paid for; `why` in its words. */
	notStored(why: string): void {
		const description = `Nothing more was charged for it. Check the disk, or the database, of this n8n, then run what was not sent again. n8n says: "${why}"`;
		this.stopFor('store', {
			message: 'n8n could not store a file that was paid for',
			description,
			details: {},
		});
	}

	get storeFailed(): boolean {
		return this.hasTripped && this.stop?.why === 'store';
	}

	stored(): void {
		if (!this.hasTripped) this.end('store');
	}

	/** The error of an item that was not sent, or only in part. `unknown`: number of items whose outcome is unknown. */
	notSent(
		{ details, files }: NotStartedError,
		unknown: number,
		execution: Retryable = {},
	): GatewayError {
		const { why, said = this.outage(unknown, execution) } = this.stop ?? {};
		return new GatewayError(
			why === 'refusal' ? `${said.message}: not sent` : `This item was not sent: ${said.message}`,
			said.description,
			{ ...said.details, ...details },
			files,
		);
	}

	private outage(items: number, { canBeRetried, isKeptOnFailure }: Retryable): ErrorText {
		const { unknownInRow = 0 } = this.lasting.value;
		const retry = `retry this execution${isKeptOnFailure ? '' : ', if it was saved'}: ${WHAT_A_RETRY_SENDS}`;
		const those = items > 0 ? plural(items, 'item') : plural(unknownInRow, 'request');
		return {
			message: `the outcome of ${those} is unknown, so the gateway or a proxy in front of it may be down`,
			description: `Sending stopped after ${MOST_UNKNOWN_IN_A_ROW} unknown outcomes in a row; nothing more was charged. Once the gateway works again, ${canBeRetried ? retry : RUN_AGAIN}.`,
			details: {},
		};
	}

	/** The gateway has answered, which ends a row. Once sending has stopped, answers to what was in flight do not end the outage. */
	succeeded(): void {
		if (this.lasting.value.unknownInRow !== undefined)
			this.lasting.set({ unknownInRow: undefined });
		if (!this.hasTripped) this.end('outage');
	}

	private get stop(): Stop | undefined {
		return this.lasting.value.stop;
	}

	private end(why: Stop['why']): void {
		if (this.stop?.why === why) this.lasting.set({ stop: undefined });
	}

	/** What stopped this run first stays the reason; all failures of one run count as one try. */
	private stopFor(why: Stop['why'], said?: Stop['said']): void {
		const { hasTripped } = this;
		const before = this.stop?.why === why ? this.stop : undefined;
		if (hasTripped && !before) return;
		const { tries = -1 } = before ?? {};
		const at = Date.now();
		this.lasting.set({
			stop: { why, at, tries: hasTripped ? tries : tries + 1, said: before?.said ?? said },
		});
		this.trip();
	}

	private trip(): void {
		this.hasTripped = true;
		this.limiter.stop('The run sends nothing more');
	}
}

const WHAT_A_RETRY_SENDS = 'it sends what was not sent, one request at a time until one succeeds';
const RUN_AGAIN =
	'run the items that were not sent in a new execution; with a "Send Once Key", all items can be run again';

const plural = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;
