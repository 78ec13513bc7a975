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
		...{ model: 'm', response_format: { type: 'json_object' } },
		messages: [{ role: 'user', content }],
	}));
	return [one, other];
}
