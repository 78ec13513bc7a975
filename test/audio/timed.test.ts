/** Segments that are given a time are heard then: what ffmpeg decodes is listened to. */
import fc from 'fast-check';
import { type ReadableFormat, joinAudio, type PauseBefore } from '../../nodes/SpeechGateway/audio';
import { type Simulator, startSimulator } from '../support/simulator';
import { errorsAt, heard } from '../support/sounds';
import { bytesOf, decode, encodeAll, inspect, pieces, stream } from './support';

const CUES = [
	'The lighthouse stood on the cliff.',
	'Nobody had ever counted the steps.',
	'She sells sea shells, on the shore.',
	'Ten ships passed by that night.',
	'He whispered something to the keeper.',
	'Fog came in from the west.',
	'After that, there was nothing to be seen.',
	'Morning broke without a sound.',
];
/** Seconds; of the crowded ones, some come before the cue before is over. */
const TIMES = [0.5, 4, 8.033, 12.5, 17.77, 21, 25.25, 30];
const CROWDED = [0.5, 2, 3, 4, 17.77, 18.5, 25.25, 30];
const LATE = [1, 2, 3, 5];
let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator({ spoken: true, silentEdges: true, timeScale: 0.001 });
});
afterAll(async () => await sim.close());

async function speak(input: string, format: ReadableFormat): Promise<Uint8Array> {
	const response = await fetch(`${sim.url}/v1/audio/speech`, {
		method: 'POST',
		headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'fish-speech', input, response_format: format }),
	});
	return new Uint8Array(await response.arrayBuffer());
}

async function joined(format: ReadableFormat, times: PauseBefore[]) {
	const files = await Promise.all(CUES.map(async (cue) => await speak(cue, format)));
	const segments = files.map((bytes) => ({
		info: inspect(format, bytes),
		open: () => stream(pieces(bytes, 3000)),
	}));
	const [before, ...between] = times;
	const { chunks, starts, info } = await joinAudio(segments, { before, between });
	const bytes = await bytesOf(chunks());
	const { samples, sampleRate, complaints } = decode(format, bytes);
	expect(complaints).toBe('');
	expect(samples.length / sampleRate).toBeCloseTo(info.seconds, 3);
	const alone = files.map((file) => {
		const own = decode(format, file);
		const sounds = heard(own.samples, own.sampleRate);
		return { from: sounds[0].from, to: sounds.at(-1)!.to };
	});
	return { starts, alone, sounds: heard(samples, sampleRate), segments };
}

test.each<[ReadableFormat]>([['wav'], ['pcm'], ['mp3'], ['opus']])(
	'%s: each cue is heard at its time',
	async (format) => {
		const { sounds } = await joined(
			format,
			TIMES.map((at) => ({ at })),
		);
		const errors = errorsAt(TIMES, sounds);
		for (const error of errors) expect(Math.abs(error)).toBeLessThan(0.05);
	},
);

test.each<[ReadableFormat]>([['wav'], ['pcm'], ['mp3'], ['opus']])(
	'%s: a cue that is late comes as soon as the one before is over, and the next one catches up',
	async (format) => {
		const { starts, alone } = await joined(
			format,
			CROWDED.map((at) => ({ at })),
		);
		const times = starts.map((start, index) => start + alone[index].from);
		for (const [index, at] of CROWDED.entries()) {
			if (!LATE.includes(index)) {
				expect(Math.abs(times[index] - at)).toBeLessThan(0.05);
				continue;
			}
			// Of the silence before it, 0.15 s stay, and its own.
			const gap = times[index] - (starts[index - 1] + alone[index - 1].to);
			expect(gap).toBeGreaterThan(0.1);
			expect(gap).toBeLessThan(format === 'opus' ? 0.7 : 0.45);
		}
	},
);

describe('any sounds at any times', () => {
	const RATE = 24_000;
	const seconds = (min: number, max: number) =>
		fc.integer({ min: 1000 * min, max: 1000 * max }).map((milliseconds) => milliseconds / 1000);
	const cue = fc.record({
		lead: seconds(0, 0.26),
		length: seconds(0.3, 2),
		trail: seconds(0.3, 1.1),
		/** Until the next time. */
		slot: seconds(0.2, 4),
	});
	/** Silence that stays at most behind a sound; in Opus, only silent packets give way. */
	const left = (format: ReadableFormat) => (format === 'opus' ? 0.7 : 0.25);
	const OPTIONS: Record<ReadableFormat, string[]> = {
		wav: [],
		pcm: ['-f', 's16le'],
		mp3: ['-b:a', '64k'],
		opus: ['-b:a', '32k'],
	};
	const samplesOf = ({ lead, length, trail }: { lead: number; length: number; trail: number }) =>
		Float32Array.from({ length: Math.round((lead + length + trail) * RATE) }, (_, at) => {
			const isHeard = at >= lead * RATE && at < (lead + length) * RATE;
			return isHeard ? 0.3 * Math.sin((2 * Math.PI * 330 * at) / RATE) : 0;
		});

	test.each<[ReadableFormat]>([['wav'], ['pcm'], ['mp3'], ['opus']])(
		'%s: none is early, and those with time enough are not late',
		async (format) => {
			await fc.assert(
				fc.asyncProperty(fc.array(cue, { minLength: 2, maxLength: 8 }), async (cues) => {
					const files = encodeAll(
						cues.map((one) => ({
							format,
							samples: samplesOf(one),
							sampleRate: RATE,
							options: OPTIONS[format],
						})),
					);
					let now = 0.5;
					const times = cues.map(({ slot }) => (now += slot) - slot);
					const [before, ...between] = times.map((at) => ({ at }));
					const { chunks } = await joinAudio(
						files.map((bytes) => ({
							info: inspect(format, bytes),
							open: () => stream([bytes]),
						})),
						{ before, between },
					);
					const { samples, sampleRate, complaints } = decode(format, await bytesOf(chunks()));
					expect(complaints).toBe('');
					const sounds = heard(samples, sampleRate);
					expect(sounds).toHaveLength(cues.length);
					for (const [index, { from }] of sounds.entries()) {
						expect(from - times[index]).toBeGreaterThan(-0.05);
						const free = (sounds[index - 1]?.to ?? 0) + cues[index].lead + left(format);
						if (free < times[index]) expect(from - times[index]).toBeLessThan(0.05);
					}
				}),
				{ numRuns: 4, endOnFailure: true },
			);
		},
	);
});
