/**
 * Waits; rejects with the signal's reason as soon as it aborts. Verified nodes may not use timers, and `sleep` of
 * n8n-workflow ignores the signal on 1.x; AbortSignal.any adds no listener to the (shared) cancel signal. `early` ends it
 * before its time.
 */
export async function pause(
	milliseconds: number,
	cancel?: AbortSignal,
	early?: AbortSignal,
): Promise<void> {
	cancel?.throwIfAborted();
	if (milliseconds <= 0) return;
	const timer = AbortSignal.timeout(Math.ceil(milliseconds));
	const ends = [timer, cancel, early].filter((signal) => signal !== undefined);
	const either = ends.length > 1 ? AbortSignal.any(ends) : timer;
	await new Promise<void>((resolve) => {
		either.addEventListener('abort', () => resolve(), { once: true });
	});
	cancel?.throwIfAborted();
}
