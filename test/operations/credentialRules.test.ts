import { NodeHelpers } from 'n8n-workflow';
import { descriptions } from '../../nodes/SpeechGateway/operations/forms';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node';

test.each(descriptions.map((known) => [`${known.resource}.${known.operation}`, known] as const))(
	'%s asks for the credential exactly when it sends something, or may ask for prices',
	(_, { resource, operation, sends, asksForPrices }) => {
		const { description } = new SpeechGateway();
		const node = { typeVersion: 1 };
		expect(
			NodeHelpers.displayParameter(
				{ resource, operation },
				description.credentials![0],
				node,
				description,
			),
		).toBe(sends.length > 0 || asksForPrices === true);
	},
);
