import type { AudioFormat, AudioInfo } from '../../nodes/SpeechGateway/audio';
import { joinAudio } from '../../nodes/SpeechGateway/audio';
import { decodeAll, encodeAll, fixture, inspect, pieces } from './support';

/** In jest a look at a global takes longer than a sine. */
const { abs, PI, sin, sqrt } = Math;

/** What stays of a quiet edge. */
const KEPT = 0.12;

/** A vowel-like sound between stretches of silence or of noise; all in seconds, the noise as RMS. */
function spoken(rate: number, before: number, sound: number, after: number, noise = 0) {
	let state = 1;
	const random = () => {
		state = (state * 48_271) % 0x7fffffff;
		return state / 0x7fffffff;
	};
	return Float32Array.from({ length: Math.round((before + sound + after) * rate) }, (_, i) => {
		const t = i / rate - before;
		const hiss = noise * sqrt(3) * (2 * random() - 1);
		if (t < 0 || t >= sound) return hiss;
		return hiss + 0.2 * sin(2 * PI * 220 * t + 1) + 0.1 * sin(2 * PI * 1100 * t);
	});
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

async function joinTrimmed(format: AudioFormat, files: Uint8Array[], pauseMilliseconds = 0) {
	const joined = await joinAudio(
		files.map((bytes) => ({ info: inspect(format, bytes), open: () => once(bytes) })),
		{ pauses: { between: pauseMilliseconds }, trimSilence: true },
	);
	const chunks: Uint8Array[] = [];
	for await (const chunk of joined.chunks()) chunks.push(chunk);
	const bytes = new Uint8Array(Buffer.concat(chunks));
	expect(bytes).toHaveLength(joined.info.bytes);
	// Of a file without a header it is not seen any more that its delay is cut off.
	const known = { quiet: 0, pauses: 0, seekPositions: 0, seekInterval: 0, edges: 0 };
	expect({ ...inspect(format, bytes), ...known }).toEqual({ ...joined.info, ...known });
	return { ...joined, bytes };
}

/** Joins files with their edges trimmed, once for each of the arguments, and decodes what comes of it. */
async function trim(
	format: AudioFormat,
	...joins: Array<[files: Uint8Array[], pauseMilliseconds?: number]>
) {
	const all = await Promise.all(joins.map(async (one) => await joinTrimmed(format, ...one)));
	const decoded = decodeAll(
		format,
		all.map(({ bytes }) => bytes),
	);
	return all.map((joined, index) => {
		const { samples, sampleRate, complaints } = decoded[index];
		expect(complaints).toBe('');
		expect(samples.length / sampleRate).toBeCloseTo(joined.info.seconds, 6);
		return { ...joined, samples };
	});
}

/** Seconds of silence in front of the sound and behind it, as heard. */
function edges(samples: Float32Array, rate: number, level = 0.05): [number, number] {
	const first = samples.findIndex((sample) => abs(sample) > level);
	let last = samples.length - 1;
	while (abs(samples[last]) <= level) last--;
	return [first / rate, (samples.length - 1 - last) / rate];
}

describe('wav and pcm: quiet edges are cut down to 120 ms, exactly', () => {
	const RATE = 24_000;
	it.each([
		['16 bit', 'wav', '-c:a pcm_s16le'],
		['24 bit, stereo', 'wav', '-c:a pcm_s24le -ac 2'],
		['32 bit', 'wav', '-c:a pcm_s32le'],
		['8 bit', 'wav', '-c:a pcm_u8'],
		['float', 'wav', '-c:a pcm_f32le'],
		['double', 'wav', '-c:a pcm_f64le'],
		['mu-law', 'wav', '-c:a pcm_mulaw'],
		['A-law', 'wav', '-c:a pcm_alaw'],
		['raw', 'pcm', '-f s16le'],
	] as const)('%s', async (name, format, options) => {
		// Below the lowest step of 8 bits noise is none.
		const noises = name === '8 bit' ? [0] : [0, 0.001];
		const files = encodeAll(
			noises.map((noise) => ({
				format,
				samples: spoken(RATE, 1, 0.5, 1, noise),
				sampleRate: RATE,
				options: options.split(' '),
			})),
		);
		for (const file of files) {
			const [one, both] = await trim(format, [[file]], [[file, file], 250]);
			expect(one.info.seconds).toBeCloseTo(0.5 + 2 * KEPT, 2);
			expect(edges(one.samples, RATE)[0]).toBeCloseTo(KEPT, 2);
			expect(both.info.seconds).toBeCloseTo(2 * one.info.seconds + 0.25, 4);
			expect(both.starts[1]).toBeCloseTo(one.info.seconds + 0.25, 4);
		}
	});

	it('to the sample, however the file is split', () => {
		const samples = new Int16Array(24_000);
		samples[10_000] = 164;
		samples[12_000] = -164;
		samples[13_000] = 163;
		const bytes = new Uint8Array(samples.buffer);
		const quiet = { start: 2 * (10_000 - 2880), end: 2 * (24_000 - 12_001 - 2880) };
		for (const size of [1, 3, 1000, 48_000]) {
			expect(inspect('pcm', pieces(bytes, size))).toMatchObject({ quiet });
		}
	});

	it('silence from end to end: as much stays as of an edge', async () => {
		const [{ info }] = await trim('pcm', [[new Uint8Array(48_000)]]);
		expect(info.seconds).toBeCloseTo(KEPT, 6);
	});

	it('without quiet edges nothing changes', async () => {
		const file = fixture('wav-24000-mono-s16.wav');
		const [{ info }] = await trim('wav', [[file]]);
		expect(info.seconds).toBe((inspect('wav', file) as AudioInfo).seconds);
	});
});

describe.each([
	['CBR, 24 kHz', 24_000, 576, '-b:a 64k'],
	['CBR 32k, 24 kHz', 24_000, 576, '-b:a 32k'],
	['CBR 128k, 44.1 kHz, stereo', 44_100, 1152, '-b:a 128k -ac 2'],
	['VBR, 24 kHz', 24_000, 576, '-q:a 4'],
	['without a header', 24_000, 576, '-b:a 64k -write_xing 0'],
])(
	'mp3, %s: quiet edges are cut down to 120 ms, to within a frame or two',
	(name, rate, frame, options) => {
		const loud = spoken(rate, 0, 0.5, 0);
		const onset = spoken(rate, 0, 0.4, 0).map((sample) => sample * 0.02); // -47 dB
		const [clean, noisy, quietInFront, silent, full] = encodeAll(
			[
				spoken(rate, 1, 0.5, 1, 0),
				spoken(rate, 1, 0.5, 1, 0.001),
				Float32Array.from([...new Float32Array(rate), ...onset, ...loud]),
				new Float32Array(rate),
				loud,
			].map((samples) => ({
				format: 'mp3',
				samples,
				sampleRate: rate,
				options: ['-c:a', 'libmp3lame', ...options.split(' ')],
			})),
		);

		it.each([0, 0.001])('behind and in front of noise of %d', async (noise) => {
			if (noise > 0 && !name.startsWith('CBR, 24')) return;
			const file = noise > 0 ? noisy : clean;
			const [one, many] = await trim('mp3', [[file]], [[file, file, file], 100]);
			for (const edge of edges(one.samples, rate)) {
				expect(edge).toBeGreaterThan(KEPT - 0.01);
				expect(edge).toBeLessThan(KEPT + (3.5 * frame) / rate);
			}
			// Without a header it is not known what the encoder has added.
			(name === 'without a header' ? [] : many.starts).forEach((start, index) => {
				expect(abs(start - index * (one.info.seconds + 0.1))).toBeLessThan((2 * frame) / rate);
			});
			expect(edges(many.samples, rate)[0]).toBeGreaterThan(KEPT - 0.01);
		});

		it('quiet speech in front is kept', async () => {
			const [{ samples }] = await trim('mp3', [[quietInFront]]);
			expect(edges(samples, rate)[0]).toBeGreaterThan(0.4 + KEPT - 0.01);
		});

		it('silence from end to end, and no silence at all', async () => {
			const [nothing, all] = await trim('mp3', [[silent, silent]], [[full]]);
			expect(nothing.info.seconds).toBeLessThan(0.7);
			expect(all.info.seconds).toBe(inspect('mp3', full).seconds);
		});
	},
);

describe.each([
	['CELT', '-b:a 64k'],
	['CELT, stereo, 10 ms', '-b:a 96k -ac 2 -frame_duration 10'],
	['CELT, 2.5 ms', '-b:a 96k -frame_duration 2.5 -application lowdelay'],
	['CELT, 32k', '-b:a 32k -application lowdelay'],
	['hybrid', '-b:a 32k -application voip'],
	['SILK', '-b:a 12k -application voip'],
	['SILK, 60 ms', '-b:a 12k -application voip -frame_duration 60'],
])('opus, %s: quiet edges are cut down to 120 ms, to within a packet or two', (name, options) => {
	const NOISES = [0, 0.0003, 0.001];
	const loud = spoken(48_000, 0, 0.5, 0);
	const onset = spoken(48_000, 0, 0.4, 0).map((sample) => sample * 0.04); // -41 dB
	const [silent, full, tooNoisy, quietInFront, ...noisy] = encodeAll(
		[
			new Float32Array(48_000),
			loud,
			spoken(48_000, 1, 0.5, 1, 0.01),
			Float32Array.from([...new Float32Array(48_000), ...onset, ...loud]),
			...NOISES.map((noise) => spoken(48_000, 1, 0.5, 1, noise)),
		].map((samples) => ({
			format: 'opus',
			samples,
			sampleRate: 48_000,
			options: ['-c:a', 'libopus', ...options.split(' ')],
		})),
	);
	/** A packet or two, and what encoders take for sound behind it. */
	const more = name.includes('60 ms') ? 0.2 : 0.1;

	it.each(NOISES)('behind and in front of noise of %d', async (noise) => {
		const file = noisy[NOISES.indexOf(noise)];
		const [one, many] = await trim('opus', [[file]], [[file, file, file], 100]);
		for (const edge of edges(one.samples, 48_000)) {
			expect(edge).toBeGreaterThan(KEPT - 0.02);
			expect(edge).toBeLessThan(KEPT + more);
		}
		many.starts.forEach((start, index) => {
			expect(abs(start - index * (one.info.seconds + 0.1))).toBeLessThan(0.07);
		});
		expect(edges(many.samples, 48_000)[0]).toBeGreaterThan(KEPT - 0.02);
	});

	it('silence from end to end', async () => {
		const [{ info }] = await trim('opus', [[silent, silent]]);
		expect(info.seconds).toBeLessThan(0.6);
	});

	it('not louder noise, nor sound from edge to edge, nor quiet speech in front', async () => {
		const [first, second, { samples }] = await trim(
			'opus',
			[[full]],
			[[tooNoisy]],
			[[quietInFront]],
		);
		expect(first.info.seconds).toBe(inspect('opus', full).seconds);
		expect(second.info.seconds).toBe(inspect('opus', tooNoisy).seconds);
		expect(edges(samples, 48_000)[0]).toBeGreaterThan(0.4 + KEPT - 0.02);
	});
});
