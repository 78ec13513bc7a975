import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError, NotStoredError } from '../core/errors';
import {
	type About,
	type Answer,
	explainAnswer,
	type Failure,
	isOwnError,
	requestIdIn,
} from './explain';
import { type AskList, modelsBy } from '../gateway/askLists';
import { gatewayWords, isPage, textsIn } from '../gateway/gatewayWords';
import { defined, idIn, isRecord } from '../core/json';
import { isSuccess, outcomeOfFailure } from './outcome';
import { unreachable } from './unreachable';
import { type Endpoint, endpoints, fileAt, type FreeEndpoint } from '../gateway/endpoints';
import { type GatewayResponse, type Transport, TransportError } from '../gateway/transport';

/** A job, video or voice, by its ID. */
export type ResourceRef = Required<Pick<About, 'kind' | 'id'>>;

/** Whether what an exchange resolved to is a failure, and not its result. */
export const isFailure = (value: unknown): value is Failure =>
	isRecord(value) && 'outcome' in value && value.error instanceof GatewayError;

/** Whether an answer says that there is nothing at this address. */
export const isMissing = ({ details }: GatewayError): boolean =>
	details.httpCode === '404' || details.httpCode === '405';

interface Options {
	body?: IDataObject | FormData;
	deadline?: AbortSignal;
	/** Whether the gateway is the one of the API document; asked only where it decides what an answer means. */
	isDocumented?: () => Promise<boolean>;
	/** What the gateway lists; asked only where the words of a refusal would name it. */
	listedModels?: () => Promise<IDataObject[] | undefined>;
}

/** Sends one request. Resolves to the response if it is a success, else to the failure; n8n's log has a line of each. */
export async function exchange(
	transport: Transport,
	endpoint: Endpoint,
	timeoutMs: number,
	about: About,
	options: Options = {},
): Promise<Elsewhere | Failure> {
	const { kind, method } = endpoint;
	const startedAt = performance.now();
	const log = (outcome: string, status?: number | string, requestId?: string) => {
		const ms = Math.round(performance.now() - startedAt);
		transport.log(defined({ kind, method, status, outcome, ms, requestId }));
	};
	try {
		const result = await answered(transport, endpoint, timeoutMs, about, options);
		if (isFailure(result)) {
			const { httpCode, requestId } = result.error.details;
			log(result.outcome, httpCode, requestId);
		} else log('answered', result.status, requestIdIn(result.headers));
		return result;
	} catch (error) {
		log('stopped');
		throw asError(error);
	}
}

async function answered(
	transport: Transport,
	endpoint: Endpoint,
	timeoutMs: number,
	about: About,
	{ body, deadline, isDocumented, listedModels }: Options,
): Promise<Elsewhere | Failure> {
	const { costsNothing } = transport.account;
	let response: GatewayResponse;
	try {
		response = await transport.send(endpoint, timeoutMs, body, deadline);
	} catch (error) {
		if (!(error instanceof TransportError)) throw asError(error);
		return {
			outcome: outcomeOfFailure(error.failure, endpoint.billed, costsNothing),
			reason: error.failure === 'timeout' ? 'client_timeout' : 'connection_lost',
			error: unreachable(error, transport.account.base),
		};
	}
	if (isSuccess(response.status)) return response;
	const answer = { ...response, body: await transport.readErrorBody(response) };
	transport.cancel?.throwIfAborted();
	const documented = !costsNothing && isCutByProxy(endpoint, answer) && (await isDocumented?.());
	const facts = { ...answer, documented, costsNothing };
	let failure = explainAnswer(transport, endpoint, about, facts);
	const models = failure.asksForModels ? await listedModels?.() : undefined;
	if (models) failure = explainAnswer(transport, endpoint, about, { ...facts, models });
	const elsewhere = await fetchElsewhere(transport, endpoint, timeoutMs, response, deadline);
	return elsewhere ? { ...elsewhere, insteadOf: failure } : failure;
}

/** An answer from the address to which the gateway has led. */
export interface Elsewhere extends GatewayResponse {
	/** What the redirect means if there is no audio. */
	insteadOf?: Failure;
}

/**
 * The file to which the gateway leads after a billed request of speech (302, 303), as gateways of providers do that store
 * what they speak: it is fetched once, without the key. Undefined if it does not, or there is none.
 */
async function fetchElsewhere(
	transport: Transport,
	{ kind, billed, path }: Endpoint,
	timeoutMs: number,
	{ status, headers, askedAt }: GatewayResponse,
	deadline?: AbortSignal,
): Promise<GatewayResponse | undefined> {
	if (!billed || kind !== 'speech' || (status !== 302 && status !== 303)) return undefined;
	const file = fileAt(headers.location, `${transport.account.base}${path}`);
	if (!file) return undefined;
	try {
		const response = await transport.send(file, timeoutMs, undefined, deadline);
		if (isSuccess(response.status))
			return {
				...response,
				askedAt,
				// The gateway knows the request by its own ID, which the file's server does not have.
				headers: { ...headers, 'content-type': response.headers['content-type'] },
			};
		response.body.destroy();
	} catch (error) {
		if (!(error instanceof TransportError)) throw asError(error);
	}
	return undefined;
}

/** A refusal is told without the models rather than late, ms. */
const LISTING_MS = 10_000;

/** The models of the account, for the words of a refusal; undefined if they are not to be had at once. Sends free requests. */
export async function listedModels(transport: Transport): Promise<IDataObject[] | undefined> {
	const ask: AskList = async (endpoint) => {
		const response = await transport.send(endpoint, LISTING_MS);
		if (isSuccess(response.status)) return await transport.readList(response);
		response.body.destroy();
		return undefined;
	};
	return await modelsBy(ask).catch(() => undefined);
}

const isCutByProxy = (endpoint: Endpoint, { status, body }: Answer): boolean =>
	endpoint.billed &&
	status === 524 &&
	(endpoint.kind === 'speech' || endpoint.kind === 'job') &&
	!isOwnError(endpoint, status, body);

/** No gateway gives a job this ID. */
const NO_JOB_ID = 'spj_none';
const NO_JOB = endpoints.job(NO_JOB_ID);
const ASKING_MS = 20_000;

/** A word with a slash: servers that lack the address name it, and it has "jobs" in it. */
const NAMED_ADDRESS = /\S*\/\S*/g;
/** Words of servers that lack the address, and not only the job. */
const NO_ADDRESS =
	/\b(?:route|path|url|endpoint|handler|page|address|method)s?\b|cannot (?:get|find)|路由|路径|接口/i;
const NAMES_JOB = new RegExp(
	`(?:(?<![A-Za-z])(?:job|task)|Job|Task|(?<![A-Z])(?:JOB|TASK))[sS]?(?![a-z])|任务|作业|${NO_JOB_ID}`,
);

/**
 * Whether the gateway is the one of the API document, the only one known to have speech jobs. Asked for a job that
 * cannot exist, it answers with one, or says in JSON (400, 404) that there is no such job; all else says nothing about
 * jobs. Sends one free request.
 */
export async function hasJobRoutes(transport: Transport): Promise<boolean> {
	try {
		const response = await transport.send(NO_JOB, ASKING_MS);
		const { status } = response;
		const body = await transport.readErrorBody(response);
		if (!isRecord(body)) return false;
		if (isSuccess(status)) return idIn(body, 'id') !== undefined && typeof body.status === 'string';
		const words = textsIn(body).replace(NAMED_ADDRESS, ' ');
		return (status === 400 || status === 404) && NAMES_JOB.test(words) && !NO_ADDRESS.test(words);
	} catch (error) {
		if (error instanceof TransportError) return false;
		throw asError(error);
	}
}

/** A request that costs nothing, and is repeated when its answer is of no use. */
export interface FreeRequest<T> {
	endpoint: FreeEndpoint;
	/** Reads the whole response; if it throws, the request is repeated, except where n8n could not store it. */
	read: (response: GatewayResponse) => Promise<T>;
	about?: About;
	/** What a 404 or 405 gives, where it is an answer: the service has nothing of the kind. */
	ifMissing?: () => T;
	/** What "too many requests" means where it is no use to wait, ms from now if the gateway says so. */
	whenThrottled?: (retryAfter?: number) => T;
	/** After a 404: where else it may be; `ask` sends another free request. */
	whenMissing?: (ask: Ask) => Promise<FreeEndpoint | undefined>;
}

type Ask = <T>(request: FreeRequest<T>) => Promise<T | Failure>;

/** Sends a free request once and reads its answer. Resolves to the failure if there is one, or the answer is damaged. */
export async function exchangeFree<T>(
	transport: Transport,
	request: FreeRequest<T>,
	timeoutMs: number,
	deadline?: AbortSignal,
): Promise<T | Failure> {
	const { endpoint, read, about = {}, ifMissing, whenMissing } = request;
	const ask: Ask = async (other) => await exchangeFree(transport, other, timeoutMs, deadline);
	const response = await exchange(transport, endpoint, timeoutMs, about, { deadline });
	if (isFailure(response)) {
		if (ifMissing && isMissing(response.error)) return ifMissing();
		const elsewhere =
			response.error.details.httpCode === '404' ? await whenMissing?.(ask) : undefined;
		if (!elsewhere) return response;
		return await ask({ ...request, endpoint: elsewhere, whenMissing: undefined });
	}
	try {
		return await read(response);
	} catch (error) {
		if (error instanceof NotStoredError) throw asError(error);
		const damage = new GatewayError(
			`The gateway's answer was damaged: ${transport.redactor.text(asError(error).message)}`,
			'It was fetched several times. Fetching is free: try again later.',
		);
		return { outcome: 'transient', error: damage };
	} finally {
		response.body.destroy();
	}
}

/** The failure of a DELETE that got a 2xx with an error body, or with a page such as a login. */
export async function notDeleted(
	transport: Transport,
	response: GatewayResponse,
	{ kind, id }: ResourceRef,
): Promise<Failure | undefined> {
	const body = await transport.readErrorBody(response);
	const denied = isRecord(body) && (body.error || body.deleted === false || body.success === false);
	if (!denied && !isPage(body)) return undefined;
	const { message } = gatewayWords(body);
	const error = new GatewayError(
		`The ${kind} "${id}" was not deleted: the answer is not a success of the gateway (${response.status})`,
		`Check the base URL in the credential, and whether a login page or a proxy is in front of the gateway.${message ? ` The answer says: "${message}"` : ''}`,
	);
	return { outcome: 'refused', error };
}
