import {
	classifyFailure,
	classifyStatus,
	mayBeSentAgain,
	transportFailure,
} from '../../nodes/SpeechGateway/core/outcome';

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
	[408, 'refused', 'transient'],
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
])('%i is %s when billed and %s when free', (status, billed, free) => {
	expect(classifyStatus(status, true)).toBe(billed);
	expect(classifyStatus(status, false)).toBe(free);
});

test('every status: a billed request that may have been charged is never sent again', () => {
	for (let status = 100; status < 600; status++) {
		const outcome = classifyStatus(status, true);
		if (status === 504) expect(outcome).toBe('unknown');
		expect(mayBeSentAgain(outcome)).toBe(
			status === 429 || (status >= 500 && status !== 504 && status !== 524),
		);
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
])('%s: certainly not sent', (code) => {
	expect(transportFailure({ code })).toBe('notSent');
});

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
