/** The longest time that a timer of Node can wait, about 25 days; one that is set to more ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Aborts after so many milliseconds, or after the longest time that a timer can wait. */
export const abortsIn = (milliseconds: number): AbortSignal =>
	AbortSignal.timeout(Math.min(Math.ceil(milliseconds), LONGEST_TIMER_MS));

/**
 * Waits; rejects with the signal's reason as soon as it aborts. Verified nodes may not use timers, and `sleep` of
 * n8n-workflow ignores the signal on 2.16; AbortSignal.any adds no listener to the (shared) cancel signal.
 */
export async function pause(milliseconds: number, cancel?: AbortSignal): Promise<void> {
	cancel?.throwIfAborted();
	if (milliseconds <= 0) return;
	const timer = abortsIn(milliseconds);
	const either = cancel ? AbortSignal.any([timer, cancel]) : timer;
	await new Promise<void>((resolve) => {
		either.addEventListener('abort', () => resolve(), { once: true });
	});
	cancel?.throwIfAborted();
}

/** Rejects with the signal's reason as soon as it aborts; never resolves. */
export async function cancelled(cancel: AbortSignal): Promise<never> {
	await new Promise<void>((resolve) => {
		if (cancel.aborted) resolve();
		else AbortSignal.any([cancel]).addEventListener('abort', () => resolve(), { once: true });
	});
	throw cancel.reason as Error;
}

/** Waits for work that goes on by itself once the signal aborts. */
export async function unlessCancelled(work: Promise<void>, cancel?: AbortSignal): Promise<void> {
	if (!cancel) return await work;
	await Promise.race([work, cancelled(cancel)]).catch((error) => {
		if (!cancel.aborted) throw error as Error;
	});
}

/** n8n answers nobody, not even its health check, while a node computes. */
const MOST_BUSY_MS = 50;

/** See `givingWay`. */
export type GiveWay = () => Promise<void> | undefined;

/**
 * To be called between items: a pause for n8n's other work when this run has kept it busy for a while, else undefined.
 * `isOver`: whether there is no time left for that.
 */
export function givingWay(isOver: () => boolean = () => false): GiveWay {
	let since = performance.now();
	return () => {
		if (performance.now() - since < MOST_BUSY_MS || isOver()) return undefined;
		return pause(1).then(() => void (since = performance.now()));
	};
}
