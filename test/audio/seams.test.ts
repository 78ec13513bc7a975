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

/** Seconds on both sides of a seam that are compared. */
const NEAR_SECONDS = 0.06;
/** Peak at a seam over the peak of the edges that meet there, from which it is heard as a blast. */
const BLAST = 1.5;
/** Where loud steady tones meet in MP3 at 44.1 kHz, the overlap of two frames adds up to this much. */
const MP3_OVERLAP = 1.9;

/** Steady tones, a part each, that do not end on a whole period. */
const tones = (rate: number) =>
	Array.from({ length: 12 }, (_, n) => {
		const hertz = 110 * 2 ** (n / 2.4);
		return Float32Array.from(
			{ length: Math.round(rate * (0.41 + 0.013 * n)) },
			(_, i) => 0.5 * Math.sin((2 * Math.PI * hertz * i) / rate + n),
		);
	});

/** Chords of plucked strings over a drum, cut wherever it falls. */
function music(rate: number): Float32Array[] {
	const chords = [
		[220, 277, 330],
		[196, 247, 294],
		[175, 220, 262],
		[165, 208, 247],
	];
	let noise = 1;
	const whole = Float32Array.from({ length: rate * 5 }, (_, i) => {
		const seconds = i / rate;
		noise = (noise * 48_271) % 0x7fffffff;
		let sum = 0.3 * (noise / 0x3fffffff - 1) * Math.exp((seconds % 0.25) * -40);
		for (const hertz of chords[Math.floor(seconds) % chords.length])
			for (let n = 1; n < 9; n++)
				sum +=
					(0.12 * Math.sin(2 * Math.PI * hertz * n * seconds)) / n / Math.exp((seconds % 1) * n);
		return sum;
	});
	return Array.from({ length: 7 }, (_, n) =>
		whole.slice(Math.round(0.65 * n * rate), Math.round(0.65 * (n + 1) * rate)),
	);
}

const level = (samples: Float32Array) =>
	10 * Math.log10(samples.reduce((sum, sample) => sum + sample ** 2, 1e-9) / samples.length);

describe.each([
	['24 kHz', 24_000, '-c:a libmp3lame -b:a 64k', BLAST],
	['24 kHz, variable bit rate', 24_000, '-c:a libmp3lame -q:a 4', BLAST],
	['44.1 kHz', 44_100, '-c:a libmp3lame -b:a 128k', MP3_OVERLAP],
	['44.1 kHz, stereo', 44_100, '-c:a libmp3lame -b:a 128k -ac 2', MP3_OVERLAP],
])('mp3 at %s: sound that runs up to the seams', (_, sampleRate, options, loudest) => {
	it.each([
		['tones', tones],
		['music', music],
	])('%s: no blast and no gap', async (_, make) => {
		const sounds = make(sampleRate).map((samples): Sound => {
			return { format: 'mp3', samples, sampleRate, options: options.split(' ') };
		});
		const parts = encodeAll(sounds);
		const { bytes, starts } = await joinFiles('mp3', parts);
		const decoded = decodeAll('mp3', [...parts, bytes]).map(({ samples }) => samples);
		const joined = decoded.pop()!;
		const near = NEAR_SECONDS * sampleRate;
		starts.slice(1).forEach((start, seam) => {
			const [before, after] = [decoded[seam], decoded[seam + 1]];
			const there = joined.subarray(
				Math.round(start * sampleRate - near),
				Math.round(start * sampleRate + near),
			);
			// A seam may shift by a packet, so a little more of the parts counts as their edges.
			const edges = [before.subarray(-2 * near), after.subarray(0, 2 * near)];
			expect(peak(there)).toBeLessThan(loudest * Math.max(...edges.map(peak)));
			const alone = Float32Array.of(...before.subarray(-near), ...after.subarray(0, near));
			expect(level(there) - level(alone)).toBeGreaterThan(-3);
		});
	});
});
