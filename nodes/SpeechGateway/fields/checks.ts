import { EmptyFieldError, InputError, NOTHING_SENT } from '../core/errors';

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

/** Empty, or nothing but white space. */
export const isBlankCell = (value: unknown): boolean =>
	isEmpty(value) || (typeof value === 'string' && value.trim() === '');

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

/** A text that is not blank; a number is one, too. Throws EmptyFieldError, or InputError for an object or a list. */
export function requiredText(value: unknown, label: string): string {
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	if (typeof value === 'string' && value.trim() !== '') return value;
	if (isEmpty(value) || typeof value === 'string')
		throw new EmptyFieldError(
			`"${label}" is required, but is empty`,
			'Fill it in, or check that its expression has a value for this item',
		);
	const isDate = value instanceof Date || 'toISO' in Object(value);
	const found = `${isDate ? 'a date: ' : ''}${JSON.stringify(value)?.slice(0, 80)}`;
	throw new InputError(
		`"${label}" must be a text, but is ${found}`,
		isDate
			? `Write it in words in its expression, such as {{ $now.toFormat('DDDD') }}. ${NOTHING_SENT}`
			: `Check its expression, which may need the name of a field, such as {{ $json.text }}. ${NOTHING_SENT}`,
	);
}

/** UTF-16 read as UTF-8: each second character is NUL, or the byte order mark has become two replacement characters. */
const MISREAD_UTF16 = /(?:[^\0]\0){2}|(?:\0[^\0]){2}|^\uFFFD\uFFFD(?=\S)/;
/** With fewer replacement characters, it may be a broken emoji or two. */
const MANY_UNREADABLE = 10;

/** Whether a file was read in an encoding that is not its own, so that hardly a word is left in it. */
function isMisread(text: string): boolean {
	if (MISREAD_UTF16.test(text)) return true;
	const unreadable = text.match(/\uFFFD/g)?.length ?? 0;
	return unreadable >= MANY_UNREADABLE && unreadable > (text.match(/\p{L}/gu)?.length ?? 0);
}

/**
 * A text to speak, without the NUL characters that some programs end texts with. Throws InputError for one that was
 * misread.
 */
export function spokenText(value: unknown, label: string): string {
	const text = requiredText(value, label);
	if (!isMisread(text)) return requiredText(text.replaceAll('\0', ''), label);
	throw new InputError(
		`"${label}" was read with the wrong encoding: it has NUL or replacement characters (U+FFFD) in the place of letters`,
		`Read the file again in its own encoding, which is probably UTF-16: in Extract from File, set the option "File Encoding" to "utf16". If HTTP Request fetches it, set its "Response Format" to "File" first. ${NOTHING_SENT}`,
	);
}

/** Names separated by commas, without spaces around them and without empty ones. */
export const listedNames = (list: string): string[] =>
	list
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
