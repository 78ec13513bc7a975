import { NotStartedError } from '../../nodes/SpeechGateway/core/errors';
import { pause } from '../../nodes/SpeechGateway/core/pause';
import { ConcurrencyLimiter } from '../../nodes/SpeechGateway/gateway/concurrencyLimiter';

/** Lets everything go on that does not wait for a request. */
const settle = async () => {
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** Requests that enter together; `began`: which are, or were, under way, in their order; each ends when it is told to. */
async function crowd(gate: ConcurrencyLimiter, billed: boolean[]) {
	const began: number[] = [];
	const ends = billed.map(() => new AbortController());
	const results = billed.map(async (isBilled, index) => {
		const ticket = await gate.enter(isBilled);
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
async function atOnce(gate: ConcurrencyLimiter, count: number): Promise<number> {
	const { began, end } = await crowd(gate, Array(count).fill(true));
	const { length } = began;
	await end();
	return length;
}

/** Requests that are all answered with a 429. */
async function throttled(gate: ConcurrencyLimiter, milliseconds: number, count = 1) {
	const tickets = await Promise.all(
		Array.from({ length: count }, async () => await gate.enter(true)),
	);
	for (const ticket of tickets) ticket.slowDown(milliseconds);
	for (const ticket of tickets) ticket.leave();
}

test('never more than the limit under way; free requests go first', async () => {
	const { began, ends, end } = await crowd(new ConcurrencyLimiter(2), [
		true,
		true,
		true,
		true,
		false,
	]);
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
		const gate = new ConcurrencyLimiter(limit);
		await throttled(gate, 0, burst);
		expect(await atOnce(gate, 10)).toBe(left);
		for (let success = 1; success < 2 * left; success++) gate.succeeded(true);
		expect(await atOnce(gate, 10)).toBe(left);
		gate.succeeded(true);
		expect(await atOnce(gate, 10)).toBe(left + 1);
		for (let success = 0; success < 100; success++) gate.succeeded(true);
		expect(await atOnce(gate, 10)).toBe(limit);
	},
);

test('after stop no billed request starts, those waiting are told, free ones pass', async () => {
	const gate = new ConcurrencyLimiter(1);
	const { began, results, end } = await crowd(gate, [true, true, false]);
	gate.stop('enough');
	await expect(results[1]).rejects.toBeInstanceOf(NotStartedError);
	await end();
	expect(began).toEqual([0, 2]);
	await expect(gate.enter(true)).rejects.toBeInstanceOf(NotStartedError);
});

test('of two that hold the others back, both must let go', async () => {
	const gate = new ConcurrencyLimiter(2);
	gate.hold();
	gate.hold();
	const { began, end } = await crowd(gate, [true]);
	gate.release();
	await settle();
	expect(began).toEqual([]);
	gate.release();
	await settle();
	expect([began, gate.isHeld]).toEqual([[0], false]);
	await end();
});

test('nobody starts while the gateway asks to wait, and after stop nobody will', async () => {
	const gate = new ConcurrencyLimiter(4);
	await throttled(gate, 40);
	const { began, end } = await crowd(gate, [true]);
	expect(began).toEqual([]);
	await end();
	expect(began).toEqual([0]);
	await throttled(gate, 30);
	const stopped = await crowd(gate, [true]);
	gate.stop('enough');
	await expect(stopped.results[0]).rejects.toBeInstanceOf(NotStartedError);
});

test('a request that was called off before it came does not wait for a place', async () => {
	const gate = new ConcurrencyLimiter(1);
	const { end } = await crowd(gate, [true]);
	const off = AbortSignal.abort(new Error('called off'));
	await expect(gate.enter(true, off)).rejects.toThrow('called off');
	await end();
});

test('cancelling ends every wait with the reason', async () => {
	const cancel = new AbortController();
	const gate = new ConcurrencyLimiter(1, cancel.signal);
	const wait = throttled(gate, 60_000).then(async () => await gate.enter(true));
	const ends = expect(wait).rejects.toThrow('stop');
	await settle();
	cancel.abort(new Error('stop'));
	await ends;
	await expect(gate.enter(false)).rejects.toThrow('stop');
});
