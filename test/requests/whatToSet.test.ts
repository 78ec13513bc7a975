import { whatToSet } from '../../nodes/SpeechGateway/requests/whatToSet';

const told = (
	kind: 'speech' | 'job' | 'chat' | 'video' | 'voice',
	message: string,
	param?: string,
	voice?: string,
) => whatToSet({ kind, voice, words: { message, param } });

/** Words of services, and what to set. */
test.each([
	[
		'String should have at most 3000 characters',
		'input',
		'Lower the option "Max Segment Characters" to 3000 or less.',
	],
	[
		'input is too long (over 4096 characters)',
		'',
		'Lower the option "Max Segment Characters" to 4096 or less.',
	],
	[
		"Invalid 'input': string too long. Expected a string with maximum length 4096, but got a string with length 5000 instead.",
		'',
		'Lower the option "Max Segment Characters" to 4096 or less.',
	],
	[
		'Text exceeds the limit of 1,500 chars',
		'',
		'Lower the option "Max Segment Characters" to 1,500 or less.',
	],
	['Input text cannot be empty', 'input', 'Check the text.'],
	['Too long', '', 'Lower the option "Max Segment Characters".'],
	['string_too_long', 'input', 'Lower the option "Max Segment Characters".'],
	['String should have at least 10 characters', 'input', 'Check the text.'],
	[
		"Input should be 'pcm', 'mp3', 'wav', 'flac', 'opus' or 'aac'",
		'response_format',
		'Check the field "Audio Format": the gateway names pcm, mp3, wav, opus.',
	],
	["Invalid response_format: 'ogg'", 'response_format', 'Check the field "Audio Format".'],
	['opus is not a supported format', '', 'Check the field "Audio Format".'],
	[
		'Unsupported format. Supported formats: MP3, WAV',
		'',
		'Check the field "Audio Format": the gateway names mp3, wav.',
	],
	[
		"Voice 'nobody' not found. Available voices: af_bella, af_heart, af_nicole, af_sky, am_adam, bf_emma",
		'',
		'Check the field "Voice" ("nobody"): the gateway names af_bella, af_heart, af_nicole, af_sky, am_adam.',
	],
	[
		"Input should be 'alloy', 'echo' or 'fable'",
		'voice',
		'Check the field "Voice" ("nobody"): the gateway names alloy, echo, fable.',
	],
	[
		"Invalid value: 'nobody'. Supported values are: 'nova' and 'shimmer'.",
		'voice',
		'Check the field "Voice" ("nobody"): the gateway names nova, shimmer.',
	],
	[
		'voice must be one of [alloy, echo]',
		'',
		'Check the field "Voice" ("nobody"): the gateway names alloy, echo.',
	],
	['voice must be a string', '', 'Check the field "Voice" ("nobody").'],
	['nobody is on holiday', '', 'Check the field "Voice" ("nobody").'],
	['No such model, must be tts-1 or tts-1-hd.', 'model', 'Check the field "Model". {models}'],
	['The model is asleep', '', 'Check the field "Model". {models}'],
	['Must be faster', 'speed', 'Check the option "Speed".'],
	[
		'Input should be less than or equal to 2',
		'exaggeration',
		'Change or remove "exaggeration". Options and "Additional Body Fields" are sent unchanged.',
	],
])('%s (%s): %s', (message, param, expected) => {
	expect(told('speech', message, param, 'nobody')).toBe(expected);
});

test.each([
	[
		'the parameter before the words',
		'Voice and model are wrong',
		'response_format',
		/Audio Format/,
	],
	[
		'characters before the format',
		'A text of this format may have at most 300 characters',
		'',
		/300/,
	],
	['the format before the voice', 'This voice has no such format', '', /Audio Format/],
	['the voice before the model', 'This model has no such voice', '', /"Voice"/],
])('%s', (_, message, param, expected) => {
	expect(told('speech', message, param)).toMatch(expected);
});

test.each([
	'at most 200 tokens',
	'over 3 requests with characters',
	'a maximum of 4096 bytes, 100 characters',
])('%s is no number of characters', (message) => expect(told('speech', message)).toBeUndefined());

test('where the gateway names nothing, or its status, nothing is to be set', () => {
	expect(told('speech', 'bad response status code 422', '422')).toBeUndefined();
	expect(told('speech', 'No.')).toBeUndefined();
	// LiteLLM names it whatever it is.
	expect(told('speech', "Error code: 422 LiteLLM: model group 'x' failed")).toBeUndefined();
});

test('a job has no segments, and other requests have no voice', () => {
	expect(told('job', 'too long')).toBe('Shorten the text.');
	expect(told('job', 'at most 3000 characters')).toBe('Shorten the text: at most 3000 characters.');
	expect(told('voice', 'The voice is too quiet')).toBeUndefined();
	expect(told('chat', 'a format of at most 300 characters')).toBeUndefined();
	expect(told('video', 'No such model')).toBe('Check the field "Model". {models}');
	expect(told('voice', 'x', 'voice')).toMatch(/^Change or remove "voice"/);
});
