import type { INodeExecutionData } from 'n8n-workflow';
import { asError, InputError } from '../core/errors';
import { ownFieldOf } from '../core/ownField';
import { ignoreErrorOutput, moveToErrorOutput, withToolLinks } from '../engine/outputs';
import { undoEndOnError } from '../engine/connections';
import type { NodeCall } from '../engine/nodeCall';
import { rememberFirst } from '../engine/history';
import { Accounts } from '../gateway/account';
import { operations } from '../operations';
import { Ledger } from '../requests/ledger';
import { Attempt } from './attempt';
import { errorText } from '../requests/errorText';
import { nodeError } from './errors';
import { failed } from './failed';
import type { Operation } from '../requests/operation';
import { sortOntoBranches } from './outputItems';
import { asToolCall, type CallResult } from './toolCall';

/** The ledger's name in the node's memory. */
const LEDGER = 'speechGateway';

/**
 * Runs the operation that the user has chosen over all items of the node, and sorts the results onto the branches. Items run
 * concurrently and come out in order; the ledger knows what an earlier attempt has already done.
 */
export async function runItems(nodeCall: NodeCall): Promise<INodeExecutionData[][]> {
	const { context, isTool } = nodeCall;
	if (isTool) ignoreErrorOutput(context);
	else undoEndOnError(context);
	const operation = chosen(nodeCall);
	const round = String(nodeCall.round);
	try {
		refuseToDelete(nodeCall, operation);
		const accounts = new Accounts(context);
		if (isTool) return await runTool(nodeCall, operation, accounts, round);
		return (await runRound(nodeCall, operation, accounts, round)).outputs;
	} catch (error) {
		// An error of the run itself, such as a record that cannot be read.
		if (!isTool && !nodeCall.stopsOnError) return await failedOutputs(nodeCall, operation, error);
		throw error instanceof InputError ? nodeError(nodeCall.node, errorText(error)) : asError(error);
	}
}

/** The same error for each item of the input, which n8n would put on Success if the node threw. */
async function failedOutputs(
	nodeCall: NodeCall,
	operation: Operation,
	error: unknown,
): Promise<INodeExecutionData[][]> {
	const ends = nodeCall.items.map(() => failed(error));
	const outputs = await sortOntoBranches(ends, operation, nodeCall, () => undefined);
	return moveToErrorOutput(nodeCall.context, outputs);
}

/** The operation that the node is set to; the parameters of the first item decide, since n8n allows no expression there. */
function chosen({ context, node }: NodeCall): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = operations.find((one) => one.resource === resource && one.operation === name);
	if (operation) return operation;
	const message = `There is no operation "${String(name)}" of "${String(resource)}"`;
	throw nodeError(node, { message, description: '', details: {} });
}

/** Throws InputError where n8n would delete a file that is paid for as soon as it is there. */
function refuseToDelete({ isDeletedAtOnce }: NodeCall, { billed, makesFile }: Operation): void {
	if (!isDeletedAtOnce || !billed || !makesFile) return;
	throw new InputError(
		'This node was run by itself, where n8n deletes its file at once: it was not sent',
		'Add the node to a workflow, and run it there: then the file stays. Nothing was sent and nothing was charged.',
	);
}

/** A call of an agent. One that is billed is known by its content, so that the agent pays once for asking twice. */
async function runTool(
	nodeCall: NodeCall,
	operation: Operation,
	accounts: Accounts,
	round: string,
): Promise<INodeExecutionData[][]> {
	const field = ownFieldOf(operation.resource);
	const run = async (name: string): Promise<CallResult> => {
		const result = await runRound(nodeCall, operation, accounts, name);
		return { ...result, outputs: withToolLinks(nodeCall.context, result.outputs, field) };
	};
	return operation.billed
		? await asToolCall(nodeCall, operation, accounts, run)
		: (await run(round)).outputs;
}

/** One attempt at one round of the node. What it changes in the execution, it changes here, in this order. */
async function runRound(
	nodeCall: NodeCall,
	operation: Operation,
	accounts: Accounts,
	round: string,
): Promise<CallResult> {
	const { context } = nodeCall;
	const ledger = Ledger.begin(nodeCall, LEDGER, round);
	if (operation.billed) rememberFirst(context, ledger.firstExecutionId);
	const attempt = new Attempt(nodeCall, operation, ledger, accounts);
	try {
		const outputs = await attempt.run();
		const { succeeded, willRunAgain } = attempt;
		const { firstExecutionId } = ledger;
		// For Retry On Fail, n8n looks for an error at the top of Success; one on its own output would end the tries.
		const placed = willRunAgain ? outputs : moveToErrorOutput(context, outputs);
		return { outputs: placed, succeeded, firstExecutionId };
	} finally {
		// Tokens that were set aside and not spent are free for the agent's other calls.
		attempt.lasting.release();
	}
}
