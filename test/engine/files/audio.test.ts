/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryData, IDataObject, OnError } from 'n8n-workflow';
import { decode, probeAudio } from '../../audio/support';
import type { Fault } from '../../support/simulator';
import { item, runNode, useSimulator, readStored } from '../support';

const sim = useSimulator({ latencyMs: 1 }, 'real');

const fixture = (name: string) => readFileSync(join(__dirname, '../../audio/fixtures', name));
/** The gateway answers with these bytes, and charges. */
const answer = (body: Buffer | string | object, more: Omit<Fault, 'path'> = {}) =>
	sim.fault({ path: '/v1/audio/speech', status: 200, body, charge: true, ...more });
const run = async (
	text: string,
	parameters: IDataObject = {},
	options: IDataObject = {},
	onError?: OnError,
	items = [item({})],
) =>
	await runNode({
		onError,
		parameters: {
			resource: 'speech',
			operation: 'generate',
			model: { __rl: true, mode: 'id', value: 'fish-speech' },
			text,
			voice: { __rl: true, mode: 'list', value: 'default' },
			responseFormat: 'mp3',
			options: { maxRetries: 0, ...options },
			...parameters,
		},
		url: sim.url,
		apiKey: sim.apiKey,
		items,
	});
const TEXT = 'The first sentence. The second sentence. The third sentence.';
const THREE = { maxSegmentCharacters: 22, concurrency: 1 };
const AT_ONCE = { ...THREE, concurrency: 3 };

/** What a WAV file says in its chunk `data`. */
function samplesOf(name: string): Buffer {
	const bytes = Buffer.from(fixture(name));
	const at = bytes.indexOf('data') + 8;
	return bytes.subarray(at, at + bytes.readUInt32LE(at - 4));
}

describe('parts that cannot be joined', () => {
	test('are handed over one by one when another fails', async () => {
		const [one, two] = ['wav-8000-mono-alaw.wav', 'wav-8000-mono-mulaw.wav'];
		answer(fixture(one), { input: 'first' });
		answer(fixture(two), { input: 'second' });
		sim.fault({ path: '/v1/audio/speech', input: 'third', status: 504 });
		const { outputs, error } = await run(TEXT, { responseFormat: 'wav' }, AT_ONCE);
		expect(error).toBeUndefined();
		const [{ json, binary }] = outputs[1];
		expect(json).toMatchObject({
			outcome: 'unknown',
			reason: 'upstream_outcome_unknown',
			segments: { total: 3, completed: 2, unknown: 1 },
		});
		// Behind their samples is the record of the part.
		for (const [file, from] of [
			[binary!.completed, one],
			[binary!.completed_2, two],
		] as const)
			expect(Buffer.from(await readStored(file)).includes(samplesOf(from))).toBe(true);
	});

	test('are handed over one by one when all are spoken, with an error that says so', async () => {
		answer(fixture('wav-8000-mono-alaw.wav'), { input: 'first' });
		answer(fixture('wav-8000-mono-mulaw.wav'), { input: 'second' });
		const text = 'The first sentence. The second sentence.';
		const { outputs } = await run(text, { responseFormat: 'wav' }, THREE, 'continueRegularOutput');
		const [{ json, binary }] = outputs[0];
		expect(json.error).toMatchObject({
			message: expect.stringMatching(/^The segments could not be joined: /),
			description: expect.stringContaining('none is lost. They are attached.'),
			segments: { total: 2, completed: 2, unknown: 0 },
		});
		expect(Object.keys(binary!)).toEqual(['completed', 'completed_2']);
	});
});

test('a message in the place of bare samples is no audio, whatever type it claims to be', async () => {
	answer('{"error":"no","x":1}', { contentType: 'application/octet-stream' });
	const { outputs } = await run(TEXT, { responseFormat: 'pcm' });
	expect(outputs[1][0].json).toMatchObject({ reason: 'damaged_response' });
	expect(outputs[1][0].json.message).toContain('a JSON message');
});

let flac: Buffer;
beforeAll(() => void (flac = fixture(join('../foreign', 'tone.flac'))));

describe('a format that is not read', () => {
	test.each(['mp3', 'pcm'])('is passed on as it is, with a hint (asked for %s)', async (format) => {
		answer(flac, { contentType: 'application/octet-stream' });
		const { outputs, hints, error } = await run(
			'Hello.',
			{ responseFormat: format },
			{ subtitles: 'srt' },
		);
		expect(error).toBeUndefined();
		const [{ json, binary }] = outputs[0];
		expect(json).toMatchObject({
			responseFormat: 'flac',
			mimeType: 'audio/flac',
			bytes: flac.length,
			fileName: expect.stringMatching(/\.flac$/),
		});
		expect(json).not.toHaveProperty('durationSeconds');
		expect(Object.keys(binary!)).toEqual(['data']);
		expect(binary!.data).toMatchObject({ mimeType: 'audio/flac', fileExtension: 'flac' });
		expect(await readStored(binary!.data)).toEqual(flac);
		expect(hints.join()).toContain('FLAC');
	});

	test('takes no pauses at its ends, and a hint says so', async () => {
		answer(flac);
		const { outputs, hints } = await run('[pause 1s] Hello. [pause 1s]');
		expect(await readStored(outputs[0][0].binary!.data)).toEqual(flac);
		expect(hints.join()).toContain('cannot be put into this flac file');
	});

	test('of several segments: once the first has come, no other is sent', async () => {
		answer(flac, { times: Infinity });
		const { outputs } = await run(TEXT, {}, THREE, 'continueErrorOutput');
		expect(sim.charges).toHaveLength(1);
		const message = 'The segments cannot be joined: FLAC audio would have to be encoded anew';
		expect(outputs[2][0].json.error).toMatchObject({
			message,
			description: expect.stringContaining('They are attached.'),
		});
	});
});

describe('paid for, but not to be read', () => {
	const received = async (text = 'Hello.') => {
		const { outputs, error } = await run(text);
		expect(error).toBeUndefined();
		expect(outputs[0]).toEqual([]);
		const [{ json, binary }] = outputs[1];
		expect(json).toMatchObject({ outcome: 'unknown', reason: 'damaged_response' });
		return { message: String(json.message), file: binary!.received };
	};
	/** No letters, no marks, no frames. */
	const noise = Buffer.from(
		Uint8Array.from({ length: 300_000 }, (_, i) => ((i * 7919) % 251) & 0x8f),
	);

	test.each([
		[
			'{"error":{"message":"No such voice"}}',
			'application/json',
			'a JSON message: "No such voice"',
		],
		['{"url":"https://x.test"}', 'application/json', 'a JSON message: "{"url":"https://x.test"}"'],
		['<!doctype html><title>Sign</title><p>in', 'text/html', 'a web page: "Sign in"'],
		['<?xml version="1.0"?><E>Denied</E>', 'application/xml', 'an XML message: "Denied"'],
		['upstream says no', 'text/plain', 'text: "upstream says no"'],
	])('%s is handed over, and quoted', async (body, mimeType, words) => {
		answer(body, { contentType: 'audio/mpeg' });
		const { message, file } = await received();
		expect(message).toContain(`it looks like ${words}`);
		expect(file).toMatchObject({ mimeType, fileName: expect.stringMatching(/^[^.]+\.\w+$/) });
		expect(String(await readStored(file))).toBe(body);
	});

	test.each(['application/octet-stream', 'audio/x-odd'])(
		'unknown bytes of type %s are handed over, every one of them',
		async (mimeType) => {
			answer(noise, { contentType: mimeType });
			const { message, file } = await received();
			expect(message).toContain('it looks like unreadable bytes');
			expect(message).not.toMatch(/\.{3}/);
			expect(file).toMatchObject({ mimeType });
			expect(await readStored(file)).toEqual(noise);
		},
	);

	test.each([
		['JSON', '{"a":1,', 'application/json'],
		['XML', '<?xml version="1.0"?><a>', 'application/xml'],
		['HTML', '<html><body>', 'text/html'],
		['text', 'It says ', 'text/plain'],
		['text that begins as JSON might', `{${' '.repeat(40)}`, 'text/plain'],
	])(
		'the API key that %s repeats is neither in the words nor in the file',
		async (_, head, type) => {
			// The key lies across the chunks in which the answer comes.
			const body = `${head}${' '.repeat(65_510 - head.length)}"error":{"message":"bad ${sim.apiKey}"}}`;
			answer(body, { contentType: 'application/octet-stream' });
			const { message, file } = await received();
			expect(file.mimeType).toBe(type);
			const saved = String(await readStored(file));
			expect(message).not.toContain(sim.apiKey);
			expect(saved).not.toContain(sim.apiKey);
			expect(saved).toContain('"bad ***"');
		},
	);
});

test('a line break, headers and other bytes in front of an MP3 do not hide it', async () => {
	const mp3 = fixture('mp3-44100-mono-cbr-noxing.mp3');
	answer(mp3);
	const [{ durationSeconds }] = (await run('Hello.')).outputs[0].map(({ json }) => json);
	for (const rubbish of ['\r\n', 'X-Chunk: 1\r\n'.repeat(256), '\x81'.repeat(10_000)]) {
		answer(Buffer.concat([Buffer.from(rubbish, 'latin1'), mp3]));
		const [{ json }] = (await run('Hello.')).outputs[0];
		const bytes = rubbish.length + mp3.length;
		expect(json).toMatchObject({ responseFormat: 'mp3', durationSeconds, bytes });
	}
});

test('audio far longer than its text can sound is damaged; what came up to the bound is kept', async () => {
	const bound = 64 * 1024 * 1024;
	sim.fault({ path: '/v1/audio/speech', contentBytes: bound + 1_000_000 });
	const { outputs } = await run('Hello.', { responseFormat: 'wav' });
	const [{ json, binary }] = outputs[1];
	expect(json).toMatchObject({ reason: 'damaged_response' });
	expect(json.message).toContain('larger than 64 MB');
	const kept = (await readStored(binary!.received)).length;
	expect(kept).toBeLessThanOrEqual(bound);
	expect(kept).toBeGreaterThan(bound - 1_000_000);
});

/** A WAV file of a hum of so many seconds, with silence between two of them. */
function hum(seconds: number, from: number, to: number): Buffer {
	const whole = fixture('wav-24000-mono-s16.wav').subarray(0, 44);
	const data = Buffer.alloc(2 * Math.round(24_000 * seconds));
	for (let i = 0; i < data.length / 2; i++) {
		const isSilent = i >= from * 24_000 && i < to * 24_000;
		data.writeInt16LE(isSilent ? 0 : Math.round(9000 * Math.sin(i / 20)), 2 * i);
	}
	const head = Buffer.from(whole);
	head.writeUInt32LE(36 + data.length, 4);
	head.writeUInt32LE(data.length, 40);
	return Buffer.concat([head, data]);
}

test('a segment that falls silent is named, and so is one that is too short for its text', async () => {
	const words = 'and nobody was surprised that the vote was put off once more';
	const names = ['Anna', 'Bert', 'Carl', 'Dora', 'Emil'];
	const lengths = [5, 5, 5, 5, 2.6];
	for (const [index, input] of names.entries()) {
		const [from, to] = input === 'Bert' ? [1.5, 3.2] : [0, 0];
		answer(hum(lengths[index], from, to), { input });
	}
	const sentences = names.map((name) => `${name} came, ${words}.`);
	const text = sentences.join('\n\n');
	const options = { maxSegmentCharacters: 80 };
	const { outputs, hints } = await run(text, { responseFormat: 'wav' }, options);
	expect(outputs[0][0].json.warnings).toEqual([
		{
			segment: 2,
			startSeconds: 5,
			endSeconds: 10,
			message: 'Segment 2 is silent for 1.7 s, 1.5 s after its start',
		},
		{
			segment: 5,
			startSeconds: 20,
			endSeconds: 22.6,
			message:
				'Segment 5 is 2.6 s long for 72 characters; the others take about 5.0 s for as much text, so it may have broken off',
		},
	]);
	expect(hints.join()).toContain('Please listen to item 1: Segment 2 is silent');
	// A second node speaks them again.
	sim.charges.length = 0;
	const speakAgainAt = '={{ $json.warnings.map((one) => one.startSeconds) }}';
	const again = { ...options, previousBinaryPropertyName: 'data', speakAgainAt };
	await run(text, { responseFormat: 'wav' }, again, undefined, outputs[0]);
	expect(sim.charged().sort()).toEqual([sentences[1], sentences[4]]);
});

test('MP3 that begins anew after a cut frame: a warning', async () => {
	const file = fixture('mp3-24000-mono-cbr.mp3');
	answer(Buffer.concat([file.subarray(0, 1500), file]));
	const { outputs, hints } = await run('Hello.');
	const [warning] = outputs[0][0].json.warnings as Array<{ message: string }>;
	expect(warning.message).toMatch(
		/^The speech begins anew after 0\.\d s, so words may be said twice$/,
	);
	expect(hints.join()).toContain(warning.message);
});

describe('an mp3 whose header is not its own', () => {
	let three: Buffer;
	beforeAll(() => void (three = Buffer.concat(Array(3).fill(fixture('mp3-24000-mono-cbr.mp3')))));
	const length = (file: Buffer) => probeAudio('mp3', new Uint8Array(file));
	const isTrue = async (file: IBinaryData, json: IDataObject) => {
		const bytes = await readStored(file);
		const { claimedSeconds, complaints } = length(bytes);
		expect(complaints).toBe('');
		expect(claimedSeconds).toBeCloseTo(Number(json.durationSeconds), 1);
		const { samples } = decode('mp3', new Uint8Array(bytes));
		expect(samples.length / 24_000).toBeCloseTo(Number(json.durationSeconds), 2);
		expect(json.bytes).toBe(bytes.length);
	};

	test('leaves with a true one, as one segment and among several', async () => {
		answer(three);
		const { outputs } = await run('One sentence.');
		const [{ json, binary }] = outputs[0];
		expect(length(three).claimedSeconds).not.toBeCloseTo(Number(json.durationSeconds), 1);
		await isTrue(binary!.data, json);
		answer(three, { times: 3 });
		const several = await run(TEXT, {}, THREE);
		await isTrue(several.outputs[0][0].binary!.data, several.outputs[0][0].json);
	});

	test('so does that of a job', async () => {
		sim.fault({ path: /\/content$|\/audio$|\/download$/, status: 200, body: three });
		const { outputs, error } = await run('One sentence.', {
			resource: 'speechJob',
			operation: 'createAndWait',
		});
		expect(error).toBeUndefined();
		await isTrue(outputs[0][0].binary!.data, outputs[0][0].json);
	});
});

describe('opus', () => {
	const typeInStore = async ({ id = '' }: IBinaryData) =>
		(await Container.get(BinaryDataService).getMetadata(id)).mimeType;

	test('is an .ogg whose codec the item names, and n8n stores under the type that its preview plays', async () => {
		const opus = { responseFormat: 'opus' };
		const more = { subtitles: 'srt', chapters: 'headings', textFormat: 'markdown' };
		const { outputs } = await run('# One\n\nFirst.\n\n# Two\n\nSecond.', opus, more);
		const [{ json, binary }] = outputs[0];
		const { data, subtitles, chapters } = binary!;
		const [, stem] = /^(speech-1-[0-9a-f]{8})\.ogg$/.exec(String(json.fileName)) ?? [];
		const type = { mimeType: 'audio/ogg; codecs=opus', fileName: `${stem}.ogg` };
		expect(json).toMatchObject(type);
		expect(data).toMatchObject({ ...type, fileExtension: 'ogg', fileType: 'audio' });
		expect(await typeInStore(data)).toBe('audio/ogg');
		expect([subtitles.fileName, chapters.fileName]).toEqual([
			`${stem}.srt`,
			`${stem}.chapters.json`,
		]);

		// One segment, with a name; then that file as the previous version.
		const named = await run('First.', opus, { fileName: 'Voice.oga' });
		const [voice] = named.outputs[0];
		expect(voice.json).toMatchObject({ ...type, fileName: 'Voice.oga' });
		expect(await typeInStore(voice.binary!.data)).toBe('audio/ogg');
		const items = [{ json: {}, binary: { data } }];
		const previous = { ...more, previousBinaryPropertyName: 'data' };
		const sent = sim.requests.length;
		const text = '# One\n\nFirst.\n\n# Two\n\nSecond. And a third.';
		const again = await run(text, opus, previous, undefined, items);
		expect(again.outputs[0][0].json).toMatchObject({ mimeType: type.mimeType });
		expect(sim.requests.slice(sent).filter(({ path }) => path === '/v1/audio/speech')).toHaveLength(
			1,
		);
	});

	test('that a proxy called .ogg is joined with one of ours', async () => {
		const { outputs } = await run('First.', { responseFormat: 'opus' });
		const { data } = outputs[0][0].binary!;
		const joined = await runNode({
			parameters: { resource: 'audio', operation: 'join', options: { fileName: 'all.opus' } },
			url: sim.url,
			apiKey: sim.apiKey,
			items: [
				{ json: {}, binary: { data } },
				{ json: {}, binary: { data: { ...data, fileName: 'a.ogg', mimeType: 'audio/ogg' } } },
			],
		});
		const [{ json, binary }] = joined.outputs[0];
		expect(json).toMatchObject({
			files: 2,
			mimeType: 'audio/ogg; codecs=opus',
			fileName: 'all.opus',
		});
		expect(await typeInStore(binary!.data)).toBe('audio/ogg');
	});
});
