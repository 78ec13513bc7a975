import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import {
	asError,
	DamagedResultError,
	GatewayError,
	InputError,
	NotStartedError,
	OutcomeUnknownError,
} from '../../core/errors';
import type { UnknownFacts } from '../../core/errors';
import { mayBeSentAgain, type UnknownReason } from '../../core/outcome';
import { backoffMs, MAX_RETRY_AFTER_MS } from '../../core/retryPolicy';
import type { Ticket } from '../../gateway/concurrencyLimiter';
import type { BilledEndpoint, Endpoint, FreeEndpoint } from '../../gateway/endpoints';
import { pause } from '../../gateway/pause';
import type { GatewayResponse } from '../../gateway/transport';
import {
	type About,
	exchange,
	isFailure,
	type Failure,
	refusal,
	requestId,
	taskId,
} from './exchange';
import { type ItemRecord, maybeCharged } from './ledger';
import type { Session } from './session';

export interface ItemSettings {
	maxRetries: number;
	timeoutMs: number;
	sendOnceKey?: string;
}

export interface BilledRequest {
	/** Which request of the item this is; retries find it again by this name. */
	name: string;
	endpoint: BilledEndpoint;
	/** What is asked for: the JSON body, and the hash in the records. */
	input: IDataObject;
	/** A form instead of JSON, made when its turn has come, so that waiting requests hold no files. */
	body?: () => Promise<FormData>;
	/** Reads the whole answer; what it returns is kept in the ledger. Whatever it throws means: paid for, but damaged. */
	read: (reply: GatewayResponse) => Promise<IDataObject>;
	about?: About;
	/** Requests that only make sense together: once one has failed, no further one is started. */
	group?: RequestGroup;
	/** The caller has another way when the gateway cuts the request (524), so that is no failure of the item. */
	hasWayAroundCut?: boolean;
}

export interface RequestGroup {
	failed: boolean;
}

/** One item on its way through an operation: the only way in for requests, billed or free. */
export class ItemRequests {
	private claiming: Promise<boolean> | undefined;

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
		const { endpoint, about = {}, group } = request;
		const earlier = this.record.requests[request.name];
		switch (earlier?.state) {
			case 'done':
				return earlier.value;
			case 'unknown':
				throw new OutcomeUnknownError(earlier.facts);
			case 'sending':
				throw this.unknown(request, earlier, 'interrupted');
			case 'cut':
				throw refusal(this.session.transport, endpoint, about, { status: 524, headers: {} });
		}
		const failed = ({ outcome }: Failure) => {
			if (outcome === 'cut' && request.hasWayAroundCut) return;
			if (group) group.failed = true;
			this.onFailure();
		};
		return await this.retrying(endpoint, async () => await this.attemptBilled(request), failed);
	}

	/** Sends a free request, again and again within `maxRetries` on whatever may pass. `read` may throw to try again. */
	async free<T>(
		endpoint: FreeEndpoint,
		read: (reply: GatewayResponse) => Promise<T>,
		about: About = {},
	): Promise<T> {
		return await this.retrying(endpoint, async () => await this.attemptFree(endpoint, read, about));
	}

	/** Deletes. What is gone when an earlier try's answer was lost counts as deleted. */
	async delete(endpoint: FreeEndpoint, about: About): Promise<void> {
		let tries = 0;
		await this.retrying(endpoint, async () => {
			const result = await this.attemptFree(endpoint, async () => true, about);
			const gone = tries++ > 0 && isFailure(result) && result.error.details.httpCode === '404';
			return gone || result;
		});
	}

	/**
	 * One try of a free request, for callers that ask again anyway (polls). All of it, its turn and its body included, is
	 * over by `deadline` (ms since 1970), and within the time-out of one request once it is sent.
	 */
	async freeOnce<T>(
		endpoint: FreeEndpoint,
		read: (reply: GatewayResponse) => Promise<T>,
		about: About,
		deadline: number,
	): Promise<T | Failure> {
		const { limiter } = this.session;
		const poll = async (ticket: Ticket) => {
			const left = Math.max(1, deadline - Date.now());
			const ended = AbortSignal.timeout(Math.ceil(Math.min(left, this.settings.timeoutMs)));
			const result = await this.attemptFree(endpoint, read, about, ended);
			if (isFailure(result) && result.outcome === 'notCharged') {
				limiter.slowDown(ticket, Math.min(result.retryAfter ?? backoffMs(0), MAX_RETRY_AFTER_MS));
			}
			return result;
		};
		return await limiter.run(false, poll, deadline);
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
		await this.session.keys.forget(sendOnceKey);
		this.claiming = undefined;
		delete this.record.keyRecorded;
	}

	/** The one loop of retries. Whether a request may go again is decided before its place in the limiter is given up. */
	private async retrying<T>(
		endpoint: Endpoint,
		attempt: () => Promise<T | Failure>,
		failed: (failure: Failure) => void = this.onFailure,
	): Promise<T> {
		const { limiter, transport } = this.session;
		for (let tries = 0; ; tries++) {
			let delay = 0;
			let again = false;
			const answer = await limiter.run(endpoint.billed, async (ticket) => {
				const result = await attempt();
				if (!isFailure(result)) {
					limiter.succeeded();
					return result;
				}
				delay = result.retryAfter ?? backoffMs(tries);
				if (result.outcome === 'notCharged')
					limiter.slowDown(ticket, Math.min(delay, MAX_RETRY_AFTER_MS));
				again =
					mayBeSentAgain(result.outcome) &&
					tries < this.settings.maxRetries &&
					delay <= MAX_RETRY_AFTER_MS;
				if (!again) failed(result);
				return result;
			});
			if (!isFailure(answer)) return answer;
			if (!again) throw answer.error;
			await pause(delay, transport.cancel);
		}
	}

	private async attemptBilled(request: BilledRequest): Promise<IDataObject | Failure> {
		const { requests } = this.record;
		const { name, endpoint, input, about = {} } = request;
		const { transport } = this.session;
		if (request.group?.failed) throw new NotStartedError('Another request of this item failed');
		const inputHash = createHash('sha256').update(JSON.stringify(input)).digest('hex');
		const body = request.body ? await request.body() : input;
		const retryKey = this.retryKey(name);
		if (!(await this.claimKey()) || !(await this.claimRetry(retryKey))) {
			throw this.unknown(request, { sentAt: new Date().toISOString(), inputHash }, 'already_sent');
		}
		transport.cancel?.throwIfAborted();

		const sent = { sentAt: new Date().toISOString(), inputHash };
		requests[name] = { state: 'sending', ...sent };
		const reply = await exchange(transport, endpoint, this.settings.timeoutMs, about, body);
		if (isFailure(reply)) {
			if (reply.outcome === 'unknown')
				throw this.unknown(request, sent, reply.reason!, reply.error);
			if (reply.outcome === 'cut') requests[name] = { state: 'cut' };
			else delete requests[name];
			if (retryKey) await this.session.keys.forget(retryKey);
			return reply;
		}
		try {
			const value = await request.read(reply);
			requests[name] = { state: 'done', value };
			return value;
		} catch (error) {
			reply.body.destroy();
			transport.cancel?.throwIfAborted();
			const details = { httpCode: String(reply.status), requestId: requestId(reply.headers) };
			const files = error instanceof DamagedResultError ? error.files : undefined;
			const damage = new GatewayError(transport.redact(asError(error).message), '', details, files);
			throw this.unknown(request, sent, 'damaged_response', damage);
		}
	}

	private async attemptFree<T>(
		endpoint: FreeEndpoint,
		read: (reply: GatewayResponse) => Promise<T>,
		about: About,
		ended?: AbortSignal,
	): Promise<T | Failure> {
		const { transport } = this.session;
		const within = ended ? transport.until(ended) : transport;
		const reply = await exchange(within, endpoint, this.settings.timeoutMs, about);
		if (isFailure(reply)) return reply;
		try {
			return await read(reply);
		} catch (error) {
			transport.cancel?.throwIfAborted();
			return {
				outcome: 'transient',
				error: new GatewayError(
					`The answer of the gateway was damaged: ${transport.redact(asError(error).message)}`,
					'It was fetched several times. Fetching is free: run it again later.',
					taskId(about),
				),
			};
		} finally {
			reply.body.destroy();
		}
	}

	/** Before the first billed request of the item leaves, its key is on record. False when it was there before. */
	private async claimKey(): Promise<boolean> {
		const { sendOnceKey } = this.settings;
		if (sendOnceKey === undefined || this.record.keyRecorded) return true;
		this.claiming ??= this.session.keys.record(sendOnceKey);
		const fresh = await this.claiming.catch(asError);
		if (fresh instanceof Error) {
			throw new InputError(`The "Send Once Key" could not be recorded: ${fresh.message}`);
		}
		if (fresh) this.record.keyRecorded = true;
		if (this.session.transport.cancel?.aborted) await this.settle();
		return fresh;
	}

	/** Only in a retry of a failed execution. */
	private retryKey(request: string): string | undefined {
		const { retryOf } = this.session;
		return retryOf && `${retryOf}, item ${this.index + 1}, ${request}`;
	}

	/** Before a request of a retry leaves, that is on record, for other retries of the same execution. */
	private async claimRetry(key: string | undefined): Promise<boolean> {
		if (!key) return true;
		const { keys, transport } = this.session;
		const fresh = await keys.record(key).catch(asError);
		if (fresh instanceof Error) {
			throw new InputError(`The retry could not be recorded, so it was not sent: ${fresh.message}`);
		}
		if (fresh && transport.cancel?.aborted) await keys.forget(key);
		return fresh;
	}

	private unknown(
		{ name, group }: BilledRequest,
		{ sentAt, inputHash }: Pick<UnknownFacts, 'sentAt' | 'inputHash'>,
		reason: UnknownReason,
		cause?: GatewayError,
	): OutcomeUnknownError {
		const { httpCode, requestId: id, code } = cause?.details ?? {};
		const facts: UnknownFacts = {
			reason,
			message: [WHAT_HAPPENED[reason], cause?.message].filter(Boolean).join(': '),
			...(httpCode && { httpCode }),
			...(id && { requestId: id }),
			...(typeof code === 'string' && { code }),
			sentAt,
			endedAt: new Date().toISOString(),
			inputHash,
		};
		this.record.requests[name] = { state: 'unknown', facts };
		if (group) group.failed = true;
		return new OutcomeUnknownError(facts, {}, cause?.files);
	}
}

const WHAT_HAPPENED: Record<UnknownReason, string> = {
	upstream_outcome_unknown: 'Nobody can say whether the request was carried out',
	connection_lost: 'The connection was lost after the request was sent',
	client_timeout: 'No answer came within the time-out after the request was sent',
	damaged_response: 'The gateway answered with success, but the result is damaged',
	interrupted: 'The run broke off while the request was under way',
	already_sent: 'Another execution has sent this request before',
};
