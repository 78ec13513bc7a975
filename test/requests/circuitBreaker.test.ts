/** Pauses and reasons that runs of the engine (test/engine/circuitBreaker) take too long to bring about. */
import {
	GatewayError,
	NotStartedError,
	type UnknownReason,
} from '../../nodes/SpeechGateway/core/errors';
import { ConcurrencyLimiter } from '../../nodes/SpeechGateway/gateway/concurrencyLimiter';
import { CircuitBreaker } from '../../nodes/SpeechGateway/requests/circuitBreaker';
import { type Lasting, LastingRecord, type Stop } from '../../nodes/SpeechGateway/requests/lasting';

/** `kept`: what an earlier round, or a failed execution (`of`), has left. */
function breakerOf(kept: Lasting = {}, { attempt = 1, executionId = 'now' } = {}) {
	const limiter = new ConcurrencyLimiter(4);
	const memory = { speechGatewayExecution: { executionId: 'now', ...kept } };
	const lasting = new LastingRecord(memory, executionId);
	return { limiter, lasting, breaker: new CircuitBreaker(limiter, lasting, attempt) };
}
const unsent = new NotStartedError('stopped');
const refusal = (httpCode: string, code?: string) => ({
	outcome: 'refused' as const,
	who: 'balance' as const,
	error: new GatewayError(`Refused (${httpCode})`, 'Top up.', { httpCode, ...(code && { code }) }),
});

test.each<[UnknownReason, boolean]>([
	['client_timeout', true],
	['damaged_response', false],
	['interrupted', false],
	['already_sent', false],
])('three times %s: sending stops: %s', (reason, stops) => {
	const { breaker, limiter } = breakerOf({ unknownInRow: 2 });
	breaker.unknown(reason);
	expect([breaker.hasTripped, limiter.ending().aborted]).toEqual([stops, stops]);
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
const ago = (why: Stop['why'], milliseconds: number, tries = 0) => ({
	stop: { why, at: Date.now() - milliseconds, tries },
});

test.each<[string, Lasting, { attempt?: number; executionId?: string }, number]>([
	['two unknown outcomes', { unknownInRow: 2 }, {}, 2],
	['an outage, in the next try', ago('outage', MINUTE - 1000), { attempt: 2 }, 0],
	['an outage a minute ago', ago('outage', MINUTE + 1000), {}, 1],
	['it, when it was tried again twice', ago('outage', 4 * MINUTE - 1000, 2), {}, 0],
	['it, when that is long ago', ago('outage', 4 * MINUTE + 1000, 2), {}, 1],
	['the 30th try, less than an hour ago', ago('outage', 60 * MINUTE - 1000, 30), {}, 0],
	['an outage of a day', ago('outage', 60 * MINUTE + 1000, 30), {}, 1],
	['a failed store', ago('store', MINUTE - 1000), {}, 0],
	['a refusal, in the next round', ago('refusal', 60 * MINUTE), {}, 0],
	['a refusal, in the next try', ago('refusal', 1000), { attempt: 2 }, 1],
	['a failed execution with an outage', ago('outage', 1000), { executionId: 'retry' }, 1],
	['one with a failed store', ago('store', 1000), { executionId: 'retry' }, 1],
	['one with a refusal', ago('refusal', 1000), { executionId: 'retry' }, 1],
])('after %s, so many of two leave at once', async (_, kept, now, atOnce) => {
	expect(await sentAtOnce(breakerOf(kept, now).limiter)).toBe(atOnce);
});

test('a try after an outage that fails again doubles the pause, once a run; a success ends it', () => {
	const { breaker, lasting } = breakerOf({ unknownInRow: 5, ...ago('outage', 2 * MINUTE, 1) });
	breaker.unknown('connection_lost');
	breaker.unknown('connection_lost');
	expect(breaker.hasTripped).toBe(true);
	expect(lasting.value.stop?.tries).toBe(2);
	expect(Date.now() - lasting.value.stop!.at).toBeLessThan(MINUTE);
	const { breaker: next, lasting: ended } = breakerOf(ago('outage', 9 * MINUTE, 2));
	next.succeeded();
	expect(ended.value).toEqual({});
});

test('a failed store ends when a file is stored, not when a request succeeds', () => {
	const { breaker, lasting } = breakerOf(ago('store', 2 * MINUTE));
	breaker.succeeded();
	expect(lasting.value.stop).toBeDefined();
	breaker.stored();
	expect(lasting.value).toEqual({});
	breaker.notStored('disk full');
	breaker.stored();
	expect(breaker.storeFailed).toBe(true);
	expect(breaker.notSent(unsent, 0).description).toContain('"disk full"');
	expect(lasting.value.stop?.tries).toBe(0);
});

test('what stopped the run first is the reason that is told, with its codes', () => {
	const { breaker, limiter } = breakerOf();
	breaker.failed(refusal('402', 'insufficient_balance'));
	breaker.failed(refusal('401'));
	breaker.notStored('disk full');
	expect(limiter.ending().aborted).toBe(true);
	expect(breaker.hint).toContain('Sending stopped: Refused (402).');
	const files = { completed: {} };
	expect(
		breaker.notSent(new NotStartedError('stopped', { jobId: 'spj_1' }, files), 0),
	).toMatchObject({
		message: 'Refused (402): not sent',
		description: 'Top up.',
		details: { httpCode: '402', code: 'insufficient_balance', jobId: 'spj_1' },
		files,
	});
});

test('one item is one item', () => {
	const { breaker } = breakerOf({ unknownInRow: 2 });
	breaker.unknown('client_timeout');
	expect(breaker.notSent(unsent, 1).message).toContain('the outcome of 1 item is unknown');
});
