import { type ReadableFormat, joinAudio } from '../../nodes/SpeechGateway/audio';
import { mp3InStereo } from '../../nodes/SpeechGateway/audio/mp3/stereo';
import type { Mp3Info } from '../../nodes/SpeechGateway/audio/mp3/reader';
import {
	bytesOf,
	decode,
	decodeAll,
	encode,
	encodeAll,
	inspect,
	joinFiles,
	pieces,
	stream,
	toneShare,
} from './support';

const { abs, max, PI, round, sin } = Math;

/** A tone with clicks, for which encoders switch to short blocks. */
const sound = (rate: number, seconds: number, hertz: number) =>
	Float32Array.from({ length: round(seconds * rate) }, (_, i) =>
		i % round(rate / 5) < 30 ? 0.9 * sin(i * i) : 0.4 * sin((2 * PI * hertz * i) / rate),
	);

const farthest = (a: Float32Array, b: Float32Array) =>
	a.reduce((most, sample, i) => max(most, abs(sample - b[i])), 0);

async function inStereo(mono: Uint8Array) {
	const info = inspect('mp3', mono) as Mp3Info;
	const stereo = await mp3InStereo({ info, open: () => stream(pieces(mono, 1000)) });
	expect(stereo.info).toMatchObject({ channels: 2, frames: info.frames, seconds: info.seconds });
	const joined = await joinAudio([stereo]);
	return await bytesOf(joined.chunks());
}

const MONO_MP3: Array<[number, string]> = [
	[44_100, '-b:a 128k'],
	[44_100, '-b:a 32k'],
	[44_100, '-q:a 4'],
	[48_000, '-b:a 64k -reservoir 0'],
	[24_000, '-b:a 64k'],
	[24_000, '-q:a 2 -write_xing 0'],
	[22_050, '-b:a 128k'],
	[8_000, '-b:a 16k'],
];

test('mono mp3 as stereo plays the same samples on both channels', async () => {
	const files = encodeAll(
		MONO_MP3.map(([sampleRate, options]) => ({
			format: 'mp3',
			sampleRate,
			samples: sound(sampleRate, 1.3, 700),
			options: ['-c:a', 'libmp3lame', ...options.split(' ')],
		})),
	);
	const stereo = await Promise.all(files.map(inStereo));
	const before = decodeAll('mp3', files);
	decodeAll('mp3', stereo).forEach(({ samples, right, channels, complaints }, index) => {
		expect({ channels, complaints }).toEqual({ channels: 2, complaints: '' });
		expect(samples).toHaveLength(before[index].samples.length);
		expect(farthest(samples, before[index].samples)).toBeLessThan(1e-6);
		expect(farthest(right, before[index].samples)).toBeLessThan(1e-6);
	});
});

test('a mono mp3 that has every bit in use is refused in words', async () => {
	const noise = Float32Array.from({ length: 48_000 }, (_, i) => 0.9 * sin(i * i * i + i / 7));
	const full = encode('mp3', noise, 24_000, ['-c:a', 'libmp3lame', '-b:a', '160k']);
	await expect(inStereo(full)).rejects.toThrow('no room for a second channel');
});

describe.each([
	['mp3', 44_100, '-b:a 128k'],
	['mp3', 24_000, '-b:a 64k'],
	['opus', 48_000, '-b:a 48k'],
	['opus', 48_000, '-b:a 16k -application voip'],
	['wav', 24_000, '-c:a pcm_s16le'],
	['wav', 24_000, '-c:a pcm_s24le'],
	['wav', 8_000, '-c:a pcm_mulaw'],
] as Array<[ReadableFormat, number, string]>)('%s at %d Hz, %s', (format, rate, options) => {
	const one = { format, sampleRate: rate, options: options.split(' ') };
	const [speech, music] = encodeAll([
		{ ...one, samples: sound(rate, 1.1, 500) },
		// What was sent in one channel is heard in both: a panned tone shows which file is which.
		{
			...one,
			samples: sound(rate, 0.9, 1500),
			options: [...one.options, '-ac', '2', '-af', 'pan=stereo|c0=c0|c1=0*c0'],
		},
	]);

	test.each([
		['speech, music, speech', [speech, music, speech]],
		['music, speech', [music, speech]],
	])('%s', async (_, files) => {
		const joined = await joinFiles(format, files, 200, (bytes) => pieces(bytes, 777));
		expect(inspect(format, joined.bytes).channels).toBe(2);
		const { samples, right, channels, complaints } = decode(format, joined.bytes);
		expect({ channels, complaints }).toEqual({ channels: 2, complaints: '' });
		expect(samples.length / rate).toBeCloseTo(joined.info.seconds, 3);
		files.forEach((file, index) => {
			const from = round((joined.starts[index] + 0.25) * rate);
			const stretch = (of: Float32Array) => of.subarray(from, from + round(0.1 * rate));
			const isMusic = file === music;
			expect(toneShare(stretch(samples), rate, isMusic ? 1500 : 500)).toBeGreaterThan(0.9);
			expect(toneShare(stretch(right), rate, 500) > 0.9).toBe(!isMusic);
			if (!isMusic) expect(farthest(stretch(right), stretch(samples))).toBeLessThan(1e-6);
		});
	});
});
