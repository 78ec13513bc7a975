/* What services answer in another form than was asked for: kept, named as what it is, and read by what its type says. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { run as runProgram, withFile } from '../../support/readers';
import { item, readStored, runNode, speechNode, storedFile, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, speechFields: ['sample_rate'] }, 'real');

/** A tone as bare samples of 16 bits, little endian. */
function tone(seconds: number, rate: number, channels = 1): Buffer {
	const samples = Buffer.alloc(Math.round(seconds * rate) * 2 * channels);
	for (let at = 0; at < samples.length / 2; at++) {
		const frame = Math.floor(at / channels);
		samples.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * frame) / rate)), 2 * at);
	}
	return samples;
}

const answer = (body: Buffer, contentType: string, input?: string) =>
	sim.fault({ path: '/v1/audio/speech', status: 200, body, contentType, charge: true, input });

const speak = async (
	text: string,
	format: string,
	options: IDataObject = {},
	items: INodeExecutionData[] = [item({})],
) =>
	await runNode({
		parameters: speechNode({ maxRetries: 0, ...options }, { text, responseFormat: format }),
		items,
		onError: 'continueErrorOutput',
		url: sim.url,
		apiKey: sim.apiKey,
	});

/** What ffmpeg hears in bare samples: how often the sound crosses zero in a second, halved. */
function heard(samples: Buffer, rate: number, channels: number) {
	const wav = withFile(samples, (path) =>
		runProgram('ffmpeg', [
			...['-v', 'error', '-f', 's16le', '-ar', String(rate), '-ac', String(channels), '-i', path],
			...['-f', 'f32le', '-ac', '1', '-'],
		]),
	).stdout;
	const all = new Float32Array(new Uint8Array(wav).buffer);
	const crossings = all.filter((one, at) => at > 0 && one >= 0 !== all[at - 1] >= 0).length;
	const loud = all.findIndex((one) => Math.abs(one) > 0.01);
	return { seconds: all.length / rate, hertz: (crossings / 2 / all.length) * rate, loud };
}

const THREE = { maxSegmentCharacters: 22, concurrency: 1 };
const TEXT = 'The first sentence. The second sentence.';

test.each<[string | null, string]>([
	['MP3', 'mp3'],
	[' wav ', 'wav'],
	['ogg', 'opus'],
	['OGG', 'opus'],
	['Opus', 'opus'],
	['', 'mp3'],
	[' ', 'mp3'],
	[null, 'mp3'],
])('"Audio Format" by an expression: %j is %s', async (format, asked) => {
	const { outputs } = await speak('Hello.', '={{ $json.format }}', {}, [item({ format })]);
	expect(outputs[0]).toHaveLength(1);
	expect(sim.requests.at(-1)!.body).toMatchObject({ response_format: asked });
});

test('another "Audio Format" is refused before anything is sent', async () => {
	const { outputs } = await speak('Hello.', '={{ $json.format }}', {}, [item({ format: 'aac' })]);
	expect(outputs[2][0].json.error).toMatchObject({
		message: '"Audio Format" must be one of mp3, wav, opus, pcm, but is "aac"',
	});
	expect(sim.requests).toEqual([]);
});

describe('another format than was asked for', () => {
	test('is kept and named as what it is, with one hint a run', async () => {
		sim.fault({
			path: '/v1/audio/speech',
			answer: (response, { contentType, body }) =>
				response.writeHead(200, { 'content-type': contentType }).end(body),
			times: 1,
		});
		const bytes = await readStored((await speak('Hello.', 'wav')).outputs[0][0].binary!.data);
		for (const input of ['One', 'Two']) answer(bytes, 'audio/wav', input);
		const items = [item({ text: 'One.' }), item({ text: 'Two.' })];
		const { outputs, hints } = await speak('={{ $json.text }}', 'mp3', {}, items);
		expect(outputs[0].map(({ json }) => json.responseFormat)).toEqual(['wav', 'wav']);
		for (const { json, binary } of outputs[0]) {
			expect(json).toMatchObject({ mimeType: 'audio/wav' });
			expect(binary!.data).toMatchObject({ mimeType: 'audio/wav', fileExtension: 'wav' });
		}
		expect(hints.filter((hint) => /asked for MP3, the service sent WAV/.test(hint))).toHaveLength(
			1,
		);
	});

	test.each(['audio/pcm;rate=22050', 'audio/L16; rate=22050; channels=1'])(
		'bare samples are known by their type (%s)',
		async (type) => {
			answer(tone(2, 22_050), type);
			const { outputs, hints } = await speak('Hello.', 'mp3');
			const [{ json, binary }] = outputs[0];
			expect(json).toMatchObject({ responseFormat: 'pcm', durationSeconds: 2, sampleRate: 22_050 });
			expect(binary!.data.fileExtension).toBe('pcm');
			expect(hints.join()).toContain('asked for MP3, the service sent PCM');
		},
	);

	test('the format that was asked for has no hint', async () => {
		expect((await speak('Hello.', 'mp3')).hints.join()).not.toContain('the service sent');
	});
});

describe('the rate of bare samples', () => {
	test.each<[string, number, number, IDataObject]>([
		['audio/pcm;rate=44100;channels=1', 44_100, 1, {}],
		['audio/pcm; Rate="48000"; Channels=2', 48_000, 2, {}],
		['audio/L16;rate=16000', 16_000, 1, {}],
		['audio/L16;rate=22050;channels=2', 22_050, 2, {}],
		['audio/pcm;rate=4000', 4000, 1, {}],
		['audio/pcm;rate=192000', 192_000, 1, {}],
		['audio/pcm', 24_000, 1, {}],
		['audio/pcm;rate=3999;channels=3', 24_000, 1, {}],
		['audio/pcm;rate=192001', 24_000, 1, {}],
		['audio/pcm', 16_000, 1, { sample_rate: 16_000 }],
		['application/octet-stream', 22_050, 1, { sample_rate: '22050' }],
		['audio/pcm;rate=44100', 44_100, 1, { sample_rate: 16_000 }],
		['audio/pcm', 24_000, 1, { sample_rate: 'high' }],
	])('%s is %s Hz, %s channels (%j)', async (type, rate, channels, body) => {
		answer(tone(2, rate, channels), type);
		const { outputs } = await speak('Hello.', 'pcm', { additionalBody: JSON.stringify(body) });
		const [{ json, binary }] = outputs[0];
		expect(json).toMatchObject({ durationSeconds: 2, sampleRate: rate });
		expect(json.channels).toBe(channels === 1 ? undefined : channels);
		const { seconds, hertz } = heard(await readStored(binary!.data), rate, channels);
		expect(seconds).toBe(2);
		expect(Math.abs(hertz - 440)).toBeLessThan(2);
	});

	test('is that of pauses, times, subtitles and the price', async () => {
		for (const input of ['first', 'second']) answer(tone(30, 8000), 'audio/pcm;rate=8000', input);
		const { outputs } = await speak(`[pause 2s] ${TEXT}`, 'pcm', {
			...THREE,
			pauseBetweenSegments: 1000,
			subtitles: 'srt',
			timings: true,
		});
		const [{ json, binary }] = outputs[0];
		expect(json).toMatchObject({ durationSeconds: 63, sampleRate: 8000 });
		expect(json.parts).toMatchObject([
			{ startSeconds: 2, endSeconds: 32 },
			{ startSeconds: 33, endSeconds: 63 },
		]);
		// A minute of sound is 1,000 tokens; at the usual rate it would be a third of that.
		expect(json.estimatedTokens).toBeGreaterThan(1000);
		expect((await readStored(binary!.subtitles)).toString()).toContain('00:00:33,000 -->');
		const { seconds, loud } = heard(await readStored(binary!.data), 8000, 1);
		expect(seconds).toBe(63);
		expect(Math.abs(loud - 16_000)).toBeLessThan(8);
	});

	test('two of them in one text: an error that names both, and nothing that is paid for is lost', async () => {
		answer(tone(1, 22_050), 'audio/pcm;rate=22050', 'first');
		answer(tone(1, 44_100), 'audio/pcm;rate=44100', 'second');
		const { outputs } = await speak(`${TEXT} The third sentence.`, 'pcm', THREE);
		const [{ json, binary }] = outputs[2];
		expect(json.error).toMatchObject({
			message:
				'The segments cannot be joined: the sample rate is 22050 in segment 1 and 44100 in segment 2',
			segments: { total: 3, completed: 2 },
		});
		expect(sim.charges).toHaveLength(2);
		expect(Object.keys(binary!)).toEqual(['completed', 'completed_2']);
		expect((await readStored(binary!.completed_2)).equals(tone(1, 44_100))).toBe(true);
		expect(binary!.completed_2.mimeType).toBe('audio/pcm; rate=44100');
	});

	test('mono and stereo become stereo', async () => {
		answer(tone(1, 22_050), 'audio/pcm;rate=22050', 'first');
		answer(tone(1, 22_050, 2), 'audio/pcm;rate=22050;channels=2', 'second');
		const { outputs } = await speak(TEXT, 'pcm', THREE);
		const [{ json, binary }] = outputs[0];
		expect(json).toMatchObject({ sampleRate: 22_050, channels: 2 });
		const { seconds, hertz } = heard(await readStored(binary!.data), 22_050, 2);
		expect(seconds).toBeCloseTo(Number(json.durationSeconds), 5);
		expect(seconds).toBe(2);
		expect(Math.abs(hertz - 440)).toBeLessThan(2);
	});

	test('goes along with the file, so that Join has it, too', async () => {
		const file = async (rate: number) =>
			await storedFile(tone(1, rate), `${rate}.pcm`, `audio/pcm; rate=${rate}`);
		const joined = async (...rates: number[]) =>
			await runNode({
				parameters: {
					resource: 'audio',
					operation: 'join',
					binaryPropertyName: rates.map((_, index) => `f${index}`).join(),
					options: {},
				},
				items: [
					{
						json: {},
						binary: Object.fromEntries(
							await Promise.all(
								rates.map(async (rate, index) => [`f${index}`, await file(rate)] as const),
							),
						),
					},
				],
				onError: 'continueErrorOutput',
				url: sim.url,
				apiKey: sim.apiKey,
			});
		const { outputs } = await joined(22_050, 22_050);
		expect(outputs[0][0].json).toMatchObject({ mimeType: 'audio/pcm; rate=22050' });
		expect(Number(outputs[0][0].json.durationSeconds)).toBeLessThan(2.3);
		const { outputs: refused } = await joined(22_050, 24_000);
		expect(refused[1][0].json.error).toMatchObject({
			message: expect.stringContaining('the sample rate is 22050'),
			description: expect.stringContaining('ffmpeg -f s16le -ar 22050 -ac 1 -i "22050.pcm"'),
		});
	});
});
