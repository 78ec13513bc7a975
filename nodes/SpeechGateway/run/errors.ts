import {
	type IExecuteFunctions,
	type JsonObject,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { type ErrorDetails, InputError } from '../core/errors';
import { errorText } from './outputItems';
import type { Operation } from './operation';

export interface RunFailure {
	/** Of the item that failed, from 0, and how many there are. */
	index: number;
	count: number;
	/** Items that are done. */
	kept: number;
	error: unknown;
	operation: Operation;
}

/** The one error of a run in stop mode: names the item, and says what is kept. */
export function runError(
	context: IExecuteFunctions,
	{ index: itemIndex, count, kept, error, operation }: RunFailure,
): Error {
	const failure = errorText(error);
	const { httpCode, ...details } = failure.details;
	const message =
		count > 1 ? `${failure.message} (item ${itemIndex + 1} of ${count})` : failure.message;
	const sent =
		error instanceof InputError && kept === 0 ? '' : keptWords(kept, count, details, operation);
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

/** What is paid for, and how to get the rest without paying for that again. */
function keptWords(
	kept: number,
	count: number,
	{ segments }: ErrorDetails,
	{ billed }: Operation,
): string {
	const [done, all, things] =
		count > 1
			? [kept, count, 'items']
			: [Number(segments?.completed ?? 0), Number(segments?.total ?? 1), 'segments'];
	if (!billed || all === 1) return '';
	const words = `${done} of ${all} ${things} are done and kept`;
	if (done === 0) return `${words}.`;
	return `${words}. Do not click Execute again: that would pay for all ${all}. Open "Executions" and retry this execution instead: it does not send or charge again what is done.`;
}
