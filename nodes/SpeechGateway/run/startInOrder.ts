import type { GiveWay } from '../core/pause';

/** Items started ahead of those being sent. More than the highest concurrency (100), so no slot stays empty. */
const MOST_WAITING = 200;

/**
 * Starts items in order, more of them than can be sent at once, and gives way to n8n's other work in between. `starts`:
 * each begins an item, which calls `onTurn` at its first turn and never rejects.
 */
export async function startInOrder<R>(
	starts: Array<(onTurn: () => void) => Promise<R>>,
	giveWay: GiveWay,
): Promise<R[]> {
	const started: Array<Promise<R>> = [];
	const waiting = new Set<number>();
	let goOn = () => {};
	for (const [index, start] of starts.entries()) {
		const pausing = giveWay();
		// Don't await otherwise: items started in one tick share one database write.
		if (pausing) await pausing;
		if (waiting.size >= MOST_WAITING) await new Promise<void>((resolve) => (goOn = resolve));
		waiting.add(index);
		const leave = () => {
			waiting.delete(index);
			goOn();
		};
		started.push(untilOver(start, leave));
	}
	return await Promise.all(started);
}

/** Awaited as a whole: a second `then` beside that of Promise.all would end every stack trace here. */
async function untilOver<R>(
	start: (onTurn: () => void) => Promise<R>,
	leave: () => void,
): Promise<R> {
	try {
		return await start(leave);
	} finally {
		leave();
	}
}
