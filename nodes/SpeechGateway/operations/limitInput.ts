import { InputError } from '../core/errors';
import type { Parameters } from '../run/fields/parameters';

/** The number of results asked for; Infinity for all. */
export function readLimit(parameters: Parameters): number {
	if (parameters.raw('returnAll', false) === true) return Infinity;
	const limit = Number(parameters.raw('limit', 50));
	if (Number.isInteger(limit) && limit >= 1) return limit;
	throw new InputError(
		`"Limit" must be a whole number of at least 1, but is ${JSON.stringify(parameters.raw('limit'))}`,
	);
}
