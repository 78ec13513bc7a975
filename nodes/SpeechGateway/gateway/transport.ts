import type { IDataObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { gatewayWords, isPage, MAY_BE_A_WEBSITE } from './gatewayWords';
import { isRecord } from '../core/json';
import {
	type TransportErrorFacts,
	type TransportFailure,
	transportFailure,
} from '../gateway/transportFailure';
import { Account, CREDENTIAL } from './account';
import { clockAheadMs } from './clock';
import {
	type HttpAnswer,
	isFromProxy,
	type Returned,
	returnedAnswer,
	thrownAnswer,
	throwsProxyStatuses,
} from './answer';
import type { Endpoint } from './endpoints';
import { firstJsonOf, jsonOf, type Readable, readBytes, textOf } from './readBody';
import { readList } from './readList';
import { ExchangeTimeout, watchBody } from './watchedBody';

/** Redirects followed on free requests; more is a loop. */
const MAX_REDIRECTS = 5;
/** Enough of an error page to find its message. */
const MAX_ERROR_BYTES = 64 * 1024;

/** What the gateway needs of n8n; every context in which the nodes run has it. */
type GatewayContext = Pick<IExecuteFunctions, 'getNode' | 'getCredentials'> &
	Partial<Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'logger'>> & {
		helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'>;
	};

/** The headers of an answer, without the key, and its body, still to be read. */
export interface GatewayResponse {
	status: number;
	headers: Record<string, string | undefined>;
	/** When it was asked for, ms since 1970. */
	askedAt: number;
	/** Ends with an error when the connection breaks before the body is whole. */
	body: Readable;
	/** The timeout now covers the whole body, not each gap in it. For small answers. */
	limitWholeBody(): void;
}

/** No answer: the request did not leave, timed out, or the connection broke. */
export class TransportError extends Error {
	constructor(
		readonly failure: TransportFailure,
		readonly detail: string,
		readonly code?: string,
		/** The status with which a proxy refused to make a tunnel; `detail` is then what it says. */
		readonly proxyStatus?: number,
	) {
		super(detail);
	}
}

/** The only place that touches the network: one HTTP request out, one answer back, whatever its status. */
export class Transport {
	/** By how much the gateway's clock is ahead of ours, ms, as its last answer had it. */
	clockAheadMs?: number;

	constructor(
		private readonly context: GatewayContext,
		readonly account: Account,
	) {}

	/** Throws InputError when the credential is missing, or says no key or no address for the item. */
	static async open(context: GatewayContext, index = 0): Promise<Transport> {
		return new Transport(context, await Account.open(context, index));
	}

	/** For operations that need no request: nothing can be sent through it. */
	static offline(context: GatewayContext): Transport {
		return new Transport(context, Account.none(context));
	}

	/** The address of an endpoint, without a key in it. */
	addressOf({ path, ...endpoint }: Endpoint): string {
		const isAtRoot = 'atRoot' in endpoint && endpoint.atRoot === true;
		return `${isAtRoot ? this.account.root : this.account.base}${path}`;
	}

	/** Everything that the gateway or the system says passes through it before it is shown. */
	get redactor() {
		return this.account.redactor;
	}

	get cancel(): AbortSignal | undefined {
		return this.context.getExecutionCancelSignal?.();
	}

	/** A line in n8n's log, for operators: never a text, an address or a key. */
	log(facts: Record<string, string | number | undefined>): void {
		this.context.logger?.debug(`Speech Gateway: ${Object.values(facts).join(' ')}`, facts);
	}

	/**
	 * Sends one request; resolves as soon as the headers are there. `timeoutMs` bounds the time up to the headers
	 * and then, while the body is iterated, each silence in it; all of it fails when `deadline` aborts. Throws
	 * TransportError, or the cancel signal's reason.
	 */
	async send(
		endpoint: Endpoint,
		timeoutMs: number,
		body?: IDataObject | FormData,
		deadline?: AbortSignal,
	): Promise<GatewayResponse> {
		const inAddress = 'keyInAddress' in endpoint && endpoint.keyInAddress === true;
		const outside = 'url' in endpoint ? endpoint.url : undefined;
		const address = `${this.addressOf(endpoint)}${inAddress ? this.account.asQuery : ''}`;
		const request: IHttpRequestOptions = {
			method: endpoint.method,
			url: outside ?? address,
			body,
			encoding: 'stream',
			timeout: timeoutMs,
			returnFullResponse: true,
			// One request, one answer: a redirect would post the body twice.
			disableFollowRedirect: true,
		};
		let response = await this.request(request, outside === undefined, deadline);
		// Follow redirects for GET only: a DELETE or a paid POST is meant for this address.
		const follows = endpoint.method === 'GET' && !inAddress;
		for (let hop = 0; follows && hop < MAX_REDIRECTS; hop++) {
			const target = redirectTarget(response, request.url);
			if (target === undefined) break;
			response.body.destroy();
			request.url = target;
			// Content may lie on another host (a storage link); the key stays with the gateway.
			const isGateway =
				outside === undefined && new URL(target).origin === new URL(this.account.base).origin;
			response = await this.request(request, isGateway, deadline);
		}
		return { ...response, headers: this.redactor.value(response.headers) };
	}

	/** A JSON body without the key; undefined when it is not JSON. Rejects when it breaks off, is too large or too slow. */
	async readJson(response: GatewayResponse): Promise<unknown> {
		return this.redactor.value(jsonOf(await this.readWhole(response)));
	}

	/** The same of a list of models or voices: a short key may be one of its words. Throws when there is no list. */
	async readList(response: GatewayResponse): Promise<IDataObject[]> {
		const bytes = await this.readWhole(response);
		const json = jsonOf(bytes);
		if (json === undefined && isPage(textOf(bytes)))
			throw new Error(`it is a web page. The base URL ${MAY_BE_A_WEBSITE}`);
		return readList(this.redactor.list(json));
	}

	private async readWhole(response: GatewayResponse): Promise<Buffer> {
		response.limitWholeBody();
		const { bytes, failure } = await readBytes(response.body);
		if (failure) throw failure;
		return bytes;
	}

	/** The same, with all bytes as they arrived; `failure` says why they are incomplete. */
	async readAnswer(
		response: GatewayResponse,
	): Promise<{ body?: unknown; bytes: Buffer; failure?: Error }> {
		response.limitWholeBody();
		const { bytes, failure } = await readBytes(response.body);
		return { body: failure ? undefined : this.redactor.value(jsonOf(bytes)), bytes, failure };
	}

	/**
	 * An error body as JSON (the first of several values) or text, as far as it can be read; never rejects, never
	 * contains the key.
	 */
	async readErrorBody(response: GatewayResponse): Promise<unknown> {
		response.limitWholeBody();
		const { bytes, failure } = await readBytes(response.body, MAX_ERROR_BYTES);
		const json = failure ? undefined : firstJsonOf(bytes);
		return json === undefined ? this.redactor.text(textOf(bytes)) : this.redactor.value(json);
	}

	private async request(
		options: IHttpRequestOptions,
		withKey: boolean,
		deadline?: AbortSignal,
	): Promise<GatewayResponse> {
		const { helpers } = this.context;
		const { url } = options;
		const request = { ...options, ignoreHttpStatusErrors: throwsProxyStatuses(url) };
		const timeout = new ExchangeTimeout(Number(options.timeout));
		const askedAt = Date.now();
		const abortSignal = AbortSignal.any(
			[timeout.signal, this.cancel, deadline].filter((signal) => signal !== undefined),
		);
		let answer: HttpAnswer;
		try {
			const response: Returned = withKey
				? await helpers.httpRequestWithAuthentication.call(
						// n8n always takes the abort signal from the context.
						Object.create(this.context, {
							getExecutionCancelSignal: { value: () => abortSignal },
						}),
						CREDENTIAL,
						request,
						{ credentialsDecrypted: await this.account.signature() },
					)
				: await helpers.httpRequest({ ...request, abortSignal });
			answer = returnedAnswer(response);
		} catch (error) {
			const thrown = thrownAnswer(error, abortSignal);
			if (!thrown) {
				const timedOut = timeout.signal.aborted;
				timeout.end();
				throw this.failure(timedOut ? timeout.signal.reason : error, timedOut);
			}
			answer = thrown;
		}
		const response: GatewayResponse = {
			status: answer.status,
			headers: answer.headers,
			askedAt,
			body: watchBody(answer.body, timeout),
			limitWholeBody: () => timeout.limitWholeBody(),
		};
		if (!isFromProxy(answer, url)) {
			if (withKey)
				this.clockAheadMs = clockAheadMs(answer.headers, Date.now()) ?? this.clockAheadMs;
			return response;
		}
		const { message = '' } = gatewayWords(await this.readErrorBody(response));
		this.cancel?.throwIfAborted();
		throw new TransportError('notSent', message, undefined, answer.status);
	}

	/** What n8n threw, as a TransportError; throws the cancel signal's reason if the run was stopped, which is no failure. */
	private failure(error: unknown, timedOut: boolean): Error {
		this.cancel?.throwIfAborted();
		const facts = rootCause(error);
		const detail = this.redactor
			.text(facts.message ?? 'the connection failed')
			.slice(0, MAX_DETAIL);
		return new TransportError(timedOut ? 'timeout' : transportFailure(facts), detail, facts.code);
	}
}

/** Characters of an error that are shown to the user. */
const MAX_DETAIL = 500;

/**
 * The first cause of what n8n threw. It wraps what its HTTP client throws: the system's code is in `cause` on 2.41 and in
 * `httpCode` on 2.16, the original text the first of `messages`. Several addresses that failed are an AggregateError.
 */
function rootCause(error: unknown): TransportErrorFacts {
	const facts: TransportErrorFacts = {};
	const names: string[] = [];
	for (let at = error, depth = 0; isRecord(at) && depth < 6; depth++) {
		const { name, message, messages, syscall, cause, errors, request } = at;
		const code = [at.code, at.httpCode].find(
			(value) => typeof value === 'string' && /^[A-Z][A-Z0-9_]+$/.test(value),
		);
		if (typeof code === 'string') facts.code = code;
		if (typeof syscall === 'string') facts.syscall = syscall;
		if (isHandshaking(request)) facts.isHandshaking = true;
		if (typeof name === 'string') names.push(name);
		const [original]: unknown[] = Array.isArray(messages) ? messages : [];
		const text = [original, message].find((value) => typeof value === 'string' && value !== '');
		if (typeof text === 'string') facts.message = text.trim();
		const [first]: unknown[] = Array.isArray(errors) ? errors : [];
		at = cause ?? first;
	}
	return { ...facts, name: names.join(' ') };
}

/** Stays true on Node's TLS socket if the handshake never finished; nothing is written before that. */
const isHandshaking = (request: unknown): boolean =>
	isRecord(request) && isRecord(request.socket) && request.socket.secureConnecting === true;

/** Where an answer redirects to; undefined if it does not, or not to a web address. */
function redirectTarget(response: GatewayResponse, from: string): string | undefined {
	const location = response.headers.location;
	if (response.status < 300 || response.status >= 400) return undefined;
	if (!location || !URL.canParse(location, from)) return undefined;
	const target = new URL(location, from);
	return target.protocol === 'https:' || target.protocol === 'http:' ? target.href : undefined;
}
