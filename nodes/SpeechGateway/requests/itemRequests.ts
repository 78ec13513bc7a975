import type { IDataObject } from 'n8n-workflow';
import {
	asError,
	DamagedResultError,
	ErrorAnswer,
	GatewayError,
	NotStartedError,
	NotStoredError,
	OutcomeUnknownError,
	type Sent,
	type UnknownReason,
} from '../core/errors';
import { whyAwake } from '../engine/sleep';
import type { BilledEndpoint, FreeEndpoint } from '../gateway/endpoints';
import type { GatewayResponse } from '../gateway/transport';
import { ItemClaims } from './claims';
import {
	type About,
	cutEarlier,
	exchange,
	exchangeFree,
	type Failure,
	type FreeRequest,
	isFailure,
	notDeleted,
	type OneThing,
	requestId,
} from './exchange';
import type { ItemLedger } from './itemLedger';
import type { SentPart } from './records';
import { requestKey, requestName } from './requestKey';
import type { Session } from './session';
import { slowDownAfter, Turns } from './turns';
import { outcomeUnknown } from './unknownOutcome';

export interface ItemSettings {
	maxRetries: number;
	timeoutMs: number;
	sendOnceKey?: string;
}

export interface BilledRequest<T extends object> {
	endpoint: BilledEndpoint;
	/** What is asked for: the JSON body, of which its key is made. */
	input: IDataObject;
	/** Which of several equal requests of the item it is, from 1. */
	number?: number;
	part?: SentPart;
	/** A form instead of JSON, built when the request is sent, so that waiting requests hold no files. */
	body?: () => Promise<FormData>;
	/**
	 * Reads the whole response. The result is kept in the ledger, so it must be plain JSON. Any error means: paid for, but
	 * damaged.
	 */
	read: (response: GatewayResponse) => Promise<T>;
	/** Whether a value on record is what `read` returns: another version of the node may have kept it. */
	isResult: (kept: object) => kept is T;
	about?: About;
	/** The caller falls back to a job on 524. */
	fallsBackOn524?: boolean;
	price?: Price<T>;
}

interface Price<T> {
	estimate?: number;
	/** Whether that is what is charged, whatever comes of it. */
	isExact?: boolean;
	of?: (value: T) => number | undefined;
}

type NamedRequest<T extends object> = BilledRequest<T> & { key: string; name: string };

/** One item on its way through an operation: the only way in for requests, billed or free. */
export class ItemRequests {
	/** Aborts when a part of the item's result has failed. */
	private readonly givingUp = new AbortController();
	/** Aborts when no further billed request of this item may start. */
	private readonly ending: AbortSignal;
	private readonly claims: ItemClaims;
	private awake = false;
	private release: (() => void) | undefined;

	constructor(
		readonly session: Session,
		readonly index: number,
		/** What has become of its requests so far. Only this class begins and settles them. */
		readonly ledger: ItemLedger,
		private readonly settings: ItemSettings,
		/** The run stops when this item ends with an error. */
		private readonly stopsRun = false,
		/** Called at each turn to send. */
		private readonly onTurn = () => {},
	) {
		this.ending = session.limiter.ending(this.givingUp.signal);
		const { retryOf } = session;
		this.claims = new ItemClaims(
			session.keys,
			ledger,
			{
				sendOnceKey: settings.sendOnceKey,
				retryOf: retryOf && `${retryOf}, item ${index + 1}`,
			},
			() => session.hints.add(KEY_KEPT),
		);
	}

	/** Whether the execution may sleep while the item waits; a hint says why not. */
	maySleep(): boolean {
		const why = whyAwake(this.session.execution);
		if (why) this.session.hints.add(`The execution stayed awake while it waited: ${why}.`);
		return !why && !this.awake;
	}

	stayAwake(): void {
		this.awake = true;
	}

	/** Starts no further billed request of this item, because a part has failed; those in flight go on. */
	giveUp(): void {
		this.givingUp.abort(new NotStartedError('Another request of this item failed'));
	}

	/** Ends the item. In stop mode an error stops the run; otherwise held requests go on. `sentNothing`: see ItemLedger. */
	async settle(failed: boolean, sentNothing: boolean): Promise<void> {
		if (failed && this.stopsRun) this.session.limiter.stop('Another item failed');
		this.release?.();
		await this.claims.settle(sentNothing);
	}

	/**
	 * Sends a billed request, never again once it may have been charged, and returns the result of `read`. The ledger is
	 * written before the request leaves and settled after it. Throws OutcomeUnknownError when it may have been charged,
	 * GatewayError when it was not, NotStartedError when the run is stopping, or the cancel signal's reason.
	 */
	async billed<T extends object>(request: BilledRequest<T>): Promise<T> {
		const { endpoint, about = {}, input, number, part } = request;
		const key = requestKey(endpoint.kind, input);
		const name = requestName(key, number, part?.take);
		const named = { ...request, key, name };
		const earlier = this.ledger.entry(name);
		switch (earlier?.state) {
			case 'done':
				if (request.isResult(earlier.value)) return earlier.value;
				throw new GatewayError(
					'What an earlier attempt has paid for cannot be read by this version of the node',
					'Retry with the version that began this execution. Nothing was sent or charged again.',
				);
			case 'unknown':
				throw new OutcomeUnknownError(earlier.facts);
			case 'sending':
				throw this.unknown(named, earlier, 'interrupted');
			case 'cut':
				throw cutEarlier(this.session.transport, endpoint, about);
		}
		const turns = new Turns(this.session, true, this.settings.maxRetries, this.ending);
		for (;;) {
			await turns.begin();
			this.onTurn();
			try {
				const value = await this.tryBilled(named, turns);
				if (value) return value;
			} finally {
				turns.end();
			}
		}
	}

	/** Sends a free request, retried up to `maxRetries` times on failures that may pass. */
	async free<T>(request: FreeRequest<T>): Promise<T> {
		return await this.retryingFree(async () => await this.tryFree(request));
	}

	/** Deletes. A 404 on a repeat counts as deleted, because the first response was lost. */
	async delete(endpoint: FreeEndpoint, about: OneThing): Promise<void> {
		await this.retryingFree(async (failures) => {
			const read = async (response: GatewayResponse) =>
				(await notDeleted(this.session.transport, response, about)) ?? true;
			const result = await this.tryFree({ endpoint, read, about });
			const gone = failures > 0 && isFailure(result) && result.error.details.httpCode === '404';
			return gone || result;
		});
	}

	/**
	 * One try of a free request, for callers that ask again anyway (polls). All of it, its turn and its body included, is
	 * over by `deadline` (by `performance.now()`, ms), and within the time-out of one request once it is sent.
	 */
	async freeOnce<T>(request: FreeRequest<T>, deadline: number): Promise<T | Failure> {
		const { limiter, transport, unavailable } = this.session;
		if (unavailable) throw unavailable;
		const left = () => Math.ceil(Math.max(1, deadline - performance.now()));
		const ticket = await limiter.enter(false, transport.cancel, deadline);
		this.onTurn();
		try {
			const ended = AbortSignal.timeout(Math.min(left(), this.settings.timeoutMs));
			const result = await this.tryFree(request, ended);
			if (isFailure(result)) slowDownAfter(result, ticket);
			return result;
		} finally {
			ticket.leave();
		}
	}

	/** `attempt` is told how many failed before it. */
	private async retryingFree<T>(attempt: (failures: number) => Promise<T | Failure>): Promise<T> {
		const { limiter, transport } = this.session;
		const turns = new Turns(this.session, false, this.settings.maxRetries, transport.cancel);
		for (;;) {
			await turns.begin();
			this.onTurn();
			try {
				const result = await attempt(turns.failures);
				if (!isFailure(result)) {
					limiter.succeeded(false);
					return result;
				}
				if (turns.goOnAfter(result)) continue;
				this.fail();
				throw result.error;
			} finally {
				turns.end();
			}
		}
	}

	/**
	 * A request failed for good, or what it brought is of no use. Its place in the limiter is held back from other billed
	 * requests until it is known how the item ends.
	 */
	fail(): void {
		this.giveUp();
		if (this.stopsRun) this.release ??= this.session.limiter.hold();
	}

	/** One try of a billed request. Undefined: try again, after a failure that may pass or because the run was put on hold. */
	private async tryBilled<T extends object>(
		request: NamedRequest<T>,
		turns: Turns,
	): Promise<T | undefined> {
		const { key: inputHash, name, endpoint, input, about = {} } = request;
		const { transport, limiter, breaker, traffic } = this.session;
		const model = String(input.model);
		const body = request.body ? await request.body() : input;
		if (!(await this.claims.take())) {
			const sentAt = new Date().toISOString();
			throw this.unknown(request, { sentAt, inputHash, model }, 'already_sent');
		}
		// While n8n's database was written, the run may have ended or been put on hold: the request queues again.
		if (this.ending.aborted || limiter.isHeld) return undefined;
		const sent: Sent = { sentAt: new Date().toISOString(), inputHash, model };
		this.ledger.begin(name, sent, request.part);
		traffic.begin(sent);
		let response: GatewayResponse | Failure;
		try {
			response = await exchange(transport, endpoint, this.settings.timeoutMs, about, body);
		} catch {
			// Thrown only when the run ends: the request may have arrived.
			throw this.unknown(request, sent, 'interrupted');
		}
		if (!isFailure(response)) {
			const value = await this.readPaid(request, sent, response);
			limiter.succeeded(endpoint.billed);
			return value;
		}
		if (response.outcome === 'unknown') {
			const { reason = 'upstream_outcome_unknown', error } = response;
			throw this.unknown(request, sent, reason, error);
		}
		const isCut = response.outcome === 'cut';
		if (isCut) this.ledger.cut(name);
		else this.ledger.clear(name);
		if (isCut) traffic.cut(sent);
		else traffic.notCharged(sent);
		if (turns.goOnAfter(response)) return undefined;
		breaker.failed(response);
		if (!isCut || !request.fallsBackOn524) this.fail();
		throw response.error;
	}

	/** Reads the answer of a request that was paid for. Throws OutcomeUnknownError when it is damaged. */
	private async readPaid<T extends object>(
		request: NamedRequest<T>,
		sent: Sent,
		response: GatewayResponse,
	): Promise<T> {
		const { transport } = this.session;
		try {
			const value = await request.read(response);
			const { price } = request;
			const tokens = price?.of?.(value) ?? (price?.isExact ? price.estimate : undefined);
			const id = requestId(response.headers);
			const cost = { ...(tokens !== undefined && { tokens }), ...(id && { requestId: id }) };
			this.ledger.done(request.name, value, cost);
			this.session.traffic.charged(sent, id);
			this.session.spend(tokens ?? price?.estimate);
			this.session.breaker.succeeded();
			return value;
		} catch (error) {
			response.body.destroy();
			if (transport.cancel?.aborted) throw this.unknown(request, sent, 'interrupted');
			const { files, cause } = error instanceof DamagedResultError ? error : { cause: error };
			const details = {
				httpCode: String(response.status),
				requestId: requestId(response.headers),
				...(cause instanceof ErrorAnswer && { probablyFree: true }),
			};
			if (error instanceof NotStoredError)
				throw this.unknown(request, sent, 'not_stored', new GatewayError('', error.words, details));
			const damage = new GatewayError(
				transport.redactor.text(asError(error).message),
				'',
				details,
				files,
			);
			throw this.unknown(request, sent, 'damaged_response', damage);
		}
	}

	private async tryFree<T>(request: FreeRequest<T>, ended?: AbortSignal): Promise<T | Failure> {
		const { transport } = this.session;
		const within = ended ? transport.until(ended) : transport;
		return await exchangeFree(within, request, this.settings.timeoutMs);
	}

	/** Records that the request may have been charged; returns the error for it. */
	private unknown(
		{ name, part, price }: Pick<NamedRequest<never>, 'name' | 'part' | 'price'>,
		sent: Sent,
		reason: UnknownReason,
		cause?: GatewayError,
	): OutcomeUnknownError {
		const error = outcomeUnknown(reason, sent, cause, this.session.traffic.unknown(sent));
		this.ledger.unknown(name, error.facts, part, price?.isExact ? price.estimate : undefined);
		if (reason !== 'already_sent') this.session.spend(price?.estimate);
		this.session.breaker.unknown(reason);
		this.giveUp();
		return error;
	}
}

const KEY_KEPT =
	'n8n\'s database did not take back a "Send Once Key" although nothing was charged: such an item counts as sent, so give it another key to send it.';
