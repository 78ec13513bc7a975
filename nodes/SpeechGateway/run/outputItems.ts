import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	type ErrorDetails,
	GatewayError,
	InputError,
	type OutcomeUnknownError,
} from '../core/errors';
import type { UnknownReason } from '../core/outcome';
import type { Description } from './operation';

const CHECK_FIRST =
	'Look it up in the usage log of the gateway first. If it was not charged, send this item again in a new execution, on purpose. If it was, sending it again would be charged a second time.';

const ADVICE: Record<UnknownReason, string> = {
	upstream_outcome_unknown: CHECK_FIRST,
	connection_lost: CHECK_FIRST,
	client_timeout: `${CHECK_FIRST} If this happens often, raise the option "Timeout" or send shorter texts.`,
	damaged_response: `It was most likely charged; what arrived is attached. ${CHECK_FIRST}`,
	interrupted: CHECK_FIRST,
	already_sent:
		'Use the result of the earlier execution. To send this item again on purpose, and be charged again, give it a new key.',
};

/** Characters of what was asked for that tell an item from the others. */
const INPUT_SHOWN = 80;

/** What an item of unknown outcome is about. */
export interface UnknownSubject extends Description {
	/** From 0. */
	index: number;
	/** `resource.operation` */
	operation: string;
}

/**
 * An item on the Outcome Unknown branch. The keys are in the order in which people need them: what happened, what to do,
 * what it is about. No key is named `error`: n8n would take it for a failure.
 */
export function unknownItem(
	{ index, operation, input, fileName, ...described }: UnknownSubject,
	{ facts, details, files }: OutcomeUnknownError,
	advice = ADVICE[facts.reason],
): INodeExecutionData {
	const { reason, message, ...rest } = facts;
	const json = {
		outcome: 'unknown',
		message,
		advice,
		item: index + 1,
		input: Array.from(input ?? '')
			.slice(0, INPUT_SHOWN)
			.join(''),
		...(fileName && { fileName }),
		reason,
		operation,
		...rest,
		...described,
		...details,
	} as IDataObject;
	const binary = files as IBinaryKeyData;
	return { json, ...(Object.keys(binary).length > 0 && { binary }) };
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
