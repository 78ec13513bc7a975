import type { AudioFormat, AudioInfo } from '../../../nodes/SpeechGateway/core/audio';
import { joinAudio } from '../../../nodes/SpeechGateway/core/audio';
import { decode, encode, fixture, inspect, pieces } from './support';

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
		const hiss = noise * Math.sqrt(3) * (2 * random() - 1);
		if (t < 0 || t >= sound) return hiss;
		return (
			hiss + 0.2 * Math.sin(2 * Math.PI * 220 * t + 1) + 0.1 * Math.sin(2 * Math.PI * 1100 * t)
		);
	});
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

async function trim(format: AudioFormat, files: Uint8Array[], pauseMilliseconds = 0) {
	const joined = joinAudio(
		files.map((bytes) => ({ info: inspect(format, bytes), open: () => once(bytes) })),
		{ pauses: { between: pauseMilliseconds }, trimSilence: true },
	);
	const chunks: Uint8Array[] = [];
	for await (const chunk of joined.chunks()) chunks.push(chunk);
	const bytes = new Uint8Array(Buffer.concat(chunks));
	expect(bytes).toHaveLength(joined.info.bytes);
	// Of a file without a header it is not seen any more that its delay is cut off.
	const known = { quiet: 0, seekPositions: 0, seekInterval: 0, edges: 0 };
	expect({ ...inspect(format, bytes), ...known }).toEqual({ ...joined.info, ...known });
	const decoded = decode(format, bytes);
	expect(decoded.complaints).toBe('');
	expect(decoded.samples.length / decoded.sampleRate).toBeCloseTo(joined.info.seconds, 6);
	return { ...joined, samples: decoded.samples, rate: decoded.sampleRate };
}

/** Seconds of silence in front of the sound and behind it, as heard. */
function edges(samples: Float32Array, rate: number, level = 0.05): [number, number] {
	const first = samples.findIndex((sample) => Math.abs(sample) > level);
	let last = samples.length - 1;
	while (Math.abs(samples[last]) <= level) last--;
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
		for (const noise of noises) {
			const sound = spoken(RATE, 1, 0.5, 1, noise);
			const file = encode(format, sound, RATE, options.split(' '));
			const one = await trim(format, [file]);
			expect(one.info.seconds).toBeCloseTo(0.5 + 2 * KEPT, 2);
			expect(edges(one.samples, RATE)[0]).toBeCloseTo(KEPT, 2);
			const both = await trim(format, [file, file], 250);
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
		const { info } = await trim('pcm', [new Uint8Array(48_000)]);
		expect(info.seconds).toBeCloseTo(KEPT, 6);
	});

	it('without quiet edges nothing changes', async () => {
		const file = fixture('wav-24000-mono-s16.wav');
		const { info } = await trim('wav', [file]);
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
		const make = (...arguments_: [number, number, number, number?]) =>
			encode('mp3', spoken(rate, ...arguments_), rate, [
				'-c:a',
				'libmp3lame',
				...options.split(' '),
			]);

		it.each([0, 0.001])('behind and in front of noise of %d', async (noise) => {
			if (noise > 0 && !name.startsWith('CBR, 24')) return;
			const file = make(1, 0.5, 1, noise);
			const one = await trim('mp3', [file]);
			for (const edge of edges(one.samples, rate)) {
				expect(edge).toBeGreaterThan(KEPT - 0.01);
				expect(edge).toBeLessThan(KEPT + (3.5 * frame) / rate);
			}
			const many = await trim('mp3', [file, file, file], 100);
			// Without a header it is not known what the encoder has added.
			(name === 'without a header' ? [] : many.starts).forEach((start, index) => {
				expect(Math.abs(start - index * (one.info.seconds + 0.1))).toBeLessThan((2 * frame) / rate);
			});
			expect(edges(many.samples, rate)[0]).toBeGreaterThan(KEPT - 0.01);
		});

		it('quiet speech in front is kept', async () => {
			const loud = spoken(rate, 0, 0.5, 0);
			const onset = spoken(rate, 0, 0.4, 0).map((sample) => sample * 0.02); // -47 dB
			const sound = Float32Array.from([...new Float32Array(rate), ...onset, ...loud]);
			const file = encode('mp3', sound, rate, ['-c:a', 'libmp3lame', ...options.split(' ')]);
			const { samples } = await trim('mp3', [file]);
			expect(edges(samples, rate)[0]).toBeGreaterThan(0.4 + KEPT - 0.01);
		});

		it('silence from end to end, and no silence at all', async () => {
			const silent = encode('mp3', new Float32Array(rate), rate, [
				...['-c:a', 'libmp3lame'],
				...options.split(' '),
			]);
			const { info } = await trim('mp3', [silent, silent]);
			expect(info.seconds).toBeLessThan(0.7);
			const full = make(0, 0.5, 0);
			expect((await trim('mp3', [full])).info.seconds).toBe(inspect('mp3', full).seconds);
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
	const encoded = (sound: Float32Array) =>
		encode('opus', sound, 48_000, ['-c:a', 'libopus', ...options.split(' ')]);
	const make = (...arguments_: [number, number, number, number?]) =>
		encoded(spoken(48_000, ...arguments_));
	/** A packet or two, and what encoders take for sound behind it. */
	const more = name.includes('60 ms') ? 0.2 : 0.1;

	it.each([0, 0.0003, 0.001])('behind and in front of noise of %d', async (noise) => {
		const file = make(1, 0.5, 1, noise);
		const one = await trim('opus', [file]);
		for (const edge of edges(one.samples, 48_000)) {
			expect(edge).toBeGreaterThan(KEPT - 0.02);
			expect(edge).toBeLessThan(KEPT + more);
		}
		const many = await trim('opus', [file, file, file], 100);
		many.starts.forEach((start, index) => {
			expect(Math.abs(start - index * (one.info.seconds + 0.1))).toBeLessThan(0.07);
		});
		expect(edges(many.samples, 48_000)[0]).toBeGreaterThan(KEPT - 0.02);
	});

	it('silence from end to end', async () => {
		const silent = encoded(new Float32Array(48_000));
		expect((await trim('opus', [silent, silent])).info.seconds).toBeLessThan(0.6);
	});

	it('not louder noise, nor sound from edge to edge, nor quiet speech in front', async () => {
		for (const file of [make(0, 0.5, 0), make(1, 0.5, 1, 0.01)]) {
			expect((await trim('opus', [file])).info.seconds).toBe(inspect('opus', file).seconds);
		}
		const onset = spoken(48_000, 0, 0.4, 0).map((sample) => sample * 0.04); // -41 dB
		const file = encoded(
			Float32Array.from([...new Float32Array(48_000), ...onset, ...spoken(48_000, 0, 0.5, 0)]),
		);
		const { samples } = await trim('opus', [file]);
		expect(edges(samples, 48_000)[0]).toBeGreaterThan(0.4 + KEPT - 0.02);
	});
});
