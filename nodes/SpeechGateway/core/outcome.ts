import { isRecord } from './json';

/**
 * What became of one request; docs/never-billed-twice.md has the table. Nothing else in the package decides whether a
 * request may be sent again.
 */
export type Outcome =
	| 'done' /* a 2xx; whether its body is whole shows only when it is read */
	| 'notSent' /* certain that nothing left this machine: retry */
	| 'notCharged' /* 429: slow down, retry */
	| 'transient' /* upstream error: retry a few times */
	| 'cut' /* 524: not charged, but the same request would be cut again */
	| 'refused' /* the gateway said no: retrying changes nothing */
	| 'unknown'; /* it may have been charged: never again */

export type UnknownReason =
	| 'upstream_outcome_unknown'
	| 'connection_lost'
	| 'client_timeout'
	| 'damaged_response'
	| 'interrupted'
	| 'already_sent';

export type TransportFailure = 'notSent' | 'timeout' | 'lost';

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
	if (status === 429) return 'notCharged';
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
	outcome === 'notSent' || outcome === 'notCharged' || outcome === 'transient';

/** Codes that only come up before a connection is there: name resolution, the certificate, the address itself. */
const CERTAINLY_NOT_SENT = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EAI_FAIL',
	'ERR_INVALID_URL',
	'CERT_CHAIN_TOO_LONG',
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'CERT_REJECTED',
	'CERT_REVOKED',
	'CERT_SIGNATURE_FAILURE',
	'CERT_UNTRUSTED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'ERROR_IN_CERT_NOT_AFTER_FIELD',
	'ERROR_IN_CERT_NOT_BEFORE_FIELD',
	'INVALID_CA',
	'INVALID_PURPOSE',
	'PATH_LENGTH_EXCEEDED',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
	'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'HOSTNAME_MISMATCH',
	'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** System calls that come before the connection. EHOSTUNREACH, ETIMEDOUT … of any other may come after the request. */
const CONNECTING = /^(connect|getaddrinfo)$/;

/** Messages that are as certain as a code. */
const CERTAIN_MESSAGES = [
	// The system's words for such a call, where n8n keeps no more than the message.
	/\b(connect|getaddrinfo) E[A-Z_]+\b/,
	// The TLS handshake failed. ("wrong version number" may also come after the request.)
	/before secure TLS connection was established/,
	// An HTTPS proxy closed the connection, or spoke no HTTP, instead of making a tunnel.
	/proxy CONNECT response|before receiving CONNECT response/,
	// n8n's SSRF protection refused the address.
	/request was blocked because|ssrfblocked|domain not allowed/i,
];

/**
 * TLS alerts that end a handshake (RFC 8446, section 6.2, and the IANA registry): no server has read a request then, not
 * even when the alert comes after the client's last word of the handshake. Alerts that may also come later (10, 20, 22,
 * 80 …) are not among them.
 */
const HANDSHAKE_ALERTS = new Set([
	40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 60, 70, 71, 86, 109, 110, 111, 112, 113, 114, 115,
	116, 120, 121,
]);

const TIMEOUT_CODES = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);

/** What is known of an error thrown in place of an answer. */
export interface TransportErrorFacts {
	code?: string;
	syscall?: string;
	name?: string;
	message?: string;
	/** The TLS handshake was not finished, so nothing of the request had left. */
	isHandshaking?: boolean;
}

/** "Not sent" only when that is certain; whatever is not recognised counts as lost on the way. */
export function transportFailure(error: TransportErrorFacts): TransportFailure {
	const { code = '', syscall = '', name = '', message = '', isHandshaking } = error;
	const text = `${name} ${message}`;
	const alert = /SSL alert number (\d+)/.exec(message)?.[1];
	if (
		isHandshaking ||
		CERTAINLY_NOT_SENT.has(code) ||
		CONNECTING.test(syscall) ||
		CERTAIN_MESSAGES.some((certain) => certain.test(text)) ||
		(alert !== undefined && HANDSHAKE_ALERTS.has(Number(alert)))
	) {
		return 'notSent';
	}
	return TIMEOUT_CODES.has(code) ? 'timeout' : 'lost';
}
