import { pause } from '../core/pause';
import type { Readable } from './readBody';

/** Longest time between two looks at the clock, ms. A finished exchange stays in memory until the next one. */
const LONGEST_TICK_MS = 2_000;

let tick: Promise<void> | undefined;

/** The next look at the clock. All exchanges share its timer: one for each would cost more than all that the ledger does. */
async function nextTick(): Promise<void> {
	tick ??= pause(LONGEST_TICK_MS).finally(() => (tick = undefined));
	await tick;
}

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
	/** When waiting for the gateway began; Infinity while not waiting. Until the headers, n8n's own timeout comes first. */
	private waitingSince = performance.now() + LONGEST_TICK_MS;
	private ended = false;
	private limitedSince: number | undefined;
	/** Time spent waiting for the body, ms, minus the time that its bytes have earned. */
	private owed = 0;

	constructor(private readonly milliseconds: number) {
		void this.watch();
	}

	/** Aborts the request when its time is up, or when it is ended early. */
	get signal(): AbortSignal {
		return this.request.signal;
	}

	/** The clock runs from now: a chunk is asked for. */
	restart(): void {
		this.waitingSince = performance.now();
	}

	/** Counts bytes that arrived; the clock stops until more are asked for. */
	received(bytes: number): void {
		const waited = performance.now() - this.waitingSince;
		this.owed = Math.max(0, this.owed + waited - (bytes * 1000) / SLOWEST_BYTES_PER_SECOND);
		this.waitingSince = Infinity;
	}

	/** From now on, the timeout bounds the rest of the exchange, whatever arrives. */
	limitWholeBody(): void {
		this.limitedSince = performance.now();
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

	/** Looks at the clock until the exchange is over or its time is up. The deadline moves, so each look works it out anew. */
	private async watch(): Promise<void> {
		for (;;) {
			const since = this.limitedSince ?? this.waitingSince - this.owed;
			const left = this.milliseconds - (performance.now() - since);
			if (left <= 0) break;
			await (left > LONGEST_TICK_MS ? nextTick() : pause(left));
			if (this.ended) return;
		}
		this.ended = true;
		this.request.abort(
			new Error(`the answer did not arrive within ${this.milliseconds / 1000} seconds`),
		);
	}
}

/**
 * Makes a body fail once the gateway has been silent, or nearly silent, for the timeout. Releases everything as soon as the
 * body is read to its end, abandoned or destroyed.
 */
export function watchBody(body: Readable, timeout: ExchangeTimeout): Readable {
	const iterate = body[Symbol.asyncIterator].bind(body);
	const destroy = body.destroy.bind(body);
	// n8n's HTTP client reports an abort here; without a listener that would end the process.
	body.on('error', () => undefined);
	return Object.assign(body, {
		[Symbol.asyncIterator]: () => watched(iterate(), timeout),
		destroy: (error?: Error) => {
			// Node also destroys a body that has ended normally.
			if (body.readableEnded) timeout.end();
			else timeout.breakOff();
			return destroy(error);
		},
	});
}

/** The chunks of a body, with the clock running only while the gateway is waited for. */
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
			// A slow reader is not a silent gateway.
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
