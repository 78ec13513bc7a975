import type { IDataObject, IExecuteFunctions, INodeParameterResourceLocator } from 'n8n-workflow';
import { asError, InputError } from '../../core/errors';
import { isRecord } from '../../core/explain';

/** Typed reading of one item's parameters. Every method throws InputError with field, limit and what was given. */
export class Parameters {
	private cachedOptions: IDataObject | undefined;

	constructor(
		readonly context: IExecuteFunctions,
		readonly index: number,
	) {}

	raw(name: string, fallback?: unknown): unknown {
		return this.context.getNodeParameter(name, this.index, fallback as object);
	}

	/** A required text; the label is for the error. */
	text(name: string, label: string): string {
		return requiredText(this.raw(name, ''), label);
	}

	/** The id behind a resource locator (or a plain string from older or generated workflows). */
	locator(name: string, label: string): string {
		const value = this.raw(name, '') as INodeParameterResourceLocator | string;
		return requiredText(typeof value === 'object' && value !== null ? value.value : value, label);
	}

	/** An id that becomes part of an address: `.` and `..` would leave it. */
	id(name: string, label: string): string {
		return safeId(this.text(name, label).trim(), label);
	}

	option(name: string): unknown {
		this.cachedOptions ??= this.context.getNodeParameter('options', this.index, {}) as IDataObject;
		return this.cachedOptions[name];
	}

	textOption(name: string): string | undefined {
		const value = this.option(name);
		return value === undefined || value === null || value === '' ? undefined : String(value);
	}

	flagOption(name: string, fallback: boolean): boolean {
		const value = this.option(name);
		return value === undefined ? fallback : value === true || value === 'true';
	}

	/** A number option within its limits; undefined when it is not set and has no fallback. */
	numberOption(name: string, label: string, limits: NumberLimits): number | undefined;
	numberOption(name: string, label: string, limits: NumberLimits, fallback: number): number;
	numberOption(
		name: string,
		label: string,
		limits: NumberLimits,
		fallback?: number,
	): number | undefined {
		return numberWithin(this.option(name), label, limits) ?? fallback;
	}

	choiceOption<T extends string>(
		name: string,
		label: string,
		choices: readonly T[],
		fallback: T,
	): T {
		const value = this.option(name);
		return value === undefined || value === '' ? fallback : choice(value, label, choices);
	}

	/** A JSON option typed as text or given as an object by an expression; undefined when empty. */
	jsonOption(name: string, label: string): unknown {
		const value = this.option(name);
		if (value === undefined || value === null || value === '') return undefined;
		if (typeof value !== 'string') return value;
		try {
			return JSON.parse(value);
		} catch (error) {
			throw notJson(label, error);
		}
	}

	/** A JSON object option; {} when empty. */
	objectOption(name: string, label: string): IDataObject {
		const value = this.jsonOption(name, label) ?? {};
		if (isRecord(value)) return value as IDataObject;
		throw new InputError(`"${label}" must be a JSON object, such as {"seed": 7}`);
	}
}

const notJson = (label: string, error: unknown) =>
	new InputError(`"${label}" is not valid JSON: ${asError(error).message}`);

interface NumberLimits {
	min?: number;
	max?: number;
	integer?: boolean;
}

function numberWithin(
	value: unknown,
	label: string,
	{ min, max, integer }: NumberLimits,
): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const number = typeof value === 'boolean' ? NaN : Number(value);
	const fits =
		Number.isFinite(number) &&
		(min === undefined || number >= min) &&
		(max === undefined || number <= max) &&
		(!integer || Number.isInteger(number));
	if (fits) return number;
	const kind = integer ? 'a whole number' : 'a number';
	const range =
		min !== undefined && max !== undefined
			? ` from ${min} to ${max}`
			: min !== undefined
				? ` of at least ${min}`
				: max !== undefined
					? ` of at most ${max}`
					: '';
	throw new InputError(`"${label}" must be ${kind}${range}, but is ${JSON.stringify(value)}`);
}

export function choice<T extends string>(value: unknown, label: string, choices: readonly T[]): T {
	const found = choices.find((known) => known === value);
	if (found !== undefined) return found;
	throw new InputError(
		`"${label}" must be one of ${choices.join(', ')}, but is ${JSON.stringify(value)}`,
	);
}

export function safeId(id: string, label: string): string {
	if (id === '.' || id === '..')
		throw new InputError(`"${label}" is not an id: ${JSON.stringify(id)}`);
	return id;
}

/** A value that must be a text and not blank; the label is for the error. */
export function requiredText(value: unknown, label: string): string {
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	if (typeof value === 'string' && value.trim() !== '') return value;
	const given =
		typeof value === 'string' || value === undefined || value === null
			? 'empty'
			: JSON.stringify(value)?.slice(0, 80);
	throw new InputError(`"${label}" is required, but is ${given}`);
}
