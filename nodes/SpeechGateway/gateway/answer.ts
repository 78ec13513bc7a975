import type { IHttpRequestOptions } from 'n8n-workflow';
import { isRecord } from '../core/json';
import type { Readable } from './readBody';

/**
 * Statuses with which a proxy refuses a tunnel (CONNECT). n8n's proxy agents return that response as if it were the
 * gateway's; only its socket differs, which n8n 2.41 shows only for statuses that it throws. 401 is left out, because n8n
 * would send such a request again.
 */
const PROXY_STATUSES = [403, 405, 407, 408, 500, 501, 502, 503, 504];

/** Makes n8n throw these statuses. All others are ordinary answers. */
export const throwsProxyStatuses = (url: string): IHttpRequestOptions['ignoreHttpStatusErrors'] =>
	isHttps(url) ? { ignore: true, except: PROXY_STATUSES } : true;

/** An answer of whatever status, as n8n hands it over. */
export interface HttpAnswer {
	status: number;
	headers: Record<string, string | undefined>;
	body: Readable;
	/** Node's socket that it came on; undefined where n8n does not show it. */
	socket?: unknown;
}

/** What n8n's helpers return for a whole response as a stream. On n8n 2.16, the body is Node's own message. */
export interface Returned {
	statusCode: number;
	headers: HttpAnswer['headers'];
	body: Readable & { socket?: unknown };
}

/** An answer that n8n's helper has returned. Where the body is no Node message (2.41), there is no socket. */
export const returnedAnswer = ({ statusCode, headers, body }: Returned): HttpAnswer => ({
	status: statusCode,
	headers,
	body,
	socket: body.socket,
});

/**
 * The response inside an error that n8n threw; undefined if there is none. n8n 2.41 has it among the causes; n8n 2.16 loses them
 * and keeps Node's own message alone. `signal` aborts its body.
 */
export function thrownAnswer(error: unknown, signal: AbortSignal): HttpAnswer | undefined {
	for (let at = error, depth = 0; isRecord(at) && depth < 4; at = at.cause, depth++) {
		if (!isThrownResponse(at.response)) continue;
		const { status, headers, data, request } = at.response;
		// After it has thrown, n8n's HTTP client no longer listens to the signal.
		signal.addEventListener('abort', () => request.destroy(), { once: true });
		return { status, headers, body: data, socket: request.socket };
	}
	const message = isRecord(error) && isRecord(error.context) ? error.context.data : undefined;
	if (!isNodeMessage(message)) return undefined;
	signal.addEventListener('abort', () => message.destroy(), { once: true });
	const { statusCode: status, headers, socket } = message;
	return { status, headers, body: message, socket };
}

/**
 * Whether a proxy gave this response instead of the gateway: an https request leaves only through TLS, but a proxy refuses
 * its tunnel without. False where the socket is not known.
 */
export const isFromProxy = (answer: HttpAnswer, url: string): boolean =>
	isHttps(url) && isRecord(answer.socket) && answer.socket.encrypted !== true;

const isHttps = (url: string) => url.startsWith('https:');

interface ThrownResponse {
	status: number;
	headers: HttpAnswer['headers'];
	data: Readable;
	request: { socket?: unknown; destroy: () => void };
}

const isThrownResponse = (value: unknown): value is ThrownResponse =>
	isRecord(value) &&
	typeof value.status === 'number' &&
	isRecord(value.headers) &&
	isRecord(value.data) &&
	Symbol.asyncIterator in value.data &&
	isRecord(value.request) &&
	typeof value.request.destroy === 'function';

type NodeMessage = Returned['body'] & Pick<Returned, 'statusCode' | 'headers'>;

const isNodeMessage = (value: unknown): value is NodeMessage =>
	isRecord(value) &&
	typeof value.statusCode === 'number' &&
	isRecord(value.headers) &&
	Symbol.asyncIterator in value;
