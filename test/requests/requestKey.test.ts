import { requestKey } from '../../nodes/SpeechGateway/requests/requestKey';

const body = { model: 'fish-speech', input: 'One.\nTwo.', response_format: 'mp3' };
const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

test.each([
	['other line breaks', 'speech', body, { ...body, input: ' One. Two. ' }],
	['a speed of 1', 'speech', body, { ...body, speed: 1 }],
	['a streamed answer', 'chat', chat, { ...chat, stream: true }],
])('%s: the same request', (_, kind, one, other) => {
	expect(requestKey(kind, other)).toBe(requestKey(kind, one));
});

test.each([
	['words', 'speech', body, { ...body, input: 'One.' }],
	['case', 'speech', body, { ...body, input: 'one.\nTwo.' }],
	['model', 'speech', body, { ...body, model: 'other' }],
	['voice', 'speech', body, { ...body, voice: 'anna' }],
	['speed', 'speech', body, { ...body, speed: 1.1 }],
	['format', 'speech', body, { ...body, response_format: 'wav' }],
	['messages, with a response format', 'chat', ...asked('One?', 'Two?')],
])('another %s: another request', (_, kind, one, other) => {
	expect(requestKey(kind, other)).not.toBe(requestKey(kind, one));
});

test('a job is not the same as a request', () => {
	expect(requestKey('job', body)).not.toBe(requestKey('speech', body));
});

function asked(...contents: [string, string]): [object, object] {
	const [one, other] = contents.map((content) => ({
		model: 'm',
		response_format: { type: 'json_object' },
		messages: [{ role: 'user', content }],
	}));
	return [one, other];
}

/**
 * What was paid for is found by these keys: in failed executions, in files, and in the table of results. With another key
 * it would be sent, and charged, again. A new option may add a field where it is set; nothing is ever added to the others.
 */
test.each([
	['speech', {}, '047eabd75b53fe1e723db99d95514070bba09316bf20e5023928ac11711d0b98'],
	['job', {}, 'fec6759d267e1fe2a7d4d6cc4e056620f8d03e8cf090d5efb73fad5f7e463b27'],
	[
		'speech',
		{ voice: 'anna', speed: 1.25, pitch: 2, emotion: 'calm' },
		'3e4d3c28620d4809eaaa4323f717cb609478443fcd40102beaa61beb080a60dd',
	],
])('the key of a %s with %j is what it has always been', (kind, more, key) => {
	expect(requestKey(kind, { ...body, ...more })).toBe(key);
});

test('of a chat, too', () => {
	expect(requestKey('chat', chat)).toBe(
		'776b68bdc488bbb83299e8992fce0e7f162f60b54a837c5eb1c669a3eb582dc5',
	);
});
