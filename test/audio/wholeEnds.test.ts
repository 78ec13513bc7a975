/** Parts whose sound goes on to their ends lose none of it; the time that a seam takes comes out of silence. */
import fc from 'fast-check';
import type { ReadableFormat } from '../../nodes/SpeechGateway/audio';
import { type Simulator, startSimulator } from '../support/simulator';
import { decodeAll, encodeAll, inspect, joinFiles, loudness } from './support';

const KINDS: Array<[string, ReadableFormat, number, string]> = [
	['mp3', 'mp3', 24_000, '-b:a 64k'],
	['mp3, 44.1 kHz, VBR', 'mp3', 44_100, '-q:a 4'],
	['opus, 20 ms', 'opus', 48_000, '-c:a libopus -b:a 32k'],
	['opus, 20 ms, 64k', 'opus', 48_000, '-c:a libopus -b:a 64k'],
	['opus, 60 ms', 'opus', 48_000, '-c:a libopus -b:a 24k -frame_duration 60'],
	['opus, SILK', 'opus', 48_000, '-c:a libopus -b:a 12k -application voip -frame_duration 60'],
	['wav', 'wav', 24_000, '-bitexact'],
];
const TEXT =
	'The lighthouse stood on the cliff for two hundred years. Nobody had ever counted the steps, but there were many visitors in its last decade.';
/** Samples a second of the simulator's speech. */
const SPEECH_RATE = 24_000;

let sim: Simulator;
let speech: Float32Array;
beforeAll(async () => {
	sim = await startSimulator({ spoken: true, timeScale: 0.001 });
	const response = await fetch(`${sim.url}/v1/audio/speech`, {
		method: 'POST',
		headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'fish-speech', input: TEXT, response_format: 'pcm' }),
	});
	speech = Float32Array.from(new Int16Array(await response.arrayBuffer()), (one) => one / 32_768);
});
afterAll(async () => await sim.close());

/** How a part ends: cut off within a word, with a tone, or with silence. Seconds. */
interface Made {
	from: number;
	to: number;
	tone: number;
	silence: number;
}
const part: fc.Arbitrary<Made> = fc
	.record({
		from: fc.double({ min: 0.05, max: 3, noNaN: true }),
		length: fc.double({ min: 0.4, max: 3, noNaN: true }),
		tone: fc.constantFrom(0, 0, 0.1, 0.3),
		silence: fc.constantFrom(0, 0, 0.03, 0.12, 0.4),
	})
	.map(({ from, length, ...end }) => ({ from, to: from + length, ...end }));

function soundOf({ from, to, tone, silence }: Made): Float32Array {
	const voice = speech.subarray(Math.round(from * SPEECH_RATE), Math.round(to * SPEECH_RATE));
	const hum = Float32Array.from(
		{ length: Math.round(tone * SPEECH_RATE) },
		(_, i) => 0.2 * Math.sin((2 * Math.PI * 440 * i) / SPEECH_RATE),
	);
	return Float32Array.of(...voice, ...hum, ...new Float32Array(Math.round(silence * SPEECH_RATE)));
}

/** The parts as files. `options`: of ffmpeg. */
const encoded = (
	made: Array<Parameters<typeof soundOf>[0]>,
	format: (typeof KINDS)[number][1],
	rate: number,
	options: string,
) =>
	encodeAll(
		made.map((one) => ({
			format,
			samples: soundOf(one),
			sampleRate: SPEECH_RATE,
			options: ['-ar', String(rate), ...options.split(' ')],
		})),
	);

test.each(KINDS)('%s: every part is heard up to its end', async (_, format, rate, options) => {
	await fc.assert(
		fc.asyncProperty(fc.array(part, { minLength: 2, maxLength: 6 }), async (made) => {
			const files = encoded(made, format, rate, options);
			const { bytes, starts, info } = await joinFiles(format, files);
			const [joined, ...alone] = decodeAll(format, [bytes, ...files]).map((one) => one.samples);
			expect(joined.length / rate).toBeCloseTo(info.seconds, 4);
			for (const [index, own] of alone.entries()) {
				const at = Math.round(starts[index] * rate);
				for (let end = own.length / rate; end > own.length / rate - 0.2; end -= 0.01) {
					const was = loudness(own, rate, end - 0.01, end - 0.001);
					if (was < 0.01) continue;
					const is = loudness(joined.subarray(at), rate, end - 0.01, end - 0.001);
					expect(is / was).toBeGreaterThan(0.7);
				}
			}
		}),
		{ numRuns: 8, endOnFailure: true },
	);
});

/** At 64 kbit/s, Opus shows silence for certain only when it lasts. */
const SHOWING = KINDS.filter(([name]) => !name.includes('64k'));

test.each(SHOWING)(
	'%s: where parts end in silence, the time of seams is taken from it',
	async (_, format, rate, options) => {
		const made = Array.from({ length: 8 }, (__, n) => ({
			from: 0.05 + 0.31 * n,
			to: 1.1 + 0.33 * n,
			tone: 0,
			silence: 0.35 + 0.013 * n,
		}));
		const files = encoded(made, format, rate, options);
		const { starts } = await joinFiles(format, [...files, ...files, ...files]);
		let ideal = 0;
		for (const [index, start] of starts.entries()) {
			expect(Math.abs(start - ideal)).toBeLessThan(format === 'opus' ? 0.2 : 0.031);
			ideal += inspect(format, files[index % files.length]).seconds;
		}
	},
);
