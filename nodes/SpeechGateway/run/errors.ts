import { type Functionality, type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { type ErrorDetails, NOTHING_SENT } from '../core/errors';
import { cleanedMessage, descriptionParts, withCredentialName } from '../requests/errorText';
import type { Charge, ErrorText, Result } from '../requests/records';
import type { Failed, Operation, ItemEnd } from '../requests/operation';
import { beginningOf } from '../text/characters';
import { typedOption } from '../fields/parameters';
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
	const options = { message, description: withCredentialName(description, node), ...where };
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
	/** How its input begins, as far as it could be read. */
	beginning?: string;
	/** The results of the others. */
	results: Result[];
	error: Failed['failed'];
	/** What the items were charged, if the user wants to know. */
	charges?: Charge[];
	operation: Operation;
	/** What of our words is said. */
	words?: OwnWords;
}

/**
 * The one error of a run in stop mode. In the order in which people need it: which item, what is known of its charge, what is
 * done and paid, what not to do, what to do, and what others say.
 */
export function runError(
	nodeCall: NodeCall,
	{ index, count, beginning, results, error, charges, operation, words = asTheyAre }: RunFailure,
): NodeApiError | NodeOperationError {
	const { message: what, description: advice, details } = error;
	const numbered = count > 1 ? `${what} (item ${index + 1} of ${count})` : what;
	const isUnsent = error.isInput && results.length === 0;
	const done = isUnsent ? [] : wordsOnResults(results, count, details, operation, nodeCall);
	const [isDone = '', doNot = '', retry = ''] = done.map((text) => words(text));
	// n8n's own node for sub-workflows often keeps the message alone.
	const message =
		nodeCall.isSubWorkflow && retry ? `${numbered}. ${words(IN_SUB_WORKFLOW)}` : numbered;
	const { about, charge, todo, said } = descriptionParts(advice, details);
	const toDo =
		error.advice !== undefined && count > 1
			? `${error.advice}, or set "On Error" to "Continue (using error output)" to skip such rows. ${NOTHING_SENT}`
			: todo;
	// What an outage says has it, too.
	const isSaid = toDo.includes('retry this execution');
	const item = count > 1 && beginning ? sentence(`Item ${index + 1}: "${beginning}"`) : '';
	const id = details.requestId ? `Request ID: ${details.requestId}.` : '';
	const description = [item, about, charge, isDone, doNot, toDo, isSaid ? '' : retry, said, id];
	// Without an item index: the editor would append it to the message, counted from 0.
	const all = charges ? { ...details, charges } : details;
	return nodeError(nodeCall.node, {
		message,
		description: description.filter(Boolean).join(' '),
		details: all,
	});
}

/**
 * The error of a run from which nothing leaves, although items may have been charged: nothing is connected to
 * "Unknown". It has the facts of the first of them; the ledger keeps all for a retry by hand.
 */
export function unheardError(
	nodeCall: NodeCall,
	ends: ItemEnd[],
	{ resource }: Operation,
	words: OwnWords,
	charges?: Charge[],
): NodeApiError | NodeOperationError {
	const unheard = ends.filter(isUnheard);
	const { message: cause, advice, ...facts } = unheard[0].items[0].json;
	const [count, all] = [unheard.length, ends.length];
	const which =
		all === 1
			? 'This item'
			: count === 1
				? `Item ${String(facts.item)} of ${all}`
				: `${count} of ${all} items`;
	const [has, was] = count === 1 ? ['has', 'it was'] : ['have', 'they were'];
	const isCharged = unheard.every(isChargedForCertain);
	const charge = isCharged
		? `, although ${was} charged`
		: `; nobody knows yet whether ${was} charged`;
	const status = facts.httpCode === undefined ? '' : ` (${String(facts.httpCode)})`;
	const what = `${which} ${has} no ${NOUNS[resource] ?? 'result'}${charge}${status}`;
	const own = nodeCall.isSubWorkflow ? `. ${IN_SUB_WORKFLOW}` : '';
	const unwired = nodeCall.endsHere ? '' : ', and nothing is connected to "Unknown"';
	const beginning = String(facts.input ?? '').trim();
	const begins = sentence(
		`${count === 1 ? 'It' : 'The first'} begins with "${inOneLine(beginning)}"`,
	);
	const done = ends.filter((one) => 'branch' in one && one.branch !== 'unknown').length;
	const others = done === 1 ? 'The other one is' : `The other ${done} are`;
	const where = nodeCall.isSubWorkflow ? "the sub-workflow's own execution" : 'this execution';
	const ifSaved = nodeCall.isSavedOnFailure ? '' : ' (if it was saved)';
	const leave = count === 1 ? 'the item leaves' : 'the items leave';
	const connect =
		'Connect "Unknown" to a step that tells somebody when an item may have been charged.';
	const isLost = nodeCall.isSavedOnFailure === false;
	const description = [
		beginning && begins,
		done > 0 &&
			(isLost
				? `${others} done and paid, but lost: ${NOT_KEPT}.`
				: `${others} done, paid and kept.`),
		clickAgain(nodeCall, all),
		isLost
			? connect
			: `${connect} Then open "Executions" and retry ${where}${ifSaved} with "Retry with currently saved workflow", which is free: nothing is sent again, and ${leave} on "Unknown".`,
		advice,
		sentence(String(cause)),
	];
	return nodeError(nodeCall.node, {
		message: words(`${what}${unwired}${own}`),
		description: words(description.filter(Boolean).join(' ')),
		details: { ...(facts as ErrorDetails), ...(charges && { charges }) },
	});
}

const isChargedForCertain = ({ items: [item] }: Result): boolean =>
	item?.json.reason === 'not_stored';

/** What an item has not got, by resource. */
const NOUNS: Record<string, string> = {
	speech: 'audio',
	speechJob: 'audio',
	video: 'video',
	chat: 'answer',
	voice: 'voice',
};

/** Enough to tell an item from others, characters. */
const MOST_OF_INPUT = 60;

/** The beginning of an input, in one line. */
export const inOneLine = (input: string): string =>
	beginningOf(input.replace(/\s+/g, ' ').trim(), MOST_OF_INPUT);

/** With a period, unless it or the words that it quotes end with one. */
const sentence = (text: string): string => (/[.!?…]"?$/.test(text) ? text : `${text}.`);

const IN_SUB_WORKFLOW =
	'It stands in its own execution (sub-workflow): retry that one, for a retry of the parent pays again';

const NOT_KEPT =
	"n8n does not keep this execution for a retry, by the workflow's settings or because of its engine 2.0";

/** What another click on Execute would do; empty where keys keep it from sending anything again. */
export function clickAgain(nodeCall: NodeCall, all: number): string {
	if (typedOption(nodeCall, 'sendOnceKey') !== undefined) return '';
	const [what, them] = all === 1 ? ['it', 'it'] : [`all ${all}`, 'them'];
	return `Another click on Execute sends ${what} again, and charges ${them}.`;
}

/**
 * Says what is done, what not to do, and how to get the rest without paying for it again, in this order: after an error, people click
 * Execute, which starts a new execution and pays for everything once more. Empty if nothing is charged, or there is one item
 * of one segment.
 */
function wordsOnResults(
	results: Result[],
	count: number,
	{ segments, status }: ErrorDetails,
	{ billed }: Operation,
	nodeCall: NodeCall,
): string[] {
	const { isSavedOnFailure, isSubWorkflow } = nodeCall;
	const [ended, all, noun] =
		count > 1
			? [results.length, count, 'items']
			: [Number(segments?.completed ?? 0), Number(segments?.total ?? 1), 'segments'];
	if (!billed || all === 1) return [];
	const undone = results.filter(({ branch }) => branch === 'unknown');
	const unknown = undone.filter((one) => isUnheard(one) && !isChargedForCertain(one)).length;
	const done = ended - undone.length;
	const areDone = `${done} of ${all} ${noun} ${done === 1 ? 'is' : 'are'} done`;
	if (ended === 0) return [`${areDone} and kept.`];
	const unclear =
		unknown > 0
			? ` Of ${unknown}, nobody knows yet whether ${unknown === 1 ? 'it was' : 'they were'} charged.`
			: '';
	const doNot = clickAgain(nodeCall, all);
	if (isSavedOnFailure === false)
		return [
			`${areDone}, but lost: ${NOT_KEPT}.${unclear}`,
			doNot,
			'Change that, or set "On Error" to "Continue (using error output)", which hands over what is done.',
		];
	const which = isSubWorkflow ? "the sub-workflow's own execution" : 'this execution';
	const ifSaved = isSavedOnFailure ? '' : ', if it was saved';
	// A failed job fails in each retry, and only a continue mode lets the other items pass.
	const mode =
		status === 'failed'
			? ', with the current workflow and "On Error" set to "Continue (using error output)"'
			: '';
	return [
		`${areDone}, paid and kept.${unclear}`,
		doNot,
		`Then open "Executions" and retry ${which}${mode}${ifSaved}: what is done is not sent or charged again.`,
	];
}
