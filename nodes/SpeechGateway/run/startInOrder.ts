import type { GiveWay } from '../core/pause';

/** Items started ahead of those being sent. More than the highest concurrency (100), so no slot stays empty. */
const MOST_WAITING = 200;

/**
 * Starts items in order, as many as soon have a turn to send, and gives way to n8n's other work in between. An item calls `onTurn`
 * at its first turn, and never rejects.
 */
export async function startInOrder<I, R>(
	items: I[],
	giveWay: GiveWay,
	start: (item: I, onTurn: () => void) => Promise<R>,
): Promise<R[]> {
	const started: Array<Promise<R>> = [];
	const waiting = new Set<I>();
	let goOn = () => {};
	for (const item of items) {
		const pausing = giveWay();
		// Don't await otherwise: items started in one tick share one database write.
		if (pausing) await pausing;
		if (waiting.size >= MOST_WAITING) await new Promise<void>((resolve) => (goOn = resolve));
		waiting.add(item);
		const leave = () => {
			waiting.delete(item);
			goOn();
		};
		const one = start(item, leave);
		started.push(one);
		void one.then(leave);
	}
	return await Promise.all(started);
}
