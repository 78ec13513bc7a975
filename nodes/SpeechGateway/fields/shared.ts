import { MAX_PAUSE_MILLISECONDS } from '../core/limits';
import type { Field } from './field';
import { numberWithin } from './checks';
import { flag, jsonObjectOption, numberOption } from './kinds';

/** Request fields that this node has no field for. `more`: an end of the description, for what is usual here. */
export const additionalBodyOption = (more = '') =>
	jsonObjectOption({
		displayName: 'Additional Body Fields',
		name: 'additionalBody',
		description: `More fields for the request body, sent unchanged, as a JSON object${more}`,
		example: '{"seed": 7}',
	});

/** Silence somewhere in a file, in milliseconds. It is made by the node: nothing is sent or charged for it. */
export const pauseOption = (labels: { displayName: string; name: string; description: string }) =>
	numberOption({
		...labels,
		hint: 'Milliseconds',
		min: 0,
		max: MAX_PAUSE_MILLISECONDS,
		default: 0,
	});

const returnAll = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} as const;

const limit = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
} as const;

/** The number of results asked for; Infinity for all. */
export const limitField: Field<number> = {
	panel: [returnAll, { ...limit, displayOptions: { show: { returnAll: [false] } } }],
	options: [],
	read(parameters) {
		const isAll = flag(parameters.raw(returnAll.name, false), returnAll.displayName);
		if (isAll) return Infinity;
		const most = parameters.raw(limit.name, limit.default);
		return numberWithin(most, limit.displayName, { min: 1, integer: true });
	},
};
