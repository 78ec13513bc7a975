import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { isRecord } from '../core/json';
import type { Readable } from './readable';

/**
 * Statuses with which a proxy refuses to make a tunnel. n8n's proxy agents hand that answer over as if it were the
 * gateway's; what it came on is the only difference, and n8n 2.x shows that of a thrown status alone. Never among them:
 * 401, which n8n would send again.
 */
const PROXY_STATUSES = [403, 405, 407, 408, 500, 501, 502, 503, 504];

/** Makes n8n throw these statuses, where it can (2.x). All others, and on 1.x these too, are ordinary answers. */
export const throwsProxyStatuses = (url: string): IHttpRequestOptions['ignoreHttpStatusErrors'] =>
	isHttps(url) ? { ignore: true, except: PROXY_STATUSES } : true;

/** An answer of whatever status, as n8n hands it over. */
export interface Answer {
	status: number;
	headers: Record<string, string | undefined>;
	body: Readable;
	/** Node's socket that it came on; undefined where n8n does not show it. */
	socket?: unknown;
}

/** The answer in what n8n returned. */
export function returnedAnswer(response: unknown): Answer {
	const { statusCode, headers, body } = response as IN8nHttpFullResponse;
	return {
		status: statusCode,
		headers: headers as Answer['headers'],
		body: body as Readable,
		// The body is Node's own message on n8n 1.x, and knows its socket.
		socket: isRecord(body) ? body.socket : undefined,
	};
}

/** The answer in what n8n threw; undefined when there was none. `signal` breaks off its body. */
export function thrownAnswer(error: unknown, signal: AbortSignal): Answer | undefined {
	const response = thrownResponse(error);
	if (!response) return undefined;
	const { status, headers, data, request } = response;
	// Having thrown, n8n's HTTP client does not listen to the signal any more.
	signal.addEventListener('abort', () => request.destroy(), { once: true });
	return { status, headers, body: data, socket: request.socket };
}

/**
 * Whether a proxy, and not the gateway, gave this answer: an https request only ever leaves through TLS, and a proxy's
 * refusal of the tunnel for it comes without. False where that cannot be seen.
 */
export const isFromProxy = (answer: Answer, url: string): boolean =>
	isHttps(url) && isRecord(answer.socket) && answer.socket.encrypted !== true;

const isHttps = (url: string) => url.startsWith('https:');

/** What Node's HTTP client knows of an answer. */
interface ThrownResponse {
	status: number;
	headers: Answer['headers'];
	data: Readable;
	request: { socket?: unknown; destroy: () => void };
}

/** The answer in an error of n8n's HTTP client, which n8n wraps. */
function thrownResponse(error: unknown): ThrownResponse | undefined {
	for (let at = error, depth = 0; isRecord(at) && depth < 4; at = at.cause, depth++) {
		if (isThrownResponse(at.response)) return at.response;
	}
	return undefined;
}

const isThrownResponse = (value: unknown): value is ThrownResponse =>
	isRecord(value) &&
	typeof value.status === 'number' &&
	isRecord(value.headers) &&
	isRecord(value.data) &&
	Symbol.asyncIterator in value.data &&
	isRecord(value.request) &&
	typeof value.request.destroy === 'function';
