import { describeOperation } from '../../fields/form';
import { limitField } from '../../fields/limit';
import { speechModelField } from '../../fields/model';
import { endpoints } from '../../gateway/endpoints';

export const voiceGetMany = describeOperation({
	resource: 'voice',
	operation: 'getMany',
	name: 'Get Many',
	action: 'Get many voices',
	description: 'List the voices your account has cloned. Free.',
	sends: [endpoints.voices],
	isList: true,
	input: { model: speechModelField, limit: limitField },
});
