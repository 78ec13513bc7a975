import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { heardIn, partsOf, pausesOf } from '../parts';
import { item, runnerOf, speechNode, useSimulator, readStored } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0.05 });

const SCRIPT = `Welcome to the show.
Anna: Hello, Ben. It is 10:30.
Note: this is text.
Ben: (happy) Hi!
[pause 1s]
**Anna:** Bye then.`;
const id = (value: string) => ({ __rl: true, mode: 'id', value });
const SPEAKERS = {
	values: [
		{ name: 'Anna', voice: id('default') },
		{ name: 'Ben', voice: '' },
	],
};

const dialogue = (options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode(options, {
		operation: 'dialogue',
		script: '={{ $json.script }}',
		speakers: SPEAKERS,
		responseFormat: 'wav',
		...more,
	});
const run = runnerOf(sim, () => ({ parameters: dialogue(), items: [item({ script: SCRIPT })] }));
const file = async (from: INodeExecutionData, property = 'data') =>
	await readStored(from.binary![property]);
const SAID = [
	'Welcome to the show.',
	'Hello, Ben. It is 10:30.\nNote: this is text.',
	'(happy) Hi!',
	'Bye then.',
];

test('one file, in order; names are not spoken, pauses are silence', async () => {
	const { outputs } = await run({ parameters: dialogue({ timings: true, subtitles: 'vtt' }) });
	const [{ json, binary }] = outputs[0];
	expect(
		sim
			.charged()
			.map((input) => input?.trim())
			.sort(),
	).toEqual([...SAID].sort());
	expect(json).toMatchObject({
		model: 'fish-speech',
		speakers: ['Narrator', 'Anna', 'Ben'],
		responseFormat: 'wav',
		segments: 4,
	});
	expect(json).not.toHaveProperty('voice');
	const speakers = partsOf(outputs[0][0]).map(({ speaker }) => speaker);
	expect(speakers).toEqual([undefined, 'Anna', 'Ben', 'Anna']);
	expect(pausesOf(outputs[0][0])[2]).toBeCloseTo(1);
	expect(await heardIn(outputs[0][0], SAID)).toEqual(SAID);
	const vtt = String(await file(outputs[0][0], 'subtitles'));
	expect(vtt).toContain('<v Ben>Hi!');
	expect(vtt).toMatch(/\nWelcome to the show\./);
	expect(binary).toHaveProperty('data');
});

test('speakers without a voice are named, and nothing is sent', async () => {
	const script = `${SCRIPT}\nCarl: Wait!\nDora: Why?\nCarl: Go!\nDora: No!`;
	const { error } = await run({ items: [item({ script })] });
	expect(error?.message).toContain('"Carl", "Dora"');
	expect(sim.requests).toEqual([]);
});

test('a script as a list, or as JSON', async () => {
	const turns = [
		{ speaker: 'Anna', text: '(nodding) Hello, Ben.' },
		{ speaker: 'Ben', text: 'Hi!\nAll well?' },
	];
	const json = `\`\`\`json\n${JSON.stringify(turns)}\n\`\`\``;
	const { outputs, hints } = await run({
		items: [item({ script: turns }), item({ script: json })],
	});
	const words = ['Hello, Ben.', 'Hi!\nAll well?'];
	expect(sim.charged().sort()).toEqual([...words, ...words].sort());
	expect(outputs[0].map(({ json: { speakers } }) => speakers)).toEqual([
		['Anna', 'Ben'],
		['Anna', 'Ben'],
	]);
	expect(hints.join()).toContain('Music and stage directions were left out, such as "(nodding)"');
});

test('speakers from an expression, by name: with the default voice, and by the title of a voice', async () => {
	const spokenBy = async (title: string) => {
		const voices = { Anna: 'default', Ben: { mode: 'title', value: title } };
		return await run({
			parameters: dialogue({ voicesByName: '={{ $json.voices }}' }, { speakers: {} }),
			items: [item({ script: SCRIPT, voices })],
		});
	};
	sim.addVoice('Ben', 'b1');
	const { error } = await spokenBy('Nobody');
	expect(error?.message).toContain('no voice with the title "Nobody"');
	expect(sim.charges).toEqual([]);
	const { outputs } = await spokenBy('Ben');
	expect(outputs[0]).toHaveLength(1);
	const spoken = sim.requests.flatMap(({ method, body }) =>
		method === 'POST' ? [(body as IDataObject).voice] : [],
	);
	expect(new Set(spoken)).toEqual(new Set([undefined, 'b1']));
});

test.each([null, '', ' ', { mode: 'title', value: '' }])(
	'a name for which another node found no voice (%j) is an error, and nothing is sent',
	async (voice) => {
		const { error } = await run({
			parameters: dialogue({ voicesByName: '={{ $json.voices }}' }, { speakers: {} }),
			items: [item({ script: SCRIPT, voices: { Anna: 'default', Ben: voice } })],
		});
		expect(error?.message).toContain('"Voices by Name" has no voice for "Ben"');
		expect(sim.requests).toEqual([]);
	},
);

describe('a line of nothing but markup', () => {
	const LINES: Array<[string, string]> = [
		['markdown', '---'],
		['markdown', '```\nx()\n```'],
		['html', '<!-- intro -->'],
		['plain', '* * *'],
	];
	test.each(LINES)(
		'is not sent, and its heading and pauses stay (%s: %j)',
		async (textFormat, mute) => {
			const script = `Anna: ${mute}\n# One\nAnna: Hi.\n# Two\nBen: ${mute}\n[pause 1s]\nAnna: [pause 1s] Bye.\nBen: ${mute}`;
			const { outputs } = await run({
				parameters: dialogue({ textFormat, chapters: 'headings', timings: true, concurrency: 1 }),
				items: [item({ script })],
			});
			const [{ json, binary }] = outputs[0];
			expect(sim.charged()).toEqual(['Hi.', 'Bye.']);
			expect(json).toMatchObject({ segments: 2, characters: 7, speakers: ['Anna'] });
			expect(pausesOf(outputs[0][0])[0]).toBeCloseTo(2);
			const { chapters } = JSON.parse(String(await file(outputs[0][0], 'chapters')));
			expect(chapters).toMatchObject([
				{ title: 'One', startTime: 0 },
				{ title: 'Two', startTime: partsOf(outputs[0][0])[1].startSeconds },
			]);
			expect(Object.keys(binary!)).toEqual(['data', 'chapters']);
		},
	);

	test('is no script', async () => {
		const { error } = await run({
			parameters: dialogue({ textFormat: 'markdown' }),
			items: [item({ script: 'Anna: ---' })],
		});
		expect(error?.message).toContain('no letter, digit or emoji');
		expect(sim.requests).toEqual([]);
	});
});

describe('a script in which it is not certain who speaks', () => {
	test.each([
		['Anna: Hi. Ben: Hello!', 'within a line of the script: "Hi. Ben: Hello!"'],
		['It was late.\nNobody came.', 'names no speaker'],
	])('%j: nothing is sent', async (script, words) => {
		const { error } = await run({ items: [item({ script })] });
		expect(error?.message).toContain(words);
		expect((error as { description?: string }).description).toMatch(
			/on a line of its own.* Nothing was sent\.$/,
		);
		expect(sim.requests).toEqual([]);
	});
});

test.each([
	'<p><strong>Anna:</strong> Tom &amp; I.</p>\n<div>Ben: <em>Oh?</em></div>',
	'<b>Anna</b>: Tom &amp; I.<br/><b>Ben:</b> Oh?',
	'<ul><li>Anna: Tom &amp; I.</li><li>Ben: Oh?</li></ul>',
])('each block of a script in HTML is a line: %s', async (script) => {
	const { outputs } = await run({ items: [item({ script })] });
	expect(outputs[0][0].json.speakers).toEqual(['Anna', 'Ben']);
	expect(sim.charged().sort()).toEqual(['Oh?', 'Tom & I.']);
});

test('what nobody says is left out, with a hint', async () => {
	const script =
		'Sure! Here is the episode:\n\n```\n♪ theme ♪\n[0:01] Anna: Hi.\n*door creaks*\n<Ben>Ho.</Ben>\n```';
	const { outputs, hints } = await run({ items: [item({ script })] });
	expect(sim.charged().sort()).toEqual(['Hi.', 'Ho.']);
	expect(outputs[0][0].json).toMatchObject({ speakers: ['Anna', 'Ben'] });
	for (const words of ['"Sure! Here is the episode:"', '"♪ theme ♪"', '(```)'])
		expect(hints.join('\n')).toContain(words);
});
