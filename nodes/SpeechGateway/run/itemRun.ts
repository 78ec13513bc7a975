import {
	asError,
	GatewayError,
	NotStartedError,
	outcomeUnknown,
	OutcomeUnknownError,
} from '../core/errors';
import { defined } from '../core/json';
import { unlessCancelled } from '../core/pause';
import { ItemClaims } from '../requests/claims';
import type { ItemLedger } from '../requests/itemLedger';
import { ItemRequests } from '../requests/itemRequests';
import { ownFiles } from '../requests/ownFiles';
import type { Session } from '../requests/session';
import type { Result } from '../requests/records';
import { requestKey } from '../requests/requestKey';
import { failed } from './failed';
import {
	askedKey,
	contentKey,
	operationName,
	type Operation,
	type ItemEnd,
} from '../requests/operation';
import { unknownItem } from './outputItems';
import { type Input, keyOfDone, readable, type ReadItem } from './readItems';
import { extrasOf, resultAsNow } from './givenAgain';
import type { Ended, NamedKey, SentBefore } from './sentBefore';
import { withoutCharges } from './withoutCharges';

/** One item on its way through an attempt: files made its own, voices looked up, sent, recorded. */
export class ItemRun {
	/** Why it cannot go on: files of it are gone. */
	private missing: Error | undefined;
	private named?: NamedKey;
	private over?: ItemEnd;

	constructor(
		private readonly operation: Operation,
		private readonly session: Session,
		private readonly index: number,
		private readonly ledger: ItemLedger,
		/** Undefined if an earlier attempt has finished the item. */
		private input: ReadItem | undefined,
		private readonly sentBefore: SentBefore,
	) {}

	/** Its Send Once Key, to be asked for once voices are looked up; undefined if it has none. */
	get key(): NamedKey | undefined {
		const { operation, session, input } = this;
		if (operation.billed && input && 'parameters' in input)
			this.named ??= namedKey(session, operation, input);
		return this.named;
	}

	/** The item as it is checked together with the others, in a list; an empty list if it sends nothing as far as is known. */
	get readable(): Input[] {
		return this.newKey && this.sentBefore.knows(this.newKey) ? [] : readable(this.input);
	}

	/** Undefined as long as the item may go on. */
	get failure(): Extract<ReadItem, { failed: unknown }> | undefined {
		return this.input && 'failed' in this.input ? this.input : undefined;
	}

	/** How it has ended, while n8n's database may not know it yet. */
	get ended(): ItemEnd | undefined {
		return this.over ?? this.failure;
	}

	/** Refuses an item that could be read: nothing of it is sent, for this reason. */
	refuse(error: unknown): void {
		const isDone = this.newKey && this.sentBefore.hasEnded(this.newKey);
		if (!isDone && readable(this.input).length > 0) this.input = failed(error, this.ledger);
	}

	/** In a retry, before anything is sent: stores the item's files anew. Never rejects. */
	async ownFiles(): Promise<void> {
		if (this.session.retryOf !== undefined)
			this.missing = await ownFiles(this.session, this.ledger);
	}

	/**
	 * Looks up what only the gateway knows, and completes the plan; free. Never rejects: an error fails the item, or
	 * keeps one that is paid for in part from sending the rest. `onTurn`: see ItemTurns.
	 */
	async lookUp(onTurn: () => void): Promise<void> {
		const { operation, ledger, input } = this;
		if (!operation.lookUp || !input || 'failed' in input) return;
		const { parameters, plan } = input;
		try {
			const planned = { input: parameters, plan };
			const ids = await operation.lookUp(planned, () => this.requests(input, onTurn));
			if (ids) this.input = { ...input, plan: operation.plan?.(parameters, ids, plan) };
		} catch (error) {
			if (this.session.nodeCall.isCancelled) return;
			this.input = ledger.maybeCharged ? { ...input, refused: asError(error) } : failed(error);
		}
	}

	/** Never rejects: other items are in flight, and some of them are paid for. */
	async run(onTurn: () => void): Promise<ItemEnd> {
		try {
			return await this.toEnd(onTurn);
		} finally {
			// Whoever waits for its name goes on, however it has ended.
			if (this.named) this.sentBefore.leave(this.named);
		}
	}

	private async toEnd(onTurn: () => void): Promise<ItemEnd> {
		const { operation, session, ledger, input, missing } = this;
		if (missing) return failed(missing);
		if (!input) return await this.finished();
		if ('failed' in input) return input;
		try {
			const { parameters, changed } = input;
			if (changed) session.hints.add(SETTINGS_OF_BEFORE);
			const { gateway, costsNothing } = session.transport.account;
			const isRecorded = operation.billed || operation.deletes === true;
			if (isRecorded)
				ledger.ask({
					operation: operationName(operation),
					parameters,
					gateway,
					costsNothing: costsNothing || undefined,
				});
			const item = this.requests(input, onTurn);
			const ended = await this.result(input, item, onTurn).catch((error) =>
				this.endedWith(error, input),
			);
			const end = costsNothing ? withoutCharges(ended) : ended;
			// Asked before `finish`, which removes the entries of the item's requests. Where nothing is charged, an error frees
			// the key.
			const isOver = 'branch' in end || session.nodeCall.isCancelled;
			const sentNothing = ledger.sentNothing || (costsNothing && !isOver);
			// What is still processing is not finished: a retry goes on waiting for the same task.
			if (isRecorded && 'branch' in end && end.branch !== 'waiting') ledger.finish(end);
			if ('failed' in end && item.isRefused) ledger.refuse(end.failed);
			this.over = end;
			const { cancel } = session.nodeCall;
			await unlessCancelled(item.end('failed' in end, sentNothing), cancel);
			await this.keep(end, sentNothing);
			return end;
		} catch (error) {
			return failed(error, ledger);
		}
	}

	/** What its key has brought before, or what comes of sending it. */
	private async result(input: Input, item: ItemRequests, onTurn: () => void): Promise<ItemEnd> {
		const { parameters, plan } = input;
		try {
			const earlier = await this.earlier(input, item, onTurn);
			return earlier ?? (await this.operation.execute(parameters, item, plan));
		} catch (error) {
			const later = (await this.isOthers(error)) && (await this.earlier(input, item, onTurn));
			if (later) return later;
			throw asError(error);
		}
	}

	/** Its key, if the item wants the result of an earlier item with this key, and nothing of it was sent yet. */
	get newKey(): NamedKey | undefined {
		const { key, ledger } = this;
		const goesOn = readable(this.input).length > 0 && !ledger.maybeCharged;
		return key?.isGivenAgain && goesOn ? key : undefined;
	}

	/** The result that the item's key has brought before, if the item wants it again. */
	private async earlier(
		input: Input,
		item: ItemRequests,
		onTurn: () => void,
	): Promise<Result | undefined> {
		const { key, ledger, operation, session } = this;
		if (!key?.isGivenAgain) return undefined;
		if (ledger.maybeCharged) {
			this.sentBefore.adopt(key);
			return undefined;
		}
		// The items behind it start now: it may wait long for another execution.
		onTurn();
		const earlier = await this.sentBefore.find(key);
		if (!earlier) return undefined;
		const { parameters } = input;
		const result = await resultAsNow(session.nodeCall, earlier, operation, parameters);
		if ('lost' in result) return this.lost(result.lost, earlier.sentIn, input);
		for (const hint of result.hints) session.hints.add(`Item ${this.index + 1} ${hint}`);
		await operation.relay?.(parameters, result.item, item);
		return { branch: 'success', items: [result.item] };
	}

	/** Whether an error says that n8n's list knows the key, and another run has it or has ended with it. */
	private async isOthers(error: unknown): Promise<boolean> {
		const { key } = this;
		if (!key?.isGivenAgain || !(error instanceof OutcomeUnknownError)) return false;
		return error.facts.reason === 'already_sent' && (await this.sentBefore.isOthers(key));
	}

	/**
	 * Keeps what has come of the item's key, for others that bring it. That it was charged in part before the run stopped
	 * sending is kept, too: n8n's list may lose a key while another worker writes it. Other items that were not sent are left to
	 * `SentBefore.end`.
	 */
	private async keep(end: ItemEnd, sentNothing: boolean): Promise<void> {
		const { key, input } = this;
		if (!key) return;
		const [asked] = readable(input);
		const ended = endedAs(end, sentNothing, extrasOf(asked?.parameters ?? {}));
		if (ended || !('notStarted' in end)) await this.sentBefore.finish(key, ended);
	}

	/** Delivers what an earlier attempt has finished, and records a key that was added since. */
	private async finished(): Promise<ItemEnd> {
		const { session, ledger, index } = this;
		if (!ledger.result) return failed(undefined);
		const { accounts, nodeCall } = session;
		const isKeyed = this.operation.billed && accounts;
		const key = isKeyed ? await keyOfDone(nodeCall, accounts, index) : undefined;
		if (key !== undefined) await new ItemClaims(session.keys, ledger, key).end(ledger.sentNothing);
		return ledger.result;
	}

	/**
	 * How an item ends whose operation threw. After Stop, what may have been charged is unknown, whatever the error says:
	 * the request that was interrupted may have arrived.
	 */
	private endedWith(error: unknown, input: Input): ItemEnd {
		const { ledger } = this;
		const { nodeCall } = this.session;
		const { isCancelled } = nodeCall;
		const interrupted = isCancelled ? ledger.interruption() : undefined;
		const unknown = error instanceof OutcomeUnknownError ? error : interrupted;
		if (unknown?.facts.reason === 'already_sent')
			Object.assign(
				unknown.details,
				defined({ sentIn: this.key && this.sentBefore.sentIn(this.key) }),
			);
		if (unknown) return this.unknown(unknown, input);
		if (isCancelled || error instanceof NotStartedError) return { notStarted: error };
		return failed(error, ledger);
	}

	/** An item whose key was sent before, without a result that could be given again. */
	private lost(lost: string, sentIn: string | undefined, input: Input): Result {
		const { operation } = this;
		const { parameters } = input;
		const inputHash = askedKey(operation, parameters);
		const model = 'model' in parameters ? String(parameters.model) : '';
		const sent = { sentAt: new Date().toISOString(), inputHash, model };
		const error = outcomeUnknown('already_sent', sent, new GatewayError(lost, ''));
		Object.assign(error.details, defined({ sentIn }));
		return this.unknown(error, input);
	}

	/** Where the user wants no result again, what was sent before is skipped on purpose. */
	private unknown(error: OutcomeUnknownError, input: Input): Result {
		const { operation, index, ledger, session, key } = this;
		const item = unknownItem(operation, index, ledger, error, session.nodeCall, input);
		const isSkipped = error.facts.reason === 'already_sent' && !key?.isGivenAgain;
		return isSkipped ? { ...item, isSkipped } : item;
	}

	/** The way in for the item's requests, with its present settings. */
	private requests({ settings, refused }: Input, onTurn: () => void): ItemRequests {
		const { session, index, ledger } = this;
		const { stopsOnError } = session.nodeCall;
		const item = new ItemRequests(session, index, ledger, settings, stopsOnError, onTurn);
		if (refused) item.refuse(refused);
		return item;
	}
}

/** An item's key as it is known in all executions. */
function namedKey(
	{ nodeCall }: Session,
	operation: Operation,
	{ parameters, plan, settings }: Input,
): NamedKey | undefined {
	const { sendOnceKey: key, whenSentBefore } = settings;
	if (key === undefined) return undefined;
	const workflow = nodeCall.context.getWorkflow().id;
	const named = { workflow, node: nodeCall.node.id, key };
	return {
		name: requestKey('send once', named),
		content: contentKey(operation, { input: parameters, plan }),
		isGivenAgain: whenSentBefore === 'again',
	};
}

/** How an item ended, as it is kept under its key; undefined: nothing was charged, and the key is free. */
function endedAs(end: ItemEnd, sentNothing: boolean, extras: string[]): Ended {
	if (sentNothing) return undefined;
	if ('failed' in end) return { lost: 'it was charged and failed' };
	if ('notStarted' in end) return { lost: 'it was charged in part and not finished' };
	const [item] = end.items;
	if (end.branch === 'success') return { item, extras };
	if (end.branch === 'unknown') return { lost: 'its outcome is unknown' };
	return { lost: `its job or video "${String(item?.json.id)}" was still being made` };
}

const SETTINGS_OF_BEFORE =
	'Some items were already paid for in part with other settings. They were finished with the settings that were paid for.';
