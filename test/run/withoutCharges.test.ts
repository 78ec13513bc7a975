import { wordsWithoutCharges } from '../../nodes/SpeechGateway/run/withoutCharges';

test.each([
	['Nothing was sent and nothing was charged.', 'Nothing was sent.'],
	['Try again later. This request was not charged.', 'Try again later.'],
	[
		'1 of 2 items is done, paid and kept. Another click on Execute sends all 2 again, and charges them. Retry this execution: what is done is not sent or charged again.',
		'1 of 2 items is done and kept. Another click on Execute sends all 2 again. Retry this execution: what is done is not sent again.',
	],
	[
		'2 of 5 items have no audio; nobody knows yet whether they were charged (504), and nothing is connected to "Unknown"',
		'2 of 5 items have no audio (504), and nothing is connected to "Unknown"',
	],
	[
		'Look up whether it was charged, with Account → Settle or in the usage log of the gateway. If not, send this item again in a new execution. If it was, that would be charged a second time.',
		'Send this item again in a new execution.',
	],
	[
		'No further segment was sent, and none that is paid for is lost. They are attached.',
		'No further segment was sent, and none is lost. They are attached.',
	],
	// What others say.
	[
		'It was not charged. The gateway says: "You were charged. Pay 5 tokens."',
		'The gateway says: "You were charged. Pay 5 tokens."',
	],
	['Change "Text to be charged" and go.', 'Change "Text to be charged" and go.'],
	// It says nothing else.
	['It was charged.', ''],
	['', ''],
])('%j', (text, without) => {
	expect(wordsWithoutCharges(text)).toBe(without);
});
