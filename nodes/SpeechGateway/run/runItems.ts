import { createHash } from 'crypto';
import {
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type JsonObject,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { InputError, NotStartedError, OutcomeUnknownError } from '../core/errors';
import { Transport } from '../gateway/transport';
import { errorItem, failureOf, unknownItem } from './items';
import { ItemRun, type ItemSettings } from './itemRun';
import { type Branch, Ledger, runIndex } from './ledger';
import type { Operation, Outcome } from './operation';
import { Parameters } from './parameters';
import { openSession, type Session } from './session';

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_MAX_RETRIES = 4;
/** Above the gateway's limit of about 100 s, with room for its own queue. */
const DEFAULT_TIMEOUT_SECONDS = 180;

type Settled = Outcome | { failed: unknown } | { notStarted: true };

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
	const bad = inputs.findIndex((input) => input && 'failed' in input);
	if (stopOnFail && bad >= 0)
		throw runError(context, bad, count, (inputs[bad] as { failed: unknown }).failed, 0, operation);

	let session: Session;
	try {
		session = { ...(await open(context)), retryOf: ledger.retryOf };
	} catch (error) {
		// A throw in the continue modes would send the input items to Success.
		if (stopOnFail) throw runError(context, 0, 1, error, 0, operation);
		return sortOntoBranches(
			inputs.map(() => ({ failed: error })),
			branches,
		);
	}
	const runOne = async (index: number): Promise<Settled> => {
		const record = ledger.item(String(index));
		const earlier = done(index);
		if (earlier) return earlier;
		const input = inputs[index]!;
		if ('failed' in input) return input;
		const stop = () => stopOnFail && session.gate.stop('Another item failed');
		const item = new ItemRun(session, index, record, input.settings, stop);
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

	const failed = settled.findIndex((outcome) => 'failed' in outcome);
	if (stopOnFail && failed >= 0) {
		const kept = settled.filter((outcome) => 'branch' in outcome).length;
		throw runError(
			context,
			failed,
			count,
			(settled[failed] as { failed: unknown }).failed,
			kept,
			operation,
		);
	}
	const outputs = sortOntoBranches(settled, branches);
	const succeeded = (outcome: Settled) => 'branch' in outcome && outcome.branch === 'success';
	const over = isTool(context)
		? settled.every(succeeded)
		: !willRunAgain(context, outputs, ledger.attempts);
	if (over) ledger.close();
	giveHints(context, session, settled);
	return outputs;
}

interface Input {
	parameters: unknown;
	settings: ItemSettings;
}

async function readAll(
	context: IExecuteFunctions,
	operation: Operation,
	count: number,
	done: (index: number) => unknown,
): Promise<Array<Input | { failed: unknown } | undefined>> {
	const inputs: Array<Input | { failed: unknown } | undefined> = [];
	for (let index = 0; index < count; index++) {
		inputs.push(done(index) ? undefined : await readOne(context, operation, index));
	}
	const good = inputs.flatMap((input) =>
		input && 'parameters' in input ? [input.parameters] : [],
	);
	if (operation.checkAll && good.length > 0) {
		try {
			operation.checkAll(good, new Parameters(context, 0));
		} catch (error) {
			return inputs.map((input) => (input && 'parameters' in input ? { failed: error } : input));
		}
	}
	return inputs;
}

async function readOne(
	context: IExecuteFunctions,
	operation: Operation,
	index: number,
): Promise<Input | { failed: unknown }> {
	const parameters = new Parameters(context, index);
	try {
		return { parameters: await operation.read(parameters), settings: readSettings(parameters) };
	} catch (error) {
		return { failed: error };
	}
}

/** The options that every operation has. */
export function readSettings(parameters: Parameters): ItemSettings {
	return {
		maxRetries: parameters.numberOption(
			'maxRetries',
			'Max Retries',
			{ min: 0, max: 20, integer: true },
			DEFAULT_MAX_RETRIES,
		),
		timeoutMs:
			1000 * parameters.numberOption('timeout', 'Timeout', { min: 1 }, DEFAULT_TIMEOUT_SECONDS),
		sendOnceKey: parameters.textOption('sendOnceKey')?.trim() || undefined,
	};
}

async function open(context: IExecuteFunctions): Promise<Session> {
	const concurrency = new Parameters(context, 0).numberOption(
		'concurrency',
		'Concurrency',
		{ min: 1, max: 100, integer: true },
		DEFAULT_CONCURRENCY,
	);
	return openSession(context, await Transport.open(context), concurrency);
}

async function execute(operation: Operation, parameters: unknown, item: ItemRun): Promise<Settled> {
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
			const { binary } = error as { binary?: IBinaryKeyData };
			return { branch: 'unknown', items: [unknownItem(name, error.facts, extra, binary)] };
		}
		await item.settle();
		return { failed: error };
	}
}

/** The node's outputs; as an AI tool there is one, since the model sees no other. */
function branchesOf(operation: Operation, context: IExecuteFunctions): Branch[] {
	if (isTool(context)) return ['success'];
	const branches: Branch[] = operation.billed ? ['success', 'unknown'] : ['success'];
	const waiting =
		operation.waits &&
		new Parameters(context, 0).option('whenMaxWaitReached') === 'stillProcessing';
	return waiting ? [...branches, 'waiting'] : branches;
}

/** Whether the node is used as a tool of an AI agent; n8n gives it a type of its own then. */
export const isTool = (context: Pick<IExecuteFunctions, 'getNode'>) =>
	context.getNode().type.endsWith('Tool');

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

function sortOntoBranches(settled: Settled[], branches: Branch[]): INodeExecutionData[][] {
	const outputs: INodeExecutionData[][] = branches.map(() => []);
	settled.forEach((outcome, index) => {
		const [branch, items] =
			'branch' in outcome
				? [outcome.branch, outcome.items]
				: ['success' as const, 'failed' in outcome ? [errorItem(failureOf(outcome.failed))] : []];
		const output = outputs[branches.indexOf(branch)] ?? outputs[0];
		output.push(...items.map((item) => ({ ...item, pairedItem: { item: index } })));
	});
	return outputs;
}

/**
 * n8n runs the whole node again when its first item is an error and Retry On Fail is on, also in the continue modes;
 * what is done must then still be on record.
 */
function willRunAgain(
	context: IExecuteFunctions,
	outputs: INodeExecutionData[][],
	attempts: number,
): boolean {
	const { retryOnFail, maxTries } = context.getNode();
	const tries = retryOnFail ? Math.min(5, Math.max(2, maxTries || 3)) : 1;
	return outputs[0]?.[0]?.json.error !== undefined && attempts < tries;
}

/** The one error of a run in stop mode: names the item, and says what is kept. */
function runError(
	context: IExecuteFunctions,
	itemIndex: number,
	count: number,
	error: unknown,
	kept: number,
	operation: Operation,
): Error {
	const failure = failureOf(error);
	const { httpCode, ...details } = failure.details;
	const message =
		count > 1 ? `${failure.message} (item ${itemIndex + 1} of ${count})` : failure.message;
	const sent = error instanceof InputError && kept === 0 ? '' : keptWords(kept, count, operation);
	const id = details.requestId ? `Request id: ${details.requestId}.` : '';
	const description = [failure.description, sent, id].filter(Boolean).join(' ');
	const node = context.getNode();
	const nodeError = httpCode
		? new NodeApiError(node, { message } as JsonObject, {
				message,
				description,
				httpCode,
				itemIndex,
			})
		: new NodeOperationError(node, message, { description, itemIndex });
	Object.assign(nodeError.context, details);
	return nodeError;
}

function keptWords(kept: number, count: number, operation: Operation): string {
	if (!operation.billed || count === 1) return '';
	return `${kept} of ${count} items are done and kept: a retry of this execution does not send or charge them again.`;
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
		message: `${unknown} of ${settled.length} items have an unknown outcome: they may have been charged and were not sent again. They are on the branch "Unknown".`,
		type: 'warning',
		location: 'outputPane',
	});
}
