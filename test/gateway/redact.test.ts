import { Redactor } from '../../nodes/SpeechGateway/gateway/redact';

const KEY = ['sk', 'Test/0123+abc"XYZ'].join('-');
const redactor = new Redactor(KEY);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (character: string) => character.charCodeAt(0).toString(16);

const spellings: Array<[string, string]> = [
	['as it is', KEY],
	['as JSON', JSON.stringify(KEY).slice(1, -1)],
	['as JSON within JSON', JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
	['with an escaped slash', KEY.replace('/', '\\/')],
	['as JSON escapes', [...KEY].map((c) => `\\u00${hex(c)}`).join('')],
	['as JSON escapes in capitals', [...KEY].map((c) => `\\u00${hex(c).toUpperCase()}`).join('')],
	['with JSON escapes of its signs', KEY.replace(/[^\w-]/g, (c) => `\\u00${hex(c)}`)],
	['with HTML escapes of its signs', KEY.replace(/[^\w-]/g, (c) => `&#${c.charCodeAt(0)};`)],
	['with HTML names', KEY.replaceAll('"', '&quot;')],
	[
		'percent-encoded in small letters',
		encodeURIComponent(KEY).replace(/%../g, (c) => c.toLowerCase()),
	],
	['percent-encoded', encodeURIComponent(KEY)],
	['percent-encoded twice', encodeURIComponent(encodeURIComponent(KEY))],
	['percent-encoded throughout', [...KEY].map((c) => `%${hex(c)}`).join('')],
	['as HTML', [...KEY].map((c) => `&#x${hex(c)};`).join('')],
	['as decimal HTML', [...KEY].map((c) => `&#${c.charCodeAt(0)};`).join('')],
	['in base64', base64(KEY)],
	['in base64 of the header', base64(`Bearer ${KEY}`)],
	['in base64 of a login', base64(`user:${KEY}`)],
	['in base64 between other things', base64(`{"k":"${KEY}","a":1}`)],
	['in base64url', Buffer.from(`xx${KEY}`).toString('base64url')],
];

/** Nothing of a spelling that is as long as a third of it. */
const expectNothingOf = (spelled: string, text: string) => {
	const length = Math.ceil(spelled.length / 3);
	for (let at = 0; at + length <= spelled.length; at++)
		expect(text).not.toContain(spelled.slice(at, at + length));
};

describe.each(spellings)('the key %s', (name, spelled) => {
	test('is blotted out of a text', () => {
		const clean = redactor.text(`before ${spelled} after`);
		expect(clean).toMatch(/^before .*\*\*\*.* after$/);
		if (!name.includes('base64')) expect(clean).toBe('before *** after');
		else expectNothingOf(base64(KEY), clean);
	});

	test('is blotted out of a stream, wherever it is cut', () => {
		const text = `before ${spelled} after`;
		for (let at = 1; at < text.length; at++) {
			const stream = redactor.stream();
			const shown = stream.push(text.slice(0, at)) + stream.push(text.slice(at)) + stream.end();
			expect(shown).toBe(redactor.text(text));
		}
		const stream = redactor.stream();
		const shown = [...text].map((c) => stream.push(c)).join('') + stream.end();
		expect(shown.length).toBeLessThan(text.length);
		if (!name.includes('base64')) expect(shown).toBe('before *** after');
	});
});

test('in the texts and field names of JSON, and in nothing else', () => {
	const value = { [KEY]: [`a ${KEY}`, 1, null, true, { deep: KEY }], other: 'same' };
	expect(redactor.value(value)).toEqual({
		'***': ['a ***', 1, null, true, { deep: '***' }],
		other: 'same',
	});
	const odd = JSON.parse('{"__proto__": {"x": "y"}}') as unknown;
	expect(Object.keys(redactor.value(odd) as object)).toEqual(['__proto__']);
});

test.each(['', '…', '"', '…"'])('a key that was cut off before %j', (end) => {
	const key = ['sk', '0123456789abcdef'].join('-');
	for (let length = 8; length < key.length; length++) {
		const cut = new Redactor(key).text(`said ${key.slice(0, length)}${end}`);
		expect(cut).toBe(`said ***${end}`);
	}
});

test('a key with signs of escapes in it that was cut off, as it is and percent-encoded', () => {
	const odd = ['a.b%c&d', 'e/9876543210'].join('');
	for (const form of [odd, encodeURIComponent(odd)])
		expect(new Redactor(odd).text(`said ${form.slice(0, -3)}`)).toBe('said ***');
});

test('a stream holds back no more than what may be the key', () => {
	const stream = redactor.stream();
	expect(stream.push('Hello')).toBe('Hello');
	expect(stream.push(' ask')).toBe(' a');
	expect(stream.push(' me')).toBe('sk me');
	expect(stream.push('你好，世界。')).toBe('你好，世界。');
	expect(stream.push('sk')).toBe('');
	expect(stream.end()).toBe('sk');
	expect(stream.end()).toBe('');
});

test('a key that is too short to be one blots nothing out', () => {
	for (const key of ['', 'abc']) {
		const short = new Redactor(key);
		expect(short.text('abc abcd')).toBe('abc abcd');
		expect(short.value({ abc: 'abc' })).toEqual({ abc: 'abc' });
		const stream = short.stream();
		expect(stream.push('abc') + stream.end()).toBe('abc');
	}
});

test('a text full of blanks is read through once: one that is read again from each of them takes hours', () => {
	const blanks = ' '.repeat(3_000_000);
	expect(redactor.text(`a${blanks}b${blanks}`)).toBe(`a${blanks}b${blanks}`);
});

test('of several keys, each is blotted out, however often it is learned', () => {
	const both = new Redactor(KEY);
	const other = ['sk', 'another-0123456789'].join('-');
	for (const key of [other, KEY, other]) both.learn(key);
	expect(both.text(`${KEY} and ${other}, ${encodeURIComponent(KEY)}`)).toBe('*** and ***, ***');
	expect(both.text(`cut: ${other.slice(0, -2)}`)).toBe('cut: ***');
	expect([other, KEY, 'sk-quite-another-key'].map((key) => both.isOther(key))).toEqual([
		false,
		false,
		true,
	]);
});
