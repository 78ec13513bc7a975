import {
	classifyFailure,
	classifyStatus,
	mayBeSentAgain,
} from '../../nodes/SpeechGateway/requests/outcome';
import { transportFailure } from '../../nodes/SpeechGateway/gateway/transportFailure';

const between = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => first + index);
const without = (statuses: number[], ...others: number[]) =>
	statuses.filter((status) => !others.includes(status));

const ofGateway = { error: { message: 'Upstream error', code: 'upstream_error' } };
const PAGE = '<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>';
/** Answers of proxies, which do not know what the gateway did. */
const ofOthers = [
	PAGE,
	'',
	'Bad Gateway',
	'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
	undefined,
	[],
	{},
	{ error: {} },
	{ error: [] },
	{ error: null },
	{ error: true },
	{ error: { message: ' ', code: null, type: {} } },
	{ error: { reason: 'no' } },
	{ errors: [{ message: 'no' }] },
	{ message: 'An invalid response was received from the upstream server' },
	{ message: 'Internal server error' },
	{ status: 503, error: 'Service Unavailable', path: '/v1/audio/speech' },
	{ msg: 'no' },
	{ detail: [{ msg: 'no' }] },
	{ code: 5000 },
	{ type: 'about:blank', title: 'Error 502', status: 502, detail: 'no', cloudflare_error: true },
];
const ofAnyone = [ofGateway, ...ofOthers];

/** "What counts as what" of the contract, row by row: answers to a request that is billed. */
const BILLED: Array<[row: string, statuses: number[], bodies: unknown[], outcome: string]> = [
	['2xx', between(200, 299), ofAnyone, 'done'],
	['429', [429], ofAnyone, 'throttled'],
	[
		'5xx other than 504 and 524 that the gateway itself sent',
		without(between(500, 599), 504, 524),
		[ofGateway],
		'transient',
	],
	['521, 523, 525, 526 from anyone', [521, 523, 525, 526], ofAnyone, 'transient'],
	[
		'any other 5xx, 503 included',
		without(between(500, 599), 504, 521, 523, 524, 525, 526),
		ofOthers,
		'unknown',
	],
	['408', [408], ofAnyone, 'unknown'],
	['524', [524], ofAnyone, 'cut'],
	[
		'400 401 402 403 404 413 422, any other 4xx',
		without(between(400, 499), 408, 429),
		ofAnyone,
		'refused',
	],
	['504', [504], ofAnyone, 'unknown'],
	[
		'a redirect, or what is no answer at all',
		[...between(100, 199), ...between(300, 399)],
		ofAnyone,
		'refused',
	],
];

test.each(BILLED)('billed: %s', (_, statuses, bodies, outcome) => {
	for (const status of statuses)
		for (const body of bodies)
			expect([status, body, classifyStatus(status, true, body)]).toEqual([status, body, outcome]);
});

test('the rows say what becomes of every status, whoever sent it', () => {
	for (const whose of [[ofGateway], ofOthers]) {
		const listed = BILLED.flatMap(([, statuses, bodies]) =>
			whose.every((body) => bodies.includes(body)) ? statuses : [],
		);
		expect(new Set(listed)).toEqual(new Set(between(100, 599)));
	}
});

/** The same for GET and DELETE, which cost nothing; 408, 409 and 425: what is asked for may be there later. */
const FREE: Array<[row: string, statuses: number[], outcome: string]> = [
	['2xx', between(200, 299), 'done'],
	['429', [429], 'throttled'],
	[
		'5xx including 504 and 524, and what may be there later',
		[408, 409, 425, ...between(500, 599)],
		'transient',
	],
	[
		'all else',
		[...between(100, 199), ...between(300, 399), ...without(between(400, 499), 408, 409, 425, 429)],
		'refused',
	],
];

test.each(FREE)('free: %s', (_, statuses, outcome) => {
	for (const status of statuses)
		for (const body of ofAnyone)
			expect([status, body, classifyStatus(status, false, body)]).toEqual([status, body, outcome]);
});

test.each([
	{ error: { message: 'no' } },
	{ error: { code: 1 } },
	{ error: { code: 'upstream_error' } },
	{ error: { type: 'server_error', message: null } },
])("%j is the gateway's own error", (body) => {
	for (const status of [500, 502, 503, 520, 530])
		expect(classifyStatus(status, true, body)).toBe('transient');
});

test.each([
	{ error: { code: 'upstream_outcome_unknown' } },
	{ error: { type: 'upstream_outcome_unknown' } },
	{ code: 'upstream_outcome_unknown' },
	{ error: 'upstream_outcome_unknown' },
])('%j is unknown with any status', (body) => {
	for (const status of [429, 500, 502, 503, 504, 524])
		expect(classifyStatus(status, true, body)).toBe('unknown');
	expect(classifyStatus(502, false, body)).toBe('transient');
});

test('every status: a billed request that may have been charged is never sent again', () => {
	for (let status = 100; status < 600; status++) {
		const never = [504, 524].includes(status);
		const again = (body: unknown) => mayBeSentAgain(classifyStatus(status, true, body));
		expect(again(ofGateway)).toBe(status === 429 || (status >= 500 && !never));
		expect(again(PAGE)).toBe([429, 521, 523, 525, 526].includes(status));
	}
});

test.each([
	['ECONNREFUSED', '', 'notSent'],
	['ENOTFOUND', '', 'notSent'],
	['EAI_AGAIN', '', 'notSent'],
	['CERT_HAS_EXPIRED', '', 'notSent'],
	['SELF_SIGNED_CERT_IN_CHAIN', '', 'notSent'],
	['ERR_TLS_CERT_ALTNAME_INVALID', '', 'notSent'],
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

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ERR_INVALID_URL'])(
	'%s: the gateway was not reached',
	(code) => {
		expect(transportFailure({ code })).toBe('notSent');
	},
);

/** As the documentation of Node.js lists them (tls, X509 certificate error codes), without those of revocation lists, and its own two. */
test.each([
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
	'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
	'CERT_SIGNATURE_FAILURE',
	'CERT_NOT_YET_VALID',
	'CERT_HAS_EXPIRED',
	'ERROR_IN_CERT_NOT_BEFORE_FIELD',
	'ERROR_IN_CERT_NOT_AFTER_FIELD',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'CERT_CHAIN_TOO_LONG',
	'CERT_REVOKED',
	'INVALID_CA',
	'PATH_LENGTH_EXCEEDED',
	'INVALID_PURPOSE',
	'CERT_UNTRUSTED',
	'CERT_REJECTED',
	'HOSTNAME_MISMATCH',
	'ERR_TLS_CERT_ALTNAME_INVALID',
])('%s: n8n has refused the certificate, and sent nothing', (code) => {
	expect(transportFailure({ code })).toBe('notSent');
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

test('what may be sent again', () => {
	expect(
		(['done', 'notSent', 'throttled', 'transient', 'cut', 'refused', 'unknown'] as const).filter(
			mayBeSentAgain,
		),
	).toEqual(['notSent', 'throttled', 'transient']);
});

test('only what certainly never left may be sent again when it is billed', () => {
	expect(classifyFailure('notSent', true)).toBe('notSent');
	expect(classifyFailure('timeout', true)).toBe('unknown');
	expect(classifyFailure('lost', true)).toBe('unknown');
	expect(classifyFailure('timeout', false)).toBe('transient');
	expect(classifyFailure('lost', false)).toBe('transient');
});
