import { jsonObject, jsonOption } from '../../run/fields/kinds';

/** What the gateway takes beyond the fields of this node. */
export const additionalBodyOption = (more: string) =>
	jsonOption(
		{
			displayName: 'Additional Body Fields',
			name: 'additionalBody',
			default: '{}',
			description: `Further fields of the request, as a JSON object; they are sent as they are. ${more}`,
		},
		jsonObject,
	);
