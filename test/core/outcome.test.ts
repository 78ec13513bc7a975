import {
	classifyFailure,
	classifyStatus,
	mayBeSentAgain,
	transportFailure,
} from '../../nodes/SpeechGateway/core/outcome';

const ofGateway = { error: { message: 'Upstream error', code: 'upstream_error' } };
const PAGE = '<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>';

test.each([
	[199, 'refused', 'refused'],
	[200, 'done', 'done'],
	[204, 'done', 'done'],
	[299, 'done', 'done'],
	[300, 'refused', 'refused'],
	[302, 'refused', 'refused'],
	[400, 'refused', 'refused'],
	[401, 'refused', 'refused'],
	[402, 'refused', 'refused'],
	[403, 'refused', 'refused'],
	[404, 'refused', 'refused'],
	[407, 'refused', 'refused'],
	[408, 'unknown', 'transient'],
	[409, 'refused', 'transient'],
	[413, 'refused', 'refused'],
	[422, 'refused', 'refused'],
	[425, 'refused', 'transient'],
	[429, 'notCharged', 'notCharged'],
	[500, 'transient', 'transient'],
	[502, 'transient', 'transient'],
	[503, 'transient', 'transient'],
	[504, 'unknown', 'transient'],
	[520, 'transient', 'transient'],
	[524, 'cut', 'transient'],
])("%i of the gateway's own is %s when billed and %s when free", (status, billed, free) => {
	expect(classifyStatus(status, true, ofGateway)).toBe(billed);
	expect(classifyStatus(status, false, ofGateway)).toBe(free);
});

test.each([
	[500, 'unknown'],
	[501, 'unknown'],
	[502, 'unknown'],
	[503, 'transient'],
	[504, 'unknown'],
	[520, 'unknown'],
	[521, 'transient'],
	[522, 'unknown'],
	[523, 'transient'],
	[524, 'cut'],
	[525, 'transient'],
	[526, 'transient'],
	[527, 'unknown'],
	[599, 'unknown'],
])('%i of a proxy is %s when billed', (status, billed) => {
	for (const body of [
		PAGE,
		'',
		'Bad Gateway',
		undefined,
		[],
		{},
		{ error: null },
		{ message: ' ' },
	])
		expect([body, classifyStatus(status, true, body)]).toEqual([body, billed]);
	if (status !== 524) expect(classifyStatus(status, false, PAGE)).toBe('transient');
});

test.each([
	{ error: 'no' },
	{ error: { code: 1 } },
	{ error: true },
	{ errors: ['no'] },
	{ message: 'no' },
	{ msg: 'no' },
	{ detail: 'no' },
	{ detail: [{ msg: 'no' }] },
	{ code: 5000 },
])("%j is an error of the gateway's own", (body) => {
	expect(classifyStatus(502, true, body)).toBe('transient');
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
		expect(again(PAGE)).toBe([429, 503, 521, 523, 525, 526].includes(status));
	}
});

test.each([
	['ECONNREFUSED', '', 'notSent'],
	['ENOTFOUND', '', 'notSent'],
	['EAI_AGAIN', '', 'notSent'],
	['CERT_HAS_EXPIRED', '', 'notSent'],
	['SELF_SIGNED_CERT_IN_CHAIN', '', 'notSent'],
	['ERR_TLS_CERT_ALTNAME_INVALID', '', 'notSent'],
	['EPROTO', 'write EPROTO 40:SSL routines:wrong version number', 'notSent'],
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

test.each([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EAI_FAIL',
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
])('%s: certainly not sent', (code) => {
	expect(transportFailure({ code })).toBe('notSent');
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

test('what may be sent again', () => {
	expect(
		(['done', 'notSent', 'notCharged', 'transient', 'cut', 'refused', 'unknown'] as const).filter(
			mayBeSentAgain,
		),
	).toEqual(['notSent', 'notCharged', 'transient']);
});

test('only what certainly never left may be sent again when it is billed', () => {
	expect(classifyFailure('notSent', true)).toBe('notSent');
	expect(classifyFailure('timeout', true)).toBe('unknown');
	expect(classifyFailure('lost', true)).toBe('unknown');
	expect(classifyFailure('timeout', false)).toBe('transient');
	expect(classifyFailure('lost', false)).toBe('transient');
});
