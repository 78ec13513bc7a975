import { SNIFFED_BYTES } from '../audio';
import { asError, DamagedResultError } from '../core/errors';
import { isRecord } from '../core/json';
import { isFile } from '../fields/kinds';
import { withExtension } from './fileName';
import { MAY_BE_A_WEBSITE } from '../gateway/gatewayWords';
import { textOf } from '../gateway/readBody';
import type { GatewayResponse } from '../gateway/transport';
import type { ItemRequests } from '../requests/itemRequests';
import { fileFrom } from './store';
import { describeUnreadable, isText, redacted } from './recognise';

/**
 * Reads the JSON of an answer that was paid for. Throws DamagedResultError, with all that came, when it is no JSON, not
 * whole, or `read` throws because it is not what was paid for.
 */
export async function readPaidJson<T>(
	item: ItemRequests,
	response: GatewayResponse,
	read: (body: unknown) => T,
): Promise<T> {
	const { body, bytes, failure } = await item.session.transport.readAnswer(response);
	try {
		if (failure) throw failure;
		const value = read(body);
		// On record, such a field is a file that n8n has stored: a gateway must not name any.
		if (isRecord(value) && isFile(value.binary)) delete value.binary;
		return value;
	} catch (error) {
		throw await withReceived(item, response, error, bytes);
	}
}

/** The error of a damaged paid answer, with the received bytes as a file if they can be stored. */
export async function withReceived(
	item: ItemRequests,
	{ headers }: GatewayResponse,
	error: unknown,
	bytes: Buffer,
): Promise<Error> {
	const { nodeCall, transport } = item.session;
	// Stopped by the user, not damaged.
	if (transport.cancel?.aborted) return asError(error);
	const { message: failure } = asError(error);
	if (bytes.length === 0) return new DamagedResultError(failure, {}, error, true);
	const redact = (text: string) => transport.redactor.text(text);
	const head = bytes.subarray(0, SNIFFED_BYTES);
	const type = headers['content-type'] ?? '';
	const { mimeType, extensions } = describeUnreadable(head, type, redact);
	const message =
		mimeType === 'text/html'
			? `${failure}: it is a web page. The base URL ${MAY_BE_A_WEBSITE}`
			: failure;
	// JSON, and what is streamed, is an answer, be it a wrong one.
	const isNothing =
		isText(mimeType) && !/^\s*(?:[[{]|(?:data|event|id|retry)?:)/m.test(textOf(head));
	try {
		const received = await nodeCall.store(
			await fileFrom(redacted([bytes], transport.redactor.stream())),
			withExtension('received', ...extensions),
			mimeType,
		);
		return new DamagedResultError(message, { received }, error, isNothing);
	} catch {
		return new DamagedResultError(message, {}, error, isNothing);
	}
}
