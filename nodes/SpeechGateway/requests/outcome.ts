import { isRecord } from '../core/json';
import type { TransportFailure } from '../gateway/transportFailure';

/**
 * What became of one request; docs/never-billed-twice.md has the table. Nothing else in the package decides whether a
 * request may be sent again.
 */
export type Outcome =
	| 'done' /* a 2xx; whether its body is whole shows only when it is read */
	| 'notSent' /* certain that nothing left this machine: retry */
	| 'throttled' /* 429: not charged; slow down, retry */
	| 'transient' /* upstream error: retry a few times */
	| 'cut' /* 524: not charged, but the same request would be cut again */
	| 'refused' /* the gateway said no: retrying changes nothing */
	| 'unknown'; /* it may have been charged: never again */

/** Conflict, too early: a download asked for before its file is there, free to ask for again. */
const TOO_EARLY = new Set([409, 425]);

/**
 * Cloudflare's errors from before the gateway had anything: it could not connect (521), find a route (523), or agree on TLS
 * (525, 526). A 503 is not among them: Heroku, Azure Front Door and Envoy send one while the gateway works on.
 */
const NEVER_REACHED = new Set([521, 523, 525, 526]);

/** The code by which the gateway says that it does not know what became of a request. */
const OUTCOME_UNKNOWN = 'upstream_outcome_unknown';

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * The outcome of a request by the status and the body (JSON or text) of its answer. Free requests (GET, DELETE) are never
 * unknown: they may simply be asked again. After a server error, a billed one is only sent again when the gateway itself
 * reports the error: a proxy that lost the gateway's answer cannot know what was charged.
 */
export function classifyStatus(status: number, billed: boolean, body?: unknown): Outcome {
	if (isSuccess(status)) return 'done';
	if (billed && codeOf(body) === OUTCOME_UNKNOWN) return 'unknown';
	if (status === 429) return 'throttled';
	if (status === 408 || status === 504) return billed ? 'unknown' : 'transient';
	if (status === 524) return billed ? 'cut' : 'transient';
	if (status >= 500) {
		const certain = !billed || NEVER_REACHED.has(status) || isGatewayError(body);
		return certain ? 'transient' : 'unknown';
	}
	if (!billed && TOO_EARLY.has(status)) return 'transient';
	return 'refused';
}

/** The fields of which the gateway's `error` object has at least one. */
const ERROR_FIELDS = ['message', 'code', 'type'];

/**
 * Whether an answer is the gateway's own: JSON whose `error` is an object that says something. Proxies send pages, text, or
 * JSON such as `{ "message": … }` (Kong, AWS) and `{ "error": "Service Unavailable" }` (Spring).
 */
export function isGatewayError(body: unknown): boolean {
	const error = isRecord(body) ? body.error : undefined;
	return isRecord(error) && ERROR_FIELDS.some((field) => isSaid(error[field]));
}

const isSaid = (value: unknown): boolean =>
	typeof value === 'string' ? value.trim() !== '' : typeof value === 'number';

function codeOf(body: unknown): unknown {
	if (!isRecord(body)) return undefined;
	return isRecord(body.error) ? (body.error.code ?? body.error.type) : (body.code ?? body.error);
}

/** The outcome of a request that got no answer. */
export function classifyFailure(
	failure: TransportFailure,
	billed: boolean,
): 'notSent' | 'unknown' | 'transient' {
	if (failure === 'notSent') return 'notSent';
	return billed ? 'unknown' : 'transient';
}

export const mayBeSentAgain = (outcome: Outcome): boolean =>
	outcome === 'notSent' || outcome === 'throttled' || outcome === 'transient';
