import { NotStartedError, type NotStartedReason } from '../core/errors';

/**
 * Whether billed requests may start. A run has a gate, each account has one in it, and each item one in that of its account.
 * A gate closes once, and what waits ends with its reason; what is in flight goes on, and free requests still pass: what is
 * paid for is fetched.
 */
export class Gate {
	private readonly closing = new AbortController();
	/** Aborts when this gate closes, or one around it. One for many requests: signals made of others cost time and memory. */
	readonly signal: AbortSignal;

	/** `around`: the gate that it stands in or, for that of a run, n8n's signal for Stop. */
	constructor(around?: AbortSignal) {
		const own = this.closing.signal;
		this.signal = around ? AbortSignal.any([around, own]) : own;
	}

	close(reason: NotStartedReason): void {
		this.closing.abort(new NotStartedError(reason));
	}
}
