import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { type ErrorDetails, GatewayError, InputError, type UnknownFacts } from '../core/errors';
import type { UnknownReason } from '../core/outcome';

const CHECK_FIRST =
	'It was not sent again. Look into the usage log of the gateway: if it was not charged, send this item again on purpose; if it was, the result may still be there.';

const ADVICE: Record<UnknownReason, string> = {
	upstream_outcome_unknown: CHECK_FIRST,
	connection_lost: CHECK_FIRST,
	client_timeout: `${CHECK_FIRST} If this happens often, raise the option "Timeout" or send shorter texts.`,
	damaged_response: `It was most likely charged. ${CHECK_FIRST}`,
	interrupted: CHECK_FIRST,
	already_sent:
		'It was not sent again. Use the result of the earlier execution, or give the item a new key to send it on purpose.',
};

/** The json of an item on the Outcome Unknown branch. No key is named `error`: n8n would take it for a failure. */
export function unknownItem(
	operation: string,
	facts: UnknownFacts,
	extra: IDataObject = {},
	binary?: IBinaryKeyData,
): INodeExecutionData {
	const { reason, message, ...rest } = facts;
	const json = {
		outcome: 'unknown',
		reason,
		operation,
		message,
		advice: ADVICE[reason],
		...rest,
		...extra,
	};
	return { json, ...(binary && Object.keys(binary).length > 0 && { binary }) };
}

/** What an item's failure has to say, whether it becomes an error item or the error of the run. */
export interface ErrorText {
	message: string;
	description: string;
	details: ErrorDetails;
	/** Paid results of the item that are handed over with the error item. */
	binary?: IBinaryKeyData;
}

export function errorText(error: unknown): ErrorText {
	if (error instanceof GatewayError) {
		const { description, details, files } = error;
		// The gateway's ids and words are in it; n8n would end the execution as canceled.
		const message = error.message.replace(/canceled/gi, 'cancelled');
		return { message, description, details, binary: files as IBinaryKeyData };
	}
	if (error instanceof InputError)
		return { message: error.message, description: error.description, details: {} };
	const { message, description } = error as { message?: string; description?: string | null };
	return {
		message: String(message ?? error).replace(/canceled/gi, 'cancelled'),
		description: description ?? 'This was not expected. What was paid for is kept for a retry.',
		details: {},
	};
}

/** The one shape that n8n 1 and 2 both move to the Error output without losing its fields. */
export function errorItem({
	message,
	description,
	details,
	binary,
}: ErrorText): INodeExecutionData {
	const error = { message, description, ...details } as IDataObject;
	return { json: { error }, ...(binary && Object.keys(binary).length > 0 && { binary }) };
}

/** A provider's body as item json: a key named `error` would make n8n retry the node, so it is renamed or dropped. */
export function withoutErrorKey(body: IDataObject, newName: string): IDataObject {
	const { error, ...rest } = body;
	return error === null || error === undefined ? rest : { ...rest, [newName]: error };
}
