import type { Field } from './field';
import { numberField } from './kinds';

const limit = numberField({
	displayName: 'Limit',
	name: 'limit',
	min: 1,
	integer: true,
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
});

/** The number of results asked for; Infinity for all. */
export const limitField: Field<number> = {
	panel: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		...limit.panel,
	],
	options: [],
	read: (parameters) =>
		parameters.raw('returnAll', false) === true ? Infinity : limit.read(parameters),
};
