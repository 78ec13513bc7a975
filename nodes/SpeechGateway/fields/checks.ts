import { EmptyFieldError, InputError } from '../core/errors';

/** Checks of single values. Each throws InputError with the label, the limit and what was given. */

/** Both limits are included. */
export interface NumberLimits {
	min?: number;
	max?: number;
	integer?: boolean;
}

/** Nothing typed, or an expression without a value. White space is a value. */
export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** A number, also as text. Throws InputError with the limits when it is none, or outside of them. */
export function numberWithin(
	value: unknown,
	label: string,
	{ min, max, integer }: NumberLimits,
): number {
	// `Number` makes 0 of what is blank and of an empty list, and 0 often means "no limit".
	const isNumeric =
		typeof value === 'string'
			? value.trim() !== ''
			: typeof value === 'number' || typeof value === 'bigint';
	const number = isNumeric ? Number(value) : NaN;
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

/** One of the choices. Throws InputError that lists them. */
export function choice<T extends string>(value: unknown, label: string, choices: readonly T[]): T {
	const found = choices.find((one) => one === value);
	if (found !== undefined) return found;
	throw new InputError(
		`"${label}" must be one of ${choices.join(', ')}, but is ${JSON.stringify(value)}`,
	);
}

/** An id that becomes part of an address: `.` and `..` would leave it. */
export function safeId(id: string, label: string): string {
	if (id === '.' || id === '..')
		throw new InputError(`"${label}" is not an ID: ${JSON.stringify(id)}`);
	return id;
}

/** A text that is not blank; a number is one, too. Throws EmptyFieldError. */
export function requiredText(value: unknown, label: string): string {
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	if (typeof value === 'string' && value.trim() !== '') return value;
	const found =
		typeof value === 'string' || value === undefined || value === null
			? 'empty'
			: JSON.stringify(value)?.slice(0, 80);
	throw new EmptyFieldError(
		`"${label}" is required, but is ${found}`,
		'Fill it in, or check that its expression has a value for this item',
	);
}

/** Names separated by commas, without spaces around them and without empty ones. */
export const listedNames = (list: string): string[] =>
	list
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
