import type { OperationDescription } from '../fields/form';
import type { Parameters } from '../fields/parameters';
import type { ItemLedger } from '../requests/itemLedger';
import type { ItemRequests } from '../requests/itemRequests';
import { requestKey } from '../requests/requestKey';
import type { Result } from '../requests/records';
import type { Session } from '../requests/session';

/** What an operation does. `P`: an item's checked input. */
export interface Work<P> {
	/** Over all items, before anything is sent. `spent`: tokens in this execution so far. Throws InputError. */
	checkAll?: (all: P[], spent: number) => void;
	/** Whether `checkAll` leaves out what earlier attempts have paid for. */
	estimatesRest?: boolean;
	/**
	 * Looks up what only the gateway knows, such as the ID of a voice; free. In stop mode, this happens for all items before
	 * anything billed is sent. Throws InputError. Undefined if there is nothing to look up.
	 */
	lookUp?: (input: P, item: () => ItemRequests) => Promise<unknown> | undefined;
	/** One item: sends through `item`, and shapes the outcome. */
	execute: (input: P, item: ItemRequests) => Promise<Result>;
	/** Whether all items become one result, by `combine`; asked of the first item's input. Else each has its own. */
	combines?: (input: P) => boolean;
	/** All items that could be read, into one result that is paired with all of them. Free. */
	combine?: (all: Array<{ index: number; input: P }>, session: Session) => Promise<Result>;
	/** Describes the request of an item whose outcome is unknown. */
	describe?: (input: P) => About;
	/**
	 * The input of a retry: what was paid for, except for settings that do not affect it, such as the file name. By default,
	 * all of it is as it was paid for.
	 */
	retryWith?: (paid: P, now: P, onRecord: ItemLedger) => P;
	/** The part of the input that decides what is paid for. By default, all of it. */
	identity?: (input: P) => object;
}

/** An operation as it is declared. `V`: the values of the form's fields; `P`: the result of `prepare`. */
interface Declaration<V, P> extends Work<NoInfer<P>> {
	/** Checks across fields, and what else is to be known before anything is sent. Throws InputError. */
	prepare?: (input: V, parameters: Parameters) => P | Promise<P>;
}

/** An operation as it is run. Its input comes from `read` or, in a retry, from the ledger. */
export interface Operation extends OperationDescription, Work<object> {
	/** Reads and checks the parameters of one item; no network. Throws InputError. */
	read: (parameters: Parameters) => Promise<object>;
}

export type About = {
	/** What was asked for; its beginning is shown. */
	input?: string;
	fileName?: string;
	characters?: number;
	estimatedTokens?: number;
};

/** The key of what is asked for; the same for inputs that differ only in where the result goes. */
export const askedKey = (operation: Operation, input: object): string =>
	requestKey(operationName(operation), operation.identity?.(input) ?? input);

/** The name in records and messages, such as `speech.generate`. */
export const operationName = ({ resource, operation }: OperationDescription): string =>
	`${resource}.${operation}`;

/** Joins the form of an operation with what it does. From here on, the type of its input is not known. */
export const defineOperation = <V extends object, P extends object = V>(
	description: OperationDescription<V>,
	{ prepare, ...work }: Declaration<V, P>,
): Operation => ({
	...description,
	...(work as Work<object>),
	async read(parameters) {
		const values = description.values(parameters);
		return prepare ? await prepare(values, parameters) : values;
	},
});
