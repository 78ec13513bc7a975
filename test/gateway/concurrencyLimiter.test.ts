import { pause } from '../../nodes/SpeechGateway/core/pause';
import {
	AccountLimiter,
	ConcurrencyLimiter,
} from '../../nodes/SpeechGateway/gateway/concurrencyLimiter';

/** The limiter of the only account of a run. */
const limiterOf = (atOnce: number, cancel?: AbortSignal) =>
	new AccountLimiter(new ConcurrencyLimiter(atOnce, cancel));

/** Lets everything go on that does not wait for a request. */
const settle = async () => {
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** Requests that enter together; `began`: which are, or were, under way, in their order; each ends when it is told to. */
async function crowd(gate: AccountLimiter, billed: boolean[], signal?: AbortSignal) {
	const began: number[] = [];
	const ends = billed.map(() => new AbortController());
	const results = billed.map(async (isBilled, index) => {
		const ticket = await gate.enter(isBilled ? 'billed' : 'free', signal);
		began.push(index);
		await pause(600_000, ends[index].signal).catch(() => {});
		ticket.leave();
	});
	await settle();
	const end = async () => {
		for (const one of ends) one.abort();
		await Promise.allSettled(results);
	};
	return { began, ends, results, end };
}

/** How many of so many are let in at once. */
async function atOnce(gate: AccountLimiter, count: number): Promise<number> {
	const { began, end } = await crowd(gate, Array(count).fill(true));
	const { length } = began;
	await end();
	return length;
}

/** Requests that are all answered with a 429. */
async function throttled(gate: AccountLimiter, milliseconds: number, count = 1) {
	const tickets = await Promise.all(
		Array.from({ length: count }, async () => await gate.enter('billed')),
	);
	for (const ticket of tickets) ticket.slowDown(milliseconds);
	for (const ticket of tickets) ticket.leave();
}

test('never more than the limit under way; free requests go first', async () => {
	const { began, ends, end } = await crowd(limiterOf(2), [true, true, true, true, false]);
	expect(began).toEqual([0, 1]);
	ends[0].abort();
	await settle();
	expect(began).toEqual([0, 1, 4]);
	await end();
	expect(began).toEqual([0, 1, 4, 2, 3]);
});

test.each([
	[8, 8, 4],
	[3, 1, 1],
])(
	'of %i at once, a burst of %i 429s leaves %i, and two rounds of successes win one back',
	async (limit, burst, left) => {
		const gate = limiterOf(limit);
		await throttled(gate, 0, burst);
		expect(await atOnce(gate, 10)).toBe(left);
		for (let success = 1; success < 2 * left; success++) gate.succeeded('billed');
		expect(await atOnce(gate, 10)).toBe(left);
		gate.succeeded('billed');
		expect(await atOnce(gate, 10)).toBe(left + 1);
		for (let success = 0; success < 100; success++) gate.succeeded('billed');
		expect(await atOnce(gate, 10)).toBe(limit);
	},
);

test('what waits ends with the reason of its signal, and leaves its place to others', async () => {
	const gate = limiterOf(1);
	const off = new AbortController();
	const first = await crowd(gate, [true]);
	const { began, results } = await crowd(gate, [true], off.signal);
	const free = await crowd(gate, [false]);
	off.abort(new Error('enough'));
	await expect(results[0]).rejects.toThrow('enough');
	await first.end();
	expect([began, free.began]).toEqual([[], [0]]);
	await free.end();
});

test('of two that hold the others back, both must let go', async () => {
	const run = new ConcurrencyLimiter(2);
	run.hold();
	run.hold();
	const { began, end } = await crowd(new AccountLimiter(run), [true]);
	run.release();
	await settle();
	expect(began).toEqual([]);
	run.release();
	await settle();
	expect([began, run.isHeld]).toEqual([[0], false]);
	await end();
});

test('nobody starts while the gateway asks to wait', async () => {
	const gate = limiterOf(4);
	await throttled(gate, 40);
	const { began, results, end } = await crowd(gate, [true]);
	expect(began).toEqual([]);
	await pause(60);
	expect(began).toEqual([0]);
	await end();
	await Promise.all(results);
});

test('accounts share the places of the run; one that must wait holds up no other', async () => {
	const run = new ConcurrencyLimiter(3);
	const [one, other] = [new AccountLimiter(run), new AccountLimiter(run)];
	const first = await crowd(one, [true, true, true, true]);
	const second = await crowd(other, [true, true]);
	expect([first.began, second.began]).toEqual([[0, 1, 2], []]);
	first.ends[0].abort();
	await settle();
	expect([first.began, second.began]).toEqual([[0, 1, 2, 3], []]);
	await first.end();
	expect(second.began).toEqual([0, 1]);
	await second.end();

	await throttled(one, 60_000);
	const waiting = new AbortController();
	const closed = await crowd(one, [true, true, true, true], waiting.signal);
	const open = await crowd(other, [true, true, true, true]);
	expect([closed.began, open.began]).toEqual([[], [0, 1, 2]]);
	await open.end();
	expect(open.began).toEqual([0, 1, 2, 3]);
	waiting.abort();
	await closed.end();
});

test('a request that was called off before it came does not wait for a place', async () => {
	const gate = limiterOf(1);
	const { end } = await crowd(gate, [true]);
	const off = AbortSignal.abort(new Error('called off'));
	await expect(gate.enter('billed', off)).rejects.toThrow('called off');
	await end();
});

test('cancelling ends every wait with the reason', async () => {
	const cancel = new AbortController();
	const gate = limiterOf(1, cancel.signal);
	const wait = throttled(gate, 60_000).then(async () => await gate.enter('billed'));
	const ends = expect(wait).rejects.toThrow('stop');
	await settle();
	cancel.abort(new Error('stop'));
	await ends;
	await expect(gate.enter('free')).rejects.toThrow('stop');
});
