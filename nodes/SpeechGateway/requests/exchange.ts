import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError, NotStoredError } from '../core/errors';
import { explainAnswer, type Refusal, type Subject } from './explain';
import { gatewayWords, isPage } from '../gateway/gatewayWords';
import { isRecord } from '../core/json';
import { isSuccess, type Outcome, outcomeOfFailure, type Who } from './outcome';
import type { UnknownReason } from '../core/errors';
import { retryAfterMs } from './retryPolicy';
import { explainUnanswered } from './unreachable';
import type { Endpoint, FreeEndpoint } from '../gateway/endpoints';
import { type GatewayResponse, type Transport, TransportError } from '../gateway/transport';

/** What a request is about; where it goes and whether it is billed are added here. */
export type About = Omit<Subject, 'elsewhere' | 'url' | 'billed'>;

export type OneThing = Required<Pick<About, 'thing' | 'id'>>;

/** One HTTP exchange that brought no result, and why. */
export interface Failure {
	outcome: Exclude<Outcome, 'done'>;
	/** Why a billed request without an answer is unknown. */
	reason?: UnknownReason;
	error: GatewayError;
	/** Who must act, where the gateway or a proxy has answered. */
	who?: Who;
	retryAfter?: number;
	/** The gateway itself refuses: the body of its 4xx is JSON, and not the page of a proxy. */
	byGateway?: boolean;
}

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
		return {
			outcome: outcomeOfFailure(error.failure, endpoint.billed),
			reason: error.failure === 'timeout' ? 'client_timeout' : 'connection_lost',
			error: unreachable(error, transport.root),
		};
	}
	if (isSuccess(response.status)) return response;
	const answered = await transport.readErrorBody(response);
	transport.cancel?.throwIfAborted();
	const byGateway = response.status >= 400 && isRecord(answered);
	return { ...refusal(transport, endpoint, about, response, answered), byGateway };
}

export interface FreeRequest<T> {
	endpoint: FreeEndpoint;
	body?: IDataObject;
	/** Reads the whole response; if it throws, the request is repeated, except where n8n could not store it. */
	read: (response: GatewayResponse) => Promise<T>;
	about?: About;
	/** After a 404: where else it may be; `ask` sends another free request. */
	whenMissing?: (ask: Ask) => Promise<FreeEndpoint | undefined>;
}

type Ask = <T>(request: FreeRequest<T>) => Promise<T | Failure>;

export async function exchangeFree<T>(
	transport: Transport,
	request: FreeRequest<T>,
	timeoutMs: number,
): Promise<T | Failure> {
	const { endpoint, body, read, about = {}, whenMissing } = request;
	const ask: Ask = async (other) => await exchangeFree(transport, other, timeoutMs);
	const response = await exchange(transport, endpoint, timeoutMs, about, body);
	if (isFailure(response)) {
		const isMissing = response.error.details.httpCode === '404';
		const elsewhere = isMissing ? await whenMissing?.(ask) : undefined;
		if (!elsewhere) return response;
		return await ask({ ...request, endpoint: elsewhere, whenMissing: undefined });
	}
	try {
		return await read(response);
	} catch (error) {
		if (error instanceof NotStoredError) throw asError(error);
		const why = new GatewayError(
			`The gateway's answer was damaged: ${transport.redactor.text(asError(error).message)}`,
			'It was fetched several times. Fetching is free: try again later.',
		);
		return { outcome: 'transient', error: why };
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

/** What an answer that is no success means, with its error. */
export function refusal(
	transport: Transport,
	endpoint: Endpoint,
	about: About,
	{ status, headers }: Pick<GatewayResponse, 'status' | 'headers'>,
	body?: unknown,
): Refusal {
	const { error, request_id: outside } = isRecord(body) ? body : {};
	const id = requestId(headers) ?? outside ?? (isRecord(error) ? error.request_id : undefined);
	const answer = {
		status,
		body,
		requestId: typeof id === 'string' ? id : undefined,
		retryAfter: retryAfterMs(headers['retry-after'], Date.now()),
		location: headers.location,
		otherKey: transport.redactor.isOther(gatewayWords(body).message ?? ''),
	};
	return explainAnswer(answer, subjectOf(transport, endpoint, about));
}

/** The error of a billed request that was cut earlier, as the ledger says: it is not sent again. */
export const cutEarlier = (transport: Transport, endpoint: Endpoint, about: About): GatewayError =>
	explainAnswer({ status: 524, onRecord: true }, subjectOf(transport, endpoint, about)).error;

const subjectOf = ({ root }: Transport, endpoint: Endpoint, about: About): Subject => ({
	...about,
	elsewhere: 'url' in endpoint,
	url: `${root}${endpoint.path}`,
	billed: endpoint.billed,
});

/** Names of the request's ID, the best first; gateways have many, such as `x-oneapi-request-id` and `x-amzn-requestid`. */
const REQUEST_IDS = [
	/^x-request-id$/,
	/request-?id$/,
	/^x-correlation-id$/,
	/^x-litellm-call-id$/,
	/^x-portkey-trace-id$/,
	/^cf-ray$/,
];

export function requestId(headers: GatewayResponse['headers']): string | undefined {
	const names = Object.keys(headers);
	const found = REQUEST_IDS.map((known) => names.find((name) => known.test(name) && headers[name]));
	return headers[found.find((name) => name !== undefined) ?? ''];
}

function unreachable(error: TransportError, root: string): GatewayError {
	const [message, description] = explainUnanswered(error, root);
	return new GatewayError(message, description, {
		...(error.code && { code: error.code }),
		...(error.proxyStatus && { httpCode: String(error.proxyStatus) }),
	});
}
