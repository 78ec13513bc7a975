import { jsonObjectOption } from './kinds';

/** Request fields that this node has no field for. */
export const additionalBodyOption = (more: string) =>
	jsonObjectOption({
		displayName: 'Additional Body Fields',
		name: 'additionalBody',
		description: `More fields for the request body, as a JSON object. They are sent unchanged. ${more}`,
		example: '{"seed": 7}',
	});
