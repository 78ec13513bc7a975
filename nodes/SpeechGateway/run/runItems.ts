import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { AsleepError, asError, NotStartedError, OutcomeUnknownError } from '../core/errors';
import { Transport } from '../gateway/transport';
import {
	branchesOf,
	isTool,
	type Settled,
	sortOntoBranches,
	triesOf,
	willRunAgain,
} from './branches';
import { whyAwake } from './engineStack';
import { combineItems } from './combineItems';
import { runError } from './errors';
import { Parameters } from './fields/parameters';
import { concurrency } from './fields/settings';
import { giveHints } from './hints';
import { operationName, type Operation } from './operation';
import { unknownItem } from './outputItems';
import { readAll, type ReadItem } from './readItems';
import { ItemRequests } from './requests/itemRequests';
import { type ItemLedger, Ledger } from './requests/ledger';
import { rememberFirstExecution, runIndex } from './requests/runHistory';
import { openSession, type Session } from './requests/session';
import { missingFile } from './storedFiles';
import { beforeSleep, goToSleep } from './sleep';
import { asToolCall } from './toolCall';

/**
 * Runs one operation over all items of the node and sorts what comes out of them onto the branches. Items run
 * concurrently and come out in order; the ledger decides what an earlier attempt has already done.
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[][]> {
	const combined = await combineItems(context, operation);
	if (combined) return combined;
	if (!isTool(context) || !operation.billed)
		return await run(context, operation, String(runIndex(context)));
	return await asToolCall(context, operation, async (call) => await run(context, operation, call));
}

async function run(
	context: IExecuteFunctions,
	operation: Operation,
	round: string,
): Promise<INodeExecutionData[][]> {
	const branches = branchesOf(operation, context);
	const ledger = new Ledger(context, 'speechGateway', round);
	if (operation.billed) rememberFirstExecution(context, ledger.firstExecutionId);
	const items = context.getInputData();
	const count = items.length;
	const stopOnFail = !context.continueOnFail();
	const ledgers = items.map(({ json }, index) => {
		if (operation.waits && operation.billed) ledger.takeBack(String(index), json.id);
		return ledger.item(String(index));
	});
	ledger.tryAgain(triesOf(context));
	// n8n runs the node again after "Stop", too: then nothing may be sent, and what is finished is handed over.
	if (isCancelled(context)) {
		const left = ledgers.map((paid, index) => asLeft(context, operation, paid, index));
		return sortOntoBranches(left, branches);
	}

	const inputs = await readAll(context, operation, ledgers);
	/** In stop mode, the first failure ends the run with one error. */
	const endOnFailure = (all: Array<ReadItem | Settled | undefined>, kept: number) => {
		const index = all.findIndex((one) => one && 'failed' in one);
		if (!stopOnFail || index < 0) return;
		const { failed } = all[index] as { failed: unknown };
		throw runError(context, { index, count, kept, error: failed, operation });
	};
	endOnFailure(inputs, inputs.filter((input) => input === undefined).length);

	const session = await open(context, operation);
	if (stopOnFail && session.unavailable) {
		throw runError(context, { index: 0, count: 1, kept: 0, error: session.unavailable, operation });
	}
	session.retryOf = ledger.retryOf;
	session.whyAwake = () => whyAwake(context);
	for (const hint of ledger.hints) session.hints.add(hint);
	const runOne = async (index: number): Promise<Settled> => {
		const paid = ledgers[index];
		const missing = ledger.isFirstOfRetry ? await missingFile(context, paid) : undefined;
		if (missing) return { failed: missing };
		if (paid.result) return paid.result;
		if (paid.beforeSleep) return beforeSleep(paid.beforeSleep);
		const input = inputs[index]!;
		if ('failed' in input) return input;
		if (input.changed) session.hints.add(SETTINGS_OF_BEFORE);
		if (operation.billed) paid.ask(operationName(operation), input.parameters);
		const item = new ItemRequests(session, index, paid, input.settings, stopOnFail);
		const settled = await execute(operation, input.parameters, item);
		// What is still processing is not finished: a retry goes on waiting for the same task.
		if ('branch' in settled && settled.branch !== 'waiting' && operation.billed)
			paid.finish(settled);
		await item.settle('failed' in settled);
		return settled;
	};
	let settled = await Promise.all(
		Array.from({ length: count }, async (_, index) => await runOne(index)),
	);
	// After a time-out of the workflow, n8n keeps what is returned here.
	if (isCancelled(context)) {
		const left = settled.map((outcome, index) =>
			'asleep' in outcome ? asLeft(context, operation, ledgers[index], index) : outcome,
		);
		return sortOntoBranches(left, branches);
	}

	const kept = settled.filter((outcome) => 'branch' in outcome).length;
	endOnFailure(settled, kept);
	// No item may vanish, whatever kept it from being sent.
	settled = settled.map((outcome) =>
		'notStarted' in outcome ? { failed: outcome.notStarted } : outcome,
	);
	endOnFailure(settled, kept);
	if (settled.some((outcome) => 'asleep' in outcome)) {
		const shown = await goToSleep(context, ledger, settled, session.hints);
		return branches.map((_, index) => (index === 0 ? shown : []));
	}
	const outputs = sortOntoBranches(settled, branches);
	const succeeded = (outcome: Settled) => 'branch' in outcome && outcome.branch === 'success';
	const over = isTool(context)
		? settled.every(succeeded)
		: !willRunAgain(context, outputs, ledger.attempts);
	if (over) {
		if (operation.billed && !isTool(context)) letWait(ledger, settled);
		ledger.close();
	}
	giveHints(context, session.hints, settled);
	return outputs;
}

function letWait(ledger: Ledger, settled: Settled[]): void {
	for (const [index, outcome] of settled.entries()) {
		if ('branch' in outcome && outcome.branch === 'waiting')
			ledger.letWait(String(index), String(outcome.items[0].json.id));
	}
}

const SETTINGS_OF_BEFORE =
	'Some items were already paid for in part with other settings. They were finished with the settings that were paid for.';

const isCancelled = (context: IExecuteFunctions): boolean =>
	context.getExecutionCancelSignal?.()?.aborted === true;

/** A session that cannot reach the gateway still hands over what is paid for. */
async function open(context: IExecuteFunctions, operation: Operation): Promise<Session> {
	const offline = () => openSession(context, Transport.offline(context), concurrency.unset);
	if (operation.sends.length === 0) return offline();
	try {
		const atOnce = concurrency.read(new Parameters(context, 0));
		return openSession(context, await Transport.open(context), atOnce);
	} catch (error) {
		return { ...offline(), unavailable: asError(error) };
	}
}

async function execute(
	operation: Operation,
	parameters: unknown,
	item: ItemRequests,
): Promise<Settled> {
	const { context, transport } = item.session;
	try {
		return await operation.execute(parameters, item);
	} catch (error) {
		if (error instanceof AsleepError) return { asleep: error };
		const unknown =
			error instanceof OutcomeUnknownError
				? error
				: transport.cancel?.aborted
					? item.interrupted()
					: undefined;
		if (unknown) return outcomeUnknown(operation, item.index, unknown, context, parameters);
		if (transport.cancel?.aborted || error instanceof NotStartedError) return { notStarted: error };
		return { failed: error };
	}
}

const ADVICE_TO_AGENTS =
	'Do not call this tool again with the same input; it may already have been charged. Say that the outcome is unknown.';

function outcomeUnknown(
	operation: Operation,
	index: number,
	error: OutcomeUnknownError,
	context: Pick<IExecuteFunctions, 'getNode'>,
	parameters: unknown,
): Settled {
	const about = parameters === undefined ? {} : operation.describe?.(parameters);
	const subject = { index, operation: operationName(operation), ...about };
	const advice = isTool(context) ? ADVICE_TO_AGENTS : undefined;
	return { branch: 'unknown', items: [unknownItem(subject, error, advice)] };
}

/** How an item stands that this attempt may not go on with. */
function asLeft(
	context: IExecuteFunctions,
	operation: Operation,
	ledger: ItemLedger,
	index: number,
): Settled {
	if (ledger.result) return ledger.result;
	const interrupted = ledger.interruption();
	if (!interrupted) return { notStarted: new NotStartedError('The run was cancelled') };
	return outcomeUnknown(operation, index, interrupted, context, ledger.paidFor?.parameters);
}
