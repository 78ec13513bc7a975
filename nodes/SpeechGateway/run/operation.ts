import type { INodeProperties } from 'n8n-workflow';
import type { Endpoint, FreeEndpoint } from '../gateway/endpoints';
import { type Field, type FieldsOf, group } from './fields/field';
import type { Parameters } from './fields/parameters';
import { concurrency, settings } from './fields/settings';
import type { ItemRequests } from './requests/itemRequests';
import type { Result } from './requests/itemLedger';
import type { Session } from './requests/session';

/** One thing that a user can click. `P`: what is known of an item before anything is sent. */
interface What<P> {
	resource: string;
	operation: string;
	/** Title Case, in the dropdown. */
	name: string;
	/** The sentence in the list of actions. */
	action: string;
	description: string;
	/** Every endpoint that it may send to; none: it needs no network. Whether it costs money follows from them. */
	sends: ReadonlyArray<Endpoint | ((...ids: string[]) => FreeEndpoint)>;
	/** Whether it can end on the Still Processing branch. */
	waits?: boolean;
	/** Over all items, before anything is sent. Throws InputError. */
	checkAll?(all: P[]): void;
	/** One item: sends through `item`, and shapes the outcome. */
	execute(input: P, item: ItemRequests): Promise<Result>;
	/** Whether all items become one result, by `combine`; asked of the first item's input. Else each has its own. */
	combines?(input: P): boolean;
	/** All items that could be read, into one result that is paired with all of them. Free. */
	combine?(all: Array<{ index: number; input: P }>, session: Session): Promise<Result>;
	/** What an item of unknown outcome says about its request. */
	describe?(input: P): Description;
	/**
	 * What a retry goes on with: what was paid for, except for settings that do not decide about that, such as the name of
	 * the file. By default, all is as it was paid for.
	 */
	retryWith?(paid: P, now: P): P;
}

/** An operation as it is declared: `V` are the values of its fields. */
interface Declaration<V, P> extends What<P> {
	/** In the order of the editor; required first. */
	input: FieldsOf<V>;
	/** Checks across fields, and what else is to be known before anything is sent. Throws InputError. */
	prepare?(input: V, parameters: Parameters): P | Promise<P>;
	/** Lists are asked for once: then there is no option Concurrency. */
	isList?: boolean;
}

/** An operation as it is shown and run. */
export interface Operation<P = unknown> extends What<P> {
	/** Whether it sends a request that costs money; then it has the Outcome Unknown branch. */
	billed: boolean;
	fields: INodeProperties[];
	options: INodeProperties[];
	/** Reads and checks the parameters of one item; no network. Throws InputError. */
	read(parameters: Parameters): Promise<P>;
}

export type Description = {
	/** What was asked for; its beginning is shown. */
	input?: string;
	fileName?: string;
	characters?: number;
	estimatedTokens?: number;
};

/** As records and messages name it: `speech.generate`. */
export const operationName = ({ resource, operation }: Operation): string =>
	`${resource}.${operation}`;

/** Derives what the editor shows and how it is read from the fields, and what it costs from the endpoints. */
export function defineOperation<V extends object, P = V>({
	input,
	prepare,
	isList,
	...what
}: Declaration<V, P>): Operation<P> {
	const { sends } = what;
	const billed = sends.some((endpoint) => 'billed' in endpoint && endpoint.billed);
	const shared: Field[] = [
		...(sends.length > 0 ? [settings.maxRetries, settings.timeoutMs] : []),
		...(sends.length > 0 && !isList ? [concurrency] : []),
		...(billed ? [settings.sendOnceKey] : []),
	];
	const { panel, options, read } = group(input);
	return {
		...what,
		billed,
		fields: panel,
		options: [...options, ...shared.flatMap((field) => field.options)],
		async read(parameters) {
			const values = read(parameters);
			return prepare ? await prepare(values, parameters) : (values as V & P);
		},
	};
}
