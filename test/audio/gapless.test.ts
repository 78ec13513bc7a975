import type { AudioFormat } from '../../nodes/SpeechGateway/audio';
import type { Mp3Info } from '../../nodes/SpeechGateway/audio/mp3/reader';
import {
	decode,
	decodeAll,
	encode,
	encodeAll,
	inspect,
	joinFiles,
	slice,
	toneShare,
} from './support';

/** In jest a look at a global takes longer than a sine. */
const { abs, max, min, PI, round, sin } = Math;

/** Heard in the first and in the last moments of every part, so that it shows when some of either is missing. */
const FIRST_TONE = 900;
const LAST_TONE = 2100;
const TONE_SECONDS = 0.1;

/** The end of a part, of which nothing may be missing. */
const END_SECONDS = 0.02;
/** Samples at 48 kHz with which a decoder is reset, and that an encoder lags behind. */
const OPUS_RESET = 912;
/** Samples over which two pieces of MP3 fade into each other. */
const OVERLAP = 576;

/** Lengths of no whole number of frames; longer lists repeat them. */
const SECONDS = [0.713, 1.031, 0.457, 0.3333, 0.619];

/** Sound with the ups and downs of speech: vowels of many harmonics, hisses, and silence between them. */
function speech(seconds: number, rate: number, seed: number): Float32Array {
	let state = seed + 1;
	const random = () => {
		state = (state * 48_271) % 0x7fffffff;
		return state / 0x7fffffff;
	};
	const samples = new Float32Array(round(seconds * rate));
	const fill = (from: number, to: number, sound: (t: number) => number) => {
		for (let i = round(from * rate); i < min(samples.length, round(to * rate)); i++) {
			const edge = min(i / rate - from, to - i / rate);
			samples[i] = sound(i / rate) * min(1, max(0, edge) / 0.003);
		}
	};
	const tone = (hertz: number) => (t: number) => 0.3 * sin(2 * PI * hertz * t);
	for (let at = TONE_SECONDS; at < seconds; at += 0.03 + 0.1 * random()) {
		const kind = random();
		const end = at + 0.08 + 0.1 * random();
		const pitch = 90 + 150 * random();
		if (kind < 0.5) {
			fill(at, end, (t) => {
				let sum = 0;
				for (let n = 1; n < 20; n++) sum += sin(2 * PI * pitch * n * t) / n;
				return 0.15 * sum;
			});
		} else if (kind < 0.8) {
			fill(at, end, () => 0.2 * (random() - 0.5));
		}
		at = end;
	}
	fill(0, TONE_SECONDS, tone(FIRST_TONE));
	fill(seconds - TONE_SECONDS, seconds, tone(LAST_TONE));
	return samples;
}

const lame = (...options: string[]) => ['-c:a', 'libmp3lame', ...options];
const opus = (...options: string[]) => ['-c:a', 'libopus', '-b:a', '48k', ...options];
/** Samples a second and of a frame or packet, and ffmpeg's options. */
const KINDS: Array<[name: string, AudioFormat, rate: number, frame: number, options: string[]]> = [
	['CBR 64k, 24 kHz, mono', 'mp3', 24_000, 576, lame('-b:a', '64k')],
	['CBR 160k, 24 kHz, mono', 'mp3', 24_000, 576, lame('-b:a', '160k')],
	['VBR, 24 kHz, mono', 'mp3', 24_000, 576, lame('-q:a', '5')],
	['CBR 48k, 22.05 kHz, stereo', 'mp3', 22_050, 576, lame('-b:a', '48k', '-ac', '2')],
	['VBR, 44.1 kHz, mono', 'mp3', 44_100, 1152, lame('-q:a', '4')],
	['CBR 128k, 48 kHz, joint stereo', 'mp3', 48_000, 1152, lame('-b:a', '128k', '-ac', '2')],
	['no reservoir, 24 kHz, mono', 'mp3', 24_000, 576, lame('-b:a', '64k', '-reservoir', '0')],
	['20 ms', 'opus', 48_000, 960, opus()],
	[
		...(['10 ms, low delay', 'opus', 48_000, 480] as const),
		opus('-frame_duration', '10', '-application', 'lowdelay'),
	],
	['16 bit', 'wav', 24_000, 0, ['-bitexact']],
];

/** Number of parts, and the pauses between them in milliseconds. */
const CASES: Array<[number, number]> = [
	[50, 0],
	[50, 7],
	[50, 250],
];

describe.each(KINDS)('%s, %s', (_, format, rate, frame, options) => {
	const sounds = SECONDS.map((seconds, index) => speech(seconds, rate, index));
	const parts = encodeAll(
		sounds.map((samples) => ({ format, samples, sampleRate: rate, options })),
	);
	const alone = decodeAll(format, parts);

	const orderOf = (count: number) =>
		Array.from({ length: count }, (_, index) => index % parts.length);
	const joinParts = async (count: number, pause: number) =>
		await joinFiles(
			format,
			orderOf(count).map((index) => parts[index]),
			pause,
		);
	beforeAll(async () => {
		const files = await Promise.all(CASES.map(async (one) => (await joinParts(...one)).bytes));
		decodeAll(format, files);
	});

	it.each(CASES)('%d parts with pauses of %d ms', async (count, pause) => {
		const order = orderOf(count);
		const joined = await joinParts(count, pause);
		const decoded = decode(format, joined.bytes);
		expect(decoded.complaints).toBe('');
		expect(decoded.samples).toHaveLength(round(joined.info.seconds * rate));

		const heard = { first: 1, last: 1, end: 1 };
		let damagedMost = 0; // samples
		order.forEach((index, part) => {
			const start = joined.starts[part];
			const { samples } = alone[index];
			const end = start + samples.length / rate;
			if (part > 0) {
				// Where parts sound up to their ends, time is taken from pauses alone.
				const { length } = alone[order[part - 1]].samples;
				const gap = (start - joined.starts[part - 1]) * rate - length - (pause / 1000) * rate;
				// A difference is made up for at the next pause, by packets of 20 ms.
				expect(gap).toBeGreaterThanOrEqual(-Math.max(frame, format === 'opus' ? 960 : 0) - 0.5);
				expect(gap).toBeLessThanOrEqual(frame + (format === 'mp3' ? OVERLAP : OPUS_RESET) + 0.5);
			}

			// Both tones are whole and where they should be.
			const between = (from: number, to: number, tone: number) =>
				toneShare(slice(decoded.samples, rate, from, to), rate, tone);
			heard.first = min(heard.first, between(start + 0.01, start + TONE_SECONDS, FIRST_TONE));
			heard.last = min(heard.last, between(end - TONE_SECONDS, end - 0.01, LAST_TONE));
			const power = (from: Float32Array) => from.reduce((sum, one) => sum + one * one, 0);
			const last = slice(decoded.samples, rate, end - END_SECONDS, end - 0.003);
			heard.end = min(
				heard.end,
				power(last) / power(samples.slice(-round(END_SECONDS * rate), -round(0.003 * rate))),
			);
			if (format === 'mp3') {
				damagedMost = max(
					damagedMost,
					damaged(decoded.samples.subarray(round(start * rate)), samples),
				);
			}
		});
		expect(damagedMost).toBeLessThanOrEqual(frame + OVERLAP);
		expect(heard.first).toBeGreaterThan(0.7);
		expect(heard.last).toBeGreaterThan(0.7);
		expect(heard.end).toBeGreaterThan(0.9);
	});
});

/** Samples at the start or end of a part, whichever are more, that differ from what it is alone. */
function damaged(samples: Float32Array, alone: Float32Array): number {
	const differs = (i: number) => !(abs(samples[i] - alone[i]) < 1e-5);
	const middle = Math.floor(alone.length / 2);
	let first = middle;
	while (first > 0 && !differs(first - 1)) first--;
	let last = middle;
	while (last < alone.length && !differs(last)) last++;
	return max(first, alone.length - last);
}

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
	const parts = [1.01, 0.5, 0.77].map((seconds, seed) =>
		encode('mp3', speech(seconds, 24_000, seed), 24_000, lame('-b:a', '64k')),
	);

	it('are all as they were, but for the first one of a part that needs the bytes of those left out', async () => {
		const { bytes } = await joinFiles('mp3', parts);
		const info = inspect('mp3', bytes) as Mp3Info;
		const frames = framesOf(bytes);
		expect(frames).toHaveLength(info.frames);
		expect(frames.filter(({ kbits }) => kbits !== 64)).toHaveLength(2);
		expect(info).toMatchObject({ bitrate: 0 });
		expect(Buffer.from(bytes).includes('Xing')).toBe(true);
		const known = new Set(
			parts.flatMap((part) =>
				framesOf(part).map(({ at, kbits }) =>
					Buffer.from(part.subarray(at, at + 3 * kbits)).toString('hex'),
				),
			),
		);
		for (const { at } of frames.filter((frame) => frame.kbits === 64)) {
			expect(known).toContain(Buffer.from(bytes.subarray(at, at + 192)).toString('hex'));
		}
	});

	it.each([0.001, 0.02, 0.05])(
		'parts of %d s: at least one frame of each stays',
		async (seconds) => {
			const tiny = encode('mp3', speech(seconds, 24_000, 1), 24_000, lame('-b:a', '64k'));
			const files = Array.from({ length: 50 }, () => tiny);
			for (const pause of [0, 10]) {
				const joined = await joinFiles('mp3', files, pause);
				const decoded = decode('mp3', joined.bytes);
				expect(decoded.complaints).toBe('');
				expect(decoded.samples).toHaveLength(round(joined.info.seconds * 24_000));
				joined.starts.slice(1).forEach((start, part) => {
					expect(start).toBeGreaterThanOrEqual(joined.starts[part]);
				});
			}
		},
	);
});
