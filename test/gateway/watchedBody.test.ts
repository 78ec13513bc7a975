/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { PassThrough } from 'node:stream';
import { ExchangeTimeout, watchBody } from '../../nodes/SpeechGateway/gateway/watchedBody';
import { now, useVirtualTime, wait } from '../support/clock';

useVirtualTime();

const TIMEOUT_MS = 10_000;

/** A body of so many pieces, with so many ms before each, that is watched from now on. */
function watch(pieces: number, bytes: number, everyMs: number) {
	const timeout = new ExchangeTimeout(TIMEOUT_MS);
	const began = now();
	const source = new PassThrough();
	const fill = async () => {
		for (let piece = 0; piece < pieces; piece++) {
			await wait(everyMs);
			if (source.destroyed) return;
			source.write(Buffer.alloc(bytes));
		}
		source.end();
	};
	void fill();
	// As n8n's HTTP client does.
	timeout.signal.addEventListener('abort', () => source.destroy(new Error('canceled')));
	return { timeout, body: watchBody(source, timeout), seconds: () => (now() - began) / 1000 };
}

/** Reads all, with so many ms after each chunk; returns how many bytes it was. */
async function read(body: AsyncIterable<unknown>, thenMs = 0): Promise<number> {
	let bytes = 0;
	for await (const chunk of body) {
		bytes += (chunk as Buffer).length;
		await wait(thenMs);
	}
	return bytes;
}

const TOO_LATE = 'the answer did not arrive within 10 seconds';

test('a body that is silent for as long as the time-out breaks then', async () => {
	const { body, seconds } = watch(1, 100, 60_000);
	await expect(read(body)).rejects.toThrow(TOO_LATE);
	expect(seconds()).toBeGreaterThanOrEqual(10);
	expect(seconds()).toBeLessThan(12.5);
});

test('one that drips more slowly than anything is said breaks a little later', async () => {
	const { body, seconds } = watch(60, 100, 4_000);
	await expect(read(body)).rejects.toThrow(TOO_LATE);
	expect(seconds()).toBeGreaterThan(12);
	expect(seconds()).toBeLessThan(24);
});

test('one that brings a word every few seconds is read to its end, however long that takes', async () => {
	const { body, timeout, seconds } = watch(15, 240, 4_000);
	expect(await read(body)).toBe(15 * 240);
	expect(seconds()).toBe(60);
	expect(timeout.signal.aborted).toBe(false);
});

test('what came fast earns no time for later', async () => {
	const { body, timeout, seconds } = watch(1, 100, 60_000);
	timeout.received(1_000_000);
	await expect(read(body)).rejects.toThrow(TOO_LATE);
	expect(seconds()).toBeLessThan(12.5);
});

test('a reader may take its time', async () => {
	const { body } = watch(3, 100, 1_000);
	expect(await read(body, 60_000)).toBe(300);
});

test('limited as a whole, a body has the time-out for all of it', async () => {
	const { body, timeout, seconds } = watch(60, 10_000, 1_000);
	timeout.limitWholeBody();
	await expect(read(body)).rejects.toThrow(TOO_LATE);
	expect(seconds()).toBeGreaterThanOrEqual(10);
	expect(seconds()).toBeLessThan(12.5);
});

test("before there is an answer, n8n's own time-out comes first", async () => {
	const { signal } = new ExchangeTimeout(TIMEOUT_MS);
	await wait(TIMEOUT_MS + 1_000);
	expect(signal.aborted).toBe(false);
	await wait(3_000);
	expect(signal.reason).toEqual(new Error(TOO_LATE));
});

test('an abort of which nobody hears does not end the process', () => {
	const { body } = watch(0, 0, 0);
	expect(() => (body as unknown as PassThrough).emit('error', new Error('canceled'))).not.toThrow();
});

test('an exchange that has failed, or whose body was read to its end, is not broken off afterwards', async () => {
	const failed = new ExchangeTimeout(TIMEOUT_MS);
	failed.end();
	failed.breakOff();
	const { body, timeout } = watch(1, 100, 1_000);
	await read(body);
	// As Node does.
	body.destroy();
	await wait(60_000);
	expect([failed.signal.aborted, timeout.signal.aborted]).toEqual([false, false]);
});

test('a body that is left before its end takes its connection with it', async () => {
	const left = watch(60, 100, 1_000);
	for await (const chunk of left.body) if (chunk) break;
	expect(left.timeout.signal.reason).toEqual(new Error('the answer broke off before its end'));
	const destroyed = watch(60, 100, 1_000);
	destroyed.body.destroy();
	expect(destroyed.timeout.signal.aborted).toBe(true);
	expect([left.body.destroyed, destroyed.body.destroyed]).toEqual([true, true]);
});
