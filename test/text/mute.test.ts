import fc from 'fast-check';
import { isSpeakable, segmentText } from '../../nodes/SpeechGateway/text/segment';

const texts = (text: string, maxCharacters: number) =>
	segmentText(text, { maxCharacters }).map((segment) => segment.text);

describe('what cannot be spoken is no segment of its own', () => {
	const sentence = 'A sentence of some length stands here.';
	test.each(['* * *', '---', '⁂', '***', '• • •', '— — —', '~', '#', '❦', '…'])(
		'a separator: %s',
		(separator) => {
			const source = [sentence, separator, sentence, separator, sentence].join('\n\n');
			for (let limit = 10; limit < 60; limit++) {
				for (const text of texts(source, limit)) {
					expect([limit, text, isSpeakable(text)]).toEqual([limit, text, true]);
				}
			}
		},
	);
	test('at both ends', () => {
		const source = `* * *\n\n${sentence}\n\n${sentence}\n\n* * *`;
		expect(texts(source, 50)).toEqual([`* * *\n\n${sentence}`, `${sentence}\n\n* * *`]);
	});
	test('a text without a letter or digit', () => {
		for (const text of ['', ' ', '* * *', ...'…!? —— () ❦ # *\uFE0F \uFE0F ‼ ⁉️'.split(' ')])
			expect([text, isSpeakable(text)]).toEqual([text, false]);
		for (const text of 'a 1 你 ٣ ก ½ 🙂 ❤️ ❤ 🎙 ☎ 🇩🇪 #️⃣ 👋🏽 © ™'.split(' '))
			expect([text, isSpeakable(text)]).toEqual([text, true]);
	});
	test('in any text where a neighbour has room', () => {
		const piece = fc.constantFrom(
			'Word here.',
			'more of it',
			'* * *',
			'—',
			'…',
			'\n\n',
			'\n',
			' ',
			'“',
			'!',
		);
		fc.assert(
			fc.property(
				fc.array(piece, { maxLength: 60 }),
				fc.integer({ min: 40, max: 80 }),
				(list, limit) => {
					const source = list.join(' ');
					const longest = Math.max(0, ...source.split(/[\p{L}\p{N}]+/u).map((part) => part.length));
					fc.pre(isSpeakable(source) && longest < limit / 2);
					for (const text of texts(source, limit))
						expect([text, isSpeakable(text)]).toEqual([text, true]);
				},
			),
			{ numRuns: 500 },
		);
	});
});
