import type { AudioFormat } from '../../nodes/SpeechGateway/audio';
import { decode, decodeAll, encodeAll, joinFiles, loudness } from './support';

/** `unit`: seconds within which a part starts, a frame or packet; of formats without frames a sample. */
const KINDS: Array<[string, AudioFormat, number, number, string]> = [
	['mp3, 24 kHz', 'mp3', 24_000, 0.024, '-c:a libmp3lame -b:a 64k'],
	['mp3, 44.1 kHz stereo, VBR', 'mp3', 44_100, 0.0262, '-c:a libmp3lame -q:a 4 -ac 2'],
	['mp3 without a header', 'mp3', 24_000, 0.05, '-c:a libmp3lame -b:a 64k -write_xing 0'],
	['opus, CELT', 'opus', 48_000, 0.02, '-c:a libopus -b:a 64k'],
	[
		'opus, SILK 60 ms',
		'opus',
		48_000,
		0.06,
		'-c:a libopus -b:a 12k -application voip -frame_duration 60',
	],
	[
		'opus, CELT 2.5 ms',
		'opus',
		48_000,
		0.02,
		'-c:a libopus -b:a 96k -application lowdelay -frame_duration 2.5',
	],
	['wav', 'wav', 24_000, 1e-4, '-bitexact'],
	['pcm', 'pcm', 24_000, 1e-4, '-f s16le'],
];
/** Seconds over which a lossy codec spreads the edge of a sound. */
const SPREAD = 0.03;

/** Number of parts, and the seconds of silence before and behind them. */
const CASES: Array<[number, number, number]> = [
	// One silent frame of MP3, which must look like one of the file.
	[1, 0.025, 0],
	[1, 0, 0.7],
	[2, 0.45, 1.234],
	[2, 0.005, 0.005],
];

describe.each(KINDS)('%s', (_, format, rate, unit, options) => {
	const parts = encodeAll(
		[0.413, 0.27].map((seconds, n) => ({
			format,
			samples: Float32Array.from(
				{ length: Math.round(rate * seconds) },
				(__, i) => 0.5 * Math.sin((2 * Math.PI * (440 + 200 * n) * i) / rate),
			),
			sampleRate: rate,
			options: options.split(' '),
		})),
	);
	const alone = decodeAll(format, parts).map(({ samples }) => samples.length / rate);
	const joinParts = async (count: number, before: number, after: number) =>
		await joinFiles(format, parts.slice(0, count), {
			before: 1000 * before,
			between: 300,
			after: 1000 * after,
		});
	beforeAll(async () => {
		const files = await Promise.all(CASES.map(async (one) => (await joinParts(...one)).bytes));
		decodeAll(format, files);
	});

	test.each(CASES)(
		'%d parts with %d s of silence before and %d s behind',
		async (count, before, after) => {
			const { bytes, info, starts } = await joinParts(count, before, after);
			const { samples, complaints } = decode(format, bytes);
			expect(complaints).toBe('');
			expect(samples.length / rate).toBeCloseTo(info.seconds, 6);

			const lengths = alone.slice(0, count);
			const soundEnd = before + lengths.reduce((sum, seconds) => sum + seconds, 0.3 * (count - 1));
			expect(Math.abs(starts[0] - before)).toBeLessThanOrEqual(unit);
			expect(Math.abs(info.seconds - soundEnd - after)).toBeLessThanOrEqual(unit);
			const isSilent = (from: number, to: number) =>
				expect(loudness(samples, rate, from, to)).toBeLessThan(0.003);
			if (before > 0.1) isSilent(0, before - SPREAD - unit);
			if (after > 0.1) isSilent(soundEnd + SPREAD + unit, soundEnd + after);
			expect(loudness(samples, rate, starts[0] + SPREAD, starts[0] + 0.2)).toBeGreaterThan(0.2);
		},
	);
});
