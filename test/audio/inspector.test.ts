import fc from 'fast-check';
import {
	type ReadableFormat,
	DamagedAudioError,
	inspectorOf,
	sniffAudioFormat,
} from '../../nodes/SpeechGateway/audio';
import { Mp3Reader } from '../../nodes/SpeechGateway/audio/mp3/reader';
import { remux } from './ogg';
import {
	decode,
	fixture,
	fixtureNames,
	formatOf,
	inspect,
	pieces,
	probeAudio,
	split,
} from './support';

const text = (value: string) => new Uint8Array(Buffer.from(value));
const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

describe.each(fixtureNames())('%s', (name) => {
	const format = formatOf(name);
	let bytes: ReturnType<typeof fixture>;
	let info: ReturnType<typeof inspect>;
	beforeAll(() => {
		bytes = fixture(name);
		info = inspect(format, bytes);
	});

	it('is read as ffmpeg decodes it', () => {
		const decoded = decode(format, bytes);
		expect(info).toMatchObject({ format, bytes: bytes.length });
		expect(info.channels).toBe(decoded.channels);
		expect(info.sampleRate).toBe(decoded.sampleRate);
		if (info.format === 'mp3') expect(info.frames).toBe(probeAudio(format, bytes).packets);
		expect(info.seconds * info.sampleRate).toBeCloseTo(decoded.samples.length, 6);
	});

	it('is plain JSON', () => {
		expect(JSON.parse(JSON.stringify(info))).toEqual(info);
	});

	it('gives the same however it is split', () => {
		expect(inspect(format, pieces(bytes, 1))).toEqual(info);
		fc.assert(
			fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (places) => {
				expect(inspect(format, split(bytes, places))).toEqual(info);
			}),
			{ numRuns: 50 },
		);
	});

	it('is damaged when cut short anywhere, or read as what is there', () => {
		for (let length = 0; length < bytes.length; length += bytes.length > 5000 ? 7 : 1) {
			let cut;
			try {
				cut = inspect(format, bytes.subarray(0, length));
			} catch (error) {
				expect(error).toBeInstanceOf(DamagedAudioError);
				continue;
			}
			// Only formats without a length in front can be cut without a trace: between frames or samples.
			expect(cut.bytes).toBe(length);
			if (!/pcm|streamed|noxing|piped/.test(name)) expect(cut.dataBytes).toBe(info.dataBytes);
		}
	});

	it('is recognized by its first 16 bytes', () => {
		// Bare samples begin with nothing that tells them apart.
		const recognized = format === 'pcm' ? undefined : format;
		expect(sniffAudioFormat(bytes.subarray(0, 16))).toBe(recognized);
		expect(sniffAudioFormat(bytes)).toBe(recognized);
	});

	it('is refused as another format', () => {
		for (const other of ['mp3', 'wav', 'opus'] as const) {
			if (other !== format) expect(() => inspect(other, bytes)).toThrow(DamagedAudioError);
		}
	});

	it('never hangs, crashes or loses count on corrupted bytes', () => {
		const change = fc.record({
			at: fc.nat(bytes.length - 1),
			value: fc.integer({ min: 1, max: 255 }),
		});
		fc.assert(
			fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
				const bad = bytes.slice();
				for (const { at, value } of changes) bad[at] ^= value;
				let result;
				try {
					result = inspect(format, bad);
				} catch (error) {
					expect(error).toBeInstanceOf(DamagedAudioError);
					return;
				}
				expect(result.seconds).toBeGreaterThan(0);
				expect(Number.isFinite(result.seconds)).toBe(true);
				expect(result.dataBytes).toBeLessThanOrEqual(bad.length);
				expect(inspect(format, pieces(bad, 100))).toEqual(result);
			}),
			{ numRuns: 100 },
		);
	});
});

describe.each<ReadableFormat>(['mp3', 'wav', 'opus', 'pcm'])('%s', (format) => {
	it('is damaged when empty', () => {
		expect(() => inspect(format, new Uint8Array(0))).toThrow(/empty/);
		expect(() => inspectorOf(format).end()).toThrow(DamagedAudioError);
	});

	const random = (judge: (bytes: Uint8Array) => void) =>
		fc.assert(fc.property(fc.uint8Array({ minLength: 1, maxLength: 40_000 }), judge), {
			numRuns: 50,
		});
	if (format === 'pcm')
		it('is any whole number of samples', () => {
			random((bytes) => {
				if (bytes.length % 2 === 1) expect(() => inspect(format, bytes)).toThrow(DamagedAudioError);
				else expect(inspect(format, bytes).dataBytes).toBe(bytes.length);
			});
		});
	else
		it('is not any random bytes', () => {
			random((bytes) => void expect(() => inspect(format, bytes)).toThrow(DamagedAudioError));
		});
});

describe('mp3', () => {
	let plain: ReturnType<typeof fixture>;
	let info: ReturnType<typeof inspect>;
	let frames: { frames: number; dataBytes: number; seconds: number };
	beforeAll(() => {
		plain = fixture('mp3-44100-mono-cbr-noxing.mp3');
		info = inspect('mp3', plain);
		const { dataBytes, seconds } = info;
		frames = { frames: 'frames' in info ? info.frames : 0, dataBytes, seconds };
	});

	it('may begin with an ID3v2 tag that has a footer', () => {
		const tag = join(
			text('ID3'),
			Uint8Array.of(4, 0, 0x10, 0, 0, 1, 2),
			new Uint8Array(130),
			text('3DI'),
			new Uint8Array(7),
		);
		expect(inspect('mp3', join(tag, plain))).toMatchObject(frames);
	});

	it('may be several files in a row, each with its tags', () => {
		const other = fixture('mp3-44100-mono-id3v2.4-picture.mp3');
		const both = inspect('mp3', join(plain, other, plain));
		expect(both.dataBytes).toBe(2 * info.dataBytes + inspect('mp3', other).dataBytes);
		// The delay and padding that the middle one tells are not those of the whole.
		expect(both).toMatchObject({ gapless: null });
	});

	it('skips some rubbish, but not much of it, and only a few bytes at the end', () => {
		const rubbish = (length: number) => new Uint8Array(length).fill(0x55);
		expect(inspect('mp3', join(rubbish(1000), plain))).toMatchObject(frames);
		expect(() => inspect('mp3', join(rubbish(20_000), plain))).toThrow(/no frame/);
		expect(() => inspect('mp3', join(plain, rubbish(20_000), plain))).toThrow(/damaged/);
		expect(inspect('mp3', join(plain, rubbish(3)))).toMatchObject(frames);
		expect(() => inspect('mp3', join(plain, rubbish(100)))).toThrow(/damaged or cut short/);
		const middle = inspect('mp3', join(plain, rubbish(1000), plain));
		// The frame before the rubbish cannot be told from rubbish.
		expect(2 * info.dataBytes - middle.dataBytes).toBeLessThan(300);
	});

	it('leaves out a frame that is cut short in the middle, and nothing of what follows', () => {
		const framesOf = (bytes: Uint8Array) => {
			const runs: Uint8Array[] = [];
			const reader = new Mp3Reader((run) => runs.push(run));
			reader.feed(bytes);
			reader.end();
			return join(...runs);
		};
		const all = framesOf(plain);
		const both = framesOf(join(plain.subarray(0, plain.length - 100), plain));
		const lastFrame = 2 * all.length - both.length;
		expect(lastFrame).toBeGreaterThan(200);
		expect(lastFrame).toBeLessThan(210); // 64 kbit/s at 44.1 kHz: 208 or 209 bytes
		expect(Buffer.compare(both, join(all.subarray(0, all.length - lastFrame), all))).toBe(0);
	});

	it('is cut short when frames that its Xing header counts are missing', () => {
		const whole = fixture('mp3-44100-mono-cbr.mp3');
		const frameBytes = 208; // 64 kbit/s at 44.1 kHz: 208 or 209 bytes
		const found = [];
		for (let length = whole.length - 4 * frameBytes; length < whole.length - frameBytes; length++) {
			try {
				inspect('mp3', whole.subarray(0, length));
			} catch (error) {
				found.push(String(error));
			}
		}
		expect(found).toHaveLength(3 * frameBytes);
		expect(found.join()).toMatch(/it has \d+ of \d+ frames/);
		expect(inspect('mp3', whole).seconds).toBe(0.6);
	});
});

describe('wav', () => {
	let plain: ReturnType<typeof fixture>;
	let seconds: number;
	beforeAll(() => {
		plain = fixture('wav-24000-mono-s16.wav');
		({ seconds } = inspect('wav', plain));
	});
	const header = (change: (view: DataView) => void, body = plain) => {
		const bytes = body.slice();
		change(new DataView(bytes.buffer));
		return bytes;
	};

	it('reads chunks in any place, padded or not', () => {
		const chunk = join(text('junk'), Uint8Array.of(3, 0, 0, 0), text('abc'));
		for (const extra of [chunk, join(chunk, Uint8Array.of(0))]) {
			const early = join(plain.subarray(0, 12), extra, plain.subarray(12));
			const between = join(plain.subarray(0, 36), extra, plain.subarray(36));
			for (const bytes of [
				early,
				between,
				join(plain, extra),
				join(plain, extra, new Uint8Array(9)),
			]) {
				expect(inspect('wav', bytes).seconds).toBe(seconds);
				expect(inspect('wav', pieces(bytes, 1)).seconds).toBe(seconds);
			}
		}
	});

	it('goes by the fmt chunk before the samples', () => {
		const second = plain.slice(12, 36);
		new DataView(second.buffer).setUint16(8 + 2, 2, true);
		new DataView(second.buffer).setUint16(8 + 12, 4, true);
		expect(inspect('wav', join(plain, second))).toMatchObject({ channels: 1, seconds });
	});

	it('refuses what it cannot read, by name', () => {
		expect(() =>
			inspect(
				'wav',
				header((view) => view.setUint16(20, 0x55, true)),
			),
		).toThrow(/0x55/);
		expect(() =>
			inspect(
				'wav',
				header((view) => view.setUint16(32, 3, true)),
			),
		).toThrow(/fmt/);
		expect(() => inspect('wav', join(plain, plain))).toThrow(/not a chunk/);
		expect(() => inspect('wav', join(plain, text('{"error":"upstream"}')))).toThrow(
			DamagedAudioError,
		);
	});
});

describe('opus', () => {
	let plain: ReturnType<typeof fixture>;
	beforeAll(() => void (plain = fixture('opus-stereo-20ms-small-pages.opus')));

	it('notices any changed byte', () => {
		fc.assert(
			fc.property(fc.nat(plain.length - 1), fc.integer({ min: 1, max: 255 }), (at, value) => {
				const bad = plain.slice();
				bad[at] ^= value;
				expect(() => inspect('opus', bad)).toThrow(DamagedAudioError);
			}),
		);
	});

	it('notices a missing page, streams that are mixed and rubbish at the end', () => {
		const pages = split(
			plain,
			[...plain.keys()].filter(
				(at) => Buffer.from(plain.subarray(at, at + 4)).toString() === 'OggS',
			),
		).filter((page) => page.length > 0);
		expect(pages.length).toBeGreaterThan(5);
		pages.forEach((_, missing) => {
			expect(() =>
				inspect('opus', join(...pages.filter((__, index) => index !== missing))),
			).toThrow(DamagedAudioError);
		});
		const mixed = [pages[0], pages[1], remux(plain, { serial: 9 }).subarray(0, pages[0].length)];
		expect(() => inspect('opus', join(...mixed, ...pages.slice(2)))).toThrow(DamagedAudioError);
		expect(() => inspect('opus', join(plain, plain.subarray(pages[0].length)))).toThrow(/damaged/);
		expect(() => inspect('opus', join(plain, text('x')))).toThrow(/damaged/);
		expect(inspect('opus', join(plain, new Uint8Array(9))).seconds).toBe(
			inspect('opus', plain).seconds,
		);
	});
});

describe('pcm', () => {
	it('is damaged with half a sample', () => {
		expect(() => inspect('pcm', new Uint8Array(101))).toThrow(/cut short/);
	});
});
