import { pause } from './pause';
import type { Readable } from './transport';

/**
 * Lets a body break with an error, when it is iterated, once nothing has come for `milliseconds`. n8n's own time-out
 * ends with the headers when redirects are not followed: its HTTP client then ignores the timer, and a gateway that falls
 * silent would hold the workflow for ever.
 */
export function breakOnSilence(body: Readable, milliseconds: number): Readable {
	const iterate = body[Symbol.asyncIterator].bind(body);
	return Object.assign(body, {
		[Symbol.asyncIterator]: () => watched(body, iterate(), milliseconds),
	});
}

async function* watched(
	body: Readable,
	chunks: AsyncIterator<Uint8Array>,
	milliseconds: number,
): AsyncGenerator<Uint8Array, undefined> {
	/** Only while the next chunk is awaited: a slow reader is no silence of the gateway. */
	let waitingSince: number | undefined;
	let ended = false;
	const watch = async () => {
		for (;;) {
			const silence = waitingSince === undefined ? 0 : Date.now() - waitingSince;
			await pause(Math.max(1, milliseconds - silence));
			if (ended) return;
			if (waitingSince !== undefined && Date.now() - waitingSince >= milliseconds) break;
		}
		body.destroy(new Error(`nothing came for ${milliseconds / 1000} seconds`));
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
	} finally {
		ended = true;
		body.destroy();
	}
}
