import { transportFailure } from '../../nodes/SpeechGateway/gateway/transportFailure';

test.each([
	['EPROTO', 'write EPROTO 40:SSL routines:wrong version number', 'lost'],
	[
		'ECONNRESET',
		'Client network socket disconnected before secure TLS connection was established',
		'notSent',
	],
	['', 'The request was blocked because it resolves to a restricted IP address', 'notSent'],
	['ECONNRESET', 'socket hang up', 'lost'],
	['EPIPE', 'write EPIPE', 'lost'],
	['EPROTO', 'sslv3 alert bad record mac', 'lost'],
	['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'error: SSL alert number 116', 'notSent'],
	['', 'Proxy connection ended before receiving CONNECT response', 'notSent'],
	['ENETUNREACH', 'connect ENETUNREACH 192.0.2.1:443 - Local (0.0.0.0:0)', 'notSent'],
	['ENETUNREACH', 'write ENETUNREACH', 'lost'],
	['ECONNABORTED', 'timeout of 1000ms exceeded', 'timeout'],
	['ETIMEDOUT', 'read ETIMEDOUT', 'timeout'],
	['ESOCKETTIMEDOUT', '', 'timeout'],
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

test('after a TLS alert, nothing was sent only if it ends a handshake (RFC 8446 and IANA)', () => {
	const alerts = Array.from({ length: 256 }, (_, alert) => alert).filter((alert) => {
		const message = `write EPROTO :SSL alert number ${alert}`;
		return transportFailure({ code: 'EPROTO', message }) === 'notSent';
	});
	// Never unexpected_message (10), bad_record_mac (20), record_overflow (22) or internal_error (80): they may come later.
	expect(alerts).toEqual([
		40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 60, 70, 71, 86, 109, 110, 111, 112, 113, 114,
		115, 116, 120, 121,
	]);
});

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'EADDRNOTAVAIL', 'ECONNRESET'])(
	'%s: not sent while connecting, perhaps sent while reading or writing',
	(code) => {
		expect(transportFailure({ code, syscall: 'connect' })).toBe('notSent');
		expect(transportFailure({ code, syscall: 'read' })).not.toBe('notSent');
		expect(transportFailure({ code, syscall: 'write' })).not.toBe('notSent');
	},
);

test('an unfinished TLS handshake: nothing was sent, whatever the error', () => {
	const error = { code: 'EPROTO', message: 'SSL routines:wrong version number' };
	expect(transportFailure({ ...error, isHandshaking: true })).toBe('notSent');
	expect(transportFailure({ ...error, isHandshaking: false })).toBe('lost');
});
