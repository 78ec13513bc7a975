import fc from 'fast-check';
import type { AudioFormat, AudioInfo } from '../../nodes/SpeechGateway/audio';
import { DamagedAudioError, joinAudio } from '../../nodes/SpeechGateway/audio';
import { remux } from './ogg';
import {
	decode,
	decodeAll,
	probeAudio,
	fixture,
	fixtureNames,
	formatOf,
	inspect,
	joinFiles,
	loudness,
	pieces,
	slice,
	split,
	toneShare,
} from './support';

/** The tone in each fixture, in Hz, as the script that makes them says. */
const TONES: Record<string, number> = {
	'mp3-44100-mono-cbr.mp3': 500,
	'mp3-44100-mono-cbr-1500hz.mp3': 1500,
	'mp3-44100-mono-cbr-noxing.mp3': 1000,
	'mp3-44100-mono-vbr-noxing.mp3': 1200,
	'mp3-44100-mono-id3v2.3-picture.mp3': 800,
	'mp3-44100-mono-id3v2.4-picture.mp3': 800,
	'mp3-44100-mono-id3v1.mp3': 600,
	'mp3-44100-mono-piped.mp3': 1100,
	'mp3-44100-stereo-cbr.mp3': 1000,
	'mp3-48000-stereo-joint.mp3': 700,
	'mp3-24000-mono-cbr.mp3': 900,
	'mp3-8000-mono-cbr.mp3': 600,
	'wav-24000-mono-s16.wav': 500,
	'wav-24000-mono-s16-list.wav': 1000,
	'wav-24000-mono-s16-streamed.wav': 1500,
	'wav-44100-stereo-s16.wav': 700,
	'wav-48000-stereo-s24-extensible.wav': 900,
	'wav-16000-mono-f32-fact.wav': 600,
	'wav-8000-mono-mulaw.wav': 400,
	'wav-8000-mono-alaw.wav': 400,
	'wav-8000-mono-u8-odd.wav': 500,
	'pcm-500hz.pcm': 500,
	'pcm-1500hz.pcm': 1500,
	'opus-mono-20ms.opus': 500,
	'opus-mono-20ms-1500hz.opus': 1500,
	'opus-mono-2.5ms.opus': 1000,
	'opus-mono-60ms-silk.opus': 700,
	'opus-mono-120ms.opus': 900,
	'opus-stereo-20ms.opus': 800,
	'opus-stereo-10ms-1500hz.opus': 1500,
	'opus-stereo-20ms-small-pages.opus': 600,
};

/** Sounds that change all the time. */
const NO_TONE = 'mp3-44100-mono-vbr.mp3';

const GROUPS: Array<{ format: AudioFormat; names: string[] }> = [
	{
		format: 'mp3',
		names: [
			'mp3-44100-mono-cbr.mp3',
			'mp3-44100-mono-cbr-noxing.mp3',
			'mp3-44100-mono-cbr-1500hz.mp3',
			'mp3-44100-mono-id3v2.3-picture.mp3',
			'mp3-44100-mono-id3v1.mp3',
			'mp3-44100-mono-piped.mp3',
			'mp3-44100-mono-id3v2.4-picture.mp3',
		],
	},
	{ format: 'mp3', names: ['mp3-44100-mono-vbr-noxing.mp3', 'mp3-44100-mono-cbr.mp3'] },
	{ format: 'mp3', names: ['mp3-44100-stereo-cbr.mp3', 'mp3-44100-stereo-cbr.mp3'] },
	{ format: 'mp3', names: ['mp3-24000-mono-cbr.mp3', 'mp3-24000-mono-cbr.mp3'] },
	{ format: 'mp3', names: ['mp3-8000-mono-cbr.mp3', 'mp3-8000-mono-cbr.mp3'] },
	{
		format: 'wav',
		names: [
			'wav-24000-mono-s16.wav',
			'wav-24000-mono-s16-list.wav',
			'wav-24000-mono-s16-streamed.wav',
			'wav-24000-mono-s16.wav',
		],
	},
	{
		format: 'wav',
		names: ['wav-48000-stereo-s24-extensible.wav', 'wav-48000-stereo-s24-extensible.wav'],
	},
	{
		format: 'wav',
		names: ['wav-8000-mono-u8-odd.wav', 'wav-8000-mono-u8-odd.wav', 'wav-8000-mono-u8-odd.wav'],
	},
	{ format: 'wav', names: ['wav-16000-mono-f32-fact.wav', 'wav-16000-mono-f32-fact.wav'] },
	{ format: 'wav', names: ['wav-8000-mono-mulaw.wav', 'wav-8000-mono-mulaw.wav'] },
	{ format: 'wav', names: ['wav-8000-mono-alaw.wav', 'wav-8000-mono-alaw.wav'] },
	{ format: 'pcm', names: ['pcm-1500hz.pcm', 'pcm-500hz.pcm', 'pcm-1500hz.pcm'] },
	{
		format: 'opus',
		names: ['opus-mono-20ms.opus', 'opus-mono-20ms-1500hz.opus', 'opus-mono-20ms.opus'],
	},
	{
		format: 'opus',
		names: [
			'opus-mono-60ms-silk.opus',
			'opus-mono-2.5ms.opus',
			'opus-mono-120ms.opus',
			'opus-mono-20ms.opus',
			'opus-mono-60ms-silk.opus',
		],
	},
	{
		format: 'opus',
		names: [
			'opus-stereo-20ms.opus',
			'opus-stereo-20ms-small-pages.opus',
			'opus-stereo-10ms-1500hz.opus',
		],
	},
	...fixtureNames().map((name) => ({ format: formatOf(name), names: [name] })),
];

/** Seconds by which an encoder may delay the sound behind the time at which its part starts. */
const CODEC_DELAY = { mp3: 0.15, opus: 0.05, wav: 0.001, pcm: 0.001 };

const CASES = GROUPS.flatMap(({ format, names }) =>
	(names.length > 1 ? [0, 240] : [0]).map((pause) => ({ format, names, pause })),
);

// What the tests of these cases decode one by one, in one start of ffmpeg a format.
beforeAll(async () => {
	const toDecode: Array<[AudioFormat, Uint8Array]> = [];
	for (const { format, names, pause } of CASES) {
		const once = await joinFiles(format, names.map(fixture), pause);
		const twice = await joinFiles(format, [once.bytes, once.bytes]);
		toDecode.push([format, once.bytes], [format, twice.bytes]);
	}
	for (const format of ['mp3', 'wav', 'opus', 'pcm'] as const)
		decodeAll(
			format,
			toDecode.filter(([of]) => of === format).map(([, bytes]) => bytes),
		);
});

/** The longest frame or packet; nothing else can be cut off a stream. */
function frameSeconds(infos: AudioInfo[]): number {
	return Math.max(
		...infos.map((info) => {
			if (info.format === 'opus') return info.maxPacketSamples / 48_000;
			return info.format === 'mp3' ? (info.sampleRate < 32_000 ? 576 : 1152) / info.sampleRate : 0;
		}),
	);
}

describe.each(CASES)('$format: $names with pauses of $pause ms', ({ format, names, pause }) => {
	const files = names.map(fixture);
	const infos = files.map((bytes) => inspect(format, bytes));

	it('is one file, as long as it claims, in the right order', async () => {
		const joined = await joinFiles(format, files, pause);
		const decoded = decode(format, joined.bytes);
		const rate = joined.info.sampleRate;

		expect(decoded.complaints).toBe('');
		expect(decoded.samples).toHaveLength(Math.round(joined.info.seconds * rate));
		// ffprobe tells the length before anything is cut off at the ends.
		const info = inspect(format, joined.bytes);
		const uncut =
			info.format === 'opus'
				? info.endSample / rate
				: info.format === 'mp3'
					? (info.frames * (rate < 32_000 ? 576 : 1152)) / rate
					: info.seconds;
		const { claimedSeconds, complaints } = probeAudio(format, joined.bytes);
		expect(Math.abs(claimedSeconds - uncut)).toBeLessThan(0.001);
		expect(complaints).toBe('');

		names.forEach((name, index) => {
			const from = joined.starts[index] + CODEC_DELAY[format];
			const to = joined.starts[index] + infos[index].seconds - CODEC_DELAY[format];
			if (name === NO_TONE) return;
			expect(Object.keys(TONES)).toContain(name);
			expect(toneShare(slice(decoded.samples, rate, from, to), rate, TONES[name])).toBeGreaterThan(
				0.9,
			);
			if (pause > 0 && index > 0) {
				const middle = joined.starts[index] - pause / 2000;
				// The tones have 0.09. A-law has no zero, and an MP3 frame (72 ms at 8 kHz) rings before and after.
				expect(loudness(decoded.samples, rate, middle - 0.03, middle + 0.03)).toBeLessThan(0.001);
			}
		});
	});

	it('takes as long as its parts and its pauses, or a frame and what resets decoders longer at each seam that sounds', async () => {
		const joined = await joinFiles(format, files, pause);
		const parts = infos.reduce((sum, info) => sum + info.seconds, 0);
		const extra = joined.info.seconds - parts - ((names.length - 1) * pause) / 1000;
		const frame = frameSeconds(infos) + 1e-9;
		expect(extra).toBeGreaterThanOrEqual(-frame);
		const seams = pause === 0 ? names.length - 1 : 0;
		expect(extra).toBeLessThanOrEqual(Math.max(frame, seams * (frame + RESET_SECONDS)));
	});

	it('is the same however the parts are split', async () => {
		const whole = await joinFiles(format, files, pause);
		const bytewise = await joinFiles(format, files, pause, (bytes) => pieces(bytes, 1));
		expect(Buffer.compare(bytewise.bytes, whole.bytes)).toBe(0);
		await fc.assert(
			fc.asyncProperty(fc.array(fc.nat(20_000), { maxLength: 10 }), async (places) => {
				const random = await joinFiles(format, files, pause, (bytes) => split(bytes, places));
				expect(Buffer.compare(random.bytes, whole.bytes)).toBe(0);
			}),
			{ numRuns: 10 },
		);
	});

	it('can be joined again', async () => {
		const once = await joinFiles(format, files, pause);
		const twice = await joinFiles(format, [once.bytes, once.bytes]);
		const decoded = decode(format, twice.bytes);
		expect(decoded.complaints).toBe('');
		expect(decoded.samples).toHaveLength(Math.round(twice.info.seconds * twice.info.sampleRate));
	});
});

/** Packets that reset an Opus decoder, and what its encoder lags behind. */
const RESET_SECONDS = 0.019;

describe('mp3 header', () => {
	const headerOf = (bytes: Uint8Array) => {
		const text = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
		const at = text.search(/Xing|Info/);
		const view = new DataView(bytes.buffer, bytes.byteOffset + at);
		return {
			name: text.slice(at, at + 4),
			frames: view.getUint32(8),
			bytes: view.getUint32(12),
			toc: [...bytes.subarray(at + 16, at + 116)],
		};
	};

	it('says Info for a constant bitrate and Xing for a varying one, with the right counts', async () => {
		const cbr = fixture('mp3-44100-mono-cbr.mp3');
		const vbr = fixture('mp3-44100-mono-vbr.mp3');
		const constant = await joinFiles('mp3', [cbr, cbr]);
		expect(headerOf(constant.bytes)).toMatchObject({ name: 'Info', bytes: constant.bytes.length });
		const varying = await joinFiles('mp3', [cbr, vbr]);
		expect(headerOf(varying.bytes)).toMatchObject({ name: 'Xing', bytes: varying.bytes.length });
		for (const { bytes } of [constant, varying]) {
			expect(headerOf(bytes).frames).toBe(probeAudio('mp3', bytes).packets);
			expect(
				Buffer.from(bytes)
					.toString('latin1')
					.match(/Xing|Info/g),
			).toHaveLength(1);
		}
	});

	it('tells of the delay and padding that the first and the last part have', async () => {
		const told = fixture('mp3-44100-mono-cbr.mp3');
		const untold = fixture('mp3-44100-mono-cbr-noxing.mp3');
		const { gapless } = inspect('mp3', told) as { gapless?: { delay: number; padding: number } };
		expect(gapless).toMatchObject({ delay: 576 });
		for (const [files, expected] of [
			[[told, untold, told], gapless],
			[[told, untold], { delay: 576, padding: 0 }],
			[[untold, told], null],
			[[told], gapless],
		] as const) {
			const joined = await joinFiles('mp3', [...files]);
			expect(inspect('mp3', joined.bytes)).toMatchObject({ gapless: expected });
			const { samples, sampleRate } = decode('mp3', joined.bytes);
			expect(samples).toHaveLength(Math.round(joined.info.seconds * sampleRate));
		}
	});

	it('has a table of contents that leads to the right places', async () => {
		const names = [
			'mp3-44100-mono-vbr.mp3',
			'mp3-44100-mono-cbr.mp3',
			'mp3-44100-mono-vbr-noxing.mp3',
		];
		const many = Array.from({ length: 60 }, (_, index) => fixture(names[index % 3]));
		const { bytes } = await joinFiles('mp3', many, 100);
		const { toc, frames } = headerOf(bytes);
		// Where each frame really begins, found by walking over the frames.
		const places: number[] = [];
		const rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
		for (let at = 0; at < bytes.length; ) {
			places.push(at);
			at += Math.floor((144_000 * rates[bytes[at + 2] >> 4]) / 44_100) + ((bytes[at + 2] >> 1) & 1);
		}
		places.shift();
		expect(places).toHaveLength(frames);
		toc.forEach((entry, percent) => {
			const real = (256 * places[Math.floor((frames * percent) / 100)]) / bytes.length;
			expect(Math.abs(entry - real)).toBeLessThan(1.5);
		});
	});
});

describe('opus from other muxers', () => {
	const plain = fixture('opus-mono-20ms.opus');
	const other = fixture('opus-mono-20ms-1500hz.opus');
	const kinds = {
		'packets over several pages': { segmentsPerPage: 1 },
		'full pages': { segmentsPerPage: 255 },
		'a pre-skip of 80 ms': { preSkip: 3840 },
		'a pre-skip of 85 ms': { preSkip: 4080 },
		'an end trimmed by more than a packet': { trim: 2500, segmentsPerPage: 255 },
		'an end trimmed by two whole packets': { trim: 1920, segmentsPerPage: 255 },
		'a last page without packets': { emptyLastPage: true },
		'another serial number': { serial: 0xdeadbeef },
		'a big picture in its tags': { tagsBytes: 200_000 },
	};

	it.each(Object.entries(kinds))('are read and joined: %s', async (_, change) => {
		const changed = remux(plain, change);
		const info = inspect('opus', changed);
		expect(inspect('opus', pieces(changed, 1))).toEqual(info);
		const orders = [
			[changed, other],
			[other, changed],
			[changed, changed, changed],
		];
		const all = await Promise.all(orders.map(async (files) => await joinFiles('opus', files, 60)));
		const [alone, ...heard] = decodeAll('opus', [changed, ...all.map(({ bytes }) => bytes)]);
		expect(info.seconds * 48_000).toBeCloseTo(alone.samples.length, 6);
		for (const [index, files] of orders.entries()) {
			const [joined, decoded] = [all[index], heard[index]];
			expect(decoded.complaints).toBe('');
			expect(decoded.samples).toHaveLength(Math.round(joined.info.seconds * 48_000));
			const infos = files.map((bytes) => inspect('opus', bytes));
			const parts = infos.reduce((sum, { seconds }) => sum + seconds, 0);
			const extra = joined.info.seconds - parts - (files.length - 1) * 0.06;
			expect(Math.abs(extra * 48_000)).toBeLessThanOrEqual(960); // one packet
		}
	});
});

describe('a mismatch', () => {
	it.each([
		[
			'mp3',
			'mp3-44100-mono-cbr.mp3',
			'mp3-24000-mono-cbr.mp3',
			/sample rate is 44100 in part 1 and 24000 in part 2/,
		],
		[
			'wav',
			'wav-24000-mono-s16.wav',
			'wav-16000-mono-f32-fact.wav',
			/sample rate is 24000 .* 16000/,
		],
		['wav', 'wav-8000-mono-alaw.wav', 'wav-8000-mono-mulaw.wav', /codec is A-law .* mu-law/],
	] as const)('of %s is named', async (format, one, other, message) => {
		await expect(joinFiles(format, [fixture(one), fixture(other)])).rejects.toThrow(message);
	});

	it('of formats, and no parts at all, are refused', async () => {
		const part = (name: string) => ({
			info: inspect(formatOf(name), fixture(name)),
			open: () => Promise.reject(new Error('not to be opened')),
		});
		await expect(
			joinAudio([part('pcm-500hz.pcm'), part('wav-24000-mono-s16.wav')]),
		).rejects.toThrow(/format is pcm in part 1 and wav in part 2/);
		await expect(joinAudio([])).rejects.toThrow(/no audio/);
	});
});

it.each(['mp3', 'wav', 'opus', 'pcm'] as const)(
	'%s: a part that changed is noticed',
	async (format) => {
		const [name] = fixtureNames(format);
		const bytes = fixture(name);
		const other = format === 'pcm' ? bytes.subarray(2) : bytes.subarray(0, bytes.length - 1);
		const joined = await joinAudio([
			{
				info: inspect(format, bytes),
				open: async function* () {
					yield other;
				},
			},
		]);
		const read = async () => {
			for await (const chunk of joined.chunks()) expect(chunk).toBeDefined();
		};
		await expect(read()).rejects.toThrow(DamagedAudioError);
	},
);

it('too much for a WAV file is refused', async () => {
	const info = inspect('wav', fixture('wav-24000-mono-s16.wav'));
	const part = {
		info: { ...info, dataBytes: 2 ** 31 },
		open: () => Promise.reject(new Error('unused')),
	};
	await expect(joinAudio([part, part])).rejects.toThrow(/4 GiB/);
});

it.each(['mp3', 'wav', 'opus', 'pcm'] as const)(
	'%s: corrupted parts never make a wrong file',
	async (format) => {
		const names = fixtureNames(format);
		const change = fc.record({ at: fc.nat(20_000), value: fc.integer({ min: 1, max: 255 }) });
		await fc.assert(
			fc.asyncProperty(
				fc.nat(names.length - 1),
				fc.array(change, { minLength: 1, maxLength: 8 }),
				async (pick, changes) => {
					const bad = fixture(names[pick]).slice();
					for (const { at, value } of changes) bad[at % bad.length] ^= value;
					const failure = await joinFiles(format, [bad, bad]).catch((error: unknown) => error);
					if (failure instanceof Error) expect(failure).toBeInstanceOf(DamagedAudioError);
				},
			),
			{ numRuns: 200 },
		);
	},
);

describe.each(GROUPS.filter(({ names }) => names.length > 2))(
	'$format: $names with a pause of its own at each seam',
	({ format, names }) => {
		it('is silent as long as asked for, where it was asked for', async () => {
			const files = names.map(fixture);
			const infos = files.map((bytes) => inspect(format, bytes));
			const pauses = names.slice(1).map((_, seam) => (seam % 2 === 0 ? 700 : 0));
			const { bytes, info, starts } = await joinFiles(format, files, pauses);
			const decoded = decode(format, bytes);
			expect(decoded.complaints).toBe('');
			expect(decoded.samples).toHaveLength(Math.round(info.seconds * info.sampleRate));
			let start = 0;
			pauses.forEach((pause, seam) => {
				start += infos[seam].seconds + pause / 1000;
				const late = starts[seam + 1] - start;
				const frame = frameSeconds(infos) + 0.001;
				expect(late).toBeGreaterThanOrEqual(-frame);
				expect(late).toBeLessThanOrEqual(pause === 0 ? 2 * frame + RESET_SECONDS : frame);
				if (pause === 0) return;
				const middle = starts[seam + 1] - pause / 2000;
				expect(loudness(decoded.samples, info.sampleRate, middle - 0.2, middle + 0.2)).toBeLessThan(
					0.001,
				);
			});
		});
	},
);
