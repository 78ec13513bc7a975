/**
 * What became of one request. The table of the contract ("What counts as what") as pure data: nothing else in the
 * package decides whether a request may be sent again.
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

/** Time-out, conflict, too early: a download asked for before its file is there, free to ask for again. */
const TOO_EARLY = new Set([408, 409, 425]);

/** Of an answer with a status. Free requests (GET, DELETE) are never unknown: they may simply be asked again. */
export function classifyStatus(status: number, billed: boolean): Outcome {
	if (status >= 200 && status < 300) return 'done';
	if (status === 429) return 'notCharged';
	if (status === 504) return billed ? 'unknown' : 'transient';
	if (status === 524) return billed ? 'cut' : 'transient';
	if (status >= 500) return 'transient';
	if (!billed && TOO_EARLY.has(status)) return 'transient';
	return 'refused';
}

/** Of a request that got no answer. */
export function classifyFailure(
	failure: TransportFailure,
	billed: boolean,
): 'notSent' | 'unknown' | 'transient' {
	if (failure === 'notSent') return 'notSent';
	return billed ? 'unknown' : 'transient';
}

export const mayBeSentAgain = (outcome: Outcome): boolean =>
	outcome === 'notSent' || outcome === 'notCharged' || outcome === 'transient';

const CERTAINLY_NOT_SENT = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EAI_FAIL',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENETDOWN',
	'EADDRNOTAVAIL',
	'ERR_INVALID_URL',
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'CERT_UNTRUSTED',
	'CERT_REVOKED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'HOSTNAME_MISMATCH',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'ERR_SSL_WRONG_VERSION_NUMBER',
]);

/** Messages that are as certain as a code: the TLS handshake failed, or n8n's SSRF protection refused the address. */
const CERTAIN_MESSAGES =
	/before secure TLS connection was established|wrong version number|request was blocked because|ssrfblocked|domain not allowed/i;

const TIMEOUT_CODES = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);

/**
 * Of an error thrown in place of an answer, by the system's error code, name and message. "Not sent" only when that is
 * certain; whatever is not recognised counts as lost on the way.
 */
export function transportFailure(error: {
	code?: string;
	name?: string;
	message?: string;
}): TransportFailure {
	if (error.code && CERTAINLY_NOT_SENT.has(error.code)) return 'notSent';
	if (CERTAIN_MESSAGES.test(`${error.name ?? ''} ${error.message ?? ''}`)) return 'notSent';
	if (error.code && TIMEOUT_CODES.has(error.code)) return 'timeout';
	return 'lost';
}
