import type { INodeExecutionData } from 'n8n-workflow';
import type { Execution } from '../engine/execution';
import { hasPaid, Ledger } from '../requests/ledger';
import { Attempt } from './attempt';
import { combineItems } from './combineItems';
import type { Operation } from './operation';
import { asToolCall, type CallResult } from './toolCall';

/** The ledger's name in the node's context; executions saved by earlier versions have it. */
const LEDGER = 'speechGateway';

/**
 * Runs one operation over all items of the node and sorts the results onto the branches. Items run concurrently and come
 * out in order; the ledger knows what an earlier attempt has already done.
 */
export async function runItems(
	execution: Execution,
	operation: Operation,
): Promise<INodeExecutionData[][]> {
	const { isTool } = execution;
	if (isTool) execution.ignoreErrorOutput();
	const round = String(execution.round);
	// Never skip what an earlier attempt paid for.
	const isPaid = hasPaid(execution, LEDGER, round);
	const combined = isPaid ? undefined : await combineItems(execution, operation);
	if (combined) return execution.moveToErrorOutput(combined);
	if (!isTool) return (await runRound(execution, operation, round)).outputs;

	const runTool = async (name: string): Promise<CallResult> => {
		const { outputs, succeeded } = await runRound(execution, operation, name);
		return { outputs: execution.withLinks(outputs), succeeded };
	};
	return operation.billed
		? await asToolCall(execution, operation, runTool)
		: (await runTool(round)).outputs;
}

/** One attempt at one round of the node. What it changes in the execution, it changes here, in this order. */
async function runRound(
	execution: Execution,
	operation: Operation,
	round: string,
): Promise<CallResult> {
	const ledger = Ledger.begin(execution, LEDGER, round);
	execution.wakeUp();
	if (operation.billed) {
		execution.rememberFirst(ledger.firstExecutionId);
		ledger.takeBack(execution.items);
	}
	ledger.tryAgain(execution.tries);
	try {
		const items = ledger.items(execution.items.length);
		const attempt = new Attempt(execution, operation, ledger, items);
		const outputs = await attempt.run();
		const { succeeded, willRunAgain } = attempt;
		return { outputs: willRunAgain ? outputs : execution.moveToErrorOutput(outputs), succeeded };
	} finally {
		if (ledger.wokeUp) await execution.outlastStart();
	}
}
