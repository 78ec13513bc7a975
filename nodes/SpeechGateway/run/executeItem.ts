import type { IExecuteFunctions } from 'n8n-workflow';
import { AsleepError, NotStartedError, OutcomeUnknownError } from '../core/errors';
import { isTool, type Settled } from './branches';
import { operationName, type Operation } from './operation';
import { unknownItem } from './outputItems';
import type { ItemRequests } from '../requests/itemRequests';

/** Executes the operation for one item; whatever it throws becomes one of the ways in which an item can end. */
export async function executeItem(
	operation: Operation,
	parameters: unknown,
	item: ItemRequests,
): Promise<Settled> {
	const { context, transport } = item.session;
	try {
		return await operation.execute(parameters, item);
	} catch (error) {
		if (error instanceof AsleepError) return { asleep: error };
		const isCancelled = transport.cancel?.aborted === true;
		const unknown =
			error instanceof OutcomeUnknownError
				? error
				: isCancelled
					? item.ledger.interruption()
					: undefined;
		if (unknown) return settledUnknown(operation, item.index, unknown, context, parameters);
		if (isCancelled || error instanceof NotStartedError) return { notStarted: error };
		return { failed: error };
	}
}

const ADVICE_TO_AGENTS =
	'Do not call this tool again with the same input; it may already have been charged. Say that the outcome is unknown.';

/** An item on Outcome Unknown. `parameters`: what was asked for, where that is known. */
export function settledUnknown(
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
