import type { INode } from 'n8n-workflow';
import { GatewayError, InputError } from '../../nodes/SpeechGateway/core/errors';
import { errorText, nodeError } from '../../nodes/SpeechGateway/run/errors';

const node = { name: 'Speech Gateway', type: 'speechGateway', parameters: {} } as unknown as INode;

test.each([
	['of the gateway', new GatewayError('The job "canceled-1" was Canceled', 'Ask.')],
	['of an input', new InputError('"canceled" is no format')],
	['of anything else', new Error('canceled')],
])('an error %s never says the word that ends an execution as canceled', (_, error) => {
	expect(errorText(error).message).not.toMatch(/canceled/i);
	expect(nodeError(node, errorText(error), {}).message).not.toMatch(/canceled/i);
	const raw = { message: error.message, description: '', details: {} };
	expect(nodeError(node, raw, {}).message).not.toMatch(/canceled/i);
});

test.each([{}, { httpCode: '503' }])(
	"n8n's own words for an error code do not replace ours: they say to retry",
	(details) => {
		const message = 'The connection was lost after the request was sent: ECONNRESET';
		const error = nodeError(node, { message, description: 'Look first.', details }, {});
		expect(error.message).toBe(message);
		expect(error.description).toBe('Look first.');
	},
);

test('the details are in the context, the status in its own place', () => {
	const details = { httpCode: '402', jobId: 'spj_1' };
	const error = nodeError(node, { message: 'No.', description: '', details }, { itemIndex: 3 });
	expect(error.context).toMatchObject({ jobId: 'spj_1', itemIndex: 3 });
	expect(error).toMatchObject({ httpCode: '402' });
});
