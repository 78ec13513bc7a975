/** MP3 that LAME streamed: without a header that tells the encoder's delay and padding. */
import { decode, encode, inspect, joinFiles, slice, toneShare } from './support';

const RATE = 24_000;
const FRAME = 576;
/** Quieter than this is silence. */
const SILENT = 0.02;
/** How each part begins, for so long, and how it goes on. */
const [FIRST_TONE, FIRST_SECONDS, TONE] = [1500, 0.06, 700];
const sound = (samples: number) =>
	Float32Array.from({ length: samples }, (_, i) => {
		const hertz = i < FIRST_SECONDS * RATE ? FIRST_TONE : TONE;
		return 0.5 * Math.sin((2 * Math.PI * hertz * i) / RATE);
	});
/** Silent stretches of at least five milliseconds between the first sound and the last, in samples. */
function gaps(samples: Float32Array): number[] {
	const found: number[] = [];
	let silent = 0;
	let begun = false;
	for (const sample of samples) {
		if (Math.abs(sample) < SILENT) silent++;
		else {
			if (begun && silent > 0.005 * RATE) found.push(silent);
			begun = true;
			silent = 0;
		}
	}
	return found;
}

describe.each([
	['CBR', ['-b:a', '64k']],
	['VBR', ['-q:a', '5']],
	['CBR of a high bitrate', ['-b:a', '128k']],
])('%s', (_, options) => {
	const encoded = (samples: number, ...more: string[]) =>
		encode('mp3', sound(samples), RATE, ['-c:a', 'libmp3lame', ...options, ...more]);
	const lengths = [17_113, 24_751, 10_961, 8000, 14_857];
	const parts = lengths.map((length) => encoded(length, '-write_xing', '0'));

	test('a seam has at most two frames of silence, and no sound goes', async () => {
		const joined = await joinFiles('mp3', parts);
		const { samples, complaints } = decode('mp3', joined.bytes);
		expect(complaints).toBe('');
		// The decoder's filter smears a little.
		for (const silence of gaps(samples)) expect(silence).toBeLessThan(2 * FRAME + 60);
		const total = lengths.reduce((sum, length) => sum + length, 0);
		const loud = (all: Float32Array) => all.filter((sample) => Math.abs(sample) >= SILENT).length;
		expect(loud(samples) / loud(sound(total))).toBeGreaterThan(0.995);
		expect(samples).toHaveLength(Math.round(joined.info.seconds * RATE));
	});

	test('each part starts where it is said to', async () => {
		const { starts, bytes } = await joinFiles('mp3', parts);
		const { samples } = decode('mp3', bytes);
		for (const start of starts.slice(1)) {
			// The decoder lags by 529 samples, 22 ms, and a frame of silence takes 24 ms.
			const share = (from: number, to: number, hertz: number) =>
				toneShare(slice(samples, RATE, start + from, start + to), RATE, hertz);
			expect(share(0.05, 0.08, FIRST_TONE)).toBeGreaterThan(0.9);
			expect(share(0.12, 0.2, TONE)).toBeGreaterThan(0.9);
		}
	});

	test('what the header says comes first, and other encoders are left as they are', () => {
		const told = inspect('mp3', encoded(8000));
		expect(told).toMatchObject({ edges: 'gapless' in told ? told.gapless : undefined });
		const [part] = parts;
		expect(inspect('mp3', part)).toMatchObject({
			gapless: null,
			edges: { delay: 576, padding: 576 },
		});
		const unsigned = Buffer.from(part);
		for (let at = unsigned.indexOf('LAME'); at >= 0; at = unsigned.indexOf('LAME')) {
			unsigned.write('NONE', at, 'latin1');
		}
		expect(inspect('mp3', new Uint8Array(unsigned))).toMatchObject({ edges: null });
	});
});
