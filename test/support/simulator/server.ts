/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- test code runs outside n8n */
/** One exchange from request to answer: record, fault, authentication, work, charge, reply. */
import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

import { now, wait } from '../clock';
import { bytesOf, recordedReply, timesCharged } from './answers';
import { createChat, textOf } from './chat';
import { recordedAnswer } from './dialects';
import { ApiError } from './errors';
import type { Call, Reply, Work } from './exchange';
import { type Fault, findFault, statusInstead } from './faults';
import { createJob, getJob, getJobContent } from './jobs';
import { listModels } from './models';
import { pricing } from './pricing';
import { admit, tooSoon } from './quota';
import { send } from './send';
import { createSpeech } from './speech';
import { usage, usageLog } from './usageLog';
import { createVideo, getVideo, getVideoContent } from './videos';
import { createVoice, deleteVoice, type FilePart, listVoices } from './voices';
import type { SimRequest, World } from './world';

/** Synchronous requests are cut after this time of the service. */
const LIMIT_SECONDS = 100;

/** Node fires timers beyond this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Bodies beyond this are refused unread; it leaves room for a recording that is a little too big. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

type Handler = (call: Call) => Work | Promise<Work>;

const ROUTES: Array<[method: string, path: RegExp, handler: Handler]> = [
	['POST', /^\/v1\/audio\/speech$/, createSpeech],
	['POST', /^\/v1\/audio\/speech\/jobs$/, createJob],
	['GET', /^\/v1\/audio\/speech\/jobs\/([^/]+)$/, getJob],
	['GET', /^\/v1\/audio\/speech\/jobs\/([^/]+)\/content$/, getJobContent],
	['POST', /^\/v1\/audio\/voices$/, createVoice],
	['GET', /^\/v1\/audio\/voices$/, listVoices],
	['DELETE', /^\/v1\/audio\/voices\/([^/]+)$/, deleteVoice],
	['POST', /^\/v1\/chat\/completions$/, createChat],
	['GET', /^\/v1\/models$/, listModels],
	['POST', /^\/v1\/videos$/, createVideo],
	['GET', /^\/v1\/videos\/([^/]+)$/, getVideo],
	['GET', /^\/v1\/videos\/([^/]+)\/content$/, getVideoContent],
];

/** Answered outside of /v1, to anyone. */
const OPEN: Record<string, (world: World, request: SimRequest) => Reply> = {
	'GET /api/pricing': pricing,
	'GET /api/log/token': usageLog,
	'GET /api/usage/token/': usage,
};

/** Serves one request of the gateway's API. */
export async function serve(
	world: World,
	incoming: IncomingMessage,
	response: ServerResponse,
	url: URL,
): Promise<void> {
	// One for each request: Node warns of the eleventh listener of a signal.
	const signal = AbortSignal.any([world.life.signal]);
	const request = record(world, incoming, url);
	let brokenByUs = false;
	const breakOff = (reset: boolean) => {
		brokenByUs = true;
		if (reset) response.socket?.resetAndDestroy();
		else response.socket?.destroySoon();
	};
	response.once('close', () => {
		request.aborted = !response.writableFinished && !brokenByUs && !signal.aborted;
		request.endedAt = now();
		world.emit('response', request);
	});

	const body = await readBody(incoming);
	if (body === 'broken-off') return;
	await readInput(request, body);
	world.emit('request', request);

	request.fault = findFault(world.faults, request);
	const fault = request.fault ?? {};
	const { holdMs = 0, usageLog } = world.options;
	try {
		if (request.method === 'POST' && holdMs !== 0) {
			await wait(typeof holdMs === 'function' ? holdMs(request) : holdMs, signal);
			request.begunAt = now();
		}
		if (fault.connection === 'reset-before-work') return breakOff(true);
		if (fault.connection === 'stall' && fault.charge === false) return;
		const reply = await answer(world, request, fault, body === 'too-big', signal);
		if (fault.connection === 'reset-after-work') return breakOff(true);
		if (fault.connection === 'stall') return;
		if (fault.answer) {
			const { contentType, body } = reply;
			response.on('error', () => {}); // of a client that has left
			return fault.answer(response, { contentType, body: bytesOf(body) });
		}
		await wait(fault.delayMs ?? 0, signal);
		if (response.destroyed) return;
		// Node's own would be of the real time.
		const date = new Date(now() + 1000 * (usageLog.aheadSeconds ?? 0));
		response.setHeader('date', date.toUTCString());
		request.status = reply.status ?? 200;
		const ids = fault.proxy ? {} : { [world.dialect.idHeader]: request.requestId };
		const whole = await send(response, ids, reply, fault, signal);
		if (!whole) breakOff(false);
	} catch (error) {
		if (!signal.aborted) throw error;
		breakOff(true);
	}
}

function record(world: World, incoming: IncomingMessage, url: URL): SimRequest {
	const index = world.requests.length;
	const request: SimRequest = {
		index,
		at: now(),
		method: incoming.method ?? '',
		path: url.pathname,
		query: Object.fromEntries(url.searchParams),
		headers: incoming.headers as Record<string, string>,
		apiKey: /^Bearer (\S+)$/.exec(incoming.headers.authorization ?? '')?.[1],
		requestId: `req_${randomBytes(8).toString('hex')}`,
		status: undefined,
		charged: 0,
		aborted: false,
	};
	world.requests.push(request);
	return request;
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | 'too-big' | 'broken-off'> {
	const chunks: Buffer[] = [];
	let size = 0;
	try {
		for await (const chunk of incoming as AsyncIterable<Buffer>) {
			size += chunk.length;
			if (size <= MAX_BODY_BYTES) chunks.push(chunk);
		}
	} catch {
		return 'broken-off';
	}
	return size > MAX_BODY_BYTES ? 'too-big' : Buffer.concat(chunks);
}

/** Fills in `body` and `input`; a body that cannot be read stays undefined, for the resource to refuse. */
async function readInput(request: SimRequest, body: Buffer | 'too-big'): Promise<void> {
	if (body === 'too-big' || body.length === 0) return;
	const type = request.headers['content-type'] ?? '';
	try {
		request.body = type.startsWith('multipart/')
			? await readForm(body, type)
			: JSON.parse(body.toString('utf8'));
		const { input, messages, prompt, title } = request.body as Record<string, unknown>;
		const text = Array.isArray(messages)
			? messages.map(textOf).join('\n')
			: (input ?? prompt ?? title);
		if (typeof text === 'string') request.input = text;
	} catch {
		// Nothing more to know about it.
	}
}

/** The fields of multipart/form-data: texts, and of files what is known without their bytes. Throws on a malformed one. */
async function readForm(
	body: Buffer,
	contentType: string,
): Promise<Record<string, string | FilePart>> {
	const headers = { 'content-type': contentType };
	const form = await new Response(new Uint8Array(body), { headers }).formData();
	return Object.fromEntries(
		[...form].map(([name, value]) => [
			name,
			typeof value === 'string'
				? value
				: { filename: value.name, contentType: value.type, size: value.size },
		]),
	);
}

async function answer(
	world: World,
	request: SimRequest,
	fault: Fault,
	tooBig: boolean,
	signal: AbortSignal,
): Promise<Reply> {
	const instead = statusInstead(fault);
	const faulty = (status: number) => faultReply(world, request, status, fault);
	if (instead !== undefined && !fault.charge) return faulty(instead);
	try {
		if (tooBig) throw new ApiError(413, 'Request too large');
		const limited = tooSoon(world, request);
		if (limited) throw new ApiError(429, 'Too many requests', limited);
		const reply = await work(world, request, fault, signal);
		return instead === undefined ? reply : faulty(instead);
	} catch (error) {
		if (error instanceof ApiError) return errorReply(world, request, error);
		if (signal.aborted) throw error;
		const bug = `The simulator broke: ${(error as Error).stack}`;
		return errorReply(world, request, new ApiError(500, bug, 'simulator_broke'));
	}
}

/** Does what the request asks for, waiting as long as it takes, and charges it; a client that leaves changes nothing. */
async function work(
	world: World,
	request: SimRequest,
	fault: Fault,
	signal: AbortSignal,
): Promise<Reply> {
	const { dialect } = world;
	const { timeScale } = world.options;
	const { path } = request;
	const open = OPEN[`${request.method} ${path}`];
	if (open && dialect.paths.test(path)) return open(world, request);
	const route = ROUTES.find(([method, form]) => method === request.method && form.test(path));
	if (!route || !dialect.paths.test(path))
		throw new ApiError(404, `Invalid URL (${request.method} ${request.path})`, 'invalid_url');
	const account = world.accounts.find(({ apiKey }) => apiKey === request.apiKey);
	if (!account) throw new ApiError(401, 'Invalid API key', 'invalid_api_key');

	const [method, form, handler] = route;
	const id = decode(form.exec(path)![1] ?? '');
	const {
		milliseconds = 0,
		limited,
		price,
		reply,
	} = await handler({ world, request, account, id, fault });
	const tokens = admit(world, account, price);
	const recorded = fault.case ? recordedAnswer(dialect, request, fault.case) : undefined;
	if (fault.case && !recorded) throw new Error(`No such case: ${fault.case}`);
	if (method === 'POST') world.inWork.set(request, { account, tokens });
	try {
		const limit = limited ? LIMIT_SECONDS * timeScale * 1000 : LONGEST_TIMER_MS;
		await wait(Math.min(milliseconds, limit), signal);
		if (limited && milliseconds > limit) throw new ApiError(524, 'Proxy time-out');
	} finally {
		world.inWork.delete(request);
		world.emit('worked', request);
	}
	const isRead = !request.aborted || (price && dialect.chargesUnread.includes(price.kind));
	if (!recorded) {
		if (price && isRead) world.charge(request, account, price);
		return reply();
	}
	for (let times = timesCharged(recorded); price && times > 0; times--)
		world.charge(request, account, price);
	request.recorded = recorded;
	if (price && recorded.charged === 'hold' && tokens > 0)
		world.charge(request, account, { ...price, tokens });
	return recordedReply(recorded, request, recorded.body === '' ? undefined : reply());
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		throw new ApiError(400, `Malformed path segment: ${segment}`);
	}
}

const titleOf = (status: number) => STATUS_CODES[status] ?? 'Error';

const jsonReply = (status: number, value: unknown): Reply => ({
	status,
	contentType: 'application/json',
	body: JSON.stringify(value),
});

const ENVOY =
	'upstream connect error or disconnect/reset before headers. reset reason: connection termination';

/** What proxies in front of the service answer, whatever became of the request. */
const PROXY_REPLIES: Record<NonNullable<Fault['proxy']>, (status: number) => Reply> = {
	page(status) {
		const title = `${status} ${titleOf(status)}`;
		return {
			status,
			contentType: 'text/html; charset=utf-8',
			body: `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
		};
	},
	empty: (status) => ({ status, contentType: 'text/plain', body: '' }),
	json: (status) =>
		jsonReply(status, { message: 'An invalid response was received from the upstream server' }),
	spring: (status) =>
		jsonReply(status, { timestamp: '2026-01-01T00:00:00Z', status, error: titleOf(status) }),
	text: (status) => ({ status, contentType: 'text/plain', body: ENVOY }),
	google: (status) =>
		jsonReply(status, {
			error: { code: status, message: 'The service is away.', status: 'UNAVAILABLE' },
		}),
	envoy: (status) => jsonReply(status, { error: { code: status, message: ENVOY } }),
	late: (status) =>
		jsonReply(status, {
			error: { message: 'Deadline exceeded while waiting for the model', type: 'server_error' },
		}),
	socket: (status) =>
		jsonReply(status, {
			error: { message: 'No luck', type: 'server_error', cause: { code: 'ECONNRESET' } },
		}),
};

/** A refusal in the words of the gateway that is simulated. */
function errorReply({ dialect }: World, request: SimRequest, error: ApiError): Reply {
	const { status, message, code, param } = error;
	if (status === 524) return PROXY_REPLIES.page(status);
	const recorded = code ? recordedAnswer(dialect, request, code) : undefined;
	if (recorded) return recordedReply(recorded, request);
	return refusal(request, status, dialect.errorBody(status, message, code, param ?? undefined));
}

const refusal = ({ requestId }: SimRequest, status: number, body: object): Reply => ({
	status,
	contentType: 'application/json',
	body: JSON.stringify(body).replaceAll('<id>', requestId),
});

function faultReply(
	{ dialect }: World,
	request: SimRequest,
	status: number,
	{ body, proxy }: Fault,
): Reply {
	if (proxy) return PROXY_REPLIES[proxy](status);
	if (body === undefined && status === 524) return PROXY_REPLIES.page(status);
	if (Buffer.isBuffer(body)) return { status, contentType: 'application/octet-stream', body };
	if (typeof body === 'string') {
		const html = body.trimStart().startsWith('<');
		return { status, contentType: html ? 'text/html' : 'text/plain', body };
	}
	if (body === undefined && status >= 400)
		return refusal(request, status, dialect.errorBody(status));
	return { status, contentType: 'application/json', body: body ? JSON.stringify(body) : '' };
}
