/** What became of a request that got no answer. `lost`: it may have arrived. */
export type TransportFailure = 'notSent' | 'timeout' | 'lost';

/** Error codes from before a connection exists: name resolution, the certificate, the address itself. */
const CERTAINLY_NOT_SENT = new Set(
	`
	ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL ERR_INVALID_URL CERT_CHAIN_TOO_LONG CERT_HAS_EXPIRED
	CERT_NOT_YET_VALID CERT_REJECTED CERT_REVOKED CERT_SIGNATURE_FAILURE CERT_UNTRUSTED
	DEPTH_ZERO_SELF_SIGNED_CERT ERROR_IN_CERT_NOT_AFTER_FIELD ERROR_IN_CERT_NOT_BEFORE_FIELD
	INVALID_CA INVALID_PURPOSE PATH_LENGTH_EXCEEDED SELF_SIGNED_CERT_IN_CHAIN
	UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY UNABLE_TO_DECRYPT_CERT_SIGNATURE UNABLE_TO_GET_ISSUER_CERT
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE HOSTNAME_MISMATCH
	ERR_TLS_CERT_ALTNAME_INVALID
`.match(/\w+/g),
);

/** System calls from before the connection. With any other call, EHOSTUNREACH, ETIMEDOUT … may come after the request. */
const CONNECTING = /^(connect|getaddrinfo)$/;

/** Messages that prove it as well as a code does. */
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

/** What is known of an error of n8n's HTTP client, from it and its causes. */
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
