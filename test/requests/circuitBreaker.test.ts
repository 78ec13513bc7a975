import {
	GatewayError,
	NotStartedError,
	type UnknownReason,
} from '../../nodes/SpeechGateway/core/errors';
import { ConcurrencyLimiter } from '../../nodes/SpeechGateway/gateway/concurrencyLimiter';
import { CircuitBreaker, type UnknownRow } from '../../nodes/SpeechGateway/requests/circuitBreaker';

function breakerOf(row?: UnknownRow) {
	const limiter = new ConcurrencyLimiter(4);
	return { limiter, breaker: new CircuitBreaker(limiter, row) };
}
const failure = (outcome: 'notSent' | 'cut' | 'refused', httpCode?: string, code?: string) => ({
	outcome,
	error: new GatewayError(`Refused (${httpCode})`, 'Top up.', {
		...(httpCode && { httpCode }),
		...(code && { code }),
	}),
});

test.each<[UnknownReason, boolean]>([
	['upstream_outcome_unknown', true],
	['connection_lost', true],
	['client_timeout', true],
	['damaged_response', false],
	['interrupted', false],
	['already_sent', false],
])('three times %s: sending stops: %s', (reason, stops) => {
	const { breaker, limiter } = breakerOf();
	for (let time = 0; time < 2; time++) breaker.unknown(reason);
	expect(breaker.hasTripped).toBe(false);
	breaker.unknown(reason);
	expect(breaker.hasTripped).toBe(stops);
	expect(limiter.ending().aborted).toBe(stops);
});

test.each([
	['notSent', true],
	['cut', true],
	['refused', false],
] as const)('%s leaves the row as it is: %s', (outcome, stays) => {
	const { breaker } = breakerOf();
	for (let time = 0; time < 2; time++) breaker.unknown('connection_lost');
	breaker.failed(failure(outcome, '422'));
	breaker.unknown('connection_lost');
	expect(breaker.hasTripped).toBe(stays);
});

test.each([
	[3, 1],
	[2, 2],
])('a retry after %i unknown outcomes in a row sends at once: %i', async (unknownInRow, atOnce) => {
	const { limiter } = breakerOf({ unknownInRow });
	const off = new AbortController();
	let started = 0;
	const requests = [1, 2].map(async () => {
		await limiter.enter(true, off.signal);
		started++;
	});
	// All that does not wait for a place goes on.
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
	expect(started).toBe(atOnce);
	off.abort();
	await Promise.allSettled(requests);
});

test('a success closes the row', () => {
	const { breaker } = breakerOf({ unknownInRow: 2 });
	breaker.succeeded();
	breaker.unknown('connection_lost');
	expect(breaker.hasTripped).toBe(false);
});

test('an outage in words: the hint, and the errors of what was not sent', () => {
	const { breaker } = breakerOf();
	for (let time = 0; time < 3; time++) breaker.unknown('client_timeout');
	expect(breaker.hint).toContain('Sending stopped: 3 unknown outcomes in a row.');
	const details = { segments: { total: 2, completed: 1, unknown: 0 } };
	const files = { completed: {} };
	const error = breaker.notSent(new NotStartedError('stopped', details, files), 1);
	expect(error.message).toContain('the outcome of 1 item is unknown');
	expect(error.description).toContain(
		'after 3 unknown outcomes in a row; nothing more was charged',
	);
	expect(error).toMatchObject({ details, files });
	expect(breaker.notSent(new NotStartedError('stopped'), 3).message).toContain('of 3 items is');
});

test('a refusal of the account in words: that of the first one, with its codes', () => {
	const { breaker, limiter } = breakerOf();
	breaker.failed(failure('refused', '402', 'insufficient_balance'));
	breaker.failed(failure('refused', '401'));
	expect(limiter.ending().aborted).toBe(true);
	expect(breaker.hint).toContain('Sending stopped: Refused (402).');
	const error = breaker.notSent(new NotStartedError('stopped', { jobId: 'spj_1' }), 0);
	expect(error.message).toBe('Refused (402): not sent');
	expect(error.description).toBe('Top up.');
	expect(error.details).toEqual({
		httpCode: '402',
		code: 'insufficient_balance',
		jobId: 'spj_1',
	});
	const { breaker: plain } = breakerOf();
	plain.failed(failure('refused', '401'));
	expect(plain.notSent(new NotStartedError('stopped'), 0).details).toEqual({ httpCode: '401' });
});

test('a failure without a status says nothing about the account', () => {
	const { breaker } = breakerOf();
	breaker.failed(failure('refused'));
	expect(breaker.hasTripped).toBe(false);
});
