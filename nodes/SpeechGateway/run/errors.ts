import {
	type IExecuteFunctions,
	type JsonObject,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { InputError } from '../core/errors';
import { errorText } from './outputItems';
import type { Operation } from './operation';

/** The one error of a run in stop mode: names the item, and says what is kept. */
export function runError(
	context: IExecuteFunctions,
	itemIndex: number,
	count: number,
	error: unknown,
	kept: number,
	operation: Operation,
): Error {
	const failure = errorText(error);
	const { httpCode, ...details } = failure.details;
	const message =
		count > 1 ? `${failure.message} (item ${itemIndex + 1} of ${count})` : failure.message;
	const sent = error instanceof InputError && kept === 0 ? '' : keptWords(kept, count, operation);
	const id = details.requestId ? `Request id: ${details.requestId}.` : '';
	const description = [failure.description, sent, id].filter(Boolean).join(' ');
	const node = context.getNode();
	const nodeError = httpCode
		? new NodeApiError(node, { message } as JsonObject, {
				message,
				description,
				httpCode,
				itemIndex,
			})
		: new NodeOperationError(node, message, { description, itemIndex });
	Object.assign(nodeError.context, details);
	return nodeError;
}

function keptWords(kept: number, count: number, operation: Operation): string {
	if (!operation.billed || count === 1) return '';
	return `${kept} of ${count} items are done and kept: a retry of this execution does not send or charge them again.`;
}
