import fc from 'fast-check';
import type { ReadableFormat } from '../../nodes/SpeechGateway/audio';
import { type HeardText, subtitles } from '../../nodes/SpeechGateway/speech/subtitles';
import { encodeAll, inspect } from '../audio/support';
import { type Simulator, startSimulator } from '../support/simulator';

interface Cue {
	start: number;
	end: number;
	text: string;
}

/** Of WebVTT. */
function cuesOf(segments: HeardText[]): Cue[] {
	const seconds = (time: string) =>
		time.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
	return [...subtitles('vtt', segments).matchAll(/^(\S+) --> (\S+)\n([^]*?)\n(?:\n|$)/gm)].map(
		([, start, end, text]) => ({ start: seconds(start), end: seconds(end), text }),
	);
}

const sentence = fc
	.array(
		fc.constantFrom(
			'word',
			'lighthouse',
			'1,250,000',
			'灯塔,',
			'etc.',
			'no,',
			'🙂',
			'—',
			'(happy)',
		),
		{
			minLength: 1,
			maxLength: 12,
		},
	)
	.map((words) => `${words.join(' ')}.`);

test('whatever the pauses: no cue starts before its part, ends behind it, or goes back', () => {
	fc.assert(
		fc.property(
			fc.array(
				fc.record({
					sentences: fc.array(sentence, { maxLength: 12 }),
					seconds: fc.double({ min: 0.001, max: 90, noNaN: true }),
					places: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }),
				}),
				{ minLength: 1, maxLength: 4 },
			),
			(parts) => {
				let at = 0;
				const segments = parts.map(({ sentences, seconds, places }): HeardText => {
					const times = places.map((place) => place * seconds).sort((a, b) => a - b);
					const pauses = times.flatMap((start, index) =>
						index % 2 === 0 && index + 1 < times.length ? [{ start, end: times[index + 1] }] : [],
					);
					const startSeconds = at;
					at += seconds;
					return { text: sentences.join(' '), startSeconds, endSeconds: at, pauses };
				});
				const cues = cuesOf(segments);
				const plain = cuesOf(segments.map((segment) => ({ ...segment, pauses: undefined })));
				expect(cues.map(({ text }) => text)).toEqual(plain.map(({ text }) => text));
				cues.forEach(({ start, end }, index) => {
					expect(start).toBeLessThan(end);
					if (index > 0) expect(start).toBeGreaterThanOrEqual(cues[index - 1].end - 1e-9);
					// Of cues that all begin at one moment, each lasts a millisecond.
					expect(end).toBeLessThanOrEqual(at + 0.001 * (cues.length + 1));
				});
				let index = 0;
				for (const segment of segments) {
					const count = cuesOf([segment]).length;
					for (const cue of cues.slice(index, index + count))
						expect(cue.start).toBeGreaterThanOrEqual(segment.startSeconds - 0.001);
					index += count;
				}
			},
		),
		{ numRuns: 300 },
	);
});

test('pauses that stand out are those between sentences, however unevenly they are spoken', () => {
	fc.assert(
		fc.property(
			fc.array(
				fc.record({
					words: fc.integer({ min: 3, max: 14 }),
					seconds: fc.double({ min: 1, max: 6, noNaN: true }),
					pause: fc.double({ min: 0.3, max: 0.9, noNaN: true }),
					/** Of the words: where there is a shorter pause. */
					comma: fc.option(fc.constantFrom(0.3, 0.5, 0.7)),
				}),
				{ minLength: 2, maxLength: 12 },
			),
			(spoken) => {
				const starts: number[] = [];
				const pauses: Array<{ start: number; end: number }> = [];
				const sentences: string[] = [];
				let at = 0.2;
				for (const { words, seconds, pause, comma } of spoken) {
					starts.push(at);
					sentences.push(`Sentence${' number'.repeat(words)}.`);
					if (comma !== null)
						pauses.push({ start: at + comma * seconds, end: at + comma * seconds + 0.18 });
					at += seconds;
					pauses.push({ start: at, end: at + pause });
					at += pause;
				}
				const segment = { text: sentences.join(' '), startSeconds: 0, endSeconds: at, pauses };
				const cues = cuesOf([segment]).filter(({ text }) => text.startsWith('Sentence'));
				expect(cues).toHaveLength(starts.length);
				for (const [index, { start }] of cues.slice(1).entries())
					expect(Math.abs(start - starts[index + 1])).toBeLessThan(0.01);
			},
		),
	);
});

const CORPUS: Record<string, string[]> = {
	en: [
		'The lighthouse stood on the cliff for two hundred years.',
		'Nobody had ever counted the steps, but there were 1,250,000 visitors in its last decade.',
		'Then the storm came.',
		'It took the roof, the lamp, and most of the northern wall; the keeper was asleep.',
		'Why did he not wake up?',
		'He said later that he had dreamed of silence.',
	],
	de: [
		'Der Leuchtturm stand seit zweihundert Jahren auf der Klippe.',
		'Niemand hatte je die Stufen gezählt, aber zuletzt kamen 1.250.000 Besucher.',
		'Dann kam der Sturm.',
		'Er nahm das Dach, die Lampe und einen großen Teil der Nordwand.',
		'Warum wachte der Wärter nicht auf?',
		'Später sagte er, er habe von der Stille geträumt.',
	],
};
const RATE = 24_000;
/** Between sentences, in seconds. */
const PAUSES = [0.4, 0.25, 0.7, 0.3, 0.55];

let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator({ spoken: true, timeScale: 0.001 });
});
afterAll(async () => await sim.close());

/** A sentence without the silence at its ends. */
async function say(input: string): Promise<Float32Array> {
	const response = await fetch(`${sim.url}/v1/audio/speech`, {
		method: 'POST',
		headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'fish-speech', input, response_format: 'pcm' }),
	});
	const samples = new Int16Array(await response.arrayBuffer());
	const isLoud = (sample: number) => Math.abs(sample) > 300;
	return Float32Array.from(
		samples.subarray(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1),
		(sample) => sample / 32_768,
	);
}

test('cues begin within 0.15 s of their sentences, nine of ten within 0.4 s', async () => {
	const errors: Record<'heard' | 'byText', number[]> = { heard: [], byText: [] };
	for (const sentences of Object.values(CORPUS)) {
		const starts: number[] = [];
		const samples: number[] = Array.from({ length: 0.3 * RATE }, () => 0);
		for (const [index, spoken] of (await Promise.all(sentences.map(say))).entries()) {
			starts.push(samples.length / RATE);
			for (const sample of spoken) samples.push(sample);
			for (let i = 0; i < (PAUSES[index] ?? 0.3) * RATE; i++) samples.push(0);
		}
		const formats: Array<[ReadableFormat, string]> = [
			['mp3', '-b:a 64k'],
			['opus', '-c:a libopus -b:a 32k'],
			['opus', '-c:a libopus -b:a 64k -application audio -frame_duration 10'],
			['opus', '-c:a libopus -b:a 12k -application voip -frame_duration 60'],
			['opus', '-c:a libopus -b:a 32k -vbr off'],
			['wav', '-c:a pcm_s16le'],
		];
		const files = encodeAll(
			formats.map(([format, options]) => ({
				format,
				samples: Float32Array.from(samples),
				sampleRate: RATE,
				options: options.split(' '),
			})),
		);
		files.forEach((bytes, index) => {
			const { seconds, pauses: ends = [] } = inspect(formats[index][0], bytes);
			if (formats[index][1].includes('vbr off')) {
				// Packets of one size say nothing: cues go by the text.
				expect(ends).toEqual([]);
				return;
			}
			const pauses = ends.flatMap((start, at) =>
				at % 2 === 0 ? [{ start: start / 1000, end: ends[at + 1] / 1000 }] : [],
			);
			const segment = { text: sentences.join(' '), startSeconds: 0, endSeconds: seconds };
			const errorsOf = (cues: Cue[]) =>
				sentences.slice(1).map((words, at) => {
					const cue = cues.find(({ text }) => words.startsWith(text.split('\n')[0].slice(0, 12)));
					return Math.abs(cue!.start - starts[at + 1]);
				});
			errors.heard.push(...errorsOf(cuesOf([{ ...segment, pauses }])));
			errors.byText.push(...errorsOf(cuesOf([segment])));
		});
	}
	const quantile = (numbers: number[], share: number) =>
		numbers.sort((a, b) => a - b)[Math.floor(share * numbers.length)];
	expect(quantile(errors.heard, 0.5)).toBeLessThan(0.15);
	expect(quantile(errors.heard, 0.9)).toBeLessThan(0.4);
	expect(quantile(errors.byText, 0.5)).toBeGreaterThan(0.15);
});
