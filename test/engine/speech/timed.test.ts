/* Texts whose words are to be heard at certain seconds: SRT and WebVTT files, and marks such as [at 0:35]. */
import type { IDataObject } from 'n8n-workflow';
import type { ReadableFormat } from '../../../nodes/SpeechGateway/audio';
import { decode, decoderMessages, PCM_SAMPLE_RATE } from '../../support/listen';
import { errorsAt, heard } from '../../support/sounds';
import { partsOf } from '../parts';
import { item, readStored, runnerOf, speechNode, useSimulator } from '../support';

const sim = useSimulator({ spoken: true, silentEdges: true, latencyMs: 1, jobSeconds: 0 }, 'real');
const run = runnerOf(sim);

const SRT = `1
00:00:00,500 --> 00:00:02,000
<i>The lighthouse stood</i>

2
00:00:02,100 --> 00:00:03,500
on the cliff.

3
00:00:05,033 --> 00:00:06,500
{\\an8}[Seagulls crying]

4
00:00:07,250 --> 00:00:09,000
- Who counts the steps?
- Nobody.

5
00:00:12,000 --> 00:00:14,000
Ten ships passed by that night.

6
00:00:17,777 --> 00:00:19,000
♪ Fog is all around ♪
Then it was morning.
`;
const SAID = [
	'The lighthouse stood on the cliff.',
	'Who counts the steps?\nNobody.',
	'Ten ships passed by that night.',
	'Then it was morning.',
];
const TIMES = [0.5, 7.25, 12, 17.777];

const speak = async (text: string, options: IDataObject = {}, more: IDataObject = {}) =>
	await run({ parameters: speechNode(options, more), items: [item({ text })] });

async function soundsOf(json: IDataObject, audio: Buffer, format: string) {
	if (format !== 'pcm') expect(await decoderMessages(audio)).toBe('');
	const samples = await decode(audio, format);
	expect(samples.length / PCM_SAMPLE_RATE).toBeCloseTo(Number(json.durationSeconds), 1);
	return heard(samples, PCM_SAMPLE_RATE);
}

test.each<ReadableFormat>(['wav', 'mp3', 'opus', 'pcm'])(
	'%s: the sentences of an SRT file are heard at their times, and nothing else is sent',
	async (responseFormat) => {
		const options = { timings: true, subtitles: 'srt' };
		const { outputs, hints } = await speak(SRT, options, { responseFormat });
		const [{ json, binary }] = outputs[0];
		expect(sim.charged().sort()).toEqual([...SAID].sort());
		expect(json).toMatchObject({ textFormat: 'subtitles', segments: 4 });
		expect(json.warnings).toBeUndefined();
		expect(hints.join()).toContain('read as subtitles');
		const sounds = await soundsOf(json, await readStored(binary!.data), responseFormat);
		for (const error of errorsAt(TIMES, sounds)) expect(Math.abs(error)).toBeLessThan(0.05);
		partsOf(outputs[0][0]).forEach(({ startSeconds }, index) =>
			expect(Math.abs(startSeconds - TIMES[index])).toBeLessThan(0.05),
		);
		const cues = String(await readStored(binary!.subtitles));
		expect(cues).toMatch(/00:00:07,2\d\d --> [^\n]*\nWho counts the steps\?/);
		expect(cues).not.toContain('[');
	},
);

test('marks in a text; what is late comes at once, and the next time is kept', async () => {
	const words = 'Words that take far longer than they may, since they go on and on and on.';
	const text = `[at 0:01] ${words} [at 2s] And then more. [at 0:12.5] The end.`;
	const { outputs, hints } = await speak(text, { timings: true }, { responseFormat: 'wav' });
	const [{ json, binary }] = outputs[0];
	const [first, second, third] = partsOf(outputs[0][0]);
	expect(second.startSeconds - first.endSeconds).toBeLessThan(0.3);
	const sounds = await soundsOf(json, await readStored(binary!.data), 'wav');
	for (const error of errorsAt([1, 12.5], sounds)) expect(Math.abs(error)).toBeLessThan(0.05);
	expect(third.startSeconds).toBeCloseTo(12.5, 1);
	const lateSeconds = Number((second.startSeconds - 2).toFixed(3));
	const { startSeconds, endSeconds } = second;
	expect(json.warnings).toEqual([
		{ segment: 2, startSeconds, endSeconds, lateSeconds, message: expect.any(String) },
	]);
	const late = lateSeconds.toFixed(1);
	expect(hints.join('\n')).toMatch(`"And then more." is heard ${late} s late, at 0:0`);
	// What was expected is not said once more.
	expect(hints.filter((hint) => hint.includes('times'))).toHaveLength(1);
	expect(hints.join('\n')).toContain('No "Speed" up to 2 would do');
});

describe('Estimate', () => {
	const estimate = async (text: string, options: IDataObject = {}) => {
		const { outputs } = await speak(text, options, { operation: 'estimate' });
		return outputs[0][0].json;
	};

	test('names times that are too short, and the speed that would do', async () => {
		const words = 'Seventeen characters a second are a little too much for it, as it seems.';
		const text = `[at 0s] ${words} [at 4s] Short. [at 60s] The end.`;
		const { warnings, suggestedSpeed } = await estimate(text);
		expect(warnings).toEqual([
			{
				segment: 1,
				startSeconds: 0,
				endSeconds: 4,
				message: expect.stringMatching(/takes about 5/),
			},
		]);
		// The lowest that does, in steps of 0.05: the words have four seconds.
		const needed = (60 * words.length) / 850 / 4;
		expect(suggestedSpeed).toBeGreaterThanOrEqual(needed);
		expect(suggestedSpeed).toBeLessThan(needed + 0.05);
		const faster = await estimate(text, { speed: suggestedSpeed as number });
		expect(faster.warnings).toBeUndefined();
		expect(sim.requests).toEqual([]);
	});

	test('words before the first time begin at once, and may be too long for it', async () => {
		const words = 'Seventeen characters a second are a little too much for it, as it seems.';
		const { warnings, suggestedSpeed } = await estimate(`${words} [at 4s] The end.`);
		expect(warnings).toEqual([
			expect.objectContaining({ segment: 1, startSeconds: 0, endSeconds: 4 }),
		]);
		expect(suggestedSpeed).toBeLessThan(2);
		const { hints } = await speak(`${words.repeat(2)} [at 1s] The end.`);
		expect(hints.join('\n')).toContain('1 of 1 times were missed');
		expect(hints.join('\n')).not.toContain('probably too long');
	});

	test('says nothing of what fits', async () => {
		expect(await estimate(SRT)).toMatchObject({ textFormat: 'subtitles', segments: 4 });
		expect((await estimate(SRT)).warnings).toBeUndefined();
	});
});

test.each<ReadableFormat>(['wav', 'mp3', 'opus'])(
	'%s: cues that are moved are not charged again, and are heard at their new times',
	async (responseFormat) => {
		const options = { previousBinaryPropertyName: 'previous' };
		const made = await speak(SRT, {}, { responseFormat });
		const { data: previous } = made.outputs[0][0].binary!;
		sim.reset();
		const moved = SRT.replace('00:00:07,250', '00:00:06,100').replace(
			'00:00:17,777 --> 00:00:19',
			'00:00:21,500 --> 00:00:23',
		);
		const { outputs } = await run({
			parameters: speechNode(options, { responseFormat }),
			items: [{ json: { text: moved }, binary: { previous } }],
		});
		expect(sim.charged()).toEqual([]);
		const [{ json, binary }] = outputs[0];
		expect(json).toMatchObject({ reusedSegments: 4 });
		const sounds = await soundsOf(json, await readStored(binary!.data), responseFormat);
		for (const error of errorsAt([0.5, 6.1, 12, 21.5], sounds))
			expect(Math.abs(error)).toBeLessThan(0.05);
	},
);

test('a segment of the previous version that a time splits is spoken again', async () => {
	const two = 'The first sentence is here. The second one is there.';
	const made = await speak(`${two} [pause 1s] The end.`, {}, { responseFormat: 'wav' });
	const { data: previous } = made.outputs[0][0].binary!;
	sim.reset();
	const text = two.replace('. The', '. [at 9s] The') + ' [pause 1s] The end.';
	await run({
		parameters: speechNode({ previousBinaryPropertyName: 'previous' }, { responseFormat: 'wav' }),
		items: [{ json: { text }, binary: { previous } }],
	});
	expect(sim.charged().sort()).toEqual(['The first sentence is here.', 'The second one is there.']);
});

test('what remains of a text has its times, and is read in the same way', async () => {
	sim.fault({ input: 'Ten ships', truncate: 'half' });
	const { outputs } = await run({
		parameters: speechNode({ concurrency: 1 }, { responseFormat: 'wav' }),
		items: [item({ text: SRT })],
		onError: 'continueErrorOutput',
	});
	const { remainingText } = outputs[1][0].json;
	expect(remainingText).toBe(
		'[at 0:12] Ten ships passed by that night.\n[at 0:17.777] Then it was morning.',
	);
	sim.reset();
	for (const textFormat of ['automatic', 'subtitles']) {
		const again = await speak(String(remainingText), { textFormat, timings: true });
		expect(partsOf(again.outputs[0][0]).map(({ text }) => text)).toEqual(SAID.slice(2));
		expect(partsOf(again.outputs[0][0])[0].startSeconds).toBeCloseTo(12, 1);
	}
});

test('a segment that the gateway cuts goes again in halves, with its time', async () => {
	const long = `${'This goes on and on. '.repeat(20).trim()}`;
	sim.fault({
		input: long,
		status: 524,
		body: { error: { message: 'too slow', code: 'timeout' } },
	});
	const text = `[at 1s] Short. [at 5s] ${long} [at 0:59.9] The end.`;
	const { outputs } = await speak(text, { timings: true }, { responseFormat: 'wav' });
	const starts = partsOf(outputs[0][0]).map(({ startSeconds }) => startSeconds);
	expect(starts.length).toBeGreaterThan(3);
	expect(starts[1]).toBeCloseTo(5, 1);
	expect(starts.at(-1)).toBeCloseTo(59.9, 1);
});

describe('in a script', () => {
	const voices = { Anna: 'default', Ben: 'default' };
	const dialogue = async (script: string, options: IDataObject = {}, more: object = {}) =>
		await run({
			parameters: speechNode(
				{ timings: true, voicesByName: JSON.stringify(voices), ...options },
				{ operation: 'dialogue', script: '={{ $json.script }}', responseFormat: 'wav' },
			),
			items: [item({ script })],
			...more,
		});

	test.each([
		[
			'SRT',
			'1\n00:00:01,000 --> 00:00:03,000\nANNA: Good morning!\n\n2\n00:00:04,500 --> 00:00:06,000\nBEN: Hello,\n\n3\n00:00:06,100 --> 00:00:07,000\nAnna.\n',
		],
		[
			'WebVTT',
			'WEBVTT\n\n00:01.000 --> 00:03.000\n<v Anna>Good morning!\n\n00:04.500 --> 00:06.000\n<v Ben>Hello,\n\n00:06.100 --> 00:07.000\n<v.quiet Ben>Anna.\n',
		],
		['marks', '[at 1s] Anna: Good morning!\nBen: [at 4.5s] Hello, Anna.'],
	])('%s: each speaker has a voice and a time', async (_, script) => {
		const { outputs, error } = await dialogue(script);
		expect(error).toBeUndefined();
		const parts = partsOf(outputs[0][0]);
		expect(parts.map(({ speaker, text }) => [speaker, text])).toEqual([
			['Anna', 'Good morning!'],
			['Ben', 'Hello, Anna.'],
		]);
		[1, 4.5].forEach((at, index) =>
			expect(Math.abs(parts[index].startSeconds - at)).toBeLessThan(0.05),
		);
	});

	test('what remains has names and times', async () => {
		sim.fault({ input: 'Hello', truncate: 'half' });
		const script =
			'[at 0:01] Anna: Good morning!\n[at 0:04.5] Ben: Hello, Anna.\n[at 0:08] Anna: Bye.';
		const { outputs } = await dialogue(
			script,
			{ concurrency: 1 },
			{ onError: 'continueErrorOutput' },
		);
		expect(outputs[1][0].json.remainingText).toBe(script.split('\n').slice(1).join('\n'));
	});
});

test('Single Request and jobs leave the times out, with a hint', async () => {
	const single = await speak(SRT, { longText: 'single' });
	expect(sim.charged()).toEqual([SAID.join('\n')]);
	expect(single.hints.join()).toContain('Pauses and times were left out');
	sim.reset();
	const job = await speak(SRT, {}, { resource: 'speechJob', operation: 'createAndWait' });
	expect(sim.charged()).toEqual([SAID.join('\n')]);
	expect(job.hints.join()).toContain('Pauses and times were left out');
});

test.each([
	['1\n00:00:01,000 --> 00:00:02,000\nOne.\n\n2\nTwo.\n', 'Cue 2 of the subtitles has no times'],
	['1\n00:00:03,000 --> 00:00:02,000\nOne.\n', 'ends before it starts'],
	[
		'1\n00:00:01,000 --> 00:00:02,000\n[Music]\n\n2\n00:00:03,000 --> 00:00:04,000\n♪\n',
		'no words to speak',
	],
	['[at 99:59:59] Too late.', 'too late for an audio file: [at 99:59:59]'],
])('what is broken is refused before anything is sent: %j', async (text, message) => {
	const { error } = await speak(text);
	expect(error?.message).toContain(message);
	expect(sim.requests).toEqual([]);
});

test('subtitles that are none, as the option says they are', async () => {
	const { error } = await speak('Only words.', { textFormat: 'subtitles' });
	expect(error?.message).toContain('no line of times');
});

describe('a file that was read in the wrong encoding', () => {
	const misread = (text: string, encoding: 'utf16le' | 'utf16be', mark = '') => {
		const bytes = Buffer.from(mark + text, 'utf16le');
		return (encoding === 'utf16be' ? bytes.swap16() : bytes).toString();
	};
	const SCRIPT = 'Anna: Where is the ferry?\r\nBen: Gone.';
	const speakers = { values: [{ name: 'Anna' }, { name: 'Ben' }] };
	test.each([
		['UTF-16 with a byte order mark', misread(SRT, 'utf16le', '\uFEFF')],
		['big endian', misread('Паром ушёл, и мы остались.', 'utf16be', '\uFEFF')],
		['without a mark', misread(SCRIPT, 'utf16le')],
		['Chinese with a mark', misread('渡轮开走了', 'utf16le', '\uFEFF')],
		['GB 18030', Buffer.from('c2d6b4acbfaad7dfc1cbcfc2d2bbcbd2'.repeat(2), 'hex').toString()],
	])('%s: an error says how to read it, and nothing is sent', async (_, text) => {
		for (const more of [
			{},
			{ operation: 'estimate' },
			{ operation: 'dialogue', script: '={{ $json.text }}', speakers },
			{ resource: 'speechJob', operation: 'create' },
		]) {
			const { outputs } = await run({
				parameters: speechNode({}, more),
				items: [item({ text })],
				onError: 'continueErrorOutput',
			});
			expect(outputs.at(-1)![0].json.error).toMatchObject({
				message: expect.stringMatching(/^"(Text|Script)" was read with the wrong encoding/),
				description: expect.stringContaining('"File Encoding" to "utf16"'),
			});
		}
		expect(sim.requests).toEqual([]);
	});

	test.each([
		['a NUL at the end of a text', 'Land ahead.\0\0', 'Land ahead.'],
		[
			'broken emoji',
			'\uFFFD\uFFFD Well done! \uFFFD\uFFFD',
			'\uFFFD\uFFFD Well done! \uFFFD\uFFFD',
		],
	])('%s does not prevent it from being spoken', async (_, text, spoken) => {
		await speak(text);
		expect(sim.charged()).toEqual([spoken]);
	});

	test('a pronunciation brings no NUL in', async () => {
		await speak('The SS Ohio.', { pronunciationsByWord: '{"SS": "steam\\u0000ship"}' });
		expect(sim.charged()).toEqual(['The steamship Ohio.']);
	});
});
