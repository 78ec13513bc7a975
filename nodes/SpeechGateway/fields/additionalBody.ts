import { jsonObject, jsonOption } from './kinds';

/** What the gateway takes beyond the fields of this node. */
export const additionalBodyOption = (more: string) =>
	jsonOption(
		{
			displayName: 'Additional Body Fields',
			name: 'additionalBody',
			default: '{}',
			description: `More fields for the request body, as a JSON object. They are sent unchanged. ${more}`,
		},
		jsonObject,
	);
