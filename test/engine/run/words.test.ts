import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { renderAudio } from '../../support/simulator/audio';
import { decode, whichText } from '../../support/listen';
import { heardIn, partsOf, pausesOf } from '../parts';
import { fitting } from '../form';
import { item, speechNode, texts, useSimulator, readStored, retrierOf, runnerOf } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0.05 });

const run = runnerOf(sim, () => ({ items: undefined }));
const retry = retrierOf(run);
/** One text, spoken with these options. */
const speak = async (text: string, options: IDataObject = {}, more: IDataObject = {}) =>
	await run({
		parameters: speechNode(options, { responseFormat: 'wav', ...more }),
		items: [item({ text })],
	});
const file = async (from: INodeExecutionData, property = 'data') =>
	await readStored(from.binary![property]);
const recording = Buffer.concat([...renderAudio('A recording.', 31, 'wav').chunks()]);
const cloneVoice = async (title: string): Promise<string> => {
	const binary = { data: { data: recording.toString('base64'), mimeType: 'audio/wav' } };
	const { outputs } = await run({
		parameters: {
			resource: 'voice',
			operation: 'create',
			model: 'fish-speech',
			title,
			binaryPropertyName: 'data',
			options: {},
		},
		items: [{ json: {}, binary }],
	});
	return String(outputs[0][0].json._id);
};

describe('text options', () => {
	test('without any, a plain text is sent as it is', async () => {
		const text = '  *Hello* (happy) <world> & [more](x) \n\n 2 * 3 ';
		const { outputs, hints } = await speak(text);
		expect(sim.charged()).toEqual([text]);
		expect(outputs[0][0].json).toMatchObject({ characters: [...text].length, segments: 1 });
		expect(hints).toEqual([]);
	});

	test('markup is not sent, counted, charged or shown in subtitles', async () => {
		const text = '# News\n\nSee [the **site**](https://example.com/a/b/c/d/e/f).';
		const { outputs } = await speak(text, { textFormat: 'markdown', subtitles: 'vtt' });
		expect(sim.charged()).toEqual([expect.stringMatching(/^News\.?\s+See the site\.$/)]);
		expect(outputs[0][0].json.characters).toBe(sim.charged()[0].length);
		expect(String(await file(outputs[0][0], 'subtitles'))).toContain('See the site.');
	});

	test('pronunciations are spoken, the words of the source are shown', async () => {
		const values = [
			{ find: 'SQL', say: 'sequel' },
			{ find: 'n8n', say: 'n eight n' },
		];
		const { outputs } = await speak('We use SQL in n8n, not MySQL.', {
			pronunciations: { values },
			subtitles: 'srt',
			timings: true,
		});
		expect(sim.charged()).toEqual(['We use sequel in n eight n, not MySQL.']);
		expect(String(await file(outputs[0][0], 'subtitles'))).toContain(
			'We use SQL in n8n, not MySQL.',
		);
		expect(outputs[0][0].json.parts).toMatchObject([{ text: 'We use SQL in n8n, not MySQL.' }]);
	});

	test.each([
		['mp3', {}],
		['wav', { pauseBetweenSegments: 400 }],
		['opus', {}],
		['pcm', {}],
	])(
		'%s: pauses are silence in the file, not sent and not charged',
		async (responseFormat, options) => {
			for (const text of [
				'[pause 1.5s]\n* * *\n[pause 1s] One is here. [pause 2s]* * *',
				'<break time="2.5s"/>One is here.\n[pause 1s] --- [pause 1s]\nTwo is there.[pause 2s]',
			]) {
				sim.charges.length = 0;
				const { outputs, hints } = await speak(
					text,
					{ timings: true, subtitles: 'vtt', ...options },
					{ responseFormat },
				);
				expect(hints.filter((hint) => !hint.includes('scene breaks'))).toEqual([]);
				expect(sim.charged().join()).not.toMatch(/pause|break/);
				const { json } = outputs[0][0];
				const charged = sim.charges.reduce((sum, { tokens }) => sum + tokens, 0);
				// Each request is counted in whole seconds.
				const more = Number(json.estimatedTokens) - charged;
				expect(more).toBeGreaterThan(-charged / 20);
				expect(more).toBeLessThan(charged / 20 + (sim.charges.length * 1000) / 60);
				const parts = partsOf(outputs[0][0]);
				const said = parts.map((part) => part.text.trim());
				const seconds = Number(json.durationSeconds);
				expect(parts[0].startSeconds).toBeCloseTo(2.5, 1);
				expect(parts.at(-1)!.endSeconds).toBeCloseTo(seconds - 2, 5);
				for (const pause of pausesOf(outputs[0][0])) expect(pause).toBeCloseTo(2, 1);
				const samples = await decode(await file(outputs[0][0]), responseFormat);
				expect(samples.length / 24_000).toBeCloseTo(seconds, 2);
				const sent = sim.charges.map(({ input = '' }) => input.trim());
				const asSent = said.map((words) => sent.find((input) => input.startsWith(words)) ?? words);
				expect(await heardIn(outputs[0][0], asSent)).toEqual(asSent);
				const subtitles = String(await file(outputs[0][0], 'subtitles'));
				expect(subtitles).toMatch(/^WEBVTT\n\n00:00:02\.(4[789]|5[0123])/);
			}
		},
	);

	test('pauses at the ends stay with what is done or with what remains', async () => {
		sim.fault({ input: 'Two', status: 504, charge: true });
		const text = '[pause 3s] One is here. [pause 5s] Two is there. [pause 7s]';
		const { outputs } = await speak(text, { concurrency: 1 });
		const { json } = outputs[1][0];
		expect(json.remainingText).toBe('[pause 5s] Two is there. [pause 7s]');
		const done = await decode(await file(outputs[1][0], 'completed'));
		expect(whichText(done, ['One is here.'], 3)).toBe(0);
		expect(done.length / 24_000).toBeLessThan(3 + 5);
	});

	test.each([
		['speech.generate with Single Request', { operation: 'generate' }, { longText: 'single' }],
		['speechJob.createAndWait', { resource: 'speechJob', operation: 'createAndWait' }, {}],
	])('%s: pauses are left out, and a hint says so', async (_, operation, options) => {
		const text = 'One is here. [pause 1.5s] Two is there.';
		const { hints, outputs } = await speak(text, options, operation);
		expect(sim.charged()).toEqual(['One is here. Two is there.']);
		expect(outputs[0][0].json.characters).toBe(26);
		expect(hints.join()).toContain('Pauses and times were left out');
	});

	test.each(['***', '…', '[pause 2s]'])(
		'a text without anything to speak is refused: %s',
		async (text) => {
			const { error } = await speak(text);
			expect(error?.message).toContain('"Text" has no letter, digit or emoji');
			expect(sim.requests).toEqual([]);
		},
	);

	test('what remains after a failure is told in the words of the text', async () => {
		sim.fault({ input: 'sequel three', status: 504, charge: true });
		const text =
			'SQL one. [pause 1s] SQL **two**. [pause 1s] SQL *three*. [pause 1s] [SQL](x) four.';
		const { outputs } = await speak(text, {
			textFormat: 'markdown',
			pronunciations: { values: [{ find: 'sql', say: 'sequel' }] },
			concurrency: 1,
		});
		expect(outputs[1][0].json).toMatchObject({
			segments: { total: 4, completed: 2, unknown: 1 },
			runs: [
				{ from: 1, to: 2, status: 'done' },
				{ from: 3, to: 3, status: 'unknown' },
				{ from: 4, to: 4, status: 'notSent' },
			],
			remainingText: '[pause 1s] SQL three.\n[pause 1s] SQL four.',
		});
	});
});

describe('text as it comes', () => {
	test.each([
		['# News\n\nIt is **very** cold.', 'markdown', 'Markdown', /^News\.\s+It is very cold\.$/],
		['<p>It is <b>very</b> cold.</p>', 'html', 'HTML', /^It is very cold\.$/],
		['It is *very* cold, 2 * 3 < 7.', 'plain', undefined, /^It is \*very\* cold, 2 \* 3 < 7\.$/],
	])('%j', async (text, textFormat, name, sent) => {
		for (const more of [
			{},
			{ operation: 'estimate' },
			{ resource: 'speechJob', operation: 'create' },
		]) {
			const { outputs, hints } = await speak(text, {}, more);
			expect(outputs[0][0].json.textFormat).toBe(textFormat);
			expect(hints.filter((hint) => hint.includes('was read as'))).toEqual(
				name ? [expect.stringContaining(`read as ${name}: `)] : [],
			);
		}
		expect(sim.charged()).toEqual([expect.stringMatching(sent), expect.stringMatching(sent)]);
	});

	test('a script is one text: what one line is read as, all are', async () => {
		const { outputs, hints } = await speak(
			'',
			{ concurrency: 1, timings: true },
			{
				operation: 'dialogue',
				script: 'Anna: It is **very** cold.\n\n# Two\n\nAnna: See [this](https://example.com).',
				speakers: { values: [{ name: 'Anna' }] },
			},
		);
		expect(outputs[0][0].json.textFormat).toBe('markdown');
		expect(hints).toEqual([expect.stringContaining('read as Markdown: ')]);
		expect(sim.charged()).toEqual(['It is very cold.', 'See this.']);
		expect(pausesOf(outputs[0][0])).toEqual([expect.closeTo(0.7, 1)]);
	});
});

const TAGGED = '[low voice] One is here. [pause 1s] Two (softly) is here. (sad) Three is here.';

test('tone tags: sent and counted as written, in any brackets; not changed by a pronunciation, not shown', async () => {
	const { outputs } = await speak(TAGGED, {
		maxSegmentCharacters: 26,
		concurrency: 1,
		timings: true,
		subtitles: 'srt',
		pronunciations: { values: [{ find: 'low', say: 'high' }] },
	});
	expect(sim.charged()).toEqual([
		'[low voice] One is here.',
		'Two (softly) is here.',
		'(sad) Three is here.',
	]);
	const { json } = outputs[0][0];
	expect(json.characters).toBe(TAGGED.replace('[pause 1s] ', '').length);
	expect(json.parts).toMatchObject([
		{ text: 'One is here.' },
		{ text: 'Two is here.' },
		{ text: 'Three is here.' },
	]);
	const subtitles = String(await file(outputs[0][0], 'subtitles'));
	expect(subtitles.match(/[([]|\w+ is here/g)).toEqual([
		'One is here',
		'Two is here',
		'Three is here',
	]);
});

test('a hint where money may be wasted, which stops nothing: dialogue: a narrator whom nobody declared, and one voice for two', async () => {
	const voice = (value: string) => ({ __rl: true, mode: 'id', value });
	const say = async (speakers: IDataObject[]) =>
		await run({
			parameters: speechNode(
				{},
				{
					operation: 'dialogue',
					script: 'It was late.\nAnna: Hi.\nBen: Hi.\nCarl: Hi.',
					speakers: { values: speakers },
				},
			),
		});
	const mine = voice(await cloneVoice('Mine'));
	const { hints, error } = await say([
		{ name: 'Anna', voice: mine },
		{ name: 'Ben', voice: mine },
		{ name: 'Carl', voice: voice('default') },
	]);
	expect(error).toBeUndefined();
	expect(hints).toEqual([
		expect.stringContaining('speaks with the default voice: "It was late."'),
		`These speak with the same voice: Narrator and Carl ("default"); Anna and Ben ("${mine.value}").`,
	]);
	const other = voice(await cloneVoice('Other'));
	const apart = await say([
		{ name: 'Anna', voice: mine },
		{ name: 'Ben', voice: other },
		{ name: 'Carl', voice: voice('default') },
		{ name: 'Narrator', voice: voice(await cloneVoice('Third')) },
	]);
	expect(apart.hints).toEqual([]);
});

describe('pronunciations by word', () => {
	test('beside the table, whose words come first', async () => {
		await speak('SQL in n8n, not MySQL.', {
			pronunciations: { values: [{ find: 'SQL', say: 'sequel' }] },
			pronunciationsByWord: '{ "n8n": "n eight n", "sql": "S Q L" }',
		});
		await speak('SQL in N8N.', { pronunciationsByWord: { n8n: 'n eight n' } });
		expect(sim.charged()).toEqual(['sequel in n eight n, not MySQL.', 'SQL in n eight n.']);
	});
	test('a row with nothing in it is none, in either table', async () => {
		const none = { find: ' ', say: '', wholeWord: true, matchCase: false };
		const values = [none, { find: 'SQL', say: 'sequel' }];
		await speak('SQL.', { pronunciations: { values } });
		for (const empty of [{}, { values: [none] }, { values: [{}] }])
			await speak('It rains.', { pronunciations: empty, tags: { values: { title: '' } } });
		const voice = { __rl: true, mode: 'list', value: 'default', cachedResultName: 'Default' };
		const speakers = {
			values: [
				{ name: '', voice },
				{ name: 'Anna', voice },
			],
		};
		const script = 'Anna: Hello.';
		const dialogue = { operation: 'dialogue', script, speakers };
		const { error } = await speak('', {}, dialogue);
		expect(error).toBeUndefined();
		expect(sim.charged()).toEqual(['sequel.', 'It rains.', 'It rains.', 'It rains.', 'Hello.']);
		const mine = { name: '', voice: { ...voice, value: 'abc' } };
		const unnamed = await speak('', {}, { ...dialogue, speakers: { values: [mine] } });
		expect(unnamed.error?.message).toContain('"Name of speaker 1" is required');
	});
	test.each<[IDataObject, string]>([
		[{ pronunciations: { values: [{ find: '', say: 'x' }] } }, 'Find of pronunciation 1'],
		[{ pronunciationsByWord: '[1]' }, 'must be a JSON object, such as {"SQL": "sequel"}'],
		[{ pronunciationsByWord: '{"SQL": ["sequel"]}' }, 'has no text for "SQL"'],
	])('%j is an error before anything is sent', async (options, words) => {
		const { error } = await speak('Hello.', options);
		expect(error?.message).toContain(words);
		expect(sim.requests).toEqual([]);
	});
});

const OF_FILES = {
	fileName: 'x',
	binaryPropertyName: 'y',
	subtitles: 'srt',
	timings: true,
	tags: { values: { title: 'A' } },
};

const hashOf = async (text: string, options: IDataObject = {}, more: IDataObject = {}) =>
	(await speak(text, options, more)).outputs[0][0].json.contentHash;

test('content hash: the same in an estimate and in the result; only what is heard changes it', async () => {
	const hash = await hashOf('Hello world.');
	expect(hash).toMatch(/^[0-9a-f]{64}$/);
	expect(hash).not.toBe(createHash('sha256').update('Hello world.').digest('hex'));
	const same: Array<[IDataObject, IDataObject]> = [
		[{}, { operation: 'estimate' }],
		[{ ...OF_FILES, concurrency: 2 }, {}],
		[{ speed: 1, modelMultiplier: 3 }, {}],
		[{ textFormat: 'markdown' }, {}],
	];
	for (const [options, more] of same)
		expect(await hashOf('Hello world.', options, more)).toBe(hash);
	const others: Array<[string, IDataObject, IDataObject]> = [
		['Hello world!', {}, {}],
		['Hello world.', { speed: 1.5 }, {}],
		['Hello world.', { pronunciations: { values: [{ find: 'world', say: 'moon' }] } }, {}],
		['Hello world.', {}, { responseFormat: 'mp3' }],
		['Hello world.', {}, { voice: 'abc', operation: 'estimate' }],
		['Hello world.', {}, { model: 'other', operation: 'estimate' }],
		['Hello [pause 1s] world.', {}, {}],
		['Hello [pause 2s] world.', {}, {}],
	];
	const hashes = [hash];
	for (const [text, options, more] of others) hashes.push(await hashOf(text, options, more));
	expect(new Set(hashes).size).toBe(hashes.length);
});

describe('voice by title', () => {
	const titled = (value: string) => ({ voice: { __rl: true, mode: 'title', value } });
	const listed = () =>
		sim.requests.filter(({ path }) => path.includes('/voices?') || path.endsWith('/voices'));

	test('one list a run, for all items', async () => {
		const anna = await cloneVoice('Anna');
		await cloneVoice('Ben');
		sim.requests.length = 0;
		const { outputs } = await run({
			parameters: speechNode({}, titled(' Anna ')),
			items: [item({ text: 'One.' }), item({ text: 'Two.' })],
		});
		expect(outputs[0].map(({ json }) => json.voice)).toEqual([anna, anna]);
		expect(listed()).toHaveLength(1);
	});

	test.each([
		['list', 'default'],
		['id', 'Default'],
		['title', 'DEFAULT'],
	])('mode %s: %s is the default voice, and nothing is looked up', async (mode, value) => {
		const { outputs } = await speak('One.', {}, { voice: { __rl: true, mode, value } });
		expect(outputs[0][0].json.voice).toBe('default');
		expect(sim.requests.map(({ path }) => path)).toEqual(['/v1/audio/speech']);
	});

	test('an ID may be a number of a table, or typed with blanks', async () => {
		for (const value of [42, ' 42 ']) await speak('One.', {}, { voice: { mode: 'id', value } });
		for (const { body } of sim.requests) expect(body).toMatchObject({ voice: '42' });
	});

	test.each(['speech.generate', 'speechJob.create', 'voice.delete'])(
		'%s: none or several with the title is an error that names them; nothing is sent',
		async (name) => {
			const [resource, operation] = name.split('.');
			const ids = [await cloneVoice('Anna'), await cloneVoice('Anna')];
			await cloneVoice('Ben');
			const charges = sim.charges.length;
			const attempt = async (title: string) => {
				const parameters = speechNode({}, { resource, operation, ...titled(title) });
				return (await run({ parameters, items: texts(1) })).error;
			};
			const none = await attempt('Hanna');
			expect(none?.message).toContain('no voice with the title "Hanna"');
			expect(none?.description).toContain('"Ben"');
			const several = await attempt('Anna');
			for (const id of ids) expect(several?.message).toContain(id);
			expect(sim.charges).toHaveLength(charges);
			expect(sim.requests.some(({ method }) => method === 'DELETE')).toBe(false);
		},
	);

	test.each(['speech.generate', 'speech.dialogue', 'speechJob.create', 'speechJob.createAndWait'])(
		'%s in stop mode: a title that nobody has, of any item, and nothing is sent',
		async (name) => {
			const [resource, operation] = name.split('.');
			const bag = {
				voice: { __rl: true, mode: 'title', value: '={{ $json.voice }}' },
				script: '={{ $json.voice === "Nobody" ? "Ben" : "Anna" }}: {{ $json.text }}',
				speakers: {
					values: [
						{ name: 'Anna', voice: 'default' },
						{ name: 'Ben', voice: { __rl: true, mode: 'title', value: 'Nobody' } },
					],
				},
			};
			const { error } = await run({
				items: [item({ text: 'One.', voice: 'default' }), item({ text: 'Two.', voice: 'Nobody' })],
				parameters: speechNode({}, fitting(resource, operation, bag)),
			});
			expect(error?.message).toContain('no voice with the title "Nobody" (item 2 of 2)');
			expect(sim.requests.map(({ method }) => method)).toEqual(['GET']);
		},
	);

	test('a list that cannot be had loses nothing that is paid for', async () => {
		await cloneVoice('Anna');
		sim.charges.length = 0;
		sim.fault({ input: 'Two', status: 402 });
		const parameters = speechNode({ concurrency: 1 }, titled('Anna'));
		const text = 'One is here. [pause 1s] Two is there.';
		const first = await run({ parameters, items: [item({ text })] });
		sim.fault({ path: '/v1/audio/voices', status: 401 });
		const second = await retry(first, { parameters, onError: 'continueErrorOutput' });
		expect(second.outputs[2][0].json.error).toMatchObject({
			message: expect.stringContaining('401'),
			segments: { total: 2, completed: 1 },
		});
		expect((await file(second.outputs[2][0], 'completed')).length).toBeGreaterThan(1000);
		expect(sim.charged()).toEqual(['One is here.']);
	});
});

test.each([
	['integrated', true],
	['trigger', false],
] as const)('%s: the message says where a retry does not pay again: %s', async (mode, says) => {
	sim.fault({ input: 'number 1', status: 422 });
	const { error } = await run({
		mode,
		items: texts(2),
		parameters: speechNode({ concurrency: 1 }),
	});
	expect(error?.message.includes('a retry of the parent pays again')).toBe(says);
});

test('words in brackets are spoken and shown; as tone tags they are sent as written', async () => {
	const text = 'It [the plan] failed (see page 3). [whispering] Never.';
	const options = { subtitles: 'srt', timings: true };
	const aloud = await speak(text, options);
	expect(sim.charged()).toEqual(['It, the plan, failed, see page 3. [whispering] Never.']);
	const shown = String(await file(aloud.outputs[0][0], 'subtitles'));
	expect(shown).toContain('It [the plan] failed (see page 3).');
	expect(shown).not.toContain('whispering');
	expect(aloud.hints.join()).toContain('[the plan]');
	await speak(text, { ...options, parentheses: 'tags' });
	expect(sim.charged().at(-1)).toBe(text);
});

const PLAY = 'It rained. Nobody came.\nThe sea lay still. [pause 1s] Then it snowed on and on.';

test('timings and captions go by sentence and line, each with its segment', async () => {
	const options = { timings: true, subtitles: 'vtt' };
	const { outputs } = await speak(PLAY, options);
	const parts = outputs[0][0].json.parts as IDataObject[];
	expect(parts).toMatchObject([
		{ text: 'It rained.', segment: 1, startSeconds: 0 },
		{ text: 'Nobody came.', segment: 1 },
		{ text: 'The sea lay still.', segment: 1 },
		{ text: 'Then it snowed on and on.', segment: 2 },
	]);
	for (const [index, { startSeconds, endSeconds }] of parts.entries()) {
		expect(Number(endSeconds)).toBeGreaterThan(Number(startSeconds));
		if (index > 0)
			expect(Number(startSeconds)).toBeGreaterThanOrEqual(Number(parts[index - 1].endSeconds));
	}
	const usual = String(await file(outputs[0][0], 'subtitles'));
	expect(usual).not.toMatch(/came\.\s+The sea/);
	const short = await speak(PLAY, { ...options, captionCharacters: 12 });
	const lines = String(await file(short.outputs[0][0], 'subtitles'))
		.split('\n\n')
		.slice(1);
	for (const cue of lines) {
		const [, ...shown] = cue.trim().split('\n');
		expect(shown).toHaveLength(1);
		expect(shown[0].length).toBeLessThanOrEqual(12);
	}
});

test.each([7, 85, 20.5, 'many'])(
	'captions of %s characters: nothing is sent',
	async (captionCharacters) => {
		const { error } = await speak(PLAY, { subtitles: 'srt', captionCharacters });
		expect(error?.message).toContain(
			'"Characters per Caption" must be a whole number from 8 to 84',
		);
		expect(sim.requests).toEqual([]);
	},
);

describe('what is no text', () => {
	test.each(['={{ "Read this: " + $json.article }}', '=Read this: {{ $json.article }}'])(
		'%s with an object: an error before anything is sent',
		async (text) => {
			const { error } = await run({
				parameters: { ...speechNode(), text },
				items: [item({ article: { text: 'It rains.' } })],
			});
			expect(error?.message).toContain('has "[object Object]"');
			expect((error as { description?: string }).description).toContain('{{ $json.article.text }}');
			expect(sim.requests).toEqual([]);
		},
	);
	test('in quotes, it is words', async () => {
		await speak('The page says "[object Object]" only.');
		expect(sim.charged()).toHaveLength(1);
	});
	test('a date', async () => {
		const { error } = await run({
			parameters: { ...speechNode(), text: '={{ $now }}' },
			items: [item({})],
		});
		expect(error?.message).toMatch(/"Text" must be a text, but is a date: "\d{4}-/);
		expect(sim.requests).toEqual([]);
	});
	test('JSON in a fence', async () => {
		const { error } = await speak('```json\n{ "text": "It rains." }\n```');
		expect(error?.message).toBe('"Text" is nothing but code, such as JSON, and code is not spoken');
		expect(sim.requests).toEqual([]);
	});
});

test("a model's answer: what is around its text is neither sent nor charged, and Estimate says so", async () => {
	const words =
		'It rains on the sea, on the boats and on all who wait there for a sign that it will ever stop.';
	const text = `Here is your text:\n\n\`\`\`\n${words}\n\`\`\`\n\nLet me know!<|im_end|>`;
	const { hints } = await speak(text);
	expect(sim.charged()).toEqual([words]);
	expect(hints.join()).toContain('words around the text ("Here is your text');
	const estimate = await run({
		parameters: speechNode({}, { operation: 'estimate' }),
		items: [item({ text })],
	});
	expect(estimate.hints.join()).toContain('% of the letters');
	expect(estimate.outputs[0][0].json.characters).toBe(words.length);
});
