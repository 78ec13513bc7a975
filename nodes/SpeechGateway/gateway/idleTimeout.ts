import { pause } from './pause';
import type { Readable } from './readable';

/** Between two looks: a body that has ended is forgotten after this, however long the time-out. */
const LONGEST_TICK_MS = 2_000;

/**
 * Lets a body break with an error, when it is iterated, once nothing has come for `milliseconds`. n8n's own time-out
 * ends with the headers when redirects are not followed: its HTTP client then ignores the timer, and a gateway that falls
 * silent would hold the workflow for ever. `request` aborts the request; destroying n8n's body would wait for its data.
 */
export function breakWhenIdle(
	body: Readable,
	milliseconds: number,
	request: AbortController,
): Readable {
	const iterate = body[Symbol.asyncIterator].bind(body);
	return Object.assign(body, {
		[Symbol.asyncIterator]: () => watched(iterate(), milliseconds, request),
	});
}

async function* watched(
	chunks: AsyncIterator<Uint8Array>,
	milliseconds: number,
	request: AbortController,
): AsyncGenerator<Uint8Array, undefined> {
	/** Only while the next chunk is awaited: a slow reader does not make the gateway idle. */
	let waitingSince: number | undefined;
	let ended = false;
	const watch = async () => {
		for (let idle = 0; idle < milliseconds; ) {
			await pause(Math.min(LONGEST_TICK_MS, milliseconds - idle));
			if (ended) return;
			idle = waitingSince === undefined ? 0 : Date.now() - waitingSince;
		}
		request.abort(new Error(`nothing came for ${milliseconds / 1000} seconds`));
	};
	try {
		void watch();
		for (;;) {
			waitingSince = Date.now();
			const next = await chunks.next();
			if (next.done) return undefined;
			waitingSince = undefined;
			yield next.value;
		}
	} catch (error) {
		throw request.signal.aborted ? request.signal.reason : error;
	} finally {
		ended = true;
		await chunks.return?.();
	}
}
