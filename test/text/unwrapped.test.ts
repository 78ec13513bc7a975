import { unwrapped } from '../../nodes/SpeechGateway/text/unwrapped';

test('the wrap of a paragraph ends no line', () => {
	const text =
		'It was late, and the rain that had begun at noon still\nfell on the roofs of the town. Nobody was out but the\nold man with his dog.\n\nThen it stopped.';
	const [first, second] = unwrapped(text);
	expect(first).toMatch(/^It was late.* still fell .* but the old man with his dog\.$/);
	expect(second).toBe('Then it stopped.');
	expect(unwrapped(text.replaceAll('\n', '\r\n'))).toEqual([first, second]);
});
test('a dash or a number at the beginning of a line is no list', () => {
	const text =
		'It was late, and the rain that had begun at noon\n– nobody knew why – fell on the roofs until the\n3. May, when it stopped at last.';
	expect(unwrapped(text)).toHaveLength(1);
});
test.each([
	'milk, two bottles\nbread, one loaf',
	'Two roads diverged in a yellow wood one day,\nAnd sorry that I could not travel on both\nAnd be one traveller, long I stood and looked',
	'A short line of a list\nA much longer line of the same list that is no wrap\nx',
	'One.\nTwo.',
	'- Buy two bottles of milk from the shop\n- Buy two loaves of bread at the baker’s',
	'[12/05/24, 10:32:01] Ben: a picture of rain\n[12/05/24, 10:33:00] Ben: and some',
	'The first of these lines is a whole sentence.\nThe other one of them is another sentence, too.',
])('these lines stand for themselves: %j', (text) => {
	expect(unwrapped(text)).toEqual(text.split('\n'));
});
