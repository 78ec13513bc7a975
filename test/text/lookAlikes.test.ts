import { chatterIn, looksLike } from '../../nodes/SpeechGateway/text/lookAlikes';

test.each([
	['Markdown', 'See [the docs](https://example.com).'],
	['Markdown', '![A cat](/cat.png) A cat.'],
	['Markdown', 'a | b\n--- | ---|\n1 | 2\n\n| a | b |\n|---|:-:|\n| 1 | 2 |'],
	['Markdown', '# News\n\nIt is **very** cold.'],
	['Markdown', 'We need:\n\n- milk\n- `bread`'],
	['Markdown', '> A quote\n\n**Bold**'],
	['HTML', '<p>Hello <b>world</b>.</p>'],
	['HTML', '<div class="x"><h1>News</h1></div>'],
	['HTML', 'See <a href="https://example.com">this</a>.'],
	['HTML', 'One<br>two<br/>three'],
	['HTML', '<!DOCTYPE html><html><body>Hi</body></html>'],
])('looks like %s: %j', (format, text) => {
	expect(looksLike(text)).toBe(format);
});

test.each([
	'  *Hello* (happy) <b>world</b> & [more](x) \n\n 2 * 3 ',
	'# Weather\n\nIt rains.',
	'This is **very** cold.',
	'- milk\n- bread',
	'if a < b and c > d then <p>',
	'<speak><p>Hello.</p><p>World.</p></speak>',
	'[whispering] Come here. [laughs](softly)',
	'He said: «No». — Why?',
	'---',
	'One --- two',
])('is plain: %j', (text) => expect(looksLike(text)).toBeUndefined());

test.each([
	["Sure! Here's a script about cats:\n\nCats sleep.", ["Sure! Here's a script about cats:"]],
	['Here is your script:\nAnna: Hi.', ['Here is your script:']],
	['**Certainly! The text:**\n\nCats sleep.', ['**Certainly! The text:**']],
	['Certainly! The text:**\r\n\r\nCats sleep.', ['Certainly! The text:**']],
	['Hier ist dein Skript:\n\nKatzen schlafen.', ['Hier ist dein Skript:']],
	['以下是您的文本：\n\n猫睡觉。', ['以下是您的文本：']],
	['```text\nCats sleep.\n```', ['```text']],
	[
		'Here is the script:\n```\nCats sleep.\n```\nLet me know if you want it longer!',
		['Here is the script:', '```', 'Let me know if you want it longer!'],
	],
	[
		'Cats sleep.\n\nWould you like me to add a second part?\n',
		['Would you like me to add a second part?'],
	],
])('what a chat model adds: %j', (text, words) => expect(chatterIn(text)).toEqual(words));

test.each([
	'Sure. He left.\nShe stayed.',
	'Here is the news:\nIt rains.',
	'Surely this: no.\nYes.',
	'Let me know what you think in the comments!',
	'He said: let me know if it rains.',
	'Use `this`.\n```\nx\n```\n',
])('what belongs to a text: %j', (text) => expect(chatterIn(text)).toEqual([]));

test('long texts', () => {
	for (const part of [
		'[a](',
		'**a ',
		'`a',
		'- a\n',
		'<br>',
		'|-',
		'Sure',
		'a\n',
		'> ',
		'\n',
		' ',
	]) {
		const text = part.repeat(300_000 / part.length);
		looksLike(text);
		chatterIn(text);
	}
});
