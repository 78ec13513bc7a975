import { transportFailure } from '../../nodes/SpeechGateway/gateway/transportFailure';

test.each([
	['EPROTO', 'write EPROTO 40:SSL routines:wrong version number', 'lost'],
	['ERR_SSL_WRONG_VERSION_NUMBER', 'SSL routines:wrong version number', 'lost'],
	[
		'ECONNRESET',
		'Client network socket disconnected before secure TLS connection was established',
		'notSent',
	],
	['', 'The request was blocked because it resolves to a restricted IP address', 'notSent'],
	['ECONNRESET', 'socket hang up', 'lost'],
	['EPIPE', 'write EPIPE', 'lost'],
	['EPROTO', 'sslv3 alert bad record mac', 'lost'],
	['EPROTO', 'write EPROTO :SSL routines:tlsv1 alert internal error:SSL alert number 80', 'lost'],
	['EPROTO', 'write EPROTO :ssl3_read_bytes:unrecognized name:SSL alert number 112', 'notSent'],
	['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'error: SSL alert number 116', 'notSent'],
	['', 'Proxy connection ended before receiving CONNECT response', 'notSent'],
	['ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443', 'notSent'],
	['EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:443', 'notSent'],
	['ENETUNREACH', 'connect ENETUNREACH 192.0.2.1:443 - Local (0.0.0.0:0)', 'notSent'],
	['EHOSTUNREACH', 'read EHOSTUNREACH', 'lost'],
	['ENETUNREACH', 'write ENETUNREACH', 'lost'],
	['ENETDOWN', '', 'lost'],
	['ECONNABORTED', 'timeout of 1000ms exceeded', 'timeout'],
	['ETIMEDOUT', 'read ETIMEDOUT', 'timeout'],
	['', 'something never seen before', 'lost'],
])('%s %s: %s', (code, message, failure) => {
	expect(transportFailure({ code, message })).toBe(failure);
});

/** Of certificates, as the documentation of Node.js lists them, without those of revocation lists. */
const CERTIFICATE_CODES =
	'UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_DECRYPT_CERT_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY CERT_SIGNATURE_FAILURE CERT_NOT_YET_VALID CERT_HAS_EXPIRED ERROR_IN_CERT_NOT_BEFORE_FIELD ERROR_IN_CERT_NOT_AFTER_FIELD DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_CHAIN_TOO_LONG CERT_REVOKED INVALID_CA PATH_LENGTH_EXCEEDED INVALID_PURPOSE CERT_UNTRUSTED CERT_REJECTED HOSTNAME_MISMATCH ERR_TLS_CERT_ALTNAME_INVALID'.split(
		' ',
	);

test('codes from before a connection exists: nothing was sent', () => {
	const codes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ERR_INVALID_URL'];
	for (const code of [...codes, ...CERTIFICATE_CODES])
		expect([code, transportFailure({ code })]).toEqual([code, 'notSent']);
});

/** By their names in RFC 8446 and the registry of IANA. */
const ALERTS = {
	handshake_failure: 40,
	no_certificate: 41,
	bad_certificate: 42,
	unsupported_certificate: 43,
	certificate_revoked: 44,
	certificate_expired: 45,
	certificate_unknown: 46,
	illegal_parameter: 47,
	unknown_ca: 48,
	access_denied: 49,
	decode_error: 50,
	decrypt_error: 51,
	export_restriction: 60,
	protocol_version: 70,
	insufficient_security: 71,
	inappropriate_fallback: 86,
	missing_extension: 109,
	unsupported_extension: 110,
	certificate_unobtainable: 111,
	unrecognized_name: 112,
	bad_certificate_status_response: 113,
	bad_certificate_hash_value: 114,
	unknown_psk_identity: 115,
	certificate_required: 116,
	no_application_protocol: 120,
	ech_required: 121,
};

test('every alert that ends a handshake: nothing was sent; one that may come later: perhaps', () => {
	const failureOf = (alert: number) =>
		transportFailure({ code: 'EPROTO', message: `write EPROTO :SSL alert number ${alert}` });
	for (const [name, alert] of Object.entries(ALERTS))
		expect([name, failureOf(alert)]).toEqual([name, 'notSent']);
	const later = {
		unexpected_message: 10,
		bad_record_mac: 20,
		record_overflow: 22,
		internal_error: 80,
	};
	for (const [name, alert] of Object.entries(later))
		expect([name, failureOf(alert)]).toEqual([name, 'lost']);
});

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'EADDRNOTAVAIL', 'ECONNRESET'])(
	'%s: not sent while connecting, lost while reading',
	(code) => {
		expect(transportFailure({ code, syscall: 'connect' })).toBe('notSent');
		expect(transportFailure({ code, syscall: 'read' })).not.toBe('notSent');
		expect(transportFailure({ code, syscall: 'write' })).not.toBe('notSent');
	},
);

test.each(['ESOCKETTIMEDOUT', 'ETIMEDOUT', 'ECONNABORTED'])(
	'%s: a time-out, so perhaps sent',
	(code) => {
		expect(transportFailure({ code })).toBe('timeout');
	},
);

test("n8n's refusal of an address is known by the name of its error, too", () => {
	expect(transportFailure({ name: 'NodeApiError SsrfBlockedIpError' })).toBe('notSent');
	expect(transportFailure({})).toBe('lost');
});

test('an unfinished TLS handshake: nothing was sent, whatever the error', () => {
	const error = { code: 'EPROTO', message: 'SSL routines:wrong version number' };
	expect(transportFailure({ ...error, isHandshaking: true })).toBe('notSent');
	expect(transportFailure({ ...error, isHandshaking: false })).toBe('lost');
});
