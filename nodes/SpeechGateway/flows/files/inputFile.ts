import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { InputError } from '../../core/errors';

/** What reading the files of incoming items takes. */
export type FileContext = Pick<IExecuteFunctions, 'helpers' | 'getInputData'>;

/** The file in a binary field of an item; `label`: where the field is named. Throws InputError with the files that the item has. */
export function fileOf(
	context: FileContext,
	index: number,
	property: string,
	label = 'Input Binary Field',
): IBinaryData {
	try {
		return context.helpers.assertBinaryData(index, property);
	} catch {
		throw noFile(property, label, Object.keys(context.getInputData()[index]?.binary ?? {}));
	}
}

const noFile = (property: string, label: string, fields: string[]) =>
	new InputError(
		`The item has no file in the binary field "${property}"`,
		fields.length > 0
			? `Its files are in: ${fields.join(', ')}. Name one of them in "${label}". Nothing was sent.`
			: `Put a node before this one that brings a file (Read Files, HTTP Request, Form …), or name its field in "${label}". Nothing was sent.`,
	);

/** The bytes of a file in any of n8n's stores; streamed where n8n streams. */
export async function chunksOf(
	{ helpers }: Pick<FileContext, 'helpers'>,
	{ id, data }: IBinaryData,
): Promise<AsyncIterable<Uint8Array>> {
	return id ? ((await helpers.getBinaryStream(id)) as AsyncIterable<Uint8Array>) : decoded(data);
}

async function* decoded(base64: string): AsyncGenerator<Uint8Array> {
	yield Buffer.from(base64, 'base64');
}
