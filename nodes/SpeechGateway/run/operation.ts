import { createHash } from 'crypto';
import type { OperationDescription } from '../fields/form';
import type { Parameters } from '../fields/parameters';
import type { ItemRequests } from '../requests/itemRequests';
import type { Result } from '../requests/records';
import type { Session } from '../requests/session';

/** What an operation does. `P`: what is known of an item before anything is sent. */
interface Work<P> {
	/** Over all items, before anything is sent. Throws InputError. */
	checkAll?(all: P[]): void;
	/**
	 * Asks what only the gateway knows, such as the id of a voice; free. In stop mode, this is done for all items before
	 * anything is sent. Throws InputError. Undefined when there is nothing to ask.
	 */
	lookUp?(input: P, item: () => ItemRequests): Promise<unknown> | undefined;
	/** One item: sends through `item`, and shapes the outcome. */
	execute(input: P, item: ItemRequests): Promise<Result>;
	/** Whether all items become one result, by `combine`; asked of the first item's input. Else each has its own. */
	combines?(input: P): boolean;
	/** All items that could be read, into one result that is paired with all of them. Free. */
	combine?(all: Array<{ index: number; input: P }>, session: Session): Promise<Result>;
	/** What an item of unknown outcome says about its request. */
	describe?(input: P): About;
	/**
	 * What a retry goes on with: what was paid for, except for settings that do not decide about that, such as the name of
	 * the file. By default, all is as it was paid for.
	 */
	retryWith?(paid: P, now: P): P;
	/** The part of the input that decides what is paid for: where it is the same, so is that. By default, all of it. */
	identity?(input: P): object;
}

/** An operation as it is declared. `V`: the values of the description's fields; `P`: what `prepare` makes of them. */
interface Declaration<V, P> extends Work<NoInfer<P>> {
	/** Checks across fields, and what else is to be known before anything is sent. Throws InputError. */
	prepare?(input: V, parameters: Parameters): P | Promise<P>;
}

/** An operation as it is run. */
export interface Operation<P = unknown> extends OperationDescription, Work<P> {
	/** Reads and checks the parameters of one item; no network. Throws InputError. */
	read(parameters: Parameters): Promise<P>;
}

export type About = {
	/** What was asked for; its beginning is shown. */
	input?: string;
	fileName?: string;
	characters?: number;
	estimatedTokens?: number;
};

/** Names what is asked for, by its content; the same for inputs that differ only in where the result goes. */
export function askedHash(operation: Operation, input: object): string {
	const asked = [operationName(operation), operation.identity?.(input) ?? input];
	return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

/** The name in records and messages, such as `speech.generate`. */
export const operationName = ({ resource, operation }: OperationDescription): string =>
	`${resource}.${operation}`;

/** Adds to what the editor shows of an operation what it does. */
export const defineOperation = <V extends object, P = V>(
	description: OperationDescription<V>,
	{ prepare, ...work }: Declaration<V, P>,
): Operation<P> => ({
	...description,
	...work,
	async read(parameters) {
		const values = description.values(parameters);
		return prepare ? await prepare(values, parameters) : (values as V & P);
	},
});
