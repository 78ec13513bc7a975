import {
	GatewayError,
	NotStartedError,
	type UnknownReason,
} from '../../nodes/SpeechGateway/core/errors';
import { ConcurrencyLimiter } from '../../nodes/SpeechGateway/gateway/concurrencyLimiter';
import { CircuitBreaker } from '../../nodes/SpeechGateway/requests/circuitBreaker';
import { type Lasting, LastingRecord } from '../../nodes/SpeechGateway/requests/lasting';
import type { Who } from '../../nodes/SpeechGateway/requests/outcome';

/** `kept`: what an earlier round, or a failed execution (`of`), has left. */
function breakerOf(kept: Lasting = {}, { attempt = 1, executionId = 'now' } = {}) {
	const limiter = new ConcurrencyLimiter(4);
	const memory = { speechGatewayExecution: { executionId: 'now', ...kept } };
	const lasting = new LastingRecord(memory, executionId);
	return { limiter, lasting, breaker: new CircuitBreaker(limiter, lasting, attempt) };
}
const WHO: Record<string, Who> = { 401: 'key', 402: 'balance', 429: 'provider' };
const failure = (outcome: 'notSent' | 'cut' | 'refused', httpCode = '', code?: string) => ({
	outcome,
	who: WHO[httpCode],
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

/** How many of two requests leave at once. */
async function sentAtOnce(limiter: ConcurrencyLimiter): Promise<number> {
	const off = new AbortController();
	let started = 0;
	const requests = [1, 2].map(async () => {
		await limiter.enter(true, AbortSignal.any([off.signal, limiter.ending()]));
		started++;
	});
	// All that does not wait for a place goes on.
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
	off.abort();
	await Promise.allSettled(requests);
	return started;
}
const MINUTE = 60_000;
const refusal = { message: 'Refused (402)', description: 'Top up.', details: { httpCode: '402' } };
const ago = (milliseconds: number, tries = 0) => ({ at: Date.now() - milliseconds, tries });

test.each<[string, Lasting, { attempt?: number; executionId?: string }, number]>([
	['two unknown outcomes', { unknownInRow: 2 }, {}, 2],
	['an outage a moment ago', { outage: ago(MINUTE - 1000) }, {}, 0],
	['it, whichever try this is', { outage: ago(MINUTE - 1000) }, { attempt: 2 }, 0],
	['an outage a minute ago', { outage: ago(MINUTE + 1000) }, {}, 1],
	['it, when it was tried again twice', { outage: ago(4 * MINUTE - 1000, 2) }, {}, 0],
	['it, when that is long ago', { outage: ago(4 * MINUTE + 1000, 2) }, {}, 1],
	['the 30th try, less than an hour ago', { outage: ago(60 * MINUTE - 1000, 30) }, {}, 0],
	['an outage of a day', { outage: ago(60 * MINUTE + 1000, 30) }, {}, 1],
	['a failed store', { store: ago(MINUTE - 1000) }, {}, 0],
	['a refusal, in the next round', { refusal }, {}, 0],
	['a refusal, in the next try', { refusal }, { attempt: 2 }, 1],
	['a failed execution with an outage', { outage: ago(1000) }, { executionId: 'retry' }, 1],
	['one with a failed store', { store: ago(1000) }, { executionId: 'retry' }, 1],
	['one with a refusal', { refusal }, { executionId: 'retry' }, 1],
])('after %s, so many of two leave at once', async (_, kept, now, atOnce) => {
	expect(await sentAtOnce(breakerOf(kept, now).limiter)).toBe(atOnce);
});

test('a try after an outage that fails again doubles the pause, once a run; a success ends it', () => {
	const { breaker, lasting } = breakerOf({ unknownInRow: 5, outage: ago(2 * MINUTE, 1) });
	breaker.unknown('connection_lost');
	expect(breaker.hasTripped).toBe(true);
	breaker.unknown('connection_lost');
	expect(lasting.value.outage?.tries).toBe(2);
	expect(Date.now() - lasting.value.outage!.at).toBeLessThan(MINUTE);
	const { breaker: next, lasting: ended } = breakerOf({ outage: ago(9 * MINUTE, 2) });
	next.succeeded();
	expect(ended.value).toEqual({});
});

test('a failed store ends when a file is stored, not when a request succeeds', () => {
	const { breaker, lasting } = breakerOf({ store: { ...ago(2 * MINUTE), why: 'disk full' } });
	breaker.succeeded();
	expect(lasting.value.store).toBeDefined();
	breaker.stored();
	expect(lasting.value).toEqual({});
	breaker.notStored('disk full');
	breaker.stored();
	expect(breaker.hasTripped).toBe(true);
	expect(breaker.notSent(new NotStartedError('stopped'), 0).description).toContain('"disk full"');
	expect(lasting.value.store?.tries).toBe(0);
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
