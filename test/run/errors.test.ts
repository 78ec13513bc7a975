import type { INode } from 'n8n-workflow';
import { GatewayError, InputError } from '../../nodes/SpeechGateway/core/errors';
import { getMany } from '../../nodes/SpeechGateway/operations/model/getMany';
import { errorText, nodeError, runError } from '../../nodes/SpeechGateway/run/errors';

const node = { name: 'Speech Gateway', type: 'speechGateway', parameters: {} } as unknown as INode;

test.each([
	['of the gateway', new GatewayError('The job "canceled-1" was Canceled', 'Ask.')],
	['of an input', new InputError('"canceled" is no format')],
	['of anything else', new Error('canceled')],
])('an error %s never says the word that ends an execution as canceled', (_, error) => {
	expect(errorText(error).message).not.toMatch(/canceled/i);
	expect(nodeError(node, errorText(error)).message).not.toMatch(/canceled/i);
	const raw = { message: error.message, description: '', details: {} };
	expect(nodeError(node, raw).message).not.toMatch(/canceled/i);
});

test.each([{}, { httpCode: '503' }])(
	"n8n's own words for an error code do not replace ours: they say to retry",
	(details) => {
		const message = 'The connection was lost after the request was sent: ECONNRESET';
		const error = nodeError(node, { message, description: 'Look first.', details });
		expect(error.message).toBe(message);
		expect(error.description).toBe('Look first.');
	},
);

test('the details are in the context, the status in its own place', () => {
	const details = { httpCode: '402', jobId: 'spj_1' };
	const error = nodeError(node, { message: 'No.', description: '', details });
	expect(error.context).toMatchObject({ jobId: 'spj_1' });
	expect(error).toMatchObject({ httpCode: '402' });
});

test('the title of an error has one number of the item: the editor adds its own to none', () => {
	const failure = { index: 1, kept: 0, error: new InputError('No.'), operation: getMany };
	const errorOf = (count: number) => runError({ getNode: () => node }, { ...failure, count });
	expect(errorOf(5).message).toBe('No. (item 2 of 5)');
	// The editor appends this one, counted from 0, wherever there is one.
	expect(errorOf(5).context.itemIndex).toBeUndefined();
});
