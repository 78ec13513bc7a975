import type { INodeProperties } from 'n8n-workflow';
import type { Parameters } from './parameters';

/**
 * What a user can set, declared once: how the editor shows it, and how its value is read. The properties come without
 * displayOptions for resource and operation: those are added to all of them.
 */
export interface Field<T = unknown> {
	/** Shown on the panel itself. */
	readonly panel: INodeProperties[];
	/** Shown in the collection "Options". */
	readonly options: INodeProperties[];
	/** The value for one item; no network. Throws InputError with label, limit and what was given. */
	read(parameters: Parameters): T;
}

/** A field in the collection "Options". It always has a value: if it is not added, `unset`. */
export interface OptionField<T = unknown> extends Field<T> {
	/** What holds as long as the user has not added the option. */
	readonly unset: T;
	/** The value that the user has set, if any. */
	ifSet(parameters: Parameters): T | undefined;
}

/** The fields of an object, by its keys. */
type FieldsOf<V> = { [K in keyof V]: Field<V[K]> };

/** What fields give when they are read, by their names. */
export type InputOf<F extends Record<string, Field>> = { [K in keyof F]: ReturnType<F[K]['read']> };

/** Several fields as one, shown and read in their order; the first bad value throws. */
export function group<V extends object>(fields: FieldsOf<V>): Field<V> {
	const entries: Array<[string, Field]> = Object.entries(fields);
	return {
		panel: entries.flatMap(([, { panel }]) => panel),
		options: entries.flatMap(([, { options }]) => options),
		read: (parameters) =>
			Object.fromEntries(entries.map(([name, field]) => [name, field.read(parameters)])) as V,
	};
}

/** The values of options when none of them is set. */
export const unsetOf = <F extends Record<string, OptionField>>(fields: F): InputOf<F> =>
	Object.fromEntries(
		Object.entries(fields).map(([name, { unset }]) => [name, unset]),
	) as InputOf<F>;

/** Reads a value from n8n, or throws InputError; the label is for the error. */
export type Parse<T> = (value: unknown, label: string) => T;

/** A field on the panel. `missing`: the value for a workflow that lacks the parameter. */
export const panelField = <T>(
	property: INodeProperties,
	parse: Parse<T>,
	missing: unknown = '',
): Field<T> => ({
	panel: [property],
	options: [],
	read: (parameters) => parse(parameters.raw(property.name, missing), property.displayName),
});

/** The same field for workflows that have it; the editor does not show it. */
export const unseen = <T>({ panel, read }: Field<T>): Field<T> => ({
	panel: panel.map((property) => ({ ...property, type: 'hidden', options: undefined })),
	options: [],
	read,
});

const optionField = <T>(
	options: INodeProperties[],
	unset: T,
	ifSet: OptionField<T>['ifSet'],
): OptionField<T> => ({
	panel: [],
	options,
	unset,
	ifSet,
	read: (parameters) => ifSet(parameters) ?? unset,
});

/**
 * An option; `parse` returns undefined for a value that counts as not set. One without expressions (`noDataExpression`)
 * holds for the whole run and is read by itself: n8n resolves all options at once, and an expression in another one may
 * fail for the first item.
 */
export function option<T>(
	property: INodeProperties,
	unset: T,
	parse: Parse<T | undefined>,
): OptionField<T> {
	const { name, displayName, noDataExpression } = property;
	return optionField([property], unset, (parameters) =>
		parse(noDataExpression ? parameters.runOption(name) : parameters.option(name), displayName),
	);
}

/** The same option, undefined unless it is set: its default is only a suggestion. */
export const optional = <T>({ options, ifSet }: OptionField<T>) =>
	optionField<T | undefined>(options, undefined, ifSet);

/** The same option with another value, such as milliseconds for seconds. */
export const mapped = <A, B>({ options, unset, ifSet }: OptionField<A>, map: (value: A) => B) =>
	optionField<B>(options, map(unset), (parameters) => {
		const value = ifSet(parameters);
		return value === undefined ? undefined : map(value);
	});

/** Whether an option was added. The editor takes an expression without a value yet for null or empty. */
export const ADDED = [{ _cnd: { exists: true as const } }, '', null];

/**
 * The same option, offered only beside the one that it belongs to. Without that one it still holds: n8n drops what no
 * entry of its name shows, so a hidden one keeps it, and the editor shows it where it is set. Both options are of
 * simple types.
 */
export function besideOption<T>(name: string, { options, unset, ifSet }: OptionField<T>) {
	const without = { hide: { [name]: ADDED } };
	// Offered beside the other one; shown where it is set without that one; hidden otherwise, for n8n to keep it.
	const entries = options.flatMap((property): INodeProperties[] => [
		{ ...property, displayOptions: { show: { [name]: ADDED } } },
		{ ...property, displayOptions: { show: { [property.name]: ADDED }, ...without } },
		{ ...property, displayOptions: without, type: 'hidden' },
	]);
	return optionField(entries, unset, ifSet);
}
