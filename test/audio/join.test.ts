import fc from 'fast-check';
import type { ReadableFormat, AudioInfo } from '../../nodes/SpeechGateway/audio';
import { DamagedAudioError, joinAudio } from '../../nodes/SpeechGateway/audio';
import { remux } from './ogg';
import {
	bytesOf,
	decode,
	decodeAll,
	fixture,
	fixtureNames,
	formatOf,
	inspect,
	joinFiles,
	likeness,
	loudness,
	pieces,
	probeAudio,
	slice,
	split,
	stream,
} from './support';

const FORMATS = ['mp3', 'wav', 'opus', 'pcm'] as const;
const named = (format: ReadableFormat, names: string) =>
	names.split(' ').map((name) => `${format}-${name}.${format}`);
/** Files that fit together though their tags, bitrates, modes, packets and pages differ, and two of each kind. */
const GROUPS: string[][] = [
	named(
		'mp3',
		'44100-mono-cbr 44100-mono-cbr-noxing 44100-mono-cbr-1500hz 44100-mono-id3v2.3-picture 44100-mono-id3v1 44100-mono-piped 44100-mono-id3v2.4-picture',
	),
	named('mp3', '44100-mono-vbr-noxing 44100-mono-cbr'),
	named('wav', '24000-mono-s16 24000-mono-s16-list 24000-mono-s16-streamed 24000-mono-s16'),
	named('wav', '8000-mono-u8-odd 8000-mono-u8-odd 8000-mono-u8-odd'),
	named('pcm', '1500hz 500hz 1500hz'),
	named('opus', 'mono-20ms mono-20ms-1500hz mono-20ms'),
	named('opus', 'mono-60ms-silk mono-2.5ms mono-120ms mono-20ms mono-60ms-silk'),
	named('opus', 'stereo-20ms stereo-20ms-small-pages stereo-10ms-1500hz'),
	...named('mp3', '44100-stereo-cbr 24000-mono-cbr 8000-mono-cbr').map((name) => [name, name]),
	...named('wav', '48000-stereo-s24-extensible 16000-mono-f32-fact').map((name) => [name, name]),
	...named('wav', '8000-mono-mulaw 8000-mono-alaw').map((name) => [name, name]),
	...fixtureNames().map((name) => [name]),
];
/** Silence before, between and after, in milliseconds; of MP3, 25 are one silent frame, which must look like one of the file. */
const PAUSES: Array<{ before?: number; between?: number | number[]; after?: number }> = [
	{},
	{ before: 25, between: 240, after: 5 },
	{ before: 450, between: [700, 0, 700, 0, 700, 0], after: 1234 },
];
const CASES = GROUPS.flatMap((names, index) =>
	(names.length > 1 ? PAUSES : [PAUSES[index % 3]]).map((pauses) => ({
		format: formatOf(names[0]),
		names,
		pauses,
	})),
);

// What the tests of these cases decode one by one, in one start of ffmpeg a format.
beforeAll(async () => {
	const files: Record<ReadableFormat, Uint8Array[]> = { mp3: [], wav: [], opus: [], pcm: [] };
	for (const { format, names, pauses } of CASES) {
		const once = await joinFiles(format, names.map(fixture), pauses);
		files[format].push(...names.map(fixture), once.bytes);
		if (pauses === PAUSES[1])
			files[format].push((await joinFiles(format, [once.bytes, once.bytes])).bytes);
	}
	for (const format of FORMATS) decodeAll(format, files[format]);
});

const mp3FrameSamples = (rate: number) => (rate < 32_000 ? 576 : 1152);
/** The longest frame or packet, also of pauses; nothing else can be cut off a stream. */
const frameSeconds = (infos: AudioInfo[]): number =>
	Math.max(
		...infos.map((info) => {
			if (info.format === 'opus') return Math.max(960, info.maxPacketSamples) / 48_000;
			return info.format === 'mp3' ? mp3FrameSamples(info.sampleRate) / info.sampleRate : 0;
		}),
	);
/** Packets that reset an Opus decoder, and what its encoder lags behind. */
const RESET_SECONDS = 0.019;
/** Seconds over which a lossy codec spreads the edge of a sound. */
const SPREAD = 0.03;
/** Seconds at both ends of a part in which something of another part may be. */
const EDGE = { mp3: 0.08, opus: 0.05, wav: 0, pcm: 0 };

describe.each(CASES)('$names with pauses of $pauses', ({ format, names, pauses }) => {
	const files = names.map(fixture);
	const infos = files.map((bytes) => inspect(format, bytes));
	const frame = frameSeconds(infos) + 0.001;
	const { before = 0, between = 0, after = 0 } = pauses;
	const pauseAt = (seam: number) => (Array.isArray(between) ? between[seam] : between) / 1000;

	it('is one file, as long as it is said to be, with each part and pause in its place', async () => {
		const { bytes, info, starts } = await joinFiles(format, files, pauses);
		const { samples, sampleRate: rate, complaints } = decode(format, bytes);
		expect(complaints).toBe('');
		expect(samples).toHaveLength(Math.round(info.seconds * rate));
		let ideal = before / 1000;
		decodeAll(format, files).forEach(({ samples: own }, index) => {
			const late = starts[index] - ideal;
			const seams = index > 0 && pauseAt(index - 1) === 0 ? index : 0;
			expect(late).toBeGreaterThanOrEqual(-frame);
			expect(late).toBeLessThanOrEqual(Math.max(frame, seams * (frame + RESET_SECONDS)));
			const [from, to] = [EDGE[format], own.length / rate - EDGE[format]];
			const heard = slice(samples, rate, starts[index] + from, starts[index] + to);
			expect(likeness(heard, slice(own, rate, from, to))).toBeGreaterThan(0.95);
			ideal += infos[index].seconds + (index < names.length - 1 ? pauseAt(index) : 0);
		});
		const extra = info.seconds - after / 1000 - ideal;
		expect(Math.abs(extra)).toBeLessThanOrEqual(frame + names.length * (frame + RESET_SECONDS));

		// The tones have 0.09. A-law has no zero, and a lossy frame rings before and after.
		const isSilent = (from: number, to: number) => {
			const [start, end] = [from + SPREAD + frame, to - SPREAD - frame];
			if (end - start > 0.02) expect(loudness(samples, rate, start, end)).toBeLessThan(0.003);
		};
		isSilent(-SPREAD - frame, starts[0]);
		isSilent(info.seconds - after / 1000, info.seconds + SPREAD + frame);
		for (const [seam, start] of starts.slice(1).entries()) isSilent(start - pauseAt(seam), start);
	});
});

test.each(GROUPS.map((names) => ({ names })))(
	'$names: claims its length, is the same however the parts are split, and can be joined again',
	async ({ names }) => {
		const format = formatOf(names[0]);
		const files = names.map(fixture);
		const { bytes } = await joinFiles(format, files, PAUSES[1]);
		// ffprobe tells the length before anything is cut off at the ends.
		const seen = inspect(format, bytes);
		const rate = seen.sampleRate;
		let uncut = seen.seconds;
		if (seen.format === 'opus') uncut = seen.endSample / rate;
		if (seen.format === 'mp3') uncut = (seen.frames * mp3FrameSamples(rate)) / rate;
		const { claimedSeconds, complaints } = probeAudio(format, bytes);
		expect(Math.abs(claimedSeconds - uncut)).toBeLessThan(0.001);
		expect(complaints).toBe('');

		const cut = async (how: (file: Uint8Array) => Uint8Array[]) => {
			const other = await joinFiles(format, files, PAUSES[1], how);
			expect(Buffer.compare(other.bytes, bytes)).toBe(0);
		};
		await cut((file) => pieces(file, 1));
		await fc.assert(
			fc.asyncProperty(fc.array(fc.nat(20_000), { maxLength: 10 }), async (places) => {
				await cut((file) => split(file, places));
			}),
			{ numRuns: 5 },
		);
		const twice = await joinFiles(format, [bytes, bytes]);
		const decoded = decode(format, twice.bytes);
		expect(decoded.complaints).toBe('');
		expect(decoded.samples).toHaveLength(Math.round(twice.info.seconds * twice.info.sampleRate));
	},
);

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
	const [cbr, vbr, untold, vbrUntold] = ['cbr', 'vbr', 'cbr-noxing', 'vbr-noxing'].map((name) =>
		fixture(`mp3-44100-mono-${name}.mp3`),
	);

	it.each([
		['Info', 'a constant bitrate', [cbr, cbr]],
		['Xing', 'a varying one', [cbr, vbr]],
	])('says %s for %s, once, with the right counts', async (name, _, files) => {
		const { bytes } = await joinFiles('mp3', files);
		const { packets } = probeAudio('mp3', bytes);
		expect(headerOf(bytes)).toMatchObject({ name, bytes: bytes.length, frames: packets });
		expect(
			Buffer.from(bytes)
				.toString('latin1')
				.split(/Xing|Info/),
		).toHaveLength(2);
	});

	it('tells of the delay and padding that the first and the last part have', async () => {
		const { gapless } = inspect('mp3', cbr) as { gapless?: { delay: number; padding: number } };
		expect(gapless).toMatchObject({ delay: 576 });
		for (const [files, expected] of [
			[[cbr, untold, cbr], gapless],
			[[cbr, untold], { delay: 576, padding: 0 }],
			[[untold, cbr], null],
		] as const) {
			const joined = await joinFiles('mp3', [...files]);
			expect(inspect('mp3', joined.bytes)).toMatchObject({ gapless: expected });
		}
	});

	it('has a table of contents that leads to the right places', async () => {
		const many = Array.from({ length: 60 }, (_, index) => [vbr, cbr, vbrUntold][index % 3]);
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

test.each([
	['packets over several pages', { segmentsPerPage: 1 }],
	['full pages', { segmentsPerPage: 255 }],
	['a pre-skip of 80 ms', { preSkip: 3840 }],
	['a pre-skip of 85 ms', { preSkip: 4080 }],
	['an end trimmed by more than a packet', { trim: 2500, segmentsPerPage: 255 }],
	['an end trimmed by two whole packets', { trim: 1920, segmentsPerPage: 255 }],
	['a last page without packets', { emptyLastPage: true }],
	['another serial number', { serial: 0xdeadbeef }],
	['a big picture in its tags', { tagsBytes: 200_000 }],
])('opus from another muxer is read and joined: %s', async (_, change) => {
	const changed = remux(fixture('opus-mono-20ms.opus'), change);
	const other = fixture('opus-mono-20ms-1500hz.opus');
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
		const { seconds } = all[index].info;
		expect(heard[index].complaints).toBe('');
		expect(heard[index].samples).toHaveLength(Math.round(seconds * 48_000));
		const parts = files.reduce((sum, bytes) => sum + inspect('opus', bytes).seconds, 0);
		const extra = seconds - parts - (files.length - 1) * 0.06;
		expect(Math.abs(extra * 48_000)).toBeLessThanOrEqual(960); // one packet
	}
});

/** A file as it was inspected, and what is read when it is joined. */
const part = (name: string, content = fixture(name)) => ({
	info: inspect(formatOf(name), fixture(name)),
	open: () => stream([content]),
});

test.each([
	[
		'mp3-44100-mono-cbr.mp3',
		'mp3-24000-mono-cbr.mp3',
		'the sample rate is 44100 in segment 1 and 24000',
	],
	[
		'wav-24000-mono-s16.wav',
		'wav-16000-mono-f32-fact.wav',
		'the sample rate is 24000 in segment 1 and',
	],
	[
		'wav-8000-mono-alaw.wav',
		'wav-8000-mono-mulaw.wav',
		'the codec is A-law in segment 1 and mu-law in',
	],
	[
		'pcm-500hz.pcm',
		'wav-24000-mono-s16.wav',
		'the format is pcm in segment 1 and wav in segment 2',
	],
])('a mismatch is named: %s, %s', async (one, other, message) => {
	await expect(joinAudio([part(one), part(other)])).rejects.toThrow(message);
});

test('no parts at all are refused, and too much for a WAV file', async () => {
	await expect(joinAudio([])).rejects.toThrow(/no audio/);
	const half = part('wav-24000-mono-s16.wav');
	const info = { ...half.info, dataBytes: 2 ** 31 };
	await expect(joinAudio([{ ...half, info }, half, { ...half, info }])).rejects.toThrow(/4 GiB/);
});

describe('a part that was changed after it was looked at is damaged', () => {
	const slower = Buffer.from(fixture('wav-24000-mono-s16.wav'));
	slower.writeUInt32LE(12_000, 24);
	slower.writeUInt32LE(24_000, 28);
	const cases = FORMATS.flatMap((format): Array<[string, string, Uint8Array]> => {
		const [name] = fixtureNames(format);
		const bytes = fixture(name);
		const longer = Buffer.concat([bytes, Buffer.from(format === 'pcm' ? '\n\n' : '\n')]);
		return [
			['shorter', name, bytes.subarray(0, format === 'pcm' ? -2 : -1)],
			['with a line break behind it', name, longer],
		];
	});
	test.each([...cases, ['with another rate', 'wav-24000-mono-s16.wav', slower]] as typeof cases)(
		'%s: %s',
		async (_, name, changed) => {
			const { chunks } = await joinAudio([part(name), part(name, changed)]);
			await expect(bytesOf(chunks())).rejects.toThrow(DamagedAudioError);
		},
	);
});

it.each(FORMATS)('%s: corrupted parts never make a wrong file', async (format) => {
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
});
