/** Where parts meet: the frames of MP3 that are left, and the time that seams take. `join.test.ts` and `wholeEnds.test.ts` listen. */
import type { Mp3Info } from '../../nodes/SpeechGateway/audio/mp3/reader';
import { decode, encode, fixture, inspect, joinFiles } from './support';

/** Swelling noise, for which LAME borrows from its reservoir. */
const noise = (seconds: number, seed: number) => {
	const samples = Float32Array.from({ length: Math.round(seconds * 24_000) }, (_, i) => {
		return 0.3 * Math.sin(i * i * (seed + 1)) * Math.sin(i / 900) ** 2;
	});
	return encode('mp3', samples, 24_000, ['-c:a', 'libmp3lame', '-b:a', '64k']);
};

describe('mp3 frames at the seams', () => {
	const framesOf = (bytes: Uint8Array) => {
		const found: Array<{ at: number; kbits: number }> = [];
		const rates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
		const start = bytes.findIndex((byte, at) => byte === 0xff && (bytes[at + 1] & 0xf6) === 0xf2);
		for (let at = start; at < bytes.length; ) {
			const kbits = rates[bytes[at + 2] >> 4];
			found.push({ at, kbits });
			at += 3 * kbits; // MPEG-2 at 24 kHz
		}
		return found.slice(1);
	};
	const parts = [1.01, 0.5, 0.77].map(noise);

	it('are all as they were', async () => {
		const { bytes } = await joinFiles('mp3', parts);
		const info = inspect('mp3', bytes) as Mp3Info;
		const frames = framesOf(bytes);
		expect(frames).toHaveLength(info.frames);
		expect(info).toMatchObject({ bitrate: 64 });
		expect(Buffer.from(bytes).includes('Info')).toBe(true);
		const hex = (file: Uint8Array, at: number) =>
			Buffer.from(file.subarray(at, at + 192)).toString('hex');
		const before = new Set(parts.flatMap((part) => framesOf(part).map(({ at }) => hex(part, at))));
		for (const { at } of frames) expect(before).toContain(hex(bytes, at));
	});

	it.each([0.001, 0.02, 0.05])(
		'parts of %d s: at least one frame of each stays',
		async (seconds) => {
			const tiny = noise(seconds, 1);
			const files = Array.from({ length: 50 }, () => tiny);
			for (const pause of [0, 10]) {
				const joined = await joinFiles('mp3', files, pause);
				const decoded = decode('mp3', joined.bytes);
				expect(decoded.complaints).toBe('');
				expect(decoded.samples).toHaveLength(Math.round(joined.info.seconds * 24_000));
				joined.starts.slice(1).forEach((start, part) => {
					expect(start).toBeGreaterThanOrEqual(joined.starts[part]);
				});
			}
		},
	);
});

test('of many Opus parts, each starts within a packet of its time: what a seam is late, the next makes up for', async () => {
	const file = fixture('opus-mono-20ms.opus');
	const { seconds } = inspect('opus', file);
	const { starts } = await joinFiles(
		'opus',
		Array.from({ length: 40 }, () => file),
		229,
	);
	for (const [index, start] of starts.entries())
		expect(Math.abs(start - index * (seconds + 0.229))).toBeLessThan(0.02);
});
