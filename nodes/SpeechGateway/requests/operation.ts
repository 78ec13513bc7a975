import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import type { OperationDescription } from '../fields/form';
import type { Parameters } from '../fields/parameters';
import type { ItemLedger } from './itemLedger';
import type { ItemRequests } from './itemRequests';
import { requestKey } from './requestKey';
import type { ErrorText, Result, VoiceIds } from './records';
import type { Run, Session } from './session';
import { evenlySpaced } from '../text/knownSegments';

/** One item: what is asked for, and what follows from that. */
export interface Planned<I, P> {
	/** The checked input, which the ledger keeps. */
	input: I;
	plan: P;
}

/** What an operation does, in this order. `I`: an item's checked input; `P`: its plan. */
export interface Work<I, P = undefined> {
	/** What is to be sent, by the input and the IDs of voices that were looked up. Sends nothing. Throws InputError. */
	plan?: (input: I, ids?: VoiceIds, before?: P) => P;
	/** Looks up the voices that are asked for by title; free. Throws InputError. Undefined if there is nothing to look up. */
	lookUp?: (planned: Planned<I, P>, item: () => ItemRequests) => Promise<VoiceIds> | undefined;
	/** Over all items, before anything billed is sent. `spent`: tokens in this execution so far. Throws InputError. */
	checkAll?: (all: Array<Planned<I, P>>, spent: number, run: Run) => void;
	/** Whether `checkAll` leaves out what earlier attempts have paid for. */
	estimatesRest?: boolean;
	/** One item: sends through `item`, and shapes the outcome. */
	execute: (input: I, item: ItemRequests, plan: P) => Promise<Result>;
	/** Whether all items become one result, by `combine`; asked of the first item's input. Else each has its own. */
	combines?: (input: I) => boolean;
	/** Makes one result of all items that could be read, paired with each of them. Free. */
	combine?: (all: Array<{ index: number; input: I }>, session: Session) => Promise<Result>;
	/**
	 * Whether it deletes something, which is free: the ledger keeps the result all the same, since a later attempt would
	 * find nothing to delete, and fail.
	 */
	deletes?: boolean;
	/** Describes the request of an item whose outcome is unknown. */
	describe?: (input: I, plan: P) => RequestDescription;
	/**
	 * The input of a retry: the paid one, with those of today's settings that do not change what was paid for, such as the file
	 * name. The paid one as it is, unless an operation says otherwise.
	 */
	retryWith?: (paid: I, now: I, onRecord: ItemLedger) => I;
	/** The fields that change what is charged; the whole input unless an operation says otherwise. */
	identity?: (input: I) => object;
	/** What tells an agent's call from others: what it sends. `identity` unless an operation says otherwise. */
	asks?: (input: I, plan: P) => unknown;
	/**
	 * What a Send Once Key stands for: words, voices and manner, however they are cut. `asks` unless an operation says
	 * otherwise.
	 */
	says?: (input: I, plan: P) => unknown;
	/** Passes a result that is given again on to whoever listens. */
	relay?: (input: I, result: INodeExecutionData, item: ItemRequests) => Promise<void>;
}

/** An operation as it is declared. `V`: the values of the form's fields; `I`: the result of `prepare`. */
interface OperationDeclaration<V, I, P> extends Work<NoInfer<I>, P> {
	/** Checks across fields, and reads the files that decide what is sent. Throws InputError. */
	prepare?: (input: V, parameters: Parameters) => I | Promise<I>;
}

/** An operation as it is run. Its input comes from `read` or, in a retry, from the ledger. */
export interface Operation extends OperationDescription, Work<object, unknown> {
	/** Reads and checks the parameters of one item; no network. Throws InputError. */
	read: (parameters: Parameters) => Promise<object>;
}

/** What an item of unknown outcome says of its request, so that people recognise it. */
export type RequestDescription = {
	/** What was asked for; its beginning is shown. */
	input?: string;
	fileName?: string;
	characters?: number;
	estimatedTokens?: number;
};

/** Why an item has failed. `isInput`: its input is bad; `advice`: what to do about it, as part of a sentence. */
export interface Failed {
	failed: ErrorText & { isInput?: boolean; advice?: string };
}

/** How an item has ended. */
export type ItemEnd =
	/** `pairedItem`: the items that it was made of, if not the one in its place. */
	(Result & { pairedItem?: IPairedItemData[] }) | Failed | { notStarted: unknown };

/** How many characters of the input are shown, to tell the item from others. */
const INPUT_SHOWN = 80;

/** The first characters of an input; the whole may be a book. */
export const beginningOfInput = (input = ''): string =>
	Array.from(input).slice(0, INPUT_SHOWN).join('');

/** The key of what is asked for; the same for inputs that differ only in where the result goes. */
export const askedKey = (operation: Operation, input: object): string =>
	requestKey(operationName(operation), operation.identity?.(input) ?? input);

/** The key of a tool's call, by what it sends; white space makes no difference. */
export const callKey = (operation: Operation, planned: Planned<object, unknown>): string =>
	evenKey(operation, asked(operation, planned));

/** The key of what a Send Once Key stands for, which does not depend on how that is cut, shaped and stored. */
export const contentKey = (operation: Operation, planned: Planned<object, unknown>): string =>
	evenKey(operation, operation.says?.(planned.input, planned.plan) ?? asked(operation, planned));

const asked = (operation: Operation, { input, plan }: Planned<object, unknown>): unknown =>
	operation.asks?.(input, plan) ?? operation.identity?.(input) ?? input;

/** A key in which white space makes no difference. */
function evenKey(operation: Operation, what: unknown): string {
	const evenly = (_: string, value: unknown) =>
		typeof value === 'string' ? evenlySpaced(value) : value;
	return requestKey(operationName(operation), { asked: JSON.stringify(what, evenly) });
}

/** The name in records and messages, such as `speech.generate`. */
export const operationName = ({ resource, operation }: OperationDescription): string =>
	`${resource}.${operation}`;

/** Joins the form of an operation with what it does. From here on, the type of its input is not known. */
export const defineOperation = <V extends object, I extends object = V, P = undefined>(
	description: OperationDescription<V>,
	{ prepare, ...work }: OperationDeclaration<V, I, P>,
): Operation => ({
	...description,
	...(work as Work<object, unknown>),
	async read(parameters) {
		const values = description.values(parameters);
		return prepare ? await prepare(values, parameters) : values;
	},
});
