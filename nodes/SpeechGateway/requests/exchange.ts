import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import { explainRefusal, type Subject } from './explain';
import { gatewayWords, isPage } from '../gateway/gatewayWords';
import { isRecord } from '../core/json';
import { classifyFailure, classifyStatus, isSuccess, type Outcome } from './outcome';
import type { UnknownReason } from '../core/errors';
import { retryAfterMs } from './retryPolicy';
import { explainUnanswered } from './unreachable';
import type { Endpoint, FreeEndpoint } from '../gateway/endpoints';
import { type GatewayResponse, type Transport, TransportError } from '../gateway/transport';

/** What a request is about; its URL is added here. */
export type About = Omit<Subject, 'url'>;

/** A single resource of the gateway, such as a voice. */
export type OneThing = Required<Pick<About, 'thing' | 'id'>>;

/** One HTTP exchange that brought no result, and why. */
export type Failure = FailureFacts &
	(
		| { outcome: 'unknown'; reason: UnknownReason }
		| { outcome: Exclude<Outcome, 'done' | 'unknown'> }
	);

interface FailureFacts {
	error: GatewayError;
	/** The pause that the gateway asks for, ms. */
	retryAfter?: number;
	/** The gateway itself refuses: the body of its 4xx is JSON, and not the page of a proxy. */
	byGateway?: boolean;
}

const failure = (
	outcome: Exclude<Outcome, 'done'>,
	reason: UnknownReason,
	facts: FailureFacts,
): Failure => (outcome === 'unknown' ? { ...facts, outcome, reason } : { ...facts, outcome });

export const isFailure = (value: unknown): value is Failure =>
	isRecord(value) && 'outcome' in value && value.error instanceof GatewayError;

/** Sends one request. Resolves to the response if it is a success, else to the failure. */
export async function exchange(
	transport: Transport,
	endpoint: Endpoint,
	timeoutMs: number,
	about: About,
	body?: IDataObject | FormData,
): Promise<GatewayResponse | Failure> {
	let response: GatewayResponse;
	try {
		response = await transport.send(endpoint, timeoutMs, body);
	} catch (error) {
		if (!(error instanceof TransportError)) throw asError(error);
		const reason = error.failure === 'timeout' ? 'client_timeout' : 'connection_lost';
		return failure(classifyFailure(error.failure, endpoint.billed), reason, {
			error: unreachable(error, transport.root),
		});
	}
	const errorBody = isSuccess(response.status)
		? undefined
		: await transport.readErrorBody(response);
	const outcome = classifyStatus(response.status, endpoint.billed, errorBody);
	if (outcome === 'done') return response;
	transport.cancel?.throwIfAborted();
	return failure(outcome, 'upstream_outcome_unknown', {
		error: refusal(transport, endpoint, about, response, errorBody),
		retryAfter: retryAfterMs(response.headers['retry-after'], Date.now()),
		byGateway: response.status >= 400 && isRecord(errorBody),
	});
}

/** A request that costs nothing, and may be repeated. */
export interface FreeRequest<T> {
	endpoint: FreeEndpoint;
	body?: IDataObject;
	/** Reads the whole response; if it throws, the request is repeated. */
	read: (response: GatewayResponse) => Promise<T>;
	about?: About;
}

/** Sends one free request and reads its response. */
export async function exchangeFree<T>(
	transport: Transport,
	{ endpoint, body, read, about = {} }: FreeRequest<T>,
	timeoutMs: number,
): Promise<T | Failure> {
	const response = await exchange(transport, endpoint, timeoutMs, about, body);
	if (isFailure(response)) return response;
	try {
		return await read(response);
	} catch (error) {
		return {
			outcome: 'transient',
			error: new GatewayError(
				`The gateway's answer was damaged: ${transport.redact(asError(error).message)}`,
				'It was fetched several times. Fetching is free: try again later.',
			),
		};
	} finally {
		response.body.destroy();
	}
}

/** The failure of a DELETE that got a 2xx with an error body, or with a page such as a login. */
export async function notDeleted(
	transport: Transport,
	response: GatewayResponse,
	{ thing, id }: OneThing,
): Promise<Failure | undefined> {
	const body = await transport.readErrorBody(response);
	const denied = isRecord(body) && (body.error || body.deleted === false || body.success === false);
	if (!denied && !isPage(body)) return undefined;
	const { message } = gatewayWords(body);
	const error = new GatewayError(
		`The ${thing} "${id}" was not deleted: the answer is not a success of the gateway (${response.status})`,
		`Check the base URL in the credential, and whether a login page or a proxy is in front of the gateway.${message ? ` The answer says: "${message}"` : ''}`,
	);
	return { outcome: 'refused', error };
}

/** The error of an answer that is no success. */
export function refusal(
	{ root }: Transport,
	endpoint: Endpoint,
	about: About,
	{ status, headers }: Pick<GatewayResponse, 'status' | 'headers'>,
	body?: unknown,
): GatewayError {
	const { error, request_id: outside } = isRecord(body) ? body : {};
	const id = requestId(headers) ?? outside ?? (isRecord(error) ? error.request_id : undefined);
	return explainRefusal(
		{
			status,
			body,
			requestId: typeof id === 'string' ? id : undefined,
			retryAfter: headers['retry-after'],
		},
		{ ...about, url: `${root}${endpoint.path}` },
	);
}

/** Gateways name it differently: `x-request-id`, `request-id`, `x-oneapi-request-id`, `x-amzn-requestid` … */
export function requestId(headers: GatewayResponse['headers']): string | undefined {
	const named = Object.keys(headers).find((name) => /request-?id$/.test(name)) ?? '';
	return headers['x-request-id'] ?? headers[named] ?? headers['x-correlation-id'];
}

function unreachable(error: TransportError, root: string): GatewayError {
	const [message, description] = explainUnanswered(error, root);
	return new GatewayError(message, description, {
		...(error.code && { code: error.code }),
		...(error.proxyStatus && { httpCode: String(error.proxyStatus) }),
	});
}
