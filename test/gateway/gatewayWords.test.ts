import { gatewayWords } from '../../nodes/SpeechGateway/gateway/gatewayWords';

test.each<[string, unknown]>([
	[
		'of two texts, the one that says more',
		{ error: 'An internal server error occurred', details: 'No.' },
	],
	['wherever it stands', { detail: 'No.', message: 'Bad Request' }],
	['after a reason phrase', { status: 503, error: 'Service Unavailable', message: 'No.' }],
	['of a list', { message: 'Validation failed', errors: [{ field: 'speed', message: 'No.' }] }],
	['of an object', { error: { message: 'Internal Server Error', details: { reason: 'No.' } } }],
	['of objects in each other', { error: 'Error', details: { error: { message: 'No.' } } }],
	['where a message is an object', { message: { text: 'No.' } }],
	['where details are a list of texts', { error: 'Error.', details: ['No.', 'Never.'] }],
	['where a message is JSON', { code: 'x', message: '{"error":{"message":"No."}}', data: null }],
	[
		'the first, if neither is general',
		{ error: { message: 'No.' }, details: 'Never, as long as I live.' },
	],
	['the first, if both are', { error: 'No.', details: 'Server error' }],
	['a general one that is alone', 'No.'],
])('what is quoted: %s', (_, body) => {
	expect(gatewayWords(body).message).toBe('No.');
});

test('a message that is a number in JSON, or no error, stays as it is', () => {
	for (const message of ['12', '{"a":1}', '[]', '{'])
		expect(gatewayWords({ message }).message).toBe(message);
});

test('only general words are better than none', () => {
	expect(gatewayWords({ error: 'An internal server error occurred' }).message).toBe(
		'An internal server error occurred',
	);
	expect(gatewayWords({ error: { message: 'Internal Server Error' }, details: {} }).message).toBe(
		'Internal Server Error',
	);
});
