import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { asError, GatewayError, InputError, NotStartedError } from '../core/errors';
import { Transport } from '../gateway/transport';
import { branchesOf, isTool, type Settled, sortOntoBranches } from './branches';
import { timeoutAt, wakeUp, whyAwake, withoutErrorOutput } from '../engine/stack';
import { combineItems } from './combineItems';
import { ontoErrorOutput } from '../engine/errorOutput';
import { errorText, runError } from './errors';
import { executeItem, settledUnknown } from './executeItem';
import { Parameters } from '../fields/parameters';
import { concurrency } from '../fields/settings';
import { giveHints } from './hints';
import { askedHash, operationName, type Operation } from './operation';
import { type Input, paidForOther, readAll, type ReadItem } from './readItems';
import { ItemRequests } from '../requests/itemRequests';
import type { UnknownRow } from '../requests/circuitBreaker';
import type { Branch, ItemLedger } from '../requests/itemLedger';
import { hasPaid, Ledger } from '../requests/ledger';
import { remember, runIndex } from '../engine/history';
import { openSession, type Session } from '../requests/session';
import { triesOf, willRunAgain } from '../engine/retryOnFail';
import { missingFile, withPaid } from './storedFiles';
import { beforeSleep, goToSleep, outlastStart } from './sleep';
import { asToolCall, type CallResult } from './toolCall';
import { withLinks } from '../engine/toolLinks';

/**
 * Runs one operation over all items of the node and sorts what comes out of them onto the branches. Items run
 * concurrently and come out in order; the ledger decides what an earlier attempt has already done.
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[][]> {
	if (isTool(context)) withoutErrorOutput(context);
	const round = String(runIndex(context));
	// Of what an earlier attempt has paid for, nothing is passed over.
	const isPaid = hasPaid(context, LEDGER, round);
	const combined = isPaid ? undefined : await combineItems(context, operation);
	if (combined) return ontoErrorOutput(context, combined);
	const run = async (name: string) => await new Run(context, operation, name).toOutputs();
	if (!isTool(context)) return (await run(round)).outputs;
	const forAgent = async (name: string): Promise<CallResult> => {
		const { outputs, succeeded } = await run(name);
		return { outputs: withLinks(context, outputs), succeeded };
	};
	return operation.billed
		? await asToolCall(context, operation, forAgent)
		: (await forAgent(round)).outputs;
}

/** Its name in the execution context of the node. */
const LEDGER = 'speechGateway';

/** One call of `execute()` for one round of the node. */
class Run {
	private readonly branches: Branch[];
	private readonly ledger: Ledger;
	/** Those of the input and, behind them, those that were paid for and are kept away now. */
	private readonly items: ItemLedger[];
	private readonly stopOnFail: boolean;
	private succeeded = false;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		round: string,
	) {
		this.branches = branchesOf(operation, context);
		this.stopOnFail = !context.continueOnFail();
		this.ledger = new Ledger(context, LEDGER, round);
		wakeUp(context);
		const { firstExecutionId } = this.ledger;
		if (operation.billed) remember(context, { firstExecutionId });
		const input = context.getInputData();
		// Some nodes hand over items that have files, and no json at all.
		if (operation.billed) this.ledger.takeBack(input.map(({ json }) => json ?? {}));
		const paid = this.ledger.keys().filter((key) => this.ledger.item(key).maybeCharged);
		const length = paid.reduce((most, key) => Math.max(most, Number(key) + 1), input.length);
		this.items = Array.from({ length }, (_, index) => this.ledger.item(String(index)));
		this.ledger.tryAgain(triesOf(context));
	}

	async toOutputs(): Promise<CallResult> {
		try {
			const outputs = await this.outputs();
			const { succeeded } = this;
			if (this.willRunAgain(outputs)) return { outputs, succeeded };
			return { outputs: ontoErrorOutput(this.context, outputs), succeeded };
		} finally {
			if (this.ledger.wokeUp) await outlastStart(this.context.getExecutionCancelSignal?.());
		}
	}

	private async outputs(): Promise<INodeExecutionData[][]> {
		// n8n runs the node again after "Stop", too: then nothing may be sent, and what is finished is handed over.
		if (this.isCancelled) return this.sorted(this.items.map((_, index) => this.asLeft(index)));

		const inputs = await this.read();
		this.endOnFailure(inputs, inputs.filter((input) => input === undefined).length);
		const session = await this.open();
		await this.lookUp(inputs, session);
		const settled = await Promise.all(
			inputs.map(async (input, index) => await this.runOne(session, input, index)),
		);
		// After a time-out of the workflow, n8n keeps what is returned here.
		if (this.isCancelled) {
			return this.sorted(
				settled.map((outcome, index) => ('asleep' in outcome ? this.asLeft(index) : outcome)),
			);
		}
		return await this.end(settled, session);
	}

	/**
	 * Execute Once, switched on before a retry, leaves the node only its first item: what is paid for of the others would be
	 * lost. In the continue modes it is handed over with their errors.
	 */
	private async read(): Promise<Array<ReadItem | undefined>> {
		const { context, operation, items } = this;
		const others = operation.combine && items.find(({ maybeCharged }) => maybeCharged);
		if (others) return items.map(() => ({ failed: paidForOther(operation, others) }));
		const keptAway = items
			.slice(context.getInputData().length)
			.filter(({ maybeCharged }) => maybeCharged);
		if (keptAway.length === 0) return await readAll(context, operation, items);
		const failed = new InputError(
			`An earlier attempt has paid for ${keptAway.length} more of this execution's items, but the node is now set to "Execute Once"`,
			'Switch it off to retry this execution, or start a new one. Nothing was sent.',
		);
		if (this.stopOnFail) throw this.runFailed(failed);
		return items.map(() => ({ failed }));
	}

	/** A session that cannot reach the gateway still hands over what is paid for, except in stop mode. */
	private async open(): Promise<Session> {
		const { context, operation, ledger } = this;
		const session = await openFor(context, operation, ledger.unknownRow);
		if (this.stopOnFail && session.unavailable) throw this.runFailed(session.unavailable);
		session.retryOf = ledger.retryOf;
		session.endsAt = timeoutAt(context, ledger.endsAt);
		session.whyAwake = () => whyAwake(context);
		for (const hint of ledger.hints) session.hints.add(hint);
		return session;
	}

	/** Whether a value is bad may be something that only the gateway knows: in stop mode, that is asked before anything is sent, too. */
	private async lookUp(inputs: Array<ReadItem | undefined>, session: Session): Promise<void> {
		const { operation, items } = this;
		if (!this.stopOnFail || !operation.lookUp) return;
		const looked = inputs.map(async (input, index): Promise<ReadItem | undefined> => {
			if (!input || 'failed' in input || items[index].maybeCharged) return undefined;
			try {
				await operation.lookUp?.(input.parameters, () => this.requests(session, input, index));
				return undefined;
			} catch (failed) {
				return { failed };
			}
		});
		const failures = await Promise.all(looked);
		if (!this.isCancelled) this.endOnFailure(failures, items.filter(({ result }) => result).length);
	}

	private requests(session: Session, { settings }: Input, index: number): ItemRequests {
		return new ItemRequests(session, index, this.items[index], settings, this.stopOnFail);
	}

	/** Never rejects: the other items are on their way, and some of them are paid for. */
	private async runOne(
		session: Session,
		input: ReadItem | undefined,
		index: number,
	): Promise<Settled> {
		const paid = this.items[index];
		try {
			const { retryOf, wokeUp } = this.ledger;
			const missing = retryOf && !wokeUp && (await missingFile(this.context, paid));
			if (missing) return { failed: missing };
			if (paid.beforeSleep) return beforeSleep(paid.beforeSleep);
			const settled =
				input === undefined || 'failed' in input
					? (input ?? paid.result ?? { failed: undefined })
					: await this.send(session, input, index);
			return 'failed' in settled ? { failed: withPaid(settled.failed, paid) } : settled;
		} catch (error) {
			return { failed: withPaid(error, paid) };
		}
	}

	private async send(session: Session, input: Input, index: number): Promise<Settled> {
		const { operation } = this;
		const paid = this.items[index];
		if (input.changed) session.hints.add(SETTINGS_OF_BEFORE);
		if (operation.billed) {
			const { parameters } = input;
			paid.ask(operationName(operation), parameters, askedHash(operation, parameters));
		}
		const item = this.requests(session, input, index);
		const settled = await executeItem(operation, input.parameters, item);
		const { sentNothing } = paid;
		// What is still processing is not finished: a retry goes on waiting for the same task.
		if ('branch' in settled && settled.branch !== 'waiting' && operation.billed)
			paid.finish(settled);
		await item.settle('failed' in settled, sentNothing);
		return settled;
	}

	private async end(settled: Settled[], session: Session): Promise<INodeExecutionData[][]> {
		const { context, ledger } = this;
		const kept = settled.filter((outcome) => 'branch' in outcome).length;
		this.endOnFailure(settled, kept);
		// No item may vanish, whatever kept it from being sent.
		const all = settled.map((outcome, index) =>
			'notStarted' in outcome ? this.notSent(index, outcome.notStarted, settled, session) : outcome,
		);
		this.endOnFailure(all, kept);
		if (all.some((outcome) => 'asleep' in outcome)) {
			const shown = await goToSleep(context, ledger, all, session);
			return this.branches.map((_, index) => (index === 0 ? shown : []));
		}
		const outputs = this.sorted(all);
		this.succeeded = all.every((outcome) => 'branch' in outcome && outcome.branch === 'success');
		const isOver = isTool(context) ? this.succeeded : !this.willRunAgain(outputs);
		if (isOver) this.close(all);
		if (session.breaker.hasTripped) session.hints.add(session.breaker.hint);
		giveHints(context, session.hints, all);
		return outputs;
	}

	/** An item of which no further request was started; the circuit breaker knows why, if that was its doing. */
	private notSent(
		index: number,
		error: unknown,
		settled: Settled[],
		{ breaker }: Session,
	): Settled {
		if (!breaker.hasTripped || !(error instanceof NotStartedError)) return { failed: error };
		const unknown = settled.filter((one) => 'branch' in one && one.branch === 'unknown');
		return { failed: withPaid(breaker.notSent(error, unknown.length), this.items[index]) };
	}

	/** Nothing of this round needs to stay on record, except for tasks that are still to be waited for. */
	private close(settled: Settled[]): void {
		const { context, operation, ledger } = this;
		if (operation.billed && !isTool(context)) keepWaiting(ledger, settled);
		ledger.close();
	}

	/** In stop mode, the first failure ends the run with one error. */
	private endOnFailure(all: Array<ReadItem | Settled | undefined>, kept: number): void {
		const { context, operation } = this;
		const index = all.findIndex((one) => one && 'failed' in one);
		if (!this.stopOnFail || index < 0) return;
		const { failed } = all[index] as { failed: unknown };
		const error = withPaid(failed, this.items[index]);
		throw runError(context, { index, count: all.length, kept, error, operation });
	}

	/** The error of a run that cannot even begin: that of no item. It has the ids of all tasks that are paid for. */
	private runFailed(cause: unknown) {
		const { context, operation } = this;
		const ids = this.items.flatMap(({ taskId }) => taskId ?? []);
		const { message, description, details } = errorText(cause);
		const error = new GatewayError(message, description, {
			...details,
			...(ids.length > 0 && { jobId: ids[0] }),
			...(ids.length > 1 && { jobIds: ids }),
		});
		return runError(context, { index: 0, count: 1, kept: 0, error, operation });
	}

	/** How things stand with an item that this attempt may not go on with. */
	private asLeft(index: number): Settled {
		const paid = this.items[index];
		if (paid.result) return paid.result;
		const interrupted = paid.interruption();
		if (!interrupted) return { notStarted: new NotStartedError('The run was cancelled') };
		const parameters = paid.paidFor?.parameters;
		return settledUnknown(this.operation, index, interrupted, this.context, parameters);
	}

	private willRunAgain(outputs: INodeExecutionData[][]): boolean {
		return willRunAgain(this.context, outputs, this.ledger.attempts);
	}

	private get isCancelled(): boolean {
		return this.context.getExecutionCancelSignal?.()?.aborted === true;
	}

	private sorted(settled: Settled[]): INodeExecutionData[][] {
		return sortOntoBranches(settled, this.branches, this.context);
	}
}

/** Remembers the tasks that leave on Still Processing; of those that left there before, forgets what is done. */
function keepWaiting(ledger: Ledger, settled: Settled[]): void {
	for (const [index, outcome] of settled.entries()) {
		if (!('branch' in outcome)) continue;
		const id = String(outcome.items[0]?.json.id);
		if (outcome.branch === 'waiting') ledger.letWait(String(index), id);
		else if (outcome.branch === 'success') ledger.waitNoMore(id);
	}
}

const SETTINGS_OF_BEFORE =
	'Some items were already paid for in part with other settings. They were finished with the settings that were paid for.';

async function openFor(
	context: IExecuteFunctions,
	operation: Operation,
	row: UnknownRow,
): Promise<Session> {
	const offline = () => openSession(context, Transport.offline(context), concurrency.unset);
	if (operation.sends.length === 0) return offline();
	try {
		const atOnce = concurrency.read(new Parameters(context, 0));
		return openSession(context, await Transport.open(context), atOnce, row);
	} catch (error) {
		return { ...offline(), unavailable: asError(error) };
	}
}
