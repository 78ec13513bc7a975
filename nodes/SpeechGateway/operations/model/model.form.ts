import { describeResource } from '../../fields/form';
import { limitField } from '../../fields/shared';
import { endpoints } from '../../gateway/endpoints';

/** The resource Model: what `GET /v1/models` lists for the account. */
export const model = describeResource('model', {
	getMany: {
		name: 'Get Many',
		action: 'Get many models',
		description: 'List the models your account can use. Free.',
		sends: [endpoints.models],
		isList: true,
		input: { limit: limitField },
	},
});
