import { toneTags, withoutTags } from '../../nodes/SpeechGateway/text/toneTags';
import type { TextOptions } from '../../nodes/SpeechGateway/text/prepare';
import { prepare } from './prepared';

const tagsOf = (text: string) =>
	toneTags(text, 'tags').map(({ start, end }) => text.slice(start, end));
const shown = (text: string, parentheses: 'tags' | 'readAloud' = 'tags') =>
	withoutTags(text, toneTags(text, parentheses));

const TAGS =
	'[whispering]¦[laughs nervously]¦[laughing nervously. Trying to keep composure]¦' +
	'[in a low, threatening voice — almost a growl]¦[pause]¦[long pause]¦[笑]¦［ため息］¦[мягко, с улыбкой]¦' +
	'[2 beats]¦(happy)¦(in a hurry tone)¦（开心）¦(sighs, tired)¦' +
	'(laughing nervously, trying to keep composure)';
const NO_TAGS =
	'[1]¦[12, 13]¦[x]¦[ ]¦[…]¦[^note]¦[note 3]¦[docs](https://example.com)¦[docs][1]¦' +
	'[docs]: https://example.com¦[Speaker 1]: Hi¦[[Wiki page]]¦[https://example.com]¦[me@example.com]¦' +
	'[pause 1.5s]¦[pause 500ms]¦[never closed¦list[index]¦item(s)¦f(x)¦my friend (Anna)¦He came (1998).¦' +
	'it was, (as you all know very well by now), late¦[one\n\ntwo]';
describe('what a tag is', () => {
	test.each([...TAGS.split('¦'), `[${'y'.repeat(60)}]`])('%s', (tag) => {
		expect(tagsOf(`${tag} Hello.`)).toEqual([tag]);
		expect(tagsOf(`Hello. ${tag}`)).toEqual([tag]);
		expect(shown(`${tag} Hello.`)).toBe('Hello.');
	});
	test.each([...NO_TAGS.split('¦'), `[${'y'.repeat(61)}]`])('no tag: %s', (text) => {
		expect(tagsOf(text)).toEqual([]);
		expect(shown(text)).toBe(text);
	});
});

describe('what is shown', () => {
	test.each([
		[
			'(happy) Good morning. （开心）早上好。 I left (in a hurry tone), you know.',
			'Good morning. 早上好。 I left, you know.',
		],
		['(Sad)(Slowly) Good night.', 'Good night.'],
		['[excited][laughs] Good night.', 'Good night.'],
		['One.\n[sighs] Two.\n\n[laughs]\n', 'One.\nTwo.\n\n\n'],
		['(laughing)', ''],
		['One （laughs）two, three(laughs)four.', 'One two, three(laughs)four.'],
		['我（笑）来了。', '我来了。'],
		['He left (Happy) at last (see below).', 'He left at last.'],
		['Wait [beat], what [gasps]?', 'Wait, what?'],
		['One *(laughs)* two. **[sighs]** Three.', 'One two. Three.'],
	])('%j', (text, expected) => expect(shown(text)).toBe(expected));
	test('with parentheses read aloud, only known tones are left out', () => {
		expect(shown('(happy) It [softly] works (see below) [the plan].', 'readAloud')).toBe(
			'It works (see below) [the plan].',
		);
	});
});

/** What is sent, by the options, of scripts as other services and their users write them. */
describe('scripts from other services', () => {
	test.each<[service: string, script: string, options: Partial<TextOptions>, sent: string]>([
		[
			'German stage directions',
			'(flüsternd) Komm her. [lacht] Nie im Leben (das weißt du)!',
			{ parentheses: 'readAloud' },
			'(flüsternd) Komm her. [lacht] Nie im Leben, das weißt du!',
		],
		[
			'a chat model, as Markdown',
			'- [x] **[cheerfully]** See [the docs](https://e.org)[^1].\n\n[^1]: A note.',
			{ textFormat: 'markdown' },
			'[cheerfully] See the docs.',
		],
		[
			'a web page',
			'<p>[softly] Good <b>night</b>&nbsp;&#91;sighs&#93; all<sup><a href="#fn1">[1]</a></sup>.</p>',
			{ textFormat: 'html' },
			'[softly] Good night [sighs] all.',
		],
		[
			'SSML',
			'<speak>[sad] One.<break time="1s"/>[pause 500ms] <emphasis>Two</emphasis> [pause] three.</speak>',
			{},
			'[sad] One. Two [pause] three.',
		],
		[
			'pronunciations',
			'[SQL voice, like SQL] SQL (slowly, like sql) is [1] SQL [SQL](https://e.org).',
			{
				parentheses: 'tags',
				pronunciations: [{ find: 'SQL', say: 'sequel', wholeWord: true, matchCase: false }],
			},
			'[SQL voice, like SQL] sequel (slowly, like sql) is [1] sequel [sequel](https://e.org).',
		],
	])('%s', (_service, script, options, sent) => {
		expect(
			prepare(script, options)
				.spoken.text.replace(/[ \u00a0]+/g, ' ')
				.trim(),
		).toBe(sent);
	});
});

describe('forms of tones', () => {
	const sent = (text: string, options: Partial<TextOptions> = {}) =>
		prepare(text, options).spoken.text;
	test.each(
		(
			'laughs harder¦starts laughing¦begins to sob¦continues whispering¦sighs heavily¦chuckles warmly¦mischievously¦happily¦' +
			'sarcastically¦gently¦deadpan¦happy gasp¦low growl¦strong French accent¦British accent¦laughs again¦shouts louder'
		).split('¦'),
	)('in square brackets: %s', (tone) => {
		expect(sent(`[${tone}] Yes.`)).toBe(`[${tone}] Yes.`);
		expect(sent(`(${tone}) Yes.`, { isSpeech: true })).toBe(`(${tone}) Yes.`);
		expect(withoutTags(`[${tone}] Yes.`, toneTags(`[${tone}] Yes.`, 'readAloud'))).toBe('Yes.');
	});
	test.each([
		['It [the accent] is hers.', 'It, the accent, is hers.'],
		['She [again] came.', 'She, again, came.'],
		['He [starts work] at nine.', 'He, starts work, at nine.'],
		['Milk (low fat) is in.', 'Milk, low fat, is in.'],
		['It is (sad to say) over.', 'It is, sad to say, over.'],
		['They [early in May] left.', 'They, early in May, left.'],
		['The [French] accent.', 'The, French, accent.'],
		['Read (out loud) now.', 'Read, out loud, now.'],
		['An [acute accent] is a mark.', 'An, acute accent, is a mark.'],
		['He (starts laughing) came.', 'He, starts laughing, came.'],
	])('words: %s', (text, words) => expect(sent(text)).toBe(words));
	test('free directions where the model takes them', () => {
		const text = '[in a hushed voice] No. [picks up the phone] It [the plan] failed [sic].';
		const options = { takesDirections: true };
		expect(sent(text, options)).toBe(
			'in a hushed voice, No. [picks up the phone] It, the plan, failed, sic.',
		);
		expect(prepare(text, options).notes.join()).toContain('such as [picks up the phone]');
		expect(sent(text)).not.toContain('[');
	});
});
