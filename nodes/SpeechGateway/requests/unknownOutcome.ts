import {
	type GatewayError,
	OutcomeUnknownError,
	type Sent,
	type UnknownFacts,
	type UnknownReason,
} from '../core/errors';

/** The error of a request that may have been charged; its facts are plain JSON, for the ledger. */
export function outcomeUnknown(
	reason: UnknownReason,
	{ sentAt, inputHash, model }: Sent,
	cause?: GatewayError,
	neighbours?: object,
): OutcomeUnknownError {
	const { httpCode, requestId, code, location, probablyFree } = cause?.details ?? {};
	const facts: UnknownFacts = {
		reason,
		message: [WHAT_HAPPENED[reason], !SAYS_ALL.has(reason) && cause?.message]
			.filter(Boolean)
			.join(': '),
		...(httpCode && { httpCode }),
		...(requestId && { requestId }),
		...(typeof code === 'string' && { code }),
		...(typeof location === 'string' && { location }),
		...(probablyFree === true && { probablyFree }),
		...(reason === 'not_stored' && { description: cause?.description }),
		sentAt,
		endedAt: new Date().toISOString(),
		inputHash,
		model,
		...(neighbours && { neighbours }),
	};
	return new OutcomeUnknownError(facts, {}, cause?.files);
}

/** Without an answer, the cause is the same in the words of the system; its code is among the facts. */
const SAYS_ALL = new Set<UnknownReason>(['connection_lost', 'client_timeout']);

const WHAT_HAPPENED: Record<UnknownReason, string> = {
	upstream_outcome_unknown: 'It is not known whether the request was carried out',
	connection_lost: 'The connection was lost after the request was sent',
	client_timeout: 'No answer came within the timeout after the request was sent',
	damaged_response: 'The gateway reported success, but the result is damaged',
	not_stored: 'It was carried out and charged, but n8n could not store the file',
	interrupted: 'The run was interrupted while the request was under way',
	already_sent: 'Another execution has sent this request before',
};
