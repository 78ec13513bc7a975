/** One event of a text/event-stream. `event` is `message` where the stream names none. IDs are not kept: no stream is resumed. */
export interface SseEvent {
	event: string;
	data: string;
}

/** Far more than any chat delta; without a bound, a stream that never ends its line would fill the memory. */
const DEFAULT_MAX_BUFFER_BYTES = 1024 * 1024;

/** Gateways that fail after the headers write their JSON bare into the stream: it counts as data. */
const BARE_JSON = /^\s*\[?\{/;

const LF = 0x0a;
const CR = 0x0d;

/**
 * Incremental parser of text/event-stream (WHATWG HTML, section 9.2.6), without I/O. Chunks may end anywhere, also within
 * a character or a CRLF: lines are cut as bytes (no byte of a longer UTF-8 character is a CR or LF) and decoded whole.
 */
export class SseParser {
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	private partialLine: Uint8Array[] = [];
	/** Bytes of the unfinished line and of the data lines of the unfinished event. */
	private bufferedBytes = 0;
	private atStart = true;
	private afterCr = false;
	private data: string[] = [];
	private event = '';

	constructor(private readonly maxBufferBytes = DEFAULT_MAX_BUFFER_BYTES) {}

	/** The events that this chunk completes. Throws once an event is longer than maxBufferBytes. */
	feed(chunk: Uint8Array): SseEvent[] {
		const events: SseEvent[] = [];
		let lineStart = 0;
		for (let i = 0; i < chunk.length; i++) {
			const byte = chunk[i];
			if (byte === LF && this.afterCr) lineStart = i + 1;
			else if (byte === LF || byte === CR) {
				this.buffer(chunk, lineStart, i);
				this.endLine(events);
				lineStart = i + 1;
			}
			this.afterCr = byte === CR;
		}
		this.buffer(chunk, lineStart, chunk.length);
		return events;
	}

	/** Ends the stream: a last event that was not ended by a blank line, if it has data. */
	end(): SseEvent[] {
		const events: SseEvent[] = [];
		if (this.partialLine.length > 0) this.endLine(events);
		this.dispatch(events);
		return events;
	}

	private buffer(chunk: Uint8Array, start: number, end: number): void {
		if (start === end) return;
		this.bufferedBytes += end - start;
		if (this.bufferedBytes > this.maxBufferBytes) {
			throw new RangeError(`An event of the stream is longer than ${this.maxBufferBytes} bytes`);
		}
		// A copy, as the caller may reuse the chunk's memory. (slice() of a Buffer would share it.)
		this.partialLine.push(new Uint8Array(chunk.subarray(start, end)));
	}

	private endLine(events: SseEvent[]): void {
		const bytes = Buffer.concat(this.partialLine);
		this.partialLine = [];
		let line = this.decoder.decode(bytes);
		if (this.atStart && line.startsWith('\ufeff')) line = line.slice(1);
		this.atStart = false;

		if (line === '') {
			this.dispatch(events);
			return;
		}
		if (BARE_JSON.test(line)) line = `data:${line}`;
		const colon = line.indexOf(':');
		const field = colon === -1 ? line : line.slice(0, colon);
		let value = colon === -1 ? '' : line.slice(colon + 1);
		if (value.startsWith(' ')) value = value.slice(1);

		if (field === 'data') {
			this.data.push(value);
			return;
		}
		// Only data lines accumulate within an event.
		this.bufferedBytes -= bytes.length;
		if (field === 'event') this.event = value;
	}

	private dispatch(events: SseEvent[]): void {
		if (this.data.length > 0) {
			events.push({ event: this.event || 'message', data: this.data.join('\n') });
		}
		this.data = [];
		this.event = '';
		this.bufferedBytes = 0;
	}
}
