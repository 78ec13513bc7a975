/**
 * The kinds of fields, from which forms are put together. Each says in one place how the editor shows it and how its
 * value is read, so that the two cannot disagree: limits in the editor hold for expressions, a default that is shown is
 * the one that counts. Values come as n8n hands them over: an expression may give a number as text, a list instead of a
 * table, nothing at all. What can be meant is taken; anything else is an InputError with the label, the limit and the
 * value, before anything is sent.
 */
import type {
	IBinaryData,
	IDataObject,
	INodeProperties,
	INodePropertyMode,
	INodePropertyOptions,
	INodePropertyTypeOptions,
} from 'n8n-workflow';
import { asError, InputError, NOTHING_SENT } from '../core/errors';
import { isRecord, type Json, keysOf } from '../core/json';
import { ownFieldOf } from '../core/ownField';
import { choice, isEmpty, type NumberLimits, numberWithin, requiredText, safeId } from './checks';
import {
	ADDED,
	type Field,
	mapped,
	option,
	type OptionField,
	panelField,
	type Parse,
} from './field';

/** What the editor shows of a field, apart from what follows from its kind. */
type Labels = Omit<INodeProperties, 'type' | 'default' | 'options'>;

/** `default`: what the editor shows first, and the value of an absent option (unless a choice has another `unset`). */
type Option<T> = Labels & { default: T };

/** A text that must not be blank. */
export const textField = (
	labels: Labels & { default?: string },
	parse: Parse<string> = requiredText,
): Field<string> => {
	const property = { default: '', ...labels, required: true, type: 'string' } as const;
	const field = panelField(property, parse);
	return {
		...field,
		read(parameters) {
			parameters.refuseObject(labels.name, labels.displayName);
			return field.read(parameters);
		},
	};
};

/**
 * An id that becomes part of an address; the node before this one usually has it, in the field of the resource if its item has
 * a row beside that.
 */
export const idField = (resource: string, labels: Labels): Field<string> =>
	textField(
		{ default: `={{ $json.${ownFieldOf(resource)}?.id ?? $json.id }}`, ...labels },
		(value, label) => safeId(requiredText(value, label).trim(), label),
	);

/** Where a file is: the name of a binary field, or the file itself, as an expression gives it. */
export type FileRef = string | IBinaryData;

/** Whether a value is a file as n8n has it on items: stored (`id`), or in base64 (`data`). */
export const isFile = (value: unknown): value is IBinaryData =>
	isRecord(value) && typeof value.mimeType === 'string' && ('id' in value || 'data' in value);

/** The file of an item: the name of its binary field or, by an expression, the file itself. */
export const fileField = (labels: Pick<Labels, 'hint' | 'description'>): Field<FileRef> =>
	panelField<FileRef>(
		{
			displayName: 'Input Binary Field',
			name: 'binaryPropertyName',
			type: 'string',
			default: 'data',
			required: true,
			...labels,
		},
		(value, label) => (isFile(value) ? value : requiredText(value, label)),
	);

/** A text as an option. Empty counts as not set; an object is an error, not the text "[object Object]". */
export const textOption = (labels: Option<string>): OptionField<string> =>
	option({ ...labels, type: 'string' }, labels.default, (value, label) => {
		if (isEmpty(value)) return undefined;
		const text = String(value);
		if (typeof value !== 'object' || !text.includes('[object ')) return text;
		throw new InputError(`"${label}" must be a text, but is ${JSON.stringify(value).slice(0, 80)}`);
	});

/**
 * A switch, also as tables and spreadsheets have it: `TRUE`, 1, "0", which are what n8n takes for a boolean, too (its
 * `tryToParseBoolean`). Undefined if empty. Throws InputError for anything else: what was meant as "on" must not be
 * off, as a clone may be paid for then.
 */
export function flag(value: unknown, label: string): boolean | undefined {
	if (isEmpty(value)) return undefined;
	const word = String(value).trim().toLowerCase();
	if (word === 'true' || word === '1') return true;
	if (word === 'false' || word === '0') return false;
	throw new InputError(`"${label}" must be true or false, but is ${JSON.stringify(value)}`);
}

/** A switch as an option. */
export const flagOption = (labels: Option<boolean>): OptionField<boolean> =>
	option({ ...labels, type: 'boolean' }, labels.default, flag);

type NumberSpec = Option<number> & NumberLimits & { decimals?: number };

/** A number as an option. The limits hold in the editor and when the value is read; `decimals` in the editor only. */
export function numberOption(spec: NumberSpec): OptionField<number> {
	const { min, max, integer, decimals, typeOptions, ...labels } = spec;
	const limits: INodePropertyTypeOptions = {
		...(min !== undefined && { minValue: min }),
		...(max !== undefined && { maxValue: max }),
		...(decimals !== undefined && { numberPrecision: decimals }),
		...typeOptions,
	};
	const property: INodeProperties = { ...labels, type: 'number', typeOptions: limits };
	return option(property, spec.default, (value, label) =>
		isEmpty(value) ? undefined : numberWithin(value, label, { min, max, integer }),
	);
}

/** Shown in seconds, read in milliseconds. */
export const secondsOption = (spec: NumberSpec): OptionField<number> =>
	mapped(numberOption({ hint: 'Seconds', ...spec }), (seconds) => 1000 * seconds);

/** By value, in the order in which the editor shows them and errors list them: the usual one first. */
export type Choices<T extends string> = Record<T, { name: string; description?: string }>;

/** Choices as n8n's dropdown has them. */
export const shownChoices = <T extends string>(choices: Choices<T>): INodePropertyOptions[] =>
	keysOf(choices).map((value) => ({ ...choices[value], value }));

interface ChoiceSpec<T extends string> extends Labels {
	choices: Choices<T>;
	default: NoInfer<T>;
	/** The choice that is meant by a value that an expression gives, such as another word for it; the value itself if none is. */
	meant?: (value: unknown) => unknown;
}

/** One of several values, on the panel. */
export const choiceField = <T extends string>({
	choices,
	meant = (value) => value,
	...labels
}: ChoiceSpec<T>): Field<T> =>
	panelField(
		{ ...labels, type: 'options', options: shownChoices(choices) },
		(value, label) => choice(meant(value), label, keysOf(choices)),
		labels.default,
	);

/** One of several values, as an option. `unset`: what holds for an absent option, if it is not what the editor shows first. */
export const choiceOption = <T extends string>({
	choices,
	unset,
	...labels
}: Omit<ChoiceSpec<T>, 'meant'> & { unset?: NoInfer<T> }): OptionField<T> =>
	option(
		{ ...labels, type: 'options', options: shownChoices(choices) },
		unset ?? labels.default,
		(value, label): T | undefined =>
			isEmpty(value) ? undefined : choice(value, label, keysOf(choices)),
	);

/** A text in a row of a table. */
export const textColumn = (labels: Labels): INodeProperties => ({
	...labels,
	type: 'string',
	default: '',
});

interface TableSpec extends Labels {
	row: string;
	columns: INodeProperties[];
}

/** A row as the editor adds it. */
const emptyRow = (columns: INodeProperties[]) =>
	Object.fromEntries(
		columns.map(({ name, type, default: value }) => [
			name,
			type === 'resourceLocator' && isRecord(value) ? { __rl: true, ...value } : value,
		]),
	);

/** A table as the editor shows it, which begins with an empty row. `row`: what is in one of its rows. */
export const tableProperty = ({ row, columns, ...labels }: TableSpec): INodeProperties => ({
	...labels,
	default: { values: [emptyRow(columns)] } as IDataObject as INodeProperties['default'],
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: `Add ${row}`,
	options: [{ displayName: row, name: 'values', values: columns }],
});

/**
 * A table as an option. What the editor adds is an entry without several rows: of one with them, it ignores the default.
 * The hidden entry keeps what is in the table: n8n drops one without rows as soon as another option is added.
 */
export function tableOption<T>(spec: TableSpec, unset: T, parse: Parse<T>): OptionField<T> {
	const table = tableProperty(spec);
	const { name, displayName } = table;
	const field = option(table, unset, (value, label) =>
		isEmpty(value) ? undefined : parse(value, label),
	);
	const added: INodeProperties = {
		...table,
		typeOptions: undefined,
		displayOptions: { hide: { [name]: ADDED } },
	};
	const filled: INodeProperties = { ...table, displayOptions: { show: { [name]: ADDED } } };
	return {
		...field,
		options: [added, filled, { displayName, name, type: 'hidden', default: {} }],
	};
}

/** The rows of a table, or of a list that an expression gives; undefined if it is neither, or a row is none. */
export function rowsOf(value: unknown): Array<Record<string, Json>> | undefined {
	if (isRecord(value) && !('values' in value) && Object.keys(value).length > 0) return undefined;
	const rows: unknown = isRecord(value) ? (value.values ?? []) : value;
	if (!Array.isArray(rows)) return undefined;
	const all = rows.map((row: unknown) => (isEmpty(row) ? {} : row));
	return all.every(isRecord) ? all : undefined;
}

/**
 * JSON typed as text, or a value given by an expression; `null` counts as not set. `check` throws InputError for JSON
 * of another kind. `default` is JSON, too; `example` goes into the error for what is no JSON.
 */
export function jsonOption<T>(
	labels: Labels & { default: string },
	check: Parse<T>,
	example?: string,
): OptionField<T> {
	const label = labels.displayName;
	return option({ ...labels, type: 'json' }, check(JSON.parse(labels.default), label), (value) => {
		if (isEmpty(value)) return undefined;
		const json = typeof value === 'string' ? jsonFrom(value, label, example) : value;
		return json === null ? undefined : check(json, label);
	});
}

/** Throws InputError with the parser's own words, which say where the fault is. */
function jsonFrom(text: string, label: string, example?: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw notJson(label, error, example);
	}
}

const notJson = (label: string, error: unknown, example?: string) =>
	new InputError(
		`"${label}" is not valid JSON: ${asError(error).message}`,
		`${example ? `Write it like this: ${example}. ` : ''}${NOTHING_SENT}`,
	);

/** A JSON object as an option. `example`: what its errors show. */
export const jsonObjectOption = ({
	example,
	...labels
}: Labels & { example: string }): OptionField<IDataObject> =>
	jsonOption(
		{ ...labels, default: '{}' },
		(value, label) => {
			if (isRecord(value)) return value;
			throw new InputError(`"${label}" must be a JSON object, such as ${example}`);
		},
		example,
	);

/** Checks for `jsonOption`: an array. */
export const jsonArray: Parse<unknown[]> = (value, label) => {
	if (Array.isArray(value)) return value;
	throw new InputError(`"${label}" must be a JSON array`);
};

/** What is picked from a list, or named by its ID, and perhaps by its title. */
export interface LocatorSpec extends Omit<Labels, 'modes'> {
	default: { value: string; cachedResultName?: string };
	/** `search`: one of the node's methods of list search. */
	list: { placeholder: string; search: string };
	/** An id, for the placeholder. */
	example: string;
	/** Also to be named by its title. */
	title?: { displayName: string; placeholder: string };
}

/** A resource locator as the editor shows it. */
export function locatorProperty({ list, example, title, ...labels }: LocatorSpec): INodeProperties {
	const byTitle: INodePropertyMode[] = title ? [{ ...title, name: 'title', type: 'string' }] : [];
	return {
		...labels,
		type: 'resourceLocator',
		default: { mode: 'list', ...labels.default },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: list.placeholder,
				typeOptions: { searchListMethod: list.search, searchable: true },
			},
			{ displayName: 'ID', name: 'id', type: 'string', placeholder: `e.g. ${example}` },
			...byTitle,
		],
	};
}

/** What a locator holds. A plain value is what generated workflows have. */
export const locatorValue = (value: unknown): unknown => (isRecord(value) ? value.value : value);

/** How a locator names what it holds: `list`, `id` or `title`; undefined for a plain value. */
export const locatorMode = (value: unknown): unknown => (isRecord(value) ? value.mode : undefined);
