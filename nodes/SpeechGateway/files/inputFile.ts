import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { InputError } from '../core/errors';
import { chunksIn } from '../gateway/readBody';
import type { FileRef } from '../fields/kinds';
import { COMBINED_FILES } from '../engine/outputs';
import type { NodeCall } from '../engine/nodeCall';

const DEFAULT_LABEL = 'Input Binary Field';

/** Names a file's place in messages: its field, or the parameter whose expression gives it. */
export const placeOf = (file: FileRef, label = DEFAULT_LABEL): string =>
	typeof file === 'string' ? file : label;

/**
 * The file of an item, if it has it. In combined mode n8n takes a field for a path within the json; the names under which files
 * go there are understood all the same, so that the node works alike in both modes.
 */
export function findFile(
	{ helpers }: NodeCall,
	index: number,
	file: FileRef,
): IBinaryData | undefined {
	if (typeof file !== 'string') return file;
	for (const place of [file, `${COMBINED_FILES}[${JSON.stringify(file)}]`]) {
		try {
			return helpers.assertBinaryData(index, place);
		} catch {
			// not there
		}
	}
	return undefined;
}

/** The file of an item. Throws InputError, which lists the files that it has. `label`: the parameter that names the field. */
export function fileOf(
	nodeCall: NodeCall,
	index: number,
	file: FileRef,
	label = DEFAULT_LABEL,
): IBinaryData {
	const found = findFile(nodeCall, index, file);
	if (found) return found;
	const { binary, json = {} }: Partial<INodeExecutionData> = nodeCall.items[index];
	const fields = Object.keys(binary ?? json[COMBINED_FILES] ?? {});
	throw new InputError(
		`The item has no file in the binary field "${placeOf(file)}"`,
		fields.length > 0
			? `Its files are in: ${fields.join(', ')}. Enter one of them in "${label}". Nothing was sent.`
			: `Put a node before this one that outputs a file (HTTP Request, Form, Read/Write Files from Disk …), or enter the name of its field in "${label}". Nothing was sent.`,
	);
}

/** The bytes of a file in any of n8n's stores; streamed where n8n streams. */
export async function chunksOf(
	{ helpers }: NodeCall,
	{ id, data }: IBinaryData,
): Promise<AsyncIterable<Uint8Array>> {
	return id ? chunksIn(await helpers.getBinaryStream(id)) : decodedBase64(data);
}

/** A file that is on its item itself, as one chunk. */
export async function* decodedBase64(base64: string): AsyncGenerator<Uint8Array> {
	yield Buffer.from(base64, 'base64');
}

/** All chunks in one buffer: for what is bounded, or must be sent as a whole. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const all: Uint8Array[] = [];
	for await (const chunk of chunks) all.push(chunk);
	return Buffer.concat(all);
}
