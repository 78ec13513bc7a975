import { pause } from '../core/pause';
import type { Readable } from './readable';

/** Between two looks at the clock: an exchange that has ended is forgotten after this, however long its time-out. */
const LONGEST_TICK_MS = 2_000;

/**
 * Slowest pace of a body, bytes a second, once the time-out has passed: a chat that writes a word every few seconds is
 * faster, a connection that drips without an end is not.
 */
const SLOWEST_BYTES_PER_SECOND = 50;

/**
 * The time-out of one exchange with the gateway. n8n's own ends with the headers when redirects are not followed, and
 * never comes for a `101 Switching Protocols`: a gateway that falls silent would hold the workflow for ever.
 */
export class ExchangeTimeout {
	private readonly request = new AbortController();
	/** Since when the gateway is waited for; Infinity while it is not. Up to the headers, n8n's own time-out is to come first. */
	private waitingSince = performance.now() + LONGEST_TICK_MS;
	private ended = false;
	private hurriedSince: number | undefined;
	/** How long the body has been waited for so far, ms, less the time that its bytes have earned. */
	private owed = 0;

	constructor(private readonly milliseconds: number) {
		void this.watch();
	}

	/** Aborts the request when its time is up, or when it is ended early. */
	get signal(): AbortSignal {
		return this.request.signal;
	}

	/** From now on the time runs anew. */
	restart(): void {
		this.waitingSince = performance.now();
	}

	/** This many bytes came; the time stands still until the next are asked for. */
	received(bytes: number): void {
		const waited = performance.now() - this.waitingSince;
		this.owed = Math.max(0, this.owed + waited - (bytes * 1000) / SLOWEST_BYTES_PER_SECOND);
		this.waitingSince = Infinity;
	}

	/** From now on, the time runs for all that is left of the exchange, whatever comes in. */
	hurry(): void {
		this.hurriedSince = performance.now();
	}

	/** The exchange is over: there is nothing left to wait for. */
	end(): void {
		this.ended = true;
	}

	/** Ends the exchange before its answer is whole. Destroying n8n's body alone would wait for more data. */
	breakOff(): void {
		if (this.ended) return;
		this.ended = true;
		this.request.abort(new Error('the answer broke off before its end'));
	}

	private async watch(): Promise<void> {
		for (;;) {
			const since = this.hurriedSince ?? this.waitingSince - this.owed;
			const waited = performance.now() - since;
			if (waited >= this.milliseconds) break;
			await pause(Math.min(LONGEST_TICK_MS, this.milliseconds - waited));
			if (this.ended) return;
		}
		this.ended = true;
		this.request.abort(
			new Error(`the answer did not arrive within ${this.milliseconds / 1000} seconds`),
		);
	}
}

/**
 * Lets a body break with an error once the gateway has been silent, or next to silent, for the time-out, and end with all
 * that belongs to it as soon as it is read to its end, left, or destroyed.
 */
export function watchBody(body: Readable, timeout: ExchangeTimeout): Readable {
	const iterate = body[Symbol.asyncIterator].bind(body);
	const destroy = body.destroy.bind(body);
	// n8n's HTTP client reports an abort here; without a listener that would end the process.
	body.on('error', () => undefined);
	return Object.assign(body, {
		[Symbol.asyncIterator]: () => watched(iterate(), timeout),
		destroy: (error?: Error) => {
			// Node destroys what has come to its end, too.
			if (body.readableEnded) timeout.end();
			else timeout.breakOff();
			return destroy(error);
		},
	});
}

async function* watched(
	chunks: AsyncIterator<Uint8Array>,
	timeout: ExchangeTimeout,
): AsyncGenerator<Uint8Array, undefined> {
	try {
		for (;;) {
			timeout.restart();
			const next = await chunks.next();
			if (next.done) {
				timeout.end();
				return undefined;
			}
			// A slow reader does not make the gateway silent.
			timeout.received(next.value.length);
			yield next.value;
		}
	} catch (error) {
		throw timeout.signal.aborted ? timeout.signal.reason : error;
	} finally {
		timeout.breakOff();
		await chunks.return?.();
	}
}
