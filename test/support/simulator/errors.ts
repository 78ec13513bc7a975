/** An answer other than success, in the shape of the format that the service is compatible with. */
export class ApiError extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly code: string | null = null,
		readonly param: string | null = null,
	) {
		super(message);
	}
}

const TYPES: Record<number, string> = {
	401: 'authentication_error',
	402: 'insufficient_quota',
	403: 'permission_error',
	429: 'rate_limit_error',
};

const DEFAULTS: Record<number, [message: string, code: string | null]> = {
	400: ['Bad request', 'invalid_request'],
	401: ['Invalid API key', 'invalid_api_key'],
	402: ['Insufficient balance', 'insufficient_balance'],
	403: ['Forbidden', 'forbidden'],
	404: ['Not found', 'not_found'],
	409: ['Conflict', 'not_ready'],
	413: ['Payload too large', 'payload_too_large'],
	422: ['Unsupported parameter', 'unsupported_parameter'],
	429: ['Too many requests', 'rate_limit_exceeded'],
	504: ['Upstream outcome unknown', 'upstream_outcome_unknown'],
};

/** The error body `{ error: { message, type, code, param } }`. */
export function errorBody(status: number, message?: string, code?: string | null, param?: string) {
	const [defaultMessage, defaultCode] = DEFAULTS[status] ?? ['Upstream error', 'upstream_error'];
	const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
	return {
		error: {
			message: message ?? defaultMessage,
			type,
			code: code === undefined ? defaultCode : code,
			param: param ?? null,
		},
	};
}
