/**
 * An attempt in five steps, each over all items before the next begins. Read: parameters and files, without the
 * network. Look up: what only the gateway knows, such as the IDs of voices; free. Check: all items together, against
 * the spending limit. Send: every item by itself; none of them rejects, since others are in flight and paid for. Sort:
 * results onto branches, failures to where n8n looks for them. In stop mode, a failure of the first three steps ends
 * the run before anything is paid for; later ones end it when all that was in flight is on record. n8n may call the
 * node once more after any of this, so what is finished is taken from the ledger.
 */
import type { INodeExecutionData } from 'n8n-workflow';
import { InputError, NotStartedError } from '../core/errors';
import { defined } from '../core/json';
import { cancelled } from '../core/pause';
import { endOnError } from '../engine/connections';
import type { NodeCall } from '../engine/nodeCall';
import type { ItemLedger } from '../requests/itemLedger';
import type { CircuitBreaker } from '../requests/circuitBreaker';
import { LastingMemory } from '../requests/lasting';
import type { Ledger } from '../requests/ledger';
import type { ErrorText, Result } from '../requests/records';
import { openAttempt, type Run, type Session, Sessions } from '../requests/session';
import type { Accounts } from '../gateway/account';
import { errorText } from '../requests/errorText';
import { runError, inOneLine, unheardError } from './errors';
import { failed } from './failed';
import { ItemRun } from './itemRun';
import { withLinks } from './links';
import { type Operation, operationName, type ItemEnd } from '../requests/operation';
import { branchesOf, giveHints, sortOntoBranches, unknownItem } from './outputItems';
import {
	checkTogether,
	type Inputs,
	paidForOther,
	readable,
	readAll,
	type ReadItem,
} from './readItems';
import { SentBefore } from './sentBefore';
import { startInOrder } from './startInOrder';
import { ToldCharges } from './toldCharges';
import { routeOfUnknown, type UnknownRoute, withMissing } from './unheard';
import { asTheyAre, type OwnWords, withoutCharges, wordsWithoutCharges } from './withoutCharges';

/** One attempt at all items of one round: read, look up, send, sort. */
export class Attempt {
	/** Whether every item was delivered: none failed, is unknown, or is still being made. */
	succeeded = false;
	/** Whether n8n runs the node again after this attempt (Retry On Fail). */
	willRunAgain = false;
	/** Those of the input, then those that were paid for and are missing from the input now. */
	private readonly items: ItemLedger[];
	/** The items of the input that are on their way. */
	private runs: ItemRun[] = [];
	private inputs: Inputs = [];
	private sentBefore?: SentBefore;
	/** What holds for the whole execution. The caller releases it, whatever becomes of the attempt. */
	readonly lasting: LastingMemory;
	private readonly charges: ToldCharges;

	constructor(
		private readonly nodeCall: NodeCall,
		private readonly operation: Operation,
		private readonly ledger: Ledger,
		private readonly accounts: Accounts,
	) {
		this.items = ledger.items(nodeCall.items.length);
		this.lasting = new LastingMemory(nodeCall.memory, nodeCall.id);
		this.charges = new ToldCharges(nodeCall, operation, this.items);
	}

	/** Our words: those on charges are said only where there are any. */
	private get words(): OwnWords {
		return this.charges.areNone ? wordsWithoutCharges : asTheyAre;
	}

	/**
	 * The outputs of the node. In stop mode, throws one error for the first item that failed. Once the run is cancelled, it returns
	 * at once: after the workflow's timeout, n8n keeps what comes while it reads its database once, and a database or a store
	 * may not answer. What is under way ends by itself. n8n runs the node again after "Stop", too: then nothing is sent, and
	 * finished results are delivered.
	 */
	async run(): Promise<INodeExecutionData[][]> {
		const { cancel, isCancelled } = this.nodeCall;
		if (!cancel) return await this.whole();
		const asLeft = () => {
			this.sentBefore?.freeAll();
			return this.sorted(this.items.map((_, index) => this.asLeft(index)));
		};
		if (isCancelled) return await asLeft();
		// The signal outlives the rounds of a loop, which it would keep in memory.
		const over = new AbortController();
		const ends = cancelled(AbortSignal.any([cancel, over.signal]));
		try {
			return await Promise.race([this.whole(), ends.catch(() => (cancel.aborted ? asLeft() : []))]);
		} finally {
			over.abort();
		}
	}

	/** The outputs of an attempt that nothing ends early. */
	private async whole(): Promise<INodeExecutionData[][]> {
		const { nodeCall, operation, ledger } = this;
		const inputs = (this.inputs = await this.read());
		this.endOnFailure(inputs, this.finished);
		const run = openAttempt(nodeCall, operation, ledger, this.lasting);
		run.accounts = this.accounts;
		if (ledger.isChanged && this.finished.length > 0) run.hints.add(FINISHED_BEFORE);
		const sessions = new Sessions(run, this.accounts);
		const paying = await this.paying(inputs, sessions);
		// Where nothing is to be sent, as after refusals only, the first account has the words.
		if (operation.billed && sessions.all.length === 0) await sessions.of(0);
		this.charges.areNone = sessions.all.length > 0 && sessions.all.every(costsNothing);
		const ends = this.combines(inputs)
			? await this.combine(inputs, sessions.offline)
			: await this.runAll(inputs, run, paying);
		for (const tell of run.afterAll) tell();
		// Only now is it known which requests ended near one of unknown outcome; Settle needs them.
		for (const { traffic } of sessions.all) traffic.count();
		await run.keys.makeSure();
		nodeCall.cancel?.throwIfAborted();
		return await this.end(ends, run, paying);
	}

	/**
	 * The session of each item. Those that are finished, or send nothing, get one that reaches no gateway. In stop mode,
	 * a credential that cannot be read ends the run here: other items must not be paid for first.
	 */
	private async paying(inputs: Inputs, sessions: Sessions): Promise<Session[]> {
		const { nodeCall, operation } = this;
		const paying: Session[] = [];
		for (const [index, input] of inputs.entries()) {
			await nodeCall.giveWay();
			const sends = operation.sends.length > 0 && input && 'parameters' in input;
			paying.push(sends ? await sessions.of(index) : sessions.offline);
		}
		if (!nodeCall.stopsOnError) return paying;
		const reasons = paying.map(({ gate }) => gate.barred);
		const first = reasons.find((reason) => reason !== undefined);
		if (first && (await this.accounts.isSame())) throw this.runFailed(errorText(first));
		const failures = reasons.map((reason, index) => reason && failed(reason, this.items[index]));
		this.endOnFailure(failures, this.finished);
		return paying;
	}

	/**
	 * Execute Once, switched on before a retry, leaves the node only its first item: the other paid items would be lost. In
	 * the continue modes they are delivered with their errors.
	 */
	private async read(): Promise<Inputs> {
		const { nodeCall, operation, items } = this;
		const others = operation.combine && items.find(({ maybeCharged }) => maybeCharged);
		if (others) return items.map((item) => failed(paidForOther(operation, others), item));
		const missing = items.slice(nodeCall.items.length).filter(({ maybeCharged }) => maybeCharged);
		if (missing.length === 0)
			return await readAll(nodeCall, operation, items, this.lasting, this.accounts);
		const error = new InputError(
			`An earlier attempt has paid for ${missing.length} more of this execution's items, but the node is now set to "Execute Once"`,
			'Switch it off to retry this execution, or start a new one. Nothing was sent.',
		);
		if (nodeCall.stopsOnError) throw this.runFailed(errorText(error));
		return items.map((item) => failed(error, item));
	}

	/**
	 * Sends what is missing of all items. First the files of a failed execution become this one's: n8n may delete them at
	 * any time, and an item whose file is gone sends nothing. The names of Send Once Keys are taken for all items
	 * together, not with a query each, and left in the end, however that comes. The check is last, when every voice has
	 * its ID and nothing is sent yet.
	 */
	private async runAll(inputs: Inputs, run: Run, paying: Session[]): Promise<ItemEnd[]> {
		const { nodeCall, operation, items } = this;
		const { giveWay } = nodeCall;
		const sentBefore = (this.sentBefore = new SentBefore(nodeCall, run));
		const runs = (this.runs = inputs.map(
			(input, index) =>
				new ItemRun(operation, paying[index], index, items[index], input, sentBefore),
		));
		const all = (step: 'ownFiles' | 'lookUp') => runs.map((one) => one[step].bind(one));
		await startInOrder(all('ownFiles'), giveWay);
		await startInOrder(all('lookUp'), giveWay);
		const endOnFailure = () => {
			nodeCall.cancel?.throwIfAborted();
			const failures = runs.map(({ failure }) => failure);
			this.endOnFailure(failures, this.finished);
		};
		endOnFailure();
		await sentBefore.takeAll(runs.flatMap((item) => item.newKey ?? []));
		try {
			// What costs nothing has no limit to be under.
			const toSend = runs.flatMap((one, index) =>
				operation.billed && costsNothing(paying[index]) ? [] : one.readable,
			);
			try {
				checkTogether(operation, toSend, items, run);
			} catch (error) {
				for (const one of runs) one.refuse(error);
			}
			endOnFailure();
			const starts = runs.map((one) => one.run.bind(one));
			return await startInOrder(starts, giveWay);
		} finally {
			await sentBefore.end(runs.some(({ key }) => key !== undefined));
		}
	}

	/** The first item that could be read decides. */
	private combines(inputs: Inputs): boolean {
		const [first] = inputs.flatMap(readable);
		return first !== undefined && this.operation.combines?.(first.parameters) === true;
	}

	/** One result of all items that could be read. It stands in the place of the first, and is paired with all of them. */
	private async combine(inputs: Inputs, session: Session): Promise<ItemEnd[]> {
		const ends = inputs.map(
			(input): ItemEnd => (input && 'failed' in input ? input : { branch: 'success', items: [] }),
		);
		const good = inputs.flatMap((one, index) =>
			readable(one).map(({ parameters: input }) => ({ index, input })),
		);
		const pairedItem = good.map(({ index }) => ({ item: index }));
		const [{ index: place }] = good;
		try {
			ends[place] = { ...(await this.operation.combine!(good, session)), pairedItem };
		} catch (error) {
			ends[place] = this.nodeCall.isCancelled ? { notStarted: error } : failed(error);
		}
		return ends;
	}

	/**
	 * Brings the results to the node's outputs, or ends the run: with the first failure in stop mode; with an error
	 * where an unknown outcome would reach nobody. Only behind these exits do items leave, and the ledger closes.
	 */
	private async end(ends: ItemEnd[], run: Run, paying: Session[]): Promise<INodeExecutionData[][]> {
		const { nodeCall, operation, ledger } = this;
		const results = ends.filter((outcome) => 'branch' in outcome);
		this.endOnFailure(ends, results);
		// No item may vanish, whatever kept it from being sent.
		const unknown = new Map<CircuitBreaker, number>();
		for (const [index, outcome] of ends.entries()) {
			const { breaker } = paying[index];
			if ('branch' in outcome && outcome.branch === 'unknown')
				unknown.set(breaker, (unknown.get(breaker) ?? 0) + 1);
		}
		const all = ends.map((outcome, index) => {
			if (!('notStarted' in outcome)) return outcome;
			const session = paying[index];
			return this.notSent(index, outcome.notStarted, unknown.get(session.breaker) ?? 0, session);
		});
		this.endOnFailure(all, results);
		for (const breaker of new Set([run.store, ...paying.map((session) => session.breaker)]))
			if (breaker.hasTripped) run.hints.add(breaker.hint);
		const route = routeOfUnknown(nodeCall, branchesOf(operation, nodeCall), all);
		if (route === 'nowhere' && (nodeCall.stopsOnError || endOnError(nodeCall.context)))
			throw unheardError(nodeCall, all, operation, this.words, this.charges.all);
		const outputs = await this.sorted(all, route);
		// Since the run was cancelled, `run` has returned without these outputs.
		nodeCall.cancel?.throwIfAborted();
		this.succeeded = all.every((outcome) => 'branch' in outcome && outcome.branch === 'success');
		// Nothing of this round needs to stay on record.
		if (nodeCall.isTool ? this.succeeded : !this.willRunAgain) ledger.close();
		giveHints(nodeCall, run.hints, all, route, this.words);
		return outputs;
	}

	/** The error of an item whose further requests were not started. If a breaker has stopped them, the error is the breaker's. */
	private notSent(index: number, error: unknown, unknown: number, session: Session): ItemEnd {
		if (!(error instanceof NotStartedError) || !error.hasStopped)
			return failed(error, this.items[index]);
		const { store, breaker } = session;
		const notSent =
			error.reason === 'store'
				? store.notSent(error)
				: breaker.notSent(error, unknown, this.nodeCall);
		const end = failed(notSent, this.items[index]);
		return costsNothing(session) ? withoutCharges(end) : end;
	}

	/** The results of earlier attempts. */
	private get finished(): Result[] {
		return this.items.flatMap(({ result }) => result ?? []);
	}

	/** In stop mode, the first failure ends the run with one error. */
	private endOnFailure(all: Array<ReadItem | ItemEnd | undefined>, results: Result[]): void {
		const { nodeCall, operation } = this;
		if (!nodeCall.stopsOnError) return;
		for (const [index, one] of all.entries()) {
			if (!one || !('failed' in one)) continue;
			const { failed: error } = one;
			const { all: charges } = this.charges;
			const { words } = this;
			const count = all.length;
			const [input] = readable(this.inputs[index]);
			const about = input && operation.describe?.(input.parameters, input.plan);
			const beginning = inOneLine(about?.input ?? '');
			throw runError(nodeCall, {
				index,
				count,
				beginning,
				results,
				error,
				operation,
				words,
				charges,
			});
		}
	}

	/** An error of the run itself, before any item starts. It has the IDs of all tasks that are paid for. */
	private runFailed({ message, description, details }: ErrorText) {
		const { nodeCall, operation } = this;
		const ids = this.items.flatMap(({ taskId }) => taskId ?? []);
		const tasks = defined({ jobId: ids.at(0), jobIds: ids.length > 1 ? ids : undefined });
		const error = { message, description, details: { ...details, ...tasks } };
		const { words } = this;
		return runError(nodeCall, { index: 0, count: 1, results: [], error, operation, words });
	}

	/** An item after Stop, or the timeout: as it has ended, unknown if it may have been charged, else not started. */
	private asLeft(index: number): ItemEnd {
		const item = this.items[index];
		const ended = this.runs[index]?.ended ?? item.result;
		if (ended) return ended;
		const interrupted = item.interruption();
		if (!interrupted) return { notStarted: new NotStartedError('cancelled') };
		const { operation, nodeCall } = this;
		// An operation that was chosen before this retry cannot be described by this one.
		const isOurs = item.paidFor?.operation === operationName(operation);
		const parameters = isOurs ? item.paidFor?.parameters : undefined;
		const asked = parameters && { parameters, plan: operation.plan?.(parameters) };
		const unknown = unknownItem(operation, index, item, interrupted, nodeCall, asked);
		return item.costsNothing ? withoutCharges(unknown) : unknown;
	}

	/** The outputs, with links to files and with charges where the user wants them. */
	private async sorted(ends: ItemEnd[], route?: UnknownRoute): Promise<INodeExecutionData[][]> {
		const { nodeCall, operation, ledger } = this;
		const chargesOf = (index: number) => this.charges.of(index);
		const leaving = this.charges.areNone ? ends.map(withoutCharges) : ends;
		const linked = withLinks(withMissing(leaving, route), nodeCall);
		const outputs = await sortOntoBranches(linked, operation, nodeCall, chargesOf, route);
		this.willRunAgain = nodeCall.willRunAgain(outputs, ledger.attempts);
		// n8n throws these outputs away when it runs the node again, or after Stop: then no charge has left.
		if (!this.willRunAgain && !nodeCall.isCancelled) this.charges.tell();
		return outputs;
	}
}

const costsNothing = ({ transport }: Session): boolean => transport.account.costsNothing;

const FINISHED_BEFORE =
	'The node was changed after some items had been finished. These come out as they were paid for, and nothing of them was sent again.';
