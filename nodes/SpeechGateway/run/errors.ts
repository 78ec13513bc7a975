import { type Functionality, type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { type ErrorDetails, NOTHING_SENT } from '../core/errors';
import { cleanedMessage } from '../requests/errorText';
import type { Charge, ErrorText, Result } from '../requests/records';
import type { Failed, Operation, Settled } from '../requests/operation';
import { isUnheard } from './unheard';
import { asTheyAre, type OwnWords } from './withoutCharges';
import type { NodeCall } from '../engine/nodeCall';

/** Makes an n8n error; the only place that does. */
export function nodeError(
	node: INode,
	{ message: text, description, details: { httpCode, ...details } }: Omit<ErrorText, 'binary'>,
	where: { functionality?: Functionality } = {},
): NodeApiError | NodeOperationError {
	const message = cleanedMessage(text);
	const options = { message, description, ...where };
	const error = httpCode
		? new NodeApiError(node, { message }, { ...options, httpCode })
		: new NodeOperationError(node, message, options);
	// For an error code such as ECONNRESET, n8n would show its own advice: "retry the request immediately".
	error.message = message;
	Object.assign(error.context, details);
	return error;
}

/** The failure that ends a run in stop mode. */
interface RunFailure {
	/** The item that failed, from 0, and the number of items. */
	index: number;
	count: number;
	/** The results of the others. */
	results: Result[];
	error: Failed['failed'];
	/** What the items were charged, if the user wants to know. */
	charges?: Charge[];
	operation: Operation;
	/** What of our words is said. */
	words?: OwnWords;
}

/** The one error of a run in stop mode: names the item, and says what is kept. */
export function runError(
	nodeCall: NodeCall,
	{ index, count, results, error, charges, operation, words = asTheyAre }: RunFailure,
): NodeApiError | NodeOperationError {
	const { message: what, description: advice, details } = error;
	const numbered = count > 1 ? `${what} (item ${index + 1} of ${count})` : what;
	const isUnsent = error.isInput && results.length === 0;
	const sent = isUnsent ? '' : words(wordsOnResults(results, count, details, operation, nodeCall));
	// n8n's own node for sub-workflows often keeps the message alone.
	const message =
		nodeCall.isSubWorkflow && sent.includes(DO_NOT_EXECUTE)
			? `${numbered}. ${words(IN_SUB_WORKFLOW)}`
			: numbered;
	const id = details.requestId ? `Request ID: ${details.requestId}.` : '';
	const todo =
		error.advice !== undefined && count > 1
			? `${error.advice}, or set "On Error" to "Continue (using error output)" to skip such rows. ${NOTHING_SENT}`
			: advice;
	const description = [todo, sent, id].filter(Boolean).join(' ');
	// Without an item index: the editor would append it to the message, counted from 0.
	const all = charges ? { ...details, charges } : details;
	return nodeError(nodeCall.node, { message, description, details: all });
}

/**
 * The error of a run from which nothing leaves, although items may have been charged: nothing is connected to
 * "Unknown". It has the facts of the first of them; the ledger keeps all for a retry by hand.
 */
export function unheardError(
	nodeCall: NodeCall,
	settled: Settled[],
	words: OwnWords,
	charges?: Charge[],
): NodeApiError | NodeOperationError {
	const unheard = settled.filter(isUnheard);
	const { message: cause, advice, ...facts } = unheard[0].items[0].json;
	const [count, all] = [unheard.length, settled.length];
	const what =
		all === 1
			? 'This item may have been charged, but it has no result'
			: `${count} of ${all} items may have been charged, but ${count === 1 ? 'it has' : 'they have'} no result`;
	const own = nodeCall.isSubWorkflow ? `. ${IN_SUB_WORKFLOW}` : '';
	const unwired = nodeCall.endsHere ? '' : ', and nothing is connected to "Unknown"';
	const message = `${what}${unwired}${own}`;
	const leave = count === 1 ? 'the item leaves' : 'the items leave';
	const where = nodeCall.isSubWorkflow ? "the sub-workflow's own execution" : 'this execution';
	const ifSaved = nodeCall.isKeptOnFailure ? '' : ' (if it was saved)';
	const todo =
		nodeCall.isKeptOnFailure === false
			? 'Connect "Unknown" to a step that tells somebody.'
			: `Connect "Unknown" to a step that tells somebody, then open "Executions" and retry ${where}${ifSaved} with the currently saved workflow: nothing is sent again, and ${leave} on "Unknown".`;
	return nodeError(nodeCall.node, {
		message: words(message),
		description: `${sentence(String(cause))} ${todo} ${String(advice)}`,
		details: { ...(facts as ErrorDetails), ...(charges && { charges }) },
	});
}

/** With a period, unless it or the words that it quotes end with one. */
const sentence = (text: string): string => (/[.!?]"?$/.test(text) ? text : `${text}.`);

const IN_SUB_WORKFLOW =
	'It stands in its own execution (sub-workflow): retry that one, for a retry of the parent pays again';

const DO_NOT_EXECUTE = 'Do not click Execute again';

/**
 * Says what is paid for, and how to get the rest without paying for it again: after an error, people click Execute,
 * which starts a new execution and pays for everything once more. Empty if nothing is charged, or there is one item of
 * one segment.
 */
function wordsOnResults(
	results: Result[],
	count: number,
	{ segments, status }: ErrorDetails,
	{ billed }: Operation,
	{ isKeptOnFailure, isSubWorkflow }: NodeCall,
): string {
	const [done, all, noun] =
		count > 1
			? [results.length, count, 'items']
			: [Number(segments?.completed ?? 0), Number(segments?.total ?? 1), 'segments'];
	if (!billed || all === 1) return '';
	const unknown = results.filter(({ branch }) => branch === 'unknown').length;
	const unclear = unknown > 0 ? ` (${unknown} with an unknown outcome)` : '';
	const words = `${done} of ${all} ${noun} ${done === 1 ? 'is' : 'are'} done${unclear}`;
	if (done > 0 && isKeptOnFailure === false)
		return `${words}, but lost: n8n does not keep this execution for a retry, by the workflow's settings or because of its engine 2.0. Change that, or set "On Error" to "Continue (using error output)", which hands over what is done.`;
	if (done === 0) return `${words} and kept.`;
	const which = isSubWorkflow ? "the sub-workflow's own execution" : 'this execution';
	const ifSaved = isKeptOnFailure ? '' : ', if it was saved';
	// A failed job fails in each retry, and only a continue mode lets the other items pass.
	const mode =
		status === 'failed'
			? ', with the current workflow and "On Error" set to "Continue (using error output)"'
			: '';
	return `${words} and kept. ${DO_NOT_EXECUTE}: that would pay for all ${all}. Open "Executions" and retry ${which} instead${mode}${ifSaved}: what is done is not sent or charged again.`;
}
