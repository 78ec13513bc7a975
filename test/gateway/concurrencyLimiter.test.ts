import { NotStartedError } from '../../nodes/SpeechGateway/core/errors';
import { ConcurrencyLimiter } from '../../nodes/SpeechGateway/gateway/concurrencyLimiter';
import { pause } from '../../nodes/SpeechGateway/core/pause';

/** A request that ends when it is told to. */
function held() {
	let finish!: () => void;
	const done = new Promise<void>((resolve) => (finish = resolve));
	return { done, finish };
}

/** Lets everything go on that does not wait for a request. */
const settle = async () => {
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** Starts requests of the gate and tells how many are under way, and in which order they began. */
function crowd(gate: ConcurrencyLimiter, billed: boolean[]) {
	const requests = billed.map(held);
	const began: number[] = [];
	const results = requests.map(async ({ done }, index) => {
		const ticket = await gate.enter(billed[index]);
		began.push(index);
		await done;
		ticket.leave();
	});
	return { requests, began, results };
}

/** A request that is answered with a 429. */
async function throttled(gate: ConcurrencyLimiter, milliseconds: number): Promise<void> {
	const ticket = await gate.enter(true);
	ticket.slowDown(milliseconds);
	ticket.leave();
}

test('never more than the limit under way; free requests go first', async () => {
	const gate = new ConcurrencyLimiter(2);
	const { requests, began, results } = crowd(gate, [true, true, true, true, false]);
	await settle();
	expect(began).toEqual([0, 1]);
	requests[0].finish();
	await settle();
	expect(began).toEqual([0, 1, 4]);
	requests.forEach(({ finish }) => finish());
	await Promise.all(results);
	expect(began).toEqual([0, 1, 4, 2, 3]);
});

test('a 429 halves the limit once a burst, and successes win it back', async () => {
	const gate = new ConcurrencyLimiter(8);
	const underWay = held();
	const burst = Array.from({ length: 8 }, async () => {
		const ticket = await gate.enter(true);
		await underWay.done;
		ticket.slowDown(0);
		ticket.leave();
	});
	await settle();
	underWay.finish();
	await Promise.all(burst);
	const first = crowd(gate, Array(8).fill(true));
	await settle();
	expect(first.began).toHaveLength(4);
	first.requests.forEach(({ finish }) => finish());
	await Promise.all(first.results);
	for (let success = 0; success < 100; success++) gate.succeeded(true);
	const second = crowd(gate, Array(10).fill(true));
	await settle();
	expect(second.began).toHaveLength(8);
	second.requests.forEach(({ finish }) => finish());
	await Promise.all(second.results);
});

test('half of three is one', async () => {
	const gate = new ConcurrencyLimiter(3);
	await throttled(gate, 0);
	const { requests, began, results } = crowd(gate, [true, true, true]);
	await settle();
	expect(began).toEqual([0]);
	requests.forEach(({ finish }) => finish());
	await Promise.all(results);
});

test('the limit grows by one after two rounds of successes, not before', async () => {
	const gate = new ConcurrencyLimiter(4);
	await throttled(gate, 0);
	const begunOf = async (count: number) => {
		const { requests, began, results } = crowd(gate, Array(count).fill(true));
		await settle();
		const atOnce = began.length;
		requests.forEach(({ finish }) => finish());
		await Promise.all(results);
		return atOnce;
	};
	expect(await begunOf(4)).toBe(2);
	for (let success = 0; success < 3; success++) gate.succeeded(true);
	expect(await begunOf(4)).toBe(2);
	gate.succeeded(true);
	expect(await begunOf(4)).toBe(3);
});

test('a billed request that waits for the gateway to open is not started after stop', async () => {
	const gate = new ConcurrencyLimiter(2);
	await throttled(gate, 30);
	const { began, results } = crowd(gate, [true]);
	await settle();
	gate.stop('enough');
	await expect(results[0]).rejects.toBeInstanceOf(NotStartedError);
	expect(began).toEqual([]);
});

test('after stop no billed request starts, those waiting are told, free ones pass', async () => {
	const gate = new ConcurrencyLimiter(1);
	const { requests, began, results } = crowd(gate, [true, true, false]);
	await settle();
	gate.stop('enough');
	await expect(results[1]).rejects.toBeInstanceOf(NotStartedError);
	requests.forEach(({ finish }) => finish());
	await Promise.all([results[0], results[2]]);
	expect(began).toEqual([0, 2]);
	await expect(gate.enter(true)).rejects.toBeInstanceOf(NotStartedError);
});

test('of two that hold the others back, one counts once, however often it lets go', async () => {
	const gate = new ConcurrencyLimiter(2);
	const [one, other] = [gate.hold(), gate.hold()];
	const { requests, began, results } = crowd(gate, [true]);
	one();
	one();
	await settle();
	expect(began).toEqual([]);
	other();
	await settle();
	expect(began).toEqual([0]);
	requests[0].finish();
	await Promise.all(results);
	expect(gate.isHeld).toBe(false);
});

test('nobody starts while the gateway asks to wait', async () => {
	const gate = new ConcurrencyLimiter(4);
	await throttled(gate, 40);
	const { requests, began, results } = crowd(gate, [true]);
	await settle();
	expect(began).toEqual([]);
	requests[0].finish();
	await Promise.all(results);
	expect(began).toEqual([0]);
});

test('a request that was called off before it came does not wait for a place', async () => {
	const gate = new ConcurrencyLimiter(1);
	const { requests, results } = crowd(gate, [true]);
	const off = AbortSignal.abort(new Error('called off'));
	await expect(gate.enter(true, off)).rejects.toThrow('called off');
	requests[0].finish();
	await Promise.all(results);
});

test('cancelling ends every wait with the reason', async () => {
	const cancel = new AbortController();
	const gate = new ConcurrencyLimiter(1, cancel.signal);
	const waits = [
		pause(60_000, cancel.signal),
		throttled(gate, 60_000).then(async () => await gate.enter(true)),
	];
	const ends = waits.map(async (wait) => await expect(wait).rejects.toThrow('stop'));
	await settle();
	cancel.abort(new Error('stop'));
	await Promise.all(ends);
	await expect(gate.enter(false)).rejects.toThrow('stop');
});
