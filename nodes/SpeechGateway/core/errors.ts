import { defined, type Json } from './json';

/** Why the outcome of a billed request is unknown. */
export type UnknownReason =
	| 'upstream_outcome_unknown'
	| 'connection_lost'
	| 'client_timeout'
	| 'damaged_response'
	| 'not_stored'
	| 'interrupted'
	| 'already_sent';

/** What was thrown, as an Error: libraries throw texts and objects, too. */
export const asError = (thrown: unknown): Error =>
	thrown instanceof Error ? thrown : new Error(String(thrown));

/** How most descriptions of bad input end: after an error, people want to know whether it cost them anything. */
export const NOTHING_SENT = 'Nothing was sent and nothing was charged.';

/** Bad input, found before anything was sent. Message = what is wrong, description = what to do. */
export class InputError extends Error {
	constructor(
		message: string,
		readonly description = NOTHING_SENT,
	) {
		super(message);
	}
}

/** A required field without a value, as rows of a table often have. */
export class EmptyFieldError extends InputError {
	constructor(
		message: string,
		/** What to do, as part of a sentence. */
		readonly advice: string,
	) {
		super(message, `${advice}. ${NOTHING_SENT}`);
	}
}

interface Cause {
	/** The status as text: n8n's errors have it so. */
	httpCode?: string;
	/** Under which the gateway's log and its operator know the request. */
	requestId?: string;
	/** The system's (ECONNRESET …) or the gateway's. */
	code?: string;
	/** Where a redirect leads. */
	location?: string;
	/** A 2xx that brought nothing but an error: see `ErrorAnswer`. */
	probablyFree?: true;
}

/** Facts that go along with an error, into its item or n8n's error: plain JSON, for workflows to read. */
export interface ErrorDetails extends Cause {
	jobId?: string;
	segments?: { total: number; completed: number; unknown: number };
	[key: string]: Json;
}

/** Files of n8n's binary store that go along with an error, so that nothing paid for is lost. */
export type AttachedFiles = Record<string, object>;

/** An error that may come in the middle of a long text: its details say what is done, and what remains. */
class PartialError extends Error {
	constructor(
		message: string,
		readonly details: ErrorDetails = {},
		readonly files: AttachedFiles = {},
	) {
		super(message);
	}
}

/** The gateway said no, or could not be reached. Message = what happened, description = what to do next. */
export class GatewayError extends PartialError {
	constructor(
		message: string,
		readonly description: string,
		details?: ErrorDetails,
		files?: AttachedFiles,
	) {
		super(message, details, files);
	}
}

/**
 * A synchronous request ran past the gateway's limit (524), or one as long did. Not charged, and never the same request
 * again.
 */
export class RequestCutError extends GatewayError {}

/** What is known of a billed request that may have been charged; plain JSON, kept in the ledger. */
export interface UnknownFacts extends Cause {
	reason: UnknownReason;
	message: string;
	description?: string;
	sentAt: string;
	endedAt: string;
	inputHash: string;
	model: string;
	/** The header that the request's ID came in. */
	idHeader?: string;
	/** Names the account; unknown where another execution has sent the request. */
	paidBy?: string;
	/** The other requests of the run around that time, by which it is found in the gateway's usage log. */
	neighbours?: object;
}

/** When a request left, a hash of what it asks for, of which model, and who pays. */
export type Sent = Pick<UnknownFacts, 'sentAt' | 'inputHash' | 'model' | 'paidBy'>;

/** A billed request may have been charged and its result is not at hand. Nothing may ever send it again. */
export class OutcomeUnknownError extends PartialError {
	constructor(
		readonly facts: UnknownFacts,
		details?: ErrorDetails,
		files?: AttachedFiles,
	) {
		super(facts.message, details, files);
	}
}

/** The error of a request that may have been charged; its facts are plain JSON, for the ledger. */
export function outcomeUnknown(
	reason: UnknownReason,
	{ sentAt, inputHash, model, paidBy }: Sent,
	cause?: GatewayError,
	{ neighbours, idHeader }: Pick<UnknownFacts, 'neighbours' | 'idHeader'> = {},
): OutcomeUnknownError {
	const { httpCode, requestId, code, location, probablyFree }: Cause = cause?.details ?? {};
	const facts: UnknownFacts = defined({
		reason,
		message: [WHAT_HAPPENED[reason], !SAYS_ALL.has(reason) && cause?.message]
			.filter(Boolean)
			.join(': '),
		httpCode,
		requestId,
		code,
		location,
		probablyFree,
		description: reason === 'not_stored' ? cause?.description : undefined,
		sentAt,
		endedAt: new Date().toISOString(),
		inputHash,
		model,
		paidBy,
		neighbours,
		idHeader,
	});
	return new OutcomeUnknownError(facts, {}, cause?.files);
}

/** Without an answer, the cause is the same in the words of the system; its code is among the facts. */
const SAYS_ALL = new Set<UnknownReason>(['connection_lost', 'client_timeout']);

const WHAT_HAPPENED: Record<UnknownReason, string> = {
	upstream_outcome_unknown: 'It is not known whether the request was carried out',
	connection_lost: 'The connection was lost after the request was sent',
	client_timeout: 'No answer came within the timeout after the request was sent',
	damaged_response: 'The gateway reported success, but the result is damaged',
	not_stored: 'It was carried out and charged, but n8n could not store the file',
	interrupted: 'The run was interrupted while the request was under way',
	already_sent: 'Another execution has sent this request before',
};

/** A 2xx that brought nothing but an error: it was probably not charged. */
export class ErrorAnswer extends Error {
	constructor(said: string) {
		super(`the answer is an error, and was probably not charged: "${said}"`);
	}
}

/** A result that was paid for came damaged; what came of it is attached. */
export class DamagedResultError extends Error {
	constructor(
		message: string,
		readonly files: AttachedFiles,
		readonly cause?: unknown,
		/** Nothing of what was asked for is in it: a page, a text, no byte, a header alone. */
		readonly isNothing = saysNothing(cause),
	) {
		super(message);
	}
}

/** Whether an error says that nothing came, as that of a damaged file may. */
export const saysNothing = (error: unknown): boolean =>
	error instanceof Error && 'isNothing' in error && error.isNothing === true;

/** n8n could not store a file that was paid for; `words` are the store's own. */
export class NotStoredError extends Error {
	readonly words: string;

	constructor(failure: Error) {
		super('n8n could not store the file');
		const { message } = failure;
		this.words =
			failure instanceof NotStoredError
				? failure.words
				: ABORTED.test(message)
					? 'no reason'
					: message;
	}
}

const ABORTED = /abort/i;

/** Why a request did not start. Of an outage, a refusal of the account and a failed store, its item tells. */
const NOT_STARTED = {
	cancelled: 'The run was cancelled',
	itemFailed: 'Another item failed',
	requestFailed: 'Another request of this item failed',
	outage: 'Too many outcomes are unknown',
	refusal: 'The gateway refuses the account',
	store: 'n8n could not store a file',
	noTime: 'There was no room for the request in time',
};

/** See `NOT_STARTED`; also the reason with which a gate closes. */
export type NotStartedReason = keyof typeof NOT_STARTED;

/** A request that was not started. Nothing was sent. */
export class NotStartedError extends PartialError {
	constructor(
		readonly reason: NotStartedReason,
		details?: ErrorDetails,
		files?: AttachedFiles,
	) {
		super(NOT_STARTED[reason], details, files);
	}

	/** Whether sending has stopped while the run goes on: the item says so. */
	get hasStopped(): boolean {
		return this.reason === 'outage' || this.reason === 'refusal' || this.reason === 'store';
	}
}
