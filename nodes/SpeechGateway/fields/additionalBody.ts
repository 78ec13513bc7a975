import { jsonObjectOption } from './kinds';

/** Request fields that this node has no field for. */
export const additionalBodyOption = (more = '') =>
	jsonObjectOption({
		displayName: 'Additional Body Fields',
		name: 'additionalBody',
		description: `More fields for the request body, sent unchanged, as a JSON object${more}`,
		example: '{"seed": 7}',
	});
