import type { INodeProperties } from 'n8n-workflow';
import type { Endpoint, FreeEndpoint } from '../gateway/endpoints';
import { type Field, type FieldsOf, group } from './field';
import type { Parameters } from './parameters';
import { charges, concurrency, settings } from './settings';

/** What the editor shows of something that a user can click. */
interface Shown {
	resource: string;
	operation: string;
	/** Title Case, in the dropdown. */
	name: string;
	/** The sentence in the list of actions. */
	action: string;
	description: string;
	/** Every endpoint that it may send to; none: it needs no network. Whether it costs money follows from them. */
	sends: ReadonlyArray<Endpoint | ((...ids: string[]) => FreeEndpoint)>;
	/** Sends nothing but, if the user wants it, a look at the price list: the credential is shown. */
	asksForPrices?: boolean;
	/** Whether it can end on the Still Processing branch. */
	waits?: boolean;
	/** What one item costs, if anything, to follow "Every click on Execute is charged:". */
	price?: string;
}

/** An operation as it is declared. `V`: the values of its fields. */
export interface Declaration<V> extends Shown {
	/** In the order of the editor; required first. */
	input: FieldsOf<V>;
	/** Lists are asked for once: then there is no option Concurrency. */
	isList?: boolean;
}

/** An operation as n8n and its users see it. */
export interface OperationDescription<V = unknown> extends Shown {
	/** Whether it sends a request that costs money; then it has the Outcome Unknown branch. */
	billed: boolean;
	fields: INodeProperties[];
	options: INodeProperties[];
	/** The values of its fields for one item; no network. Throws InputError. */
	values(parameters: Parameters): V;
}

/** Derives what the editor shows and how it is read from the fields, and what it costs from the endpoints. */
export function describeOperation<V extends object>({
	input,
	isList,
	...shown
}: Declaration<V>): OperationDescription<V> {
	const { sends } = shown;
	const billed = sends.some((endpoint) => 'billed' in endpoint && endpoint.billed);
	const shared: Field[] = [
		...(sends.length > 0 ? [settings.maxRetries, settings.timeoutMs] : []),
		...(sends.length > 0 && !isList ? [concurrency] : []),
		...(billed ? [settings.sendOnceKey, charges] : []),
	];
	const { panel, options, read } = group(input);
	return {
		...shown,
		billed,
		fields: panel,
		options: [...options, ...shared.flatMap((field) => field.options)],
		values: read,
	};
}
