/**
 * What identifies speech besides its words and its voice (`mannerOf`) decides alike wherever somebody asks "is this the same
 * speech?". A field that one of these places did not know was paid for twice. New options are tested by themselves.
 */
import { type Manner, mannerOf } from '../../nodes/SpeechGateway/fields/speech';
import { narration } from '../../nodes/SpeechGateway/operations/speech/narration';
import type { ItemLedger } from '../../nodes/SpeechGateway/requests/itemLedger';
import { requestKey } from '../../nodes/SpeechGateway/requests/requestKey';
import type { NarrationInput, Plan } from '../../nodes/SpeechGateway/speech/plan';
import { speechBody } from '../../nodes/SpeechGateway/speech/speaking';

const plain = { model: 'fish-speech', responseFormat: 'mp3', longText: 'auto' } as NarrationInput;
const plan = { pauseBeforeMs: 0, text: 'One. Two.', segments: [{}, {}] } as Plan;
const { asks, retryWith } = narration<NarrationInput>(() => plan, String);

const FIELDS = Object.keys(mannerOf(plain)) as Array<keyof Manner>;
const changed = (field: keyof Manner): NarrationInput => ({
	...plain,
	[field]: field === 'additionalBody' ? { seed: 7 } : 'other',
});

describe.each(FIELDS)('another %s', (field) => {
	const bodyOf = (input: NarrationInput) => speechBody(input, 'One.', 'anna');

	test('is sent, and asks for something else', () => {
		const [before, now] = [bodyOf(plain), bodyOf(changed(field))];
		expect(Object.values(now)).toContain(field === 'additionalBody' ? 7 : 'other');
		expect(requestKey('speech', now)).not.toBe(requestKey('speech', before));
		expect(asks(changed(field), plan)).not.toEqual(asks(plain, plan));
	});

	test('does not change what is paid for in part', () => {
		const ledger = { sentSegments: [], voices: {} } as Partial<ItemLedger> as ItemLedger;
		const retried = retryWith(plain, changed(field), ledger);
		expect(bodyOf(retried)).toEqual(bodyOf(plain));
	});
});

test('a field that is not set is not sent', () => {
	expect(Object.keys(speechBody(plain, 'One.', 'default'))).toEqual([
		'model',
		'response_format',
		'input',
	]);
});
