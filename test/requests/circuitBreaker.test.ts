/** Pauses and reasons that runs of the engine (test/engine/requests/circuitBreaker) take too long to bring about. */
import {
	GatewayError,
	NotStartedError,
	type UnknownReason,
} from '../../nodes/SpeechGateway/core/errors';
import {
	AccountLimiter,
	ConcurrencyLimiter,
} from '../../nodes/SpeechGateway/gateway/concurrencyLimiter';
import { CircuitBreaker, StoreBreaker } from '../../nodes/SpeechGateway/requests/circuitBreaker';
import { Gate } from '../../nodes/SpeechGateway/requests/gate';
import {
	LastingMemory,
	type Stop,
	type Stopping,
} from '../../nodes/SpeechGateway/requests/lasting';

const ACCOUNT = 'an account';

/** `kept`: what an earlier round, or a failed execution (`of`), has left of the account; `stop`: of n8n's store. */
function breakersOf(
	kept: Stopping = {},
	{
		attempt = 1,
		executionId = 'now',
		stop,
	}: { attempt?: number; executionId?: string; stop?: Stop } = {},
) {
	const accounts = Object.keys(kept).length > 0 ? { [ACCOUNT]: kept } : undefined;
	const memory = { speechGatewayExecution: { executionId: 'now', stop, accounts } };
	const lasting = new LastingMemory(memory, executionId);
	const run = new ConcurrencyLimiter(4);
	const runGate = new Gate();
	const limiter = new AccountLimiter(run);
	const gate = new Gate(runGate.signal);
	const store = new StoreBreaker(runGate, run, lasting.stopping(), attempt);
	const record = lasting.stopping(ACCOUNT);
	const breaker = new CircuitBreaker(gate, limiter, record, attempt);
	return { limiter, gate, lasting, record, store, breaker, memory };
}
const unsent = new NotStartedError('outage');
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
	const { breaker, gate } = breakersOf({ unknownInRow: 2 });
	breaker.unknown(reason);
	expect([breaker.hasTripped, gate.signal.aborted]).toEqual([stops, stops]);
});

/** How many of two requests leave at once. */
async function sentAtOnce({ limiter, gate }: ReturnType<typeof breakersOf>): Promise<number> {
	const off = new AbortController();
	let started = 0;
	const requests = [1, 2].map(async () => {
		await limiter.enter('billed', AbortSignal.any([off.signal, gate.signal]));
		started++;
	});
	// All that does not wait for a place goes on.
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
	off.abort();
	await Promise.allSettled(requests);
	return started;
}
const MINUTE = 60_000;
const ago = (reason: Stop['reason'], milliseconds: number, tries = 0): { stop: Stop } => ({
	stop: { reason, at: Date.now() - milliseconds, tries },
});

test.each<[string, Stopping, Parameters<typeof breakersOf>[1], number]>([
	['two unknown outcomes', { unknownInRow: 2 }, {}, 2],
	['an outage, in the next try', ago('outage', MINUTE - 1000), { attempt: 2 }, 0],
	['an outage a minute ago', ago('outage', MINUTE + 1000), {}, 1],
	['it, when it was tried again twice', ago('outage', 4 * MINUTE - 1000, 2), {}, 0],
	['it, when that is long ago', ago('outage', 4 * MINUTE + 1000, 2), {}, 1],
	['the 30th try, less than an hour ago', ago('outage', 60 * MINUTE - 1000, 30), {}, 0],
	['an outage of a day', ago('outage', 60 * MINUTE + 1000, 30), {}, 1],
	['a failed store', {}, ago('store', MINUTE - 1000), 0],
	['a failed store a minute ago', {}, ago('store', MINUTE + 1000), 1],
	['a refusal, in the next round', ago('refusal', 60 * MINUTE), {}, 0],
	['a refusal, in the next try', ago('refusal', 1000), { attempt: 2 }, 1],
	['a failed execution with an outage', ago('outage', 1000), { executionId: 'retry' }, 1],
	['one with a failed store', {}, { ...ago('store', 1000), executionId: 'retry' }, 1],
	['one with a refusal', ago('refusal', 1000), { executionId: 'retry' }, 1],
])('after %s, so many of two leave at once', async (_, kept, now, atOnce) => {
	expect(await sentAtOnce(breakersOf(kept, now))).toBe(atOnce);
});

test('a try after an outage that fails again doubles the pause, once a run; a success ends it', () => {
	const { breaker, record } = breakersOf({ unknownInRow: 5, ...ago('outage', 2 * MINUTE, 1) });
	breaker.unknown('connection_lost');
	breaker.unknown('connection_lost');
	expect(breaker.hasTripped).toBe(true);
	expect(record.value.stop?.tries).toBe(2);
	expect(Date.now() - record.value.stop!.at).toBeLessThan(MINUTE);
	const { breaker: next, memory } = breakersOf(ago('outage', 9 * MINUTE, 2));
	next.succeeded();
	expect(memory).toEqual({});
});

test('a failed store ends when a file is stored, not when a request succeeds', () => {
	const { breaker, store, lasting, memory } = breakersOf({}, ago('store', 2 * MINUTE));
	breaker.succeeded();
	expect(lasting.value.stop).toBeDefined();
	store.stored();
	expect(memory).toEqual({});
	store.failed('disk full');
	store.stored();
	expect(store.hasTripped).toBe(true);
	expect(store.notSent(unsent).description).toContain('"disk full"');
	expect(lasting.value.stop?.tries).toBe(0);
});

test('what one account has met says nothing about another', () => {
	const { breaker, lasting } = breakersOf({ unknownInRow: 2 });
	breaker.unknown('client_timeout');
	expect(lasting.stopping('another').value).toEqual({});
	const runGate = new Gate();
	const run = new ConcurrencyLimiter(1);
	const other = new CircuitBreaker(
		new Gate(runGate.signal),
		new AccountLimiter(run),
		lasting.stopping('another'),
		1,
	);
	other.unknown('client_timeout');
	expect([breaker.hasTripped, other.hasTripped, runGate.signal.aborted]).toEqual([
		true,
		false,
		false,
	]);
});

test('what stopped the run first is the reason that is told, with its codes', () => {
	const { breaker, gate } = breakersOf();
	breaker.failed(refusal('402', 'insufficient_balance'));
	breaker.failed(refusal('401'));
	expect(gate.signal.reason).toMatchObject({ reason: 'refusal' });
	expect(breaker.hint).toContain('Sending stopped: Refused (402).');
	const files = { completed: {} };
	expect(
		breaker.notSent(new NotStartedError('refusal', { jobId: 'spj_1' }, files), 0),
	).toMatchObject({
		message: 'Refused (402): not sent',
		description: 'Top up.',
		details: { httpCode: '402', code: 'insufficient_balance', jobId: 'spj_1' },
		files,
	});
});

test('one item is one item', () => {
	const { breaker } = breakersOf({ unknownInRow: 2 });
	breaker.unknown('client_timeout');
	expect(breaker.notSent(unsent, 1).message).toContain('the outcome of 1 item is unknown');
});
