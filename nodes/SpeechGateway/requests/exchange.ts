import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError, NotStoredError } from '../core/errors';
import { type About, explainAnswer, type Failure } from './explain';
import { gatewayWords, isPage } from '../gateway/gatewayWords';
import { isRecord } from '../core/json';
import { isSuccess, outcomeOfFailure } from './outcome';
import { unreachable } from './unreachable';
import type { Endpoint, FreeEndpoint } from '../gateway/endpoints';
import { type GatewayResponse, type Transport, TransportError } from '../gateway/transport';

export type OneThing = Required<Pick<About, 'thing' | 'id'>>;

export const isFailure = (value: unknown): value is Failure =>
	isRecord(value) && 'outcome' in value && value.error instanceof GatewayError;

/** Sends one request. Resolves to the response if it is a success, else to the failure. */
export async function exchange(
	transport: Transport,
	endpoint: Endpoint,
	timeoutMs: number,
	about: About,
	{ body, deadline }: { body?: IDataObject | FormData; deadline?: AbortSignal } = {},
): Promise<GatewayResponse | Failure> {
	let response: GatewayResponse;
	try {
		response = await transport.send(endpoint, timeoutMs, body, deadline);
	} catch (error) {
		if (!(error instanceof TransportError)) throw asError(error);
		return {
			outcome: outcomeOfFailure(error.failure, endpoint.billed),
			reason: error.failure === 'timeout' ? 'client_timeout' : 'connection_lost',
			error: unreachable(error, transport.root),
		};
	}
	if (isSuccess(response.status)) return response;
	const answer = { ...response, body: await transport.readErrorBody(response) };
	transport.cancel?.throwIfAborted();
	return explainAnswer(transport, endpoint, about, answer);
}

export interface FreeRequest<T> {
	endpoint: FreeEndpoint;
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
	deadline?: AbortSignal,
): Promise<T | Failure> {
	const { endpoint, read, about = {}, whenMissing } = request;
	const ask: Ask = async (other) => await exchangeFree(transport, other, timeoutMs, deadline);
	const response = await exchange(transport, endpoint, timeoutMs, about, { deadline });
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
