import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	IWorkflowSettings,
} from 'n8n-workflow';
import { MIME_TYPES } from '../audio';
import type { AttachedFiles, OutcomeUnknownError, UnknownReason } from '../core/errors';
import { defined } from '../core/json';
import { ownFieldOf } from '../core/ownField';
import { COMBINED_FILES } from '../engine/outputs';
import type { NodeCall } from '../engine/nodeCall';
import { Parameters } from '../fields/parameters';
import { isCompletedField, type ItemLedger } from '../requests/itemLedger';
import { type Branch, BRANCHES, type Charge, type Result } from '../requests/records';
import { binaryOf, withCredentialName } from '../requests/errorText';
import {
	type RequestDescription,
	beginningOfInput,
	type Operation,
	operationName,
	type ItemEnd,
} from '../requests/operation';
import { clickAgain } from './errors';
import type { Input } from './readItems';
import { besideRow, withoutFiles } from './rows';
import { isUnheard, type UnknownRoute } from './unheard';
import { asTheyAre, type OwnWords } from './withoutCharges';

/** What the advice on an item of unknown outcome depends on. `how`: to send it again; `attached`: whether something is. */
interface Unknown {
	how: string;
	attached: string;
	earlier: string;
}

const lookUp = ({ how }: Unknown) =>
	`Look up whether it was charged, with Account → Settle or in the usage log of the gateway. If not, send this item again in a new execution${how}. If it was, that would be charged a second time.`;

const ADVICE: Record<UnknownReason, (of: Unknown) => string> = {
	upstream_outcome_unknown: lookUp,
	connection_lost: lookUp,
	client_timeout: (of) =>
		`${lookUp(of)} If this happens often, raise the option "Timeout" or send shorter texts.`,
	damaged_response: (of) => `It was most likely charged${of.attached}. ${lookUp(of)}`,
	not_stored: () =>
		'The file is lost. Check the disk, or the database, of this n8n. To send this item again would be charged again.',
	interrupted: lookUp,
	already_sent: ({ earlier }) =>
		`See ${earlier} for what became of it. To send this item again on purpose, and be charged again, give it a new key.`,
};

const probablyNotCharged = (of: Unknown) =>
	`It was probably not charged${of.attached}. ${lookUp(of)}`;

const adviceToAgents = () =>
	'Do not call this tool again with the same input; it may already have been charged. Say that the outcome is unknown.';

/**
 * An item on the Outcome Unknown branch. The keys are in the order in which people need them: what happened, what to do,
 * what it is about. No key is named `error`: n8n would take it for a failure. `asked`: what was asked for, where that is known.
 */
export function unknownItem(
	operation: Operation,
	index: number,
	ledger: ItemLedger,
	{ facts, details, files }: OutcomeUnknownError,
	{ isTool }: NodeCall,
	asked?: Pick<Input, 'parameters' | 'plan'>,
): Result {
	const { reason, message, probablyFree, neighbours, paidBy, idHeader, ...rest } = facts;
	const about: RequestDescription =
		(asked && operation.describe?.(asked.parameters, asked.plan)) ?? {};
	const { input = '', fileName, ...numbers } = about;
	const others = ledger.otherUnknown(facts);
	const otherUnknown = others.length > 0 ? others : undefined;
	/** What only Settle needs. */
	const settle = defined({ neighbours, otherUnknown, paidBy, idHeader });
	const hasFiles = Object.keys(files).length > 0;
	const parts = details.runs ? partsIn(files) : '';
	const ways = [
		...(parts ? [`with "${parts}" as "Previous Version"`] : []),
		...(ledger.keyRecorded ? [`with another "Send Once Key" (this one counts as sent)`] : []),
	];
	const advise = isTool ? adviceToAgents : probablyFree ? probablyNotCharged : ADVICE[reason];
	const advice = advise({
		how: `${ways.length > 0 ? `, ${ways.join(' and ')}` : ''}${parts && ': only what is missing is sent'}`,
		attached: hasFiles ? '; what arrived is attached' : '',
		earlier: details.sentIn ? `execution ${details.sentIn}` : 'the earlier execution',
	});
	const json: IDataObject = {
		outcome: 'unknown',
		message,
		advice,
		item: index + 1,
		input: beginningOfInput(input),
		...(fileName && { fileName }),
		reason,
		operation: operationName(operation),
		...rest,
		...numbers,
		...details,
		...(Object.keys(settle).length > 0 && { settle }),
	};
	return { branch: 'unknown', items: [{ json, ...(hasFiles && { binary: binaryOf(files) }) }] };
}

/** The fields of finished segments that a new execution can take over; bare samples have no record of what they are. */
const partsIn = (files: AttachedFiles): string =>
	Object.entries(binaryOf(files))
		.filter(([field, { mimeType }]) => isCompletedField(field) && mimeType !== MIME_TYPES.pcm)
		.map(([field]) => field)
		.join(', ');

/**
 * The only shape that n8n 2.16 and 2.41 both move to the Error output without losing fields. In combined mode, n8n would put the
 * files next to `error` and take the item for a success, so they go inside `error`.
 */
function errorItem(
	error: IDataObject,
	binary: IBinaryKeyData = {},
	binaryMode?: IWorkflowSettings['binaryMode'],
): INodeExecutionData {
	if (Object.keys(binary).length === 0) return { json: { error } };
	if (binaryMode !== 'combined') return { json: { error }, binary };
	return { json: { error: { ...error, [COMBINED_FILES]: binary } } };
}

/** The node's outputs; as an AI tool there is one, since the model sees no other. */
export function branchesOf(operation: Operation, nodeCall: NodeCall): Branch[] {
	if (nodeCall.isTool) return ['success'];
	const exists: Record<Branch, boolean> = {
		success: true,
		unknown: operation.billed,
		waiting:
			operation.waits === true &&
			new Parameters(nodeCall, 0).runOption('whenMaxWaitReached') === 'stillProcessing',
	};
	return BRANCHES.filter((branch) => exists[branch]);
}

/**
 * The items on their branches, in the order of the input; failures are error items on Success, where n8n looks for them.
 * `chargesOf`: what an item says it was charged, if it does.
 */
export async function sortOntoBranches(
	ends: ItemEnd[],
	operation: Operation,
	nodeCall: NodeCall,
	chargesOf: (index: number) => Charge[] | undefined,
	unknownRoute: UnknownRoute = 'unknown',
): Promise<INodeExecutionData[][]> {
	const { settings, giveWay, node } = nodeCall;
	const branches = branchesOf(operation, nodeCall);
	const outputs: INodeExecutionData[][] = branches.map(() => []);
	for (const [index, outcome] of ends.entries()) {
		await giveWay();
		const charges = chargesOf(index);
		const told = charges && { charges };
		const asErrorItem = (error: IDataObject, binary?: IBinaryKeyData) => ({
			...errorItem({ ...error, ...told }, binary, settings.binaryMode),
			pairedItem: { item: index },
		});
		if ('failed' in outcome) {
			const { message, description, details, binary } = outcome.failed;
			const words = { message, description: withCredentialName(description, node) };
			outputs[0].push(asErrorItem({ ...words, ...details }, binary));
		}
		if (!('branch' in outcome)) continue;
		const output = outputs[branches.indexOf(outcome.branch)] ?? outputs[0];
		if (unknownRoute === 'error' && isUnheard(outcome)) {
			const [{ json, binary }] = outcome.items;
			// From there, n8n moves it to the Error output; as the first item on Success, it would run the node again.
			const place = node.onError === 'continueErrorOutput' ? output : outputs[0];
			place.push(asErrorItem(json, binary));
		} else output.push(...itemsOf(outcome, index, operation, nodeCall, told));
	}
	return outputs;
}

/**
 * The items of a result. What the node says stands in the field of its resource, beside the row that the item was made of; on
 * Success, only where there is a file. `told`: what it says it was charged.
 */
function itemsOf(
	{ branch, items, pairedItem }: Extract<ItemEnd, Result>,
	index: number,
	{ resource, makesFile, combine }: Operation,
	{ items: rows, isTool }: NodeCall,
	told?: { charges: Charge[] },
): INodeExecutionData[] {
	const isFlat = branch === 'success' && !makesFile;
	// An agent knows what it has asked for, and pays for each word. A file made of all items has no row of its own, and in a
	// retry, a row may be missing.
	const row = isTool || pairedItem ? undefined : rows[index];
	// The files of a row that was joined are in the joined one.
	const from = row && combine ? withoutFiles(row) : row;
	return items.map((item) => {
		const own = { ...item, json: { ...item.json, ...told } };
		const whole = isFlat ? own : besideRow(ownFieldOf(resource), own, from);
		return { ...whole, pairedItem: pairedItem ?? { item: index } };
	});
}

/** Shows the hints of a finished run, each once, and how many items have an unknown outcome. */
export function giveHints(
	nodeCall: NodeCall,
	hints: Iterable<string>,
	ends: ItemEnd[],
	unknownRoute: UnknownRoute,
	words: OwnWords = asTheyAre,
): void {
	const said = [...hints].map(words).filter((hint) => hint !== '');
	for (const hint of oneOfEachKind(said)) nodeCall.hint(hint);
	const reasons = ends.flatMap((outcome) =>
		'branch' in outcome && outcome.branch === 'unknown' ? [outcome.items[0]?.json.reason] : [],
	);
	if (reasons.length === 0) return;
	const sentEarlier = reasons.every((reason) => reason === 'already_sent');
	const count = `${reasons.length} of ${ends.length} ${ends.length === 1 ? 'item' : 'items'}`;
	const [them, were] = reasons.length === 1 ? ['it', 'was'] : ['them', 'were'];
	const place = unknownRoute === 'error' ? 'the errors' : 'the branch "Unknown"';
	const outcome = sentEarlier
		? [`${count} ${were} sent earlier and skipped: nothing was charged for ${them} now.`]
		: [
				`Outcome unknown for ${count}: possibly charged.`,
				clickAgain(nodeCall, ends.length),
				`See ${place}.`,
			];
	nodeCall.hint(words(outcome.filter(Boolean).join(' ')), 'warning');
}

/**
 * Hints as n8n's editor shows them, each in a box: one of each kind, and how many more there are. What is of one kind begins
 * with the same words, but for numbers and what is quoted.
 */
function oneOfEachKind(hints: string[]): string[] {
	const kinds = new Map<string, string[]>();
	for (const hint of hints) {
		const [kind] = hint.replace(/"[^"]*"|\d+/g, '').split(':');
		kinds.set(kind, [...(kinds.get(kind) ?? []), hint]);
	}
	return [...kinds.values()].map(([first, ...others]) =>
		others.length === 0 ? first : `${first} (And ${others.length} more like this.)`,
	);
}
