import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import {
	asError,
	GatewayError,
	InputError,
	NotStartedError,
	OutcomeUnknownError,
} from '../core/errors';
import { explainRefusal, type Subject } from '../core/explain';
import {
	classifyFailure,
	classifyStatus,
	mayBeSentAgain,
	type Outcome,
	type UnknownReason,
} from '../core/outcome';
import { backoffMs, MAX_RETRY_AFTER_MS, retryAfterMs } from '../core/retryPolicy';
import type { Endpoint } from '../gateway/endpoints';
import { pause } from '../gateway/pause';
import { type Reply, TransportError } from '../gateway/transport';
import { type ItemRecord, maybeCharged } from './ledger';
import { forgetKey, recordKey } from './sendOnce';
import type { Session } from './session';

export interface ItemSettings {
	maxRetries: number;
	timeoutMs: number;
	sendOnceKey?: string;
}

export interface BilledRequest {
	/** Which request of the item this is; retries find it again by this name. */
	name: string;
	endpoint: Endpoint;
	/** What is asked for, for the hash in the records. */
	input: IDataObject;
	/** Made when its turn has come, so that waiting requests hold no files. Default: `input` as JSON. */
	body?: () => Promise<FormData>;
	/** Reads the whole answer; what it returns is kept in the ledger. Whatever it throws means: paid for, but damaged. */
	read: (reply: Reply) => Promise<IDataObject>;
	subject?: Omit<Subject, 'url'>;
	/** Requests that only make sense together: once one has failed, no further one is started. */
	group?: RequestGroup;
	/** The caller has another way when the gateway cuts the request (524), so that is no failure of the item. */
	hasWayAroundCut?: boolean;
}

export interface RequestGroup {
	failed: boolean;
}

/** One HTTP exchange that brought no result. */
export interface Miss {
	outcome: Exclude<Outcome, 'done'>;
	error: GatewayError;
	reason?: UnknownReason;
	retryAfter?: number;
}

/** One item on its way through an operation: the only way in for requests, billed or free. */
export class ItemRun {
	constructor(
		readonly session: Session,
		readonly index: number,
		readonly record: ItemRecord,
		private readonly settings: ItemSettings,
		/** Told before the next request can start, so that the run can stop in time. */
		private readonly onFailure: () => void = () => {},
	) {}

	/**
	 * Sends a billed request, at most once ever as far as money goes, and returns what `read` made of the answer. The
	 * ledger is written before it leaves and settled after. Throws OutcomeUnknownError when it may have been charged,
	 * GatewayError when it was not, NotStartedError when the run is stopping, or the cancel signal's reason.
	 */
	async billed(request: BilledRequest): Promise<IDataObject> {
		const { requests } = this.record;
		const earlier = requests[request.name];
		if (earlier?.state === 'done') return earlier.value;
		if (earlier?.state === 'unknown') throw new OutcomeUnknownError(earlier.facts);
		if (earlier?.state === 'sending') {
			const { sentAt, inputHash } = earlier;
			throw this.unknown(request, { reason: 'interrupted', sentAt, inputHash });
		}
		if (earlier?.state === 'cut') throw this.refusal({ status: 524, headers: {} }, '', request);
		const failed = ({ outcome }: Miss) => {
			if (outcome === 'cut' && request.hasWayAroundCut) return;
			if (request.group) request.group.failed = true;
			this.onFailure();
		};
		return await this.retrying(
			request.endpoint,
			async () => await this.attemptBilled(request),
			failed,
		);
	}

	/** Sends a free request, again and again within `maxRetries` on whatever may pass. `read` may throw to try again. */
	async free<T>(
		endpoint: Endpoint,
		read: (reply: Reply) => Promise<T>,
		subject: Omit<Subject, 'url'> = {},
	): Promise<T> {
		return await this.retrying(
			endpoint,
			async () => await this.attemptFree(endpoint, read, subject),
		);
	}

	/** Deletes. What is already gone when an earlier try's answer was lost counts as deleted. */
	async delete(endpoint: Endpoint, subject: Omit<Subject, 'url'>): Promise<void> {
		let tries = 0;
		await this.retrying(endpoint, async () => {
			const result = await this.attemptFree(endpoint, async () => true, subject);
			const gone = tries++ > 0 && isMiss(result) && result.error.details.httpCode === '404';
			return gone || result;
		});
	}

	/** One try of a free request, for callers that ask again anyway (polls). */
	async freeOnce<T>(
		endpoint: Endpoint,
		read: (reply: Reply) => Promise<T>,
		subject: Omit<Subject, 'url'> = {},
	): Promise<T | Miss> {
		const { gate } = this.session;
		return await gate.run(false, async (ticket) => {
			const result = await this.attemptFree(endpoint, read, subject);
			if (isMiss(result) && result.outcome === 'notCharged') {
				gate.slowDown(ticket, Math.min(result.retryAfter ?? backoffMs(0), MAX_RETRY_AFTER_MS));
			}
			return result;
		});
	}

	/** The parameters that the item was first paid for with; before that, the ones given. Plain JSON. */
	freeze<T extends IDataObject>(given: T): T {
		if (!this.record.frozen || !maybeCharged(this.record)) this.record.frozen = given;
		return this.record.frozen as T;
	}

	/** The item ends with an error. A key whose requests were certainly not charged may be used again. */
	async settle(): Promise<void> {
		const { sendOnceKey } = this.settings;
		if (sendOnceKey === undefined || !this.record.keyRecorded || maybeCharged(this.record)) return;
		await forgetKey(this.session.context, sendOnceKey);
		delete this.record.keyRecorded;
	}

	private async retrying<T>(
		endpoint: Endpoint,
		attempt: () => Promise<T | Miss>,
		failed: (miss: Miss) => void = this.onFailure,
	): Promise<T> {
		const { gate, transport } = this.session;
		for (let tries = 0; ; tries++) {
			let delay = 0;
			let again = false;
			const answer = await gate.run(endpoint.billed, async (ticket) => {
				const result = await attempt();
				if (!isMiss(result)) gate.succeeded();
				else {
					delay = result.retryAfter ?? backoffMs(tries);
					if (result.outcome === 'notCharged')
						gate.slowDown(ticket, Math.min(delay, MAX_RETRY_AFTER_MS));
					again =
						mayBeSentAgain(result.outcome) &&
						tries < this.settings.maxRetries &&
						delay <= MAX_RETRY_AFTER_MS;
					if (!again) failed(result);
				}
				return result;
			});
			if (!isMiss(answer)) return answer;
			if (!again) throw answer.error;
			await pause(delay, transport.cancel);
		}
	}

	private async attemptBilled(request: BilledRequest): Promise<IDataObject | Miss> {
		const { requests } = this.record;
		if (request.group?.failed) throw new NotStartedError('Another request of this item failed');
		const inputHash = createHash('sha256').update(JSON.stringify(request.input)).digest('hex');
		const body = request.body ? await request.body() : request.input;
		await this.claimKey(request, inputHash);
		this.session.transport.cancel?.throwIfAborted();

		const sentAt = new Date().toISOString();
		requests[request.name] = { state: 'sending', sentAt, inputHash };
		const reply = await this.exchange(request.endpoint, request.subject ?? {}, body);
		if (isMiss(reply)) {
			if (reply.outcome === 'unknown') {
				const { httpCode, requestId } = reply.error.details;
				throw this.unknown(request, {
					reason: reply.reason ?? 'upstream_outcome_unknown',
					sentAt,
					inputHash,
					httpCode,
					requestId,
					detail: reply.error.message,
				});
			}
			if (reply.outcome === 'cut') requests[request.name] = { state: 'cut' };
			else delete requests[request.name];
			return reply;
		}
		try {
			const value = await request.read(reply);
			requests[request.name] = { state: 'done', value };
			return value;
		} catch (error) {
			this.session.transport.cancel?.throwIfAborted();
			throw this.unknown(request, {
				reason: 'damaged_response',
				sentAt,
				inputHash,
				httpCode: String(reply.status),
				requestId: requestId(reply.headers),
				detail: this.session.transport.redact(asError(error).message),
			});
		}
	}

	private async attemptFree<T>(
		endpoint: Endpoint,
		read: (reply: Reply) => Promise<T>,
		subject: Omit<Subject, 'url'>,
	): Promise<T | Miss> {
		const reply = await this.exchange(endpoint, subject);
		if (isMiss(reply)) return reply;
		try {
			return await read(reply);
		} catch (error) {
			this.session.transport.cancel?.throwIfAborted();
			const said = this.session.transport.redact(asError(error).message);
			return {
				outcome: 'transient',
				error: new GatewayError(
					`The answer of the gateway was damaged: ${said}`,
					'It was fetched several times. Fetching is free: run it again later.',
					{ ...(subject.thing !== 'voice' && subject.id && { jobId: subject.id }) },
				),
			};
		} finally {
			reply.body.destroy();
		}
	}

	/** One request, and the answer if it is a success; else what its failure means. */
	private async exchange(
		endpoint: Endpoint,
		subject: Omit<Subject, 'url'>,
		body?: IDataObject | FormData,
	): Promise<Reply | Miss> {
		const { transport } = this.session;
		let reply: Reply;
		try {
			reply = await transport.send(endpoint, this.settings.timeoutMs, body);
		} catch (error) {
			if (!(error instanceof TransportError)) throw asError(error);
			return {
				outcome: classifyFailure(error.failure, endpoint.billed),
				reason: error.failure === 'timeout' ? 'client_timeout' : 'connection_lost',
				error: unreachable(error, transport.root, subject),
			};
		}
		const outcome = classifyStatus(reply.status, endpoint.billed);
		if (outcome === 'done') return reply;
		const errorBody = await transport.readErrorBody(reply);
		transport.cancel?.throwIfAborted();
		return {
			outcome,
			error: this.refusal(reply, errorBody, { endpoint, subject }),
			retryAfter: retryAfterMs(reply.headers['retry-after'], Date.now()),
		};
	}

	private refusal(
		reply: Pick<Reply, 'status' | 'headers'>,
		body: unknown,
		{ endpoint, subject = {} }: Pick<BilledRequest, 'endpoint' | 'subject'>,
	): GatewayError {
		const url = `${this.session.transport.root}${endpoint.path}`;
		const id = requestId(reply.headers) ?? bodyRequestId(body);
		return explainRefusal(
			{ status: reply.status, body, requestId: id, retryAfter: reply.headers['retry-after'] },
			{ ...subject, url },
		);
	}

	/** Before the first billed request of the item leaves, its key is on record; a key already there stops it. */
	private async claimKey(request: BilledRequest, inputHash: string): Promise<void> {
		const { sendOnceKey } = this.settings;
		if (sendOnceKey === undefined || this.record.keyRecorded) return;
		const fresh = await recordKey(this.session.context, sendOnceKey).catch(asError);
		if (fresh instanceof Error)
			throw new InputError(`The "Send Once Key" could not be recorded: ${fresh.message}`);
		if (!fresh) {
			const now = new Date().toISOString();
			throw this.unknown(request, { reason: 'already_sent', sentAt: now, inputHash });
		}
		this.record.keyRecorded = true;
		if (this.session.transport.cancel?.aborted) await this.settle();
	}

	private unknown(
		{ name, group }: BilledRequest,
		facts: {
			reason: UnknownReason;
			sentAt: string;
			inputHash: string;
			httpCode?: string;
			requestId?: string;
			detail?: string;
		},
	): OutcomeUnknownError {
		const { detail, httpCode, requestId: id, ...rest } = facts;
		const known = {
			...rest,
			message: [WHAT_HAPPENED[facts.reason], detail].filter(Boolean).join(': '),
			endedAt: new Date().toISOString(),
			...(httpCode && { httpCode }),
			...(id && { requestId: id }),
		};
		this.record.requests[name] = { state: 'unknown', facts: known };
		if (group) group.failed = true;
		return new OutcomeUnknownError(known);
	}
}

const WHAT_HAPPENED: Record<UnknownReason, string> = {
	upstream_outcome_unknown: 'The gateway does not know whether the request was carried out',
	connection_lost: 'The connection was lost after the request was sent',
	client_timeout: 'No answer came within the time-out after the request was sent',
	damaged_response: 'The gateway answered with success, but the result is damaged',
	interrupted: 'The run broke off while the request was under way',
	already_sent: 'A request with this "Send Once Key" was sent before',
};

function unreachable(
	error: TransportError,
	root: string,
	subject: Omit<Subject, 'url'>,
): GatewayError {
	const details = {
		...(error.code && { code: error.code }),
		...(subject.thing !== 'voice' && subject.id && { jobId: subject.id }),
	};
	const advice = {
		notSent: `Nothing was sent. Check the base URL in the credential (${root}) and that this n8n can reach it. Details: ${error.detail}`,
		timeout: `Raise the option "Timeout", or try again later. Details: ${error.detail}`,
		lost: `Try again later. Details: ${error.detail}`,
	}[error.failure];
	const message = {
		notSent: /ssrf|blocked/i.test(error.detail)
			? 'The gateway cannot be reached: n8n blocks this address (SSRF protection)'
			: 'The gateway cannot be reached',
		timeout: 'The gateway did not answer in time',
		lost: 'The connection to the gateway was lost',
	}[error.failure];
	return new GatewayError(message, advice.replace(/canceled/gi, 'cancelled'), details);
}

const requestId = (headers: Reply['headers']): string | undefined =>
	headers['x-request-id'] ?? headers['request-id'] ?? headers['x-correlation-id'];

function bodyRequestId(body: unknown): string | undefined {
	const id = (body as { request_id?: unknown } | null | undefined)?.request_id;
	return typeof id === 'string' ? id : undefined;
}

export function isMiss(value: unknown): value is Miss {
	return (
		typeof value === 'object' &&
		value !== null &&
		'outcome' in value &&
		'error' in value &&
		value.error instanceof GatewayError
	);
}
