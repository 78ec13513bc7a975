import { GatewayError, type NotStartedError, type UnknownReason } from '../core/errors';
import { defined } from '../core/json';
import type { NodeCall } from '../engine/nodeCall';
import type { Failure } from './explain';
import type { Gate } from './gate';
import type { Stop, StoppingMemory } from './lasting';
import type { ErrorText } from './records';
import { isAccountWide, OUTCOMES } from './outcome';

/** This many unknown outcomes in a row mean an outage. */
const MOST_UNKNOWN_IN_A_ROW = 3;

/** Reasons that point to an outage; the others say nothing about whether the gateway works. */
const OUTAGE_REASONS = new Set<UnknownReason>([
	'upstream_outcome_unknown',
	'connection_lost',
	'client_timeout',
]);

/** Pause before one request may try again; doubles with every failure. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** A limiter that may begin again carefully. */
interface Resumable {
	sendOneByOne(): void;
}

type Retryable = Partial<Pick<NodeCall, 'canBeRetried' | 'isSavedOnFailure'>>;

/** A refusal lasts for all rounds of the execution, but each try of Retry On Fail asks again. */
const isPaused = ({ reason, at, tries }: Stop, attempt: number): boolean =>
	reason === 'refusal'
		? at > 0 && attempt === 1
		: Date.now() < at + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);

/**
 * Stops billed requests for the whole execution; those in flight go on. Sending is tried again one request at
 * a time, until one succeeds.
 */
abstract class Breaker {
	/** Whether nothing more is sent in this attempt. */
	hasTripped = false;

	/** `attempt`: of this round, from 1. */
	constructor(
		private readonly gate: Gate,
		limiter: Resumable,
		protected readonly memory: StoppingMemory,
		attempt: number,
	) {
		const { stop } = memory.value;
		if (stop && isPaused(stop, attempt)) this.trip(stop.reason);
		else if (stop) limiter.sendOneByOne();
	}

	/** For the user, who finds the unsent items among the errors. */
	get hint(): string {
		const cause =
			this.memory.value.stop?.said?.message ?? `${MOST_UNKNOWN_IN_A_ROW} unknown outcomes in a row`;
		return `Sending stopped: ${cause}. What was not sent by then was not charged; the errors say which items that are.`;
	}

	/** The error of an item that was not sent, or only in part. */
	protected unsent({ details, files }: NotStartedError, said: ErrorText): GatewayError {
		return new GatewayError(
			this.memory.value.stop?.reason === 'refusal'
				? `${said.message}: not sent`
				: `This item was not sent: ${said.message}`,
			said.description,
			{ ...said.details, ...details },
			files,
		);
	}

	protected end(reason: Stop['reason']): void {
		if (!this.hasTripped && this.memory.value.stop?.reason === reason)
			this.memory.set({ stop: undefined });
	}

	/** What stopped this run first stays the reason; all failures of one run count as one try. */
	protected stopFor(reason: Stop['reason'], said?: ErrorText): void {
		const { hasTripped } = this;
		const { stop } = this.memory.value;
		const before = stop?.reason === reason ? stop : undefined;
		if (hasTripped && !before) return;
		const { tries = -1 } = before ?? {};
		this.memory.set({
			stop: defined({
				reason,
				at: Date.now(),
				tries: hasTripped ? tries : tries + 1,
				said: before?.said ?? said,
			}),
		});
		this.trip(reason);
	}

	private trip(reason: Stop['reason']): void {
		this.hasTripped = true;
		this.gate.close(reason);
	}
}

/**
 * Stops what an account pays for: after several unknown outcomes in a row, so that an outage does not fill the review list, and
 * after a refusal that concerns the whole account.
 */
export class CircuitBreaker extends Breaker {
	constructor(gate: Gate, limiter: Resumable, memory: StoppingMemory, attempt: number) {
		super(gate, limiter, memory, attempt);
		// A refusal that does not hold for this attempt is forgotten: the account may have been topped up.
		this.end('refusal');
	}

	/** A request failed for good, and was certainly not charged. */
	failed({ outcome, error, who }: Failure): void {
		if (OUTCOMES[outcome].says === 'nothing') return;
		this.succeeded();
		if (!isAccountWide(who)) return;
		const { message, description, details } = error;
		const { httpCode, code } = details;
		this.stopFor('refusal', { message, description, details: defined({ httpCode, code }) });
	}

	/**
	 * A request has an unknown outcome. One of them keeps an outage alive; several in a row begin one. `isNothing`: its
	 * answer has nothing of what was asked for.
	 */
	unknown(reason: UnknownReason, isNothing = false): void {
		if (!OUTAGE_REASONS.has(reason) && !isNothing) return;
		const { unknownInRow: before = 0, stop } = this.memory.value;
		const unknownInRow = before + 1;
		this.memory.set({ unknownInRow });
		if (stop?.reason === 'outage' || unknownInRow >= MOST_UNKNOWN_IN_A_ROW) this.stopFor('outage');
	}

	/** An answer ends the row of unknown outcomes, but not an outage that has already tripped the breaker. */
	succeeded(): void {
		if (this.memory.value.unknownInRow !== undefined) this.memory.set({ unknownInRow: undefined });
		this.end('outage');
	}

	/** The error of an item that was not sent, or only in part. `unknown`: the account's items of unknown outcome. */
	notSent(error: NotStartedError, unknown: number, nodeCall: Retryable = {}): GatewayError {
		return this.unsent(error, this.memory.value.stop?.said ?? this.outage(unknown, nodeCall));
	}

	/** The error of an outage. It counts the unknown items or, while there are none, the unknown requests. */
	private outage(items: number, { canBeRetried, isSavedOnFailure }: Retryable): ErrorText {
		const { unknownInRow = 0 } = this.memory.value;
		const retry = `retry this execution${isSavedOnFailure ? '' : ', if it was saved'}: ${WHAT_A_RETRY_SENDS}`;
		const those = items > 0 ? plural(items, 'item') : plural(unknownInRow, 'request');
		return {
			message: `the outcome of ${those} is unknown, so the gateway or a proxy in front of it may be down`,
			description: `Sending stopped after ${MOST_UNKNOWN_IN_A_ROW} unknown outcomes in a row; nothing more was charged. Once the gateway works again, ${canBeRetried ? retry : RUN_AGAIN}.`,
			details: {},
		};
	}
}

/** Stops all that is paid for when n8n cannot store it. */
export class StoreBreaker extends Breaker {
	/** n8n could not store a file that was paid for; `words` are the store's own. */
	failed(words: string): void {
		this.stopFor('store', {
			message: 'n8n could not store a file that was paid for',
			description: `Nothing more was charged for it. Check the disk, or the database, of this n8n, then run what was not sent again. n8n says: "${words}"`,
			details: {},
		});
	}

	/** A paid file was stored: the store works again. */
	stored(): void {
		this.end('store');
	}

	/** The error of an item that was not sent, or only in part. */
	notSent(error: NotStartedError): GatewayError {
		const { message, description, details } = this.memory.value.stop?.said ?? NOT_STORED;
		return this.unsent(error, { message, description, details });
	}
}

const NOT_STORED: ErrorText = {
	message: 'n8n could not store a file',
	description: '',
	details: {},
};

const WHAT_A_RETRY_SENDS = 'it sends what was not sent, one request at a time until one succeeds';
const RUN_AGAIN =
	'run the items that were not sent in a new execution; with a "Send Once Key", all items can be run again';

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
