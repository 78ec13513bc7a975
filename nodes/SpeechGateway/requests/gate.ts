import { NotStartedError, type NotStartedReason } from '../core/errors';
import type { Billing } from '../gateway/endpoints';

/**
 * Whether requests may start, and why not. A run has a gate, each account has one in it, and each item one in that of
 * its account. A gate closes for billed requests: those that wait end with its reason, those in flight go on. Free ones
 * still pass, since what is paid for is fetched; where there is nobody to ask, the gate is barred for them, too. Other
 * reasons to send nothing never come to a gate: a request on record is answered from the ledger, one that another
 * execution has sent ends as unknown (`claims`), and the spending limit refuses items before they start.
 */
export class Gate {
	/** Why no request may start at all, free ones included: no account, or another gateway's task. */
	barred?: Error;
	/** Why no billed request of an item may start, whatever the gates around it say. */
	refused?: Error;
	/** Aborts when this gate closes, or one around it. One for many requests: signals made of others cost time and memory. */
	signal!: AbortSignal;
	private closing!: AbortController;

	/** `around`: the signal of the gate that it stands in or, for that of a run, n8n's for Stop. */
	constructor(private readonly around?: AbortSignal) {
		this.reopen();
	}

	close(reason: NotStartedReason): void {
		this.closing.abort(new NotStartedError(reason));
	}

	/** After it closed for `requestFailed`: its item goes on in another way. */
	reopen(): void {
		this.closing = new AbortController();
		const own = this.closing.signal;
		this.signal = this.around ? AbortSignal.any([this.around, own]) : own;
	}

	/** Throws why a request may not start, if it may not. */
	check(billing: Billing): void {
		if (billing === 'billed' && this.refused) throw this.refused;
		if (this.barred) throw this.barred;
		if (billing === 'billed') this.signal.throwIfAborted();
	}
}
