import { endpoints } from '../../gateway/endpoints';
import { describeOperation } from '../../fields/form';
import { limitField } from '../../fields/limit';

export const modelGetMany = describeOperation({
	resource: 'model',
	operation: 'getMany',
	name: 'Get Many',
	action: 'Get many models',
	description: 'List the models your account can use. Free.',
	sends: [endpoints.models],
	isList: true,
	input: { limit: limitField },
});
