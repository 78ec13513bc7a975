/**
 * The way of a billed request. Its key says what is asked for, so `billed` first looks into the ledger: what is done is
 * returned from there, what may have been charged is never sent again. Then `inTurns` takes turns with the other
 * requests: the gate must be open, and the limiter must have room. In its turn, `tryBilled` takes the item's claims,
 * which keep other executions from sending the same; writes the ledger; and sends. The outcome decides what becomes of
 * the entry: removed when nothing was charged (the request may go again, after a pause), marked as cut, or kept as
 * unknown. Each step stands before the next because a crash may come in between: whatever has left is on record, and
 * what is on record may not have left. Free requests take turns, too, and need none of the rest.
 */
import type { IDataObject } from 'n8n-workflow';
import {
	asError,
	DamagedResultError,
	ErrorAnswer,
	type ErrorDetails,
	GatewayError,
	NotStoredError,
	outcomeUnknown,
	OutcomeUnknownError,
	RequestCutError,
	saysNothing,
	type Sent,
	type UnknownReason,
} from '../core/errors';
import { defined } from '../core/json';
import type { BilledEndpoint } from '../gateway/endpoints';
import { plain } from '../gateway/gatewayWords';
import type { GatewayResponse } from '../gateway/transport';
import { ItemClaims } from './claims';
import { type Elsewhere, exchange, hasJobRoutes, isFailure, listedModels } from './exchange';
import { type About, type Failure, idHeaderIn, requestIdIn } from './explain';
import { type ItemLedger, taskAt } from './itemLedger';
import { type ItemSettings, ItemTurns } from './itemTurns';
import type { Entry, SentSegment } from './records';
import { isFinal, OUTCOMES, outcomeOfDamage } from './outcome';
import { requestKey, requestName } from './requestKey';
import type { Session } from './session';

/** A request that costs money, and how its answer is read. */
export interface BilledRequest<T extends object> {
	endpoint: BilledEndpoint;
	/** What is asked for: the JSON body, of which its key is made. */
	input: IDataObject;
	/** What its key is made of, if that is less than the body. */
	keyedBy?: IDataObject;
	segment?: SentSegment;
	/** A form instead of JSON, built when the request is sent, so that waiting requests hold no files. */
	body?: () => Promise<FormData>;
	/**
	 * Reads the whole response. The result is kept in the ledger, so it must be plain JSON. Any error means: paid for, but
	 * damaged.
	 */
	read: (response: GatewayResponse) => Promise<T>;
	about?: About;
	/** How to go on when the gateway cuts the request (524); absent where the item ends with it. */
	ifCut?: SplittableText;
	price?: Price<T>;
}

interface SplittableText {
	characters: number;
	/** Asked just before sending: another text of this length has been cut since the request was planned. */
	isTooLong: () => boolean;
	/** Called when it is cut, before another request gets its turn. */
	wasCut: () => void;
}

interface Price<T> {
	estimate?: number;
	/** The estimate is what is charged, whatever comes of the request. */
	isExact?: boolean;
	of?: (value: T) => number | undefined;
}

type NamedRequest<T extends object> = BilledRequest<T> & { key: string; name: string };

/** One item on its way through an operation: the only way in for requests, billed or free. */
export class ItemRequests extends ItemTurns {
	/** A request has failed for good, in a way that Retry On Fail cannot mend. */
	isRefused = false;
	private hasGivenUp = false;
	private readonly claims: ItemClaims;

	constructor(
		session: Session,
		readonly index: number,
		/** What has become of its requests so far. Only this class begins and ends them. */
		readonly ledger: ItemLedger,
		settings: ItemSettings,
		stopsRun = false,
		onTurn = () => {},
	) {
		super(session, settings, stopsRun, onTurn, begunElsewhere(ledger, session));
		const { retryOf } = session;
		this.claims = new ItemClaims(
			session.keys,
			ledger,
			settings.sendOnceKey,
			retryOf && `${retryOf}, item ${index + 1}`,
			() => void session.hints.add(KEY_STUCK),
		);
	}

	/** Remembers a task that was made for this item; false if another one of the execution has it. */
	isNewTask(id: string): boolean {
		const { inProcess, transport } = this.session;
		const { tasks } = inProcess;
		const task = taskAt(transport.account.gateway, id);
		const isNew = !tasks.has(task);
		tasks.add(task);
		return isNew;
	}

	/** Ends the item. In stop mode an error stops the run; otherwise held requests go on. `sentNothing`: see ItemLedger. */
	async end(failed: boolean, sentNothing: boolean): Promise<void> {
		this.endTurns(failed);
		await this.claims.end(sentNothing);
	}

	/**
	 * Sends a billed request, never again once it may have been charged, and returns the result of `read`. The ledger is
	 * written before the request leaves and after it has ended. Throws OutcomeUnknownError when it may have been charged,
	 * GatewayError when it was not, NotStartedError when the run is stopping, or the cancel signal's reason.
	 */
	async billed<T extends object>(request: BilledRequest<T>): Promise<T> {
		const { endpoint, input, keyedBy = input, segment } = request;
		const key = requestKey(endpoint.kind, keyedBy);
		const name = requestName(key, segment);
		const { costsNothing } = this.session.transport.account;
		const price = costsNothing ? undefined : request.price;
		const named = { ...request, price, key, name };
		const earlier = this.ledger.entry(name);
		if (earlier?.state === 'done') return earlier.value as T;
		if (earlier) throw this.endedBefore(named, earlier);
		const givenUp = (failure: Failure) => {
			const { outcome } = failure;
			const { inRun } = OUTCOMES[outcome];
			this.session.breaker.failed(failure);
			this.session.patience.gaveUp(outcome, !this.hasGivenUp);
			this.hasGivenUp = true;
			if (inRun === 'shorter' && request.ifCut) return;
			this.isRefused ||= isFinal(outcome);
			this.fail();
		};
		return await this.inTurns('billed', async () => await this.tryBilled(named), givenUp);
	}

	/** The error of a request that an earlier attempt has sent, or had refused. */
	private endedBefore(
		request: Pick<NamedRequest<never>, 'name' | 'segment' | 'price'>,
		earlier: Exclude<Entry, { state: 'done' }>,
	): Error {
		if (earlier.state === 'unknown') return new OutcomeUnknownError(earlier.facts);
		if (earlier.state === 'sending') return this.unknown(request, earlier, 'interrupted');
		const { message, description, details } = earlier.error;
		const isCut = OUTCOMES[earlier.state].inRun === 'shorter';
		return new (isCut ? RequestCutError : GatewayError)(message, description, { ...details });
	}

	/** One try of a billed request. Undefined if the run ended or was put on hold before the request left. */
	private async tryBilled<T extends object>(
		request: NamedRequest<T>,
	): Promise<T | Failure | undefined> {
		const { key: inputHash, name, endpoint, input, about = {} } = request;
		const { transport, traffic } = this.session;
		const model = String(input.model);
		const body = request.body ? await request.body() : input;
		if (!(await this.claims.take())) {
			const sentAt = new Date().toISOString();
			throw this.unknown(request, { sentAt, inputHash, model }, 'already_sent');
		}
		// While n8n's database was written, the run may have ended or been put on hold: the request queues again.
		if (this.mayNotLeave) return undefined;
		if (request.ifCut?.isTooLong()) throw new RequestCutError('', '');
		const paidBy = transport.account.name;
		const sent: Sent = { sentAt: new Date().toISOString(), inputHash, model, paidBy };
		this.ledger.begin(name, sent, request.segment);
		traffic.begin(sent);
		let response: Elsewhere | Failure;
		try {
			response = await exchange(transport, endpoint, this.settings.timeoutMs, about, {
				body,
				isDocumented: async () =>
					await this.session.share(
						`job routes of ${transport.account.base}`,
						async () => await hasJobRoutes(transport),
					),
				listedModels: async () =>
					await this.session.share(
						`models of ${transport.account.base}`,
						async () => await listedModels(transport),
					),
			});
		} catch {
			// Thrown only when the run ends: the request may have arrived.
			throw this.unknown(request, sent, 'interrupted');
		}
		const result = isFailure(response) ? response : await this.readPaid(request, sent, response);
		if (!isFailure(result)) return result;
		const { outcome, reason = 'upstream_outcome_unknown', error, idHeader } = result;
		if (outcome === 'unknown') throw this.unknown(request, sent, reason, error, result);
		const { inRun, charged } = OUTCOMES[outcome];
		const { message, description, details } = error;
		const { requestId } = details;
		const isCut = inRun === 'shorter';
		if (isFinal(outcome))
			this.ledger.wasRefused(name, outcome, {
				error: { message, description, details },
				sentAt: sent.sentAt,
				requestId,
				characters: isCut ? request.ifCut?.characters : undefined,
			});
		else this.ledger.clear(name);
		if (isCut) request.ifCut?.wasCut();
		// A proxy answered for the gateway when the request was cut, so the gateway may still be at work.
		if (isCut || charged !== 'no')
			traffic.end(sent, { charged: charged !== 'no', requestId, idHeader });
		else traffic.forget(sent);
		return result;
	}

	/** Reads the answer of a request that was paid for. Resolves to the failure when it is damaged. */
	private async readPaid<T extends object>(
		request: NamedRequest<T>,
		sent: Sent,
		response: Elsewhere,
	): Promise<T | Failure> {
		const { transport } = this.session;
		const { costsNothing } = transport.account;
		const { insteadOf } = response;
		const [requestId, idHeader] = [requestIdIn(response.headers), idHeaderIn(response.headers)];
		try {
			const value = await request.read(response);
			const { price } = request;
			const tokens = price?.of?.(value) ?? (price?.isExact ? price.estimate : undefined);
			this.ledger.done(request.name, value, defined({ tokens, requestId }));
			this.session.traffic.end(sent, { charged: true, requestId, idHeader });
			this.session.lasting.spend(tokens ?? price?.estimate, price?.estimate);
			this.session.breaker.succeeded();
			this.session.patience.succeeded();
			return value;
		} catch (error) {
			response.body.destroy();
			if (transport.cancel?.aborted) throw this.unknown(request, sent, 'interrupted');
			// An answer from another address that is no audio is never shown: it may be anything that this n8n can reach.
			if (insteadOf && !(error instanceof NotStoredError)) return insteadOf;
			const { files, cause } = error instanceof DamagedResultError ? error : { cause: error };
			const details: ErrorDetails = {
				httpCode: String(response.status),
				requestId,
				probablyFree: cause instanceof ErrorAnswer || undefined,
			};
			if (error instanceof NotStoredError)
				throw this.unknown(request, sent, 'not_stored', new GatewayError('', error.words, details));
			const said = transport.redactor.text(asError(error).message);
			const damage = new GatewayError(said, '', details, files);
			const reason = 'damaged_response';
			const { message } = outcomeUnknown(reason, sent, damage);
			return {
				outcome: outcomeOfDamage(costsNothing),
				reason,
				error: costsNothing ? new GatewayError(message, TRY_LATER, details, files) : damage,
				isNothing: saysNothing(error),
			};
		}
	}

	/** Records that the request may have been charged; returns the error for it. */
	private unknown(
		{ name, segment, price }: Pick<NamedRequest<never>, 'name' | 'segment' | 'price'>,
		sent: Sent,
		reason: UnknownReason,
		cause?: GatewayError,
		{ idHeader, isNothing }: Pick<Failure, 'idHeader' | 'isNothing'> = {},
	): OutcomeUnknownError {
		const { traffic, transport } = this.session;
		const { clockAheadMs } = transport;
		const { requestId } = cause?.details ?? {};
		const neighbours = traffic.unknown(sent, { requestId, idHeader, clockAheadMs });
		const error = outcomeUnknown(reason, sent, cause, { neighbours, idHeader });
		this.ledger.unknown(name, error.facts, segment, price?.isExact ? price.estimate : undefined);
		if (reason !== 'already_sent') this.session.lasting.spend(price?.estimate);
		this.session.breaker.unknown(reason, isNothing);
		this.giveUp();
		return error;
	}
}

/** A task belongs to the gateway that made it: at another one, the same ID is somebody else's. */
function begunElsewhere(ledger: ItemLedger, { transport }: Session): GatewayError | undefined {
	const { gateway } = ledger.paidFor ?? {};
	if (gateway === undefined || gateway === transport.account.gateway) return undefined;
	const { taskId } = ledger;
	return new GatewayError(
		taskId === undefined
			? 'Another credential, for another base URL, has paid for a part of this item'
			: `Another credential, for another base URL, made "${plain(taskId)}"`,
		'Set the credential back to finish this item, or run it in a new execution, where all of it is charged. Nothing was sent.',
		defined({ jobId: taskId }),
	);
}

const TRY_LATER = 'See the log of the service for what went wrong there, or try again later.';

const KEY_STUCK =
	'n8n\'s database did not take back a "Send Once Key" although nothing was charged: such an item counts as sent, so give it another key to send it.';
