import { createHash } from 'crypto';
import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { NotStartedError, OutcomeUnknownError } from '../core/errors';
import { Transport } from '../gateway/transport';
import { branchesOf, isTool, type Settled, sortOntoBranches, willRunAgain } from './branches';
import { unknownItem } from './outputItems';
import { ItemRequests } from './requests/itemRequests';
import { Ledger, runIndex } from './requests/ledger';
import type { Operation } from './operation';
import { Parameters } from './fields/parameters';
import { concurrency } from './fields/settings';
import { readAll, readOne } from './readItems';
import { runError } from './errors';
import { openSession, type Session } from './requests/session';

/**
 * Runs one operation over all items of the node and sorts what comes out of them onto the branches. Items run
 * concurrently and come out in order; the ledger decides what an earlier attempt has already done.
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[][]> {
	const branches = branchesOf(operation, context);
	// n8n runs the node again after "Stop", too: then nothing may be sent.
	if (context.getExecutionCancelSignal?.()?.aborted) return branches.map(() => []);
	const count = context.getInputData().length;
	const stopOnFail = !context.continueOnFail();

	const round = isTool(context) ? await toolCall(context, operation) : String(runIndex(context));
	const ledger = new Ledger(context, 'speechGateway', round);
	const done = (index: number) =>
		operation.billed ? ledger.item(String(index)).result : undefined;
	const inputs = await readAll(context, operation, count, done);
	/** In stop mode, the first failure ends the run with one error. */
	const endOnFailure = (all: Array<object | undefined>, kept: number) => {
		const index = all.findIndex((one) => one && 'failed' in one);
		if (!stopOnFail || index < 0) return;
		throw runError(
			context,
			index,
			count,
			(all[index] as { failed: unknown }).failed,
			kept,
			operation,
		);
	};
	endOnFailure(inputs, inputs.filter((input) => input === undefined).length);

	let session: Session;
	try {
		session = { ...(await open(context)), retryOf: ledger.retryOf };
	} catch (error) {
		// A throw in the continue modes would send the input items to Success.
		if (stopOnFail) throw runError(context, 0, 1, error, 0, operation);
		return sortOntoBranches(
			inputs.map((_, index) => done(index) ?? { failed: error }),
			branches,
		);
	}
	const runOne = async (index: number): Promise<Settled> => {
		const record = ledger.item(String(index));
		const earlier = done(index);
		if (earlier) return earlier;
		const input = inputs[index]!;
		if ('failed' in input) return input;
		const stop = () => stopOnFail && session.limiter.stop('Another item failed');
		const item = new ItemRequests(session, index, record, input.settings, stop);
		const settled = await execute(operation, input.parameters, item);
		// What is still processing is not finished: a retry goes on waiting for the same job.
		if ('branch' in settled && settled.branch !== 'waiting' && operation.billed) {
			Object.assign(record, { result: settled, requests: {}, frozen: undefined });
		}
		if ('failed' in settled) stop();
		return settled;
	};
	const settled = await Promise.all(
		Array.from({ length: count }, async (_, index) => await runOne(index)),
	);
	if (session.transport.cancel?.aborted) return branches.map(() => []);

	endOnFailure(settled, settled.filter((outcome) => 'branch' in outcome).length);
	const outputs = sortOntoBranches(settled, branches);
	const succeeded = (outcome: Settled) => 'branch' in outcome && outcome.branch === 'success';
	const over = isTool(context)
		? settled.every(succeeded)
		: !willRunAgain(context, outputs, ledger.attempts);
	if (over) ledger.close();
	giveHints(context, session, settled);
	return outputs;
}

async function open(context: IExecuteFunctions): Promise<Session> {
	const atOnce = concurrency.read(new Parameters(context, 0));
	return openSession(context, await Transport.open(context), atOnce);
}

async function execute(
	operation: Operation,
	parameters: unknown,
	item: ItemRequests,
): Promise<Settled> {
	try {
		return await operation.execute(parameters, item);
	} catch (error) {
		if (item.session.transport.cancel?.aborted || error instanceof NotStartedError)
			return { notStarted: true };
		if (error instanceof OutcomeUnknownError) {
			const name = `${operation.resource}.${operation.operation}`;
			const extra = {
				...operation.describe?.(parameters),
				...error.details,
				...(isTool(item.session.context) && { advice: ADVICE_TO_AGENTS }),
			} as IDataObject;
			const files = error.files as IBinaryKeyData;
			return { branch: 'unknown', items: [unknownItem(name, error.facts, extra, files)] };
		}
		await item.settle();
		return { failed: error };
	}
}

const ADVICE_TO_AGENTS =
	'Do not call this tool again with the same input; it may already have been charged. Say that the outcome is unknown.';

/**
 * What a tool's ledger is kept under: its input. Every call and every retry of an agent is another run of the node, and
 * the same input must not be sent again, as long as it has not succeeded.
 */
async function toolCall(context: IExecuteFunctions, operation: Operation): Promise<string> {
	const input = await readOne(context, operation, 0);
	const given = 'parameters' in input ? input.parameters : null;
	const call = JSON.stringify([operation.resource, operation.operation, given]);
	return `tool ${createHash('sha256').update(call).digest('hex')}`;
}

function giveHints(context: IExecuteFunctions, session: Session, settled: Settled[]): void {
	const unknown = settled.filter(
		(outcome) => 'branch' in outcome && outcome.branch === 'unknown',
	).length;
	for (const message of session.hints) {
		context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
	}
	if (unknown === 0) return;
	context.addExecutionHints?.({
		message: `Outcome unknown for ${unknown} of ${settled.length} ${settled.length === 1 ? 'item' : 'items'}: possibly charged, and not sent again. See the branch "Unknown".`,
		type: 'warning',
		location: 'outputPane',
	});
}
