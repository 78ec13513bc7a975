/** What models, programs and tools leave in texts, each as they write it, and what is heard. `ordinary.test.ts` has what looks like it. */
import fc from 'fast-check';
import { received } from '../../nodes/SpeechGateway/text/received';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { prepare } from './prepared';

const read = (text: string) => prepare(text, { textFormat: 'automatic' });
const spoken = (text: string) => read(text).spoken.text.trim();
const F = '```';

const KINDS: Record<string, Array<[text: string, spoken: string]>> = {
	tokens: [
		['It rains.<|im_end|>', 'It rains.'],
		['<|im_start|>assistant\nIt rains.<|im_end|>\n', 'It rains.'],
		['<|start_header_id|>assistant<|end_header_id|>\n\nIt rains.<|eot_id|>', 'It rains.'],
		['<start_of_turn>model\nIt rains.<end_of_turn>', 'It rains.'],
		['[INST] Read this. [/INST] It rains.', 'Read this.  It rains.'],
		['It rains.<|endoftext|>', 'It rains.'],
		[
			'# Tokens\n\nThe token `<|im_end|>` ends a turn.',
			'Tokens.\n\nThe token <|im_end|> ends a turn.',
		],
	],
	thoughts: [
		['<think>\nThey want rain.\n\nSo be it.\n</think>\n\nIt rains.', 'It rains.'],
		['So be it.\n</think>\n\nIt rains.', 'It rains.'],
		['<analysis>Short.</analysis>It rains.<reflection>Good?</reflection>', 'It rains.'],
		['<plan>1. Rain</plan>\nIt rains.', 'It rains.'],
		[
			'<|channel|>analysis<|message|>They want rain.<|end|><|start|>assistant<|channel|>final<|message|>It rains.<|return|>',
			'It rains.',
		],
		['<thinking>It rains, I think.</thinking>', 'It rains, I think.'],
		['<|channel|>analysis<|message|>It rains.', 'It rains.'],
		[`${'Hm.\n</think>\n'.repeat(20_000)}It rains.`, 'It rains.'],
	],
	wrappers: [
		['<transcript>\nIt rains.\n</transcript>', 'It rains.'],
		['<narration voice="calm">It rains.</narration>\n', 'It rains.'],
		['<output lang="en">It rains.</output>', 'It rains.'],
		['<response><final_answer>It rains.</final_answer></response>', 'It rains.'],
		['<script>\nWelcome to the show. It rains.\n</script>', 'Welcome to the show. It rains.'],
		['<transcript># Rain\n\nIt **rains**.</transcript>', 'Rain.\n\nIt rains.'],
	],
	'tags of tones': [
		['Well <laughs> yes.', 'Well (laughs) yes.'],
		['<whispering>It rains. <sigh> Again.', '(whispering)It rains. (sigh) Again.'],
		['<happy>It rains.', '(happy)It rains.'],
	],
	'a fence around all': [
		[`${F}\nIt rains on the sea.\nAnd on us.\n${F}`, 'It rains on the sea.\nAnd on us.'],
		[
			`Sure! Here is your script:\n\n${F}text\nWelcome to day 3! We sold 1,250 units (up 17%), and all of you had a part in that, from the first day to the last.\n${F}`,
			'Welcome to day 3! We sold 1,250 units, up 17%, and all of you had a part in that, from the first day to the last.',
		],
		[
			`Here it is:\n${F}story\nThere was a boat that nobody wanted, until the day when the sea came up to the last house of the village, and took it away in one night.\n${F}\n\nLet me know if it is too long!`,
			'There was a boat that nobody wanted, until the day when the sea came up to the last house of the village, and took it away in one night.',
		],
		[
			`${F}markdown\n# The Sea\n\nThe sea is **deep**.\n\n- It is blue.\n${F}`,
			'The Sea.\n\nThe sea is deep.\n\nIt is blue.',
		],
		[
			`${F}\n**Host:** It *rains*.\n\n## Part two\n\nStill.\n${F}`,
			'Host: It rains.\n\nPart two.\n\nStill.',
		],
		[
			`Hier ist der Text:\n\n---\n\n${F}de\nEs regnet auf das Meer, auf die Boote und auf uns, die wir am Ufer stehen und warten, bis jemand kommt und uns sagt, dass alles gut wird.\n${F}\n\nMöchtest du ihn kürzer?`,
			'Es regnet auf das Meer, auf die Boote und auf uns, die wir am Ufer stehen und warten, bis jemand kommt und uns sagt, dass alles gut wird.',
		],
	],
	'a page in a fence': [
		[`${F}html\n<p>It <b>rains</b>.</p>\n${F}`, 'It rains.'],
		[`${F}xml\n<speak>It <break time="1s"/> rains.</speak>\n${F}`, 'It rains.'],
		[`So:\n\n${F}html\n<p>It rains.</p>\n${F}`, 'So:'],
	],
	'a fence in its place': [
		[
			`A poem:\n\n${F}\nIt rains;\nit pours;\n${F}\n\nThat was it.`,
			'A poem:\n\nIt rains;\nit pours;\n\nThat was it.',
		],
		[
			`# Soup\n\n${F}recipe\n2 carrots\n1 onion\n${F}\n\nCook it.`,
			'Soup.\n\n2 carrots\n1 onion\n\nCook it.',
		],
		[`Type this:\n\n${F}bash\nnpm start\n${F}\n\nThen wait.`, 'Type this:\n\nThen wait.'],
		[`Type this:\n\n${F}\nnpm install x\ncd x\n${F}\n\nThen wait.`, 'Type this:\n\nThen wait.'],
		[`So:\n\n${F}\nconst a = 1;\nf(a);\n${F}\n\nDone.`, 'So:\n\nDone.'],
		[`So:\n\n${F}\n{\n  "a": 1\n}\n${F}\n\nDone.`, 'So:\n\nDone.'],
		[`So:\n\n${F}md\n## One\n\n**Two**\n${F}\n\nDone.`, 'So:\n\nOne.\n\nTwo\n\nDone.'],
	],
	sources: [
		['Tokyo is **big** [1][2].', 'Tokyo is big.'],
		[
			'Tokyo is big.[[1]](https://a.org) It is old.[[2]](https://b.org)',
			'Tokyo is big. It is old.',
		],
		['[cite_start]The sea is deep[cite: 4, 5, 212].', 'The sea is deep.'],
		['The sea is deep[cite: 230-234].', 'The sea is deep.'],
		['Rinse it [citation:1]. Use two cups[citation:2][citation:1].', 'Rinse it. Use two cups.'],
		['[span_1](start_span)The sea[span_1](end_span) is deep.', 'The sea is deep.'],
		['It rains [oai_citation:0‡report (1).pdf](file-service://file-2B4).', 'It rains.'],
		['It rains.citeturn0search3turn1news2 Again.', 'It rains. Again.'],
		[
			'It rains 【4†source】 and :contentReference[oaicite:0]{index=0} pours.',
			'It rains and pours.',
		],
		['It rains [web:1], [source: 3] they say.', 'It rains, they say.'],
		['It is **deep** [1](https://a.org/x), [2](https://b.org/y).', 'It is deep.'],
		['It rains [1], says one [2]. It pours [3–5].', 'It rains, says one. It pours.'],
		[
			'It rains [4], they say, and press [2] to hear more.\n\n[4] https://a.org',
			'It rains, they say, and press [2] to hear more.\n\nhttps://a.org',
		],
		['雨が降る[1]。海は深い[2]。', '雨が降る。海は深い。'],
		['It rose.[\\[1\\]](https://a.org) It fell.[\\[2\\]](https://b.org)', 'It rose. It fell.'],
		[
			`A poem:\n\n${F}\nIt rains[1].\nIt pours[2].\n${F}\n\nThat was it.`,
			'A poem:\n\nIt rains.\nIt pours.\n\nThat was it.',
		],
		['**Note:** [cite_start]It is cold[cite: 2].[cite_end]', 'Note: It is cold.'],
		[
			'It rains [1, 2], they say [3].\n\nReferences\n[1] Lee, 2021\n[2] Roy\n[3] Kim',
			'It rains, they say.\n\nReferences\n[1] Lee, 2021\n[2] Roy\n[3] Kim',
		],
	],
	formulas: [
		['where \\(a \\neq 0\\) holds', 'where a ≠ 0 holds'],
		['# Force\n\n\\[ a = \\frac{F}{m} \\]', 'Force.\n\na = F/m'],
		['So $$\\frac{a+b}{c} \\le \\sqrt{x}$$ it is.', 'So (a+b)/c ≤ √x it is.'],
		['As $E = mc^2$ says, **$6{x}_{1} \\leq {24}$** holds.', 'As E = mc² says, 6x₁ ≤ 24 holds.'],
		['We have \\frac{7}{10} of it, and \\sqrt[3]{8} more.', 'We have 7/10 of it, and ³√8 more.'],
		['The sets \\(A \\cap B\\) and \\(x \\in [0,2]\\).', 'The sets A ∩ B and x ∈ [0,2].'],
		['**Area:** $a*b*c$ and $x_1 * x_2$', 'Area: a∗b∗c and x₁ ∗ x₂'],
		['Then $\\text{speed} = 5\\,\\mathrm{m}$, \\(\\sin \\alpha\\)', 'Then speed = 5 m, sin α'],
		['For \\(n\\) and \\(f(x)\\)', 'For n and f(x)'],
		['\\[\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\\]', 'a = b c = d'],
	],
	escapes: [
		['Hello.\\nWe are back.', 'Hello.\nWe are back.'],
		['It was \\"cold\\" there.\\n\\nReally.', 'It was "cold" there.\n\nReally.'],
		['# Rain\\n\\nIt **rains**.\\n- One\\n- Two', 'Rain.\n\nIt rains.\n\nOne.\nTwo.'],
		['One.\\n\\tTwo.\\r\\nThree.', 'One.\n\tTwo.\nThree.'],
		['caf\\u00e9 and \\u00dcbung', 'café and Übung'],
		['"It rains.\\nIt pours."', '"It rains.\nIt pours."'],
		['It costs 5\\.00\\! Come \\(now\\)\\.', 'It costs 5.00! Come, now.'],
		['Price: 3\\-4 days \\- or more\\.', 'Price: 3-4 days - or more.'],
	],
	letters: [
		['𝗧𝗵𝗲 𝘀𝗲𝗮 𝑖𝑠 𝒹ℯℯ𝓅', 'The sea is deep'],
		['Ⓣⓗⓔ sea, ＴＨＥ sea', 'The sea, THE sea'],
		['① Mix. ②Bake. ❸ Eat.', '1 Mix. 2 Bake. 3 Eat.'],
		['┌─────┐\n│ Sum │\n└─────┘', 'Sum'],
		[
			'emo\ufffetional and emo\u0002tional and well-\u0002\nknown',
			'emotional and emotional and well--\nknown'.replace('well--\nknown', 'well--\nknown'),
		],
		['\uf0b7 One\n\uf0b7 Two', 'One\nTwo'],
	],
	tools: [
		['<https://example.org/r|The report> is out, <@U02AB34CD>!', 'The report is out,!'],
		['It rains :umbrella: again. :cloud_with_rain:', 'It rains again.'],
		[':rocket: **Fast** :tada::tada: now', 'Fast now'],
		['It is ==very deep== there.', 'It is very deep there.'],
		['%%todo%% It rains. %%and\nmore%%', 'It rains.'],
		['Met [[People/Anna|Anna]] at ![[tower.jpg|300]] noon.', 'Met Anna at noon.'],
		['## One {#one}\n\n[Two](https://a.org){.big} `x`{.code}', 'One.\n\nTwo x'],
		[
			'== History ==\nIt is old.\n\n=== Today ===\nIt rains.',
			'History.\n\nIt is old.\n\nToday.\n\nIt rains.',
		],
		['海は深い。［＃改ページ］雨。', '海は深い。雨。'],
		['<details><summary>More</summary>\n\nIt is **deep**.</details>', 'More.\n\nIt is deep.'],
	],
};

describe.each(Object.entries(KINDS))('%s', (_kind, texts) => {
	test.each(texts)('%j', (text, expected) => {
		expect(spoken(text)).toBe(expected);
		expect(spoken(text.replace(/\n/g, '\r\n')).replace(/\r/g, '')).toBe(expected);
	});
	test.each(texts)('set to be plain, it stays: %j', (text) => {
		expect(received(text, 'plain')).toMatchObject({ text, changed: [] });
	});
});

test.each([
	['a program', '<script>\nlet a = 1;\nf(a);\n</script><p>It rains.</p>', 'It rains.'],
	['two of them', '<a1>It rains.</a1> <a1>It pours.</a1>', '<a1>It rains.</a1> <a1>It pours.</a1>'],
	['a page', '<article>It rains.</article>', 'It rains.'],
	['words before it', 'He said: <output>It rains.</output>', 'He said: <output>It rains.</output>'],
])('no wrapper: %s', (_what, text, expected) => expect(spoken(text)).toBe(expected));

test('tags around all of a script that are a speaker stay', () => {
	const text = '<Anna>It rains.</Anna>';
	expect(received(text, 'automatic').text).toBe('It rains.');
	expect(received(text, 'automatic', (name) => name === 'Anna').text).toBe(text);
});

test.each([
	[
		'another fence',
		`Here it is:\n${F}\n${'It rains. '.repeat(20)}\n${F}\nAnd:\n${F}\nIt pours.\n${F}`,
	],
	['no colon before it', `I wrote this for you.\n${F}\n${'It rains. '.repeat(20)}\n${F}`],
	['three sentences before it', `Sure! I know. Here:\n${F}\n${'It rains. '.repeat(20)}\n${F}`],
	['words behind it that go on', `Here:\n${F}\n${'It rains. '.repeat(20)}\n${F}\nThe sea rose.`],
	[
		'more words around it',
		`Here is the poem that I wrote for you:\n${F}\nIt rains on the sea and on all of us who wait.\n${F}`,
	],
])('the words around a fence stay: %s', (_what, text) => {
	const said = spoken(text);
	for (const word of text.match(/\p{L}+/gu) ?? []) expect(said).toContain(word);
});

test('a hint names what was left out, and how much of the letters', () => {
	const text = `Here is your text:\n\n${F}\nIt rains[1] on the sea, on the boats and on all who wait there[2].\n${F}`;
	expect(read(text).notes).toEqual([
		'Left out or resolved: words around the text ("Here is your text:"); marks that refer to sources, 24 % of the letters. If it is to be spoken as it stands, set "Text Format" to "Plain Text".',
	]);
	const page = `<nav>${'Home '.repeat(20)}</nav><p>${'It rains. '.repeat(30)}</p>`;
	expect(read(page).notes.join()).toMatch(/menus.*, 28 % of the letters\./);
	const few = `<nav>Home</nav><p>${'It rains. '.repeat(30)}</p>`;
	expect(read(few).notes.join()).not.toContain('%');
	const code = `It rains.\n\n${F}js\n${'const rain = 1;\n'.repeat(20)}${F}`;
	expect(read(code).notes.join()).not.toContain('%');
});

test('chapters in a fence of Markdown', () => {
	const { headings, written } = read(
		`${F}markdown\n# One\n\nIt rains.\n\n# Two\n\nIt pours.\n${F}`,
	);
	expect(headings.map(({ title }) => title)).toEqual(['One', 'Two']);
	expect(written).not.toContain('#');
});

test('what is left out of a text is not shown, either', () => {
	const text = 'Hello.\\nIt is **deep** [1][2] in \\(x \\le 5\\) 𝗽𝗹𝗮𝗰𝗲𝘀 :umbrella:';
	const [segment] = segmentPrepared(read(text), { maxCharacters: 1000 }).segments;
	expect(segment.written).toBe(segment.text);
});

test('characters of private use stay what they are', () => {
	const character = fc.constantFrom(
		'\u{f0000}',
		'\u{f0001}',
		'`a`',
		' ',
		'b',
		'\\(c\\)',
		'$',
		'd.',
	);
	fc.assert(
		fc.property(fc.array(character), (characters) => {
			const text = characters.join('');
			const kept = (all: string) => all.match(/[\u{f0000}-\u{ffffd}]/gu)?.join('') ?? '';
			expect(kept(received(text, 'automatic').text)).toBe(kept(text));
		}),
	);
});
