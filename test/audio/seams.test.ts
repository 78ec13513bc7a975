import { decodeAll, encodeAll, joinFiles, type Sound } from './support';

const RATE = 48_000;
const DECODERS = ['libopus', 'opus'];
/** While this much of a part plays, decoders fade over from what was before. */
const FADE_SECONDS = 0.01;
/** Packets at the end of a part may be left out. */
const END_SECONDS = 0.1;

/** Tones that run up to both edges: a decoder that goes on predicting across a seam makes them blast. */
function tone(hertz: number, seconds: number, options: string): Sound {
	const samples = Float32Array.from(
		{ length: Math.round(RATE * seconds) },
		(_, i) => 0.5 * Math.sin((2 * Math.PI * hertz * i) / RATE),
	);
	return {
		format: 'opus',
		samples,
		sampleRate: RATE,
		options: ['-c:a', 'libopus', ...options.split(' ')],
	};
}

const peak = (samples: Float32Array) =>
	samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

/** Joins, and compares each part in the joined file with what it is alone. */
async function expectAsAlone(parts: Uint8Array[], pauses: number[]): Promise<void> {
	const all = await Promise.all(pauses.map(async (pause) => await joinFiles('opus', parts, pause)));
	const files = [...parts, ...all.map(({ bytes }) => bytes)];
	for (const decoder of DECODERS) {
		const decoded = decodeAll('opus', files, decoder);
		const alone = decoded.slice(0, parts.length).map(({ samples }) => samples);
		for (const [index, joined] of all.entries()) {
			const { samples, complaints } = decoded[parts.length + index];
			expect(complaints).toBe('');
			expect(peak(samples)).toBeLessThan(1.25 * Math.max(...alone.map(peak)));
			alone.forEach((own, part) => {
				const from = Math.round(joined.starts[part] * RATE);
				const differences = own
					.map((sample, i) => sample - samples[from + i])
					.subarray(FADE_SECONDS * RATE, own.length - END_SECONDS * RATE);
				expect(peak(differences)).toBeLessThan(0.02);
			});
		}
	}
}

it.each([
	['SILK', '-b:a 12k -application voip'],
	['SILK, 60 ms', '-b:a 12k -application voip -frame_duration 60'],
	['hybrid', '-b:a 32k -application voip'],
	['CELT', '-b:a 64k'],
	['CELT, 10 ms', '-b:a 64k -frame_duration 10'],
	['CELT, 2.5 ms', '-b:a 96k -frame_duration 2.5 -application lowdelay'],
	['CELT, stereo', '-b:a 96k -ac 2'],
])('an opus part in %s sounds behind a seam as it does alone', async (_, options) => {
	const tones = [440, 660, 1200].map((hertz, n) => tone(hertz, 0.289 + 0.11 * n, options));
	await expectAsAlone(encodeAll(tones), [0, 250]);
});

it('opus parts in different modes do not disturb each other', async () => {
	const modes = ['-b:a 12k -application voip', '-b:a 32k -application voip', '-b:a 64k'];
	const [silk, hybrid, celt] = encodeAll(
		modes.map((options, n) => tone(440 + 220 * n, 0.3, options)),
	);
	await expectAsAlone([silk, hybrid, celt, silk, celt, hybrid, silk], [0]);
});
