/** Whole files with something behind the audio, and streams whose header does not know how long they became. */
import fc from 'fast-check';
import { DamagedAudioError, joinBlocker } from '../../nodes/SpeechGateway/audio';
import { remux, withoutEndOfStream } from './ogg';
import { decode, fixture, inspect, joinFiles, pieces, split } from './support';

const text = (value: string) => new Uint8Array(Buffer.from(value, 'latin1'));
const bytesOf = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const uint32 = (value: number) => Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);

const id3v1 = bytesOf(text('TAG'), new Uint8Array(125).fill(0x41));
const apeItem = bytesOf(uint32(5), uint32(0), text('Title\0Hello'));
const ape = (flags: number) =>
	bytesOf(
		text('APETAGEX'),
		uint32(2000),
		uint32(apeItem.length + 32),
		uint32(1),
		uint32(flags),
		new Uint8Array(8),
	);
const apeV2 = bytesOf(ape(0xa0000000), apeItem, ape(0x80000000));
const HARMLESS = [text('\n'), text('\r\n'.repeat(500)), new Uint8Array(700), id3v1, apeV2];

describe.each([
	'mp3-44100-mono-cbr-noxing.mp3',
	'mp3-44100-mono-vbr.mp3',
	'wav-24000-mono-s16.wav',
	'wav-8000-mono-u8-odd.wav',
	'opus-mono-20ms.opus',
])('%s', (name) => {
	const format = name.split('.')[1] as 'mp3' | 'wav' | 'opus';
	let file: ReturnType<typeof fixture>;
	let whole: ReturnType<typeof inspect>;
	beforeAll(() => {
		file = fixture(name);
		whole = inspect(format, file);
	});

	test('with line breaks, padding and tags behind it, in any order, is whole', () => {
		const trailers = fc.array(fc.constantFrom(...HARMLESS), { minLength: 1, maxLength: 4 });
		fc.assert(
			fc.property(trailers, fc.integer({ min: 1, max: 5000 }), (all, size) => {
				const longer = bytesOf(file, ...all);
				const expected = { ...whole, bytes: longer.length };
				expect(inspect(format, pieces(longer, size))).toEqual(expected);
			}),
			{ numRuns: 40 },
		);
	});

	test('with a tag behind it that is longer than a chunk is whole, wherever the chunks end', () => {
		const size = 200_000;
		const header = Uint8Array.of(4, 0, 0, 0, size >> 14, (size >> 7) & 127, size & 127);
		const longer = bytesOf(file, text('ID3'), header, new Uint8Array(size).fill(85));
		const expected = { ...whole, bytes: longer.length };
		for (let at = 1; at < file.length; at += 97) {
			expect(inspect(format, split(longer, [at, at + 65_536]))).toEqual(expected);
		}
	});

	test.each([
		'{"error":{"message":"upstream"}}',
		'<html>',
		'longer than a few bytes',
		'ID3\x04\xff\0\0\0\0\0',
	])('is damaged with %s behind it', (rest) => {
		for (const lead of ['', '\n', '\r\n\r\n', '\0']) {
			expect(() => inspect(format, bytesOf(file, text(lead + rest)))).toThrow(DamagedAudioError);
		}
	});

	test('joins to the same with a trailer and without', async () => {
		const tagged = bytesOf(file, text('\r\n'), apeV2, id3v1);
		const joined = await joinFiles(format, [tagged, tagged], 0, (bytes) => pieces(bytes, 100));
		expect(joined.bytes).toEqual((await joinFiles(format, [file, file])).bytes);
	});
});

describe('mp3', () => {
	let file: ReturnType<typeof fixture>;
	beforeAll(() => void (file = fixture('mp3-44100-mono-cbr-noxing.mp3')));

	test('is damaged when the tag is not whole, or something stands before it', () => {
		for (const tag of [apeV2, id3v1]) {
			expect(() => inspect('mp3', bytesOf(file, tag.subarray(0, tag.length - 4)))).toThrow(
				DamagedAudioError,
			);
		}
		expect(() => inspect('mp3', bytesOf(file, text('U'.repeat(40)), apeV2))).toThrow(
			DamagedAudioError,
		);
	});
});

describe('wav', () => {
	const file = fixture('wav-24000-mono-s16.wav'); // whose length is in the rows
	let whole: ReturnType<typeof inspect>;
	beforeAll(() => void (whole = inspect('wav', file)));
	const sized = (riff: number, data: number, rest: Uint8Array = new Uint8Array(0)) => {
		const bytes = bytesOf(file, rest);
		const view = new DataView(bytes.buffer);
		view.setUint32(4, riff, true);
		view.setUint32(40, data, true);
		return bytes;
	};
	test.each([
		['SoX to a pipe', 0x7ffff024, 0x7ffff000],
		['less the header', 0x7ffff000, 0x7fffefdc],
		['ffmpeg and OpenAI', 0xffffffff, 0xffffffff],
		['the largest, less the header', 0xffffffff, 0xffffffdb],
		['pocket-tts', 2_000_000_036, 2_000_000_000],
		['just more than 1 GB', 1_000_000_037, 1_000_000_001],
		['zero', 0, 0],
		["Python's wave", 36, 0],
		['only the file', 0xffffffff, file.length - 44],
		['only the file, zero', 0, file.length - 44],
		['only the data', file.length - 8, 0xffffffff],
		['only the data, zero', file.length - 8, 0],
	])('of a size not known when it began (%s) is whole', (_, riff, data) => {
		const streamed = sized(riff, data);
		expect(inspect('wav', streamed)).toEqual(whole);
		expect(inspect('wav', pieces(streamed, 1))).toEqual(whole);
		expect(inspect('wav', sized(riff, data, text('\n')))).toMatchObject({
			dataBytes: whole.dataBytes,
		});
		expect(() => inspect('wav', streamed.subarray(0, -1))).toThrow(/cut short/);
		expect(() => inspect('wav', streamed.subarray(0, 44))).toThrow(DamagedAudioError);
	});

	test.each([file.length + 20_000, 999_999_972])(
		'that says how long it is, of the file, its data or both, stays damaged when it is shorter (%i)',
		(size) => {
			const [riff, data] = [size - 8, size - 44];
			for (const endless of [0, 0xffffffff])
				for (const stated of [sized(riff, data), sized(endless, data), sized(riff, endless)])
					expect(() => inspect('wav', stated)).toThrow(/cut short/);
		},
	);
});

describe('opus', () => {
	let file: ReturnType<typeof fixture>;
	let whole: ReturnType<typeof inspect>;
	let other: ReturnType<typeof remux>;
	beforeAll(() => {
		file = fixture('opus-mono-20ms.opus');
		whole = inspect('opus', file);
		other = remux(fixture('opus-mono-20ms-1500hz.opus'), { serial: 9 });
	});

	test('of several streams in a row plays as long as all of them', () => {
		const chained = bytesOf(file, other, file);
		const info = inspect('opus', chained);
		expect(info.seconds).toBeCloseTo(2 * whole.seconds + inspect('opus', other).seconds, 9);
		expect(info.bytes).toBe(chained.length);
		expect(info.seconds * 48_000).toBeCloseTo(decode('opus', chained).samples.length, -3);
		expect(inspect('opus', pieces(chained, 1))).toEqual(info);
		expect(() => inspect('opus', chained.subarray(0, chained.length - 10))).toThrow(/cut short/);
		expect(() => inspect('opus', bytesOf(file, other.subarray(0, 60)))).toThrow(/cut short/);
	});

	test('of several streams in a row cannot be joined, and says so', () => {
		const chained = inspect('opus', bytesOf(file, other));
		for (const [one, two] of [
			[chained, whole],
			[whole, chained],
			[chained, chained],
		]) {
			expect(joinBlocker(one, two)).toMatch(/chained/);
		}
		expect(joinBlocker(whole, whole)).toBeUndefined();
	});

	test('of several streams at the same time is not called cut', () => {
		const [page, otherPage] = [file, other].map((one) => Buffer.from(one).indexOf('OggS', 4));
		const together = bytesOf(
			file.subarray(0, page),
			other.subarray(0, otherPage),
			file.subarray(page),
			other.subarray(otherPage),
		);
		expect(() => inspect('opus', together)).toThrow('more than one stream');
	});

	test('whose last page says where the audio ends, but not that it is the last, is whole', () => {
		const unmarked = withoutEndOfStream(file);
		expect(unmarked).not.toEqual(file);
		expect(inspect('opus', unmarked)).toEqual(whole);
		expect(inspect('opus', pieces(unmarked, 1))).toEqual(whole);
		const both = inspect('opus', bytesOf(unmarked, other));
		expect(both.seconds).toBeCloseTo(whole.seconds + inspect('opus', other).seconds, 9);
	});

	test('joins whole when a part has no end-of-stream mark', async () => {
		const joined = await joinFiles('opus', [withoutEndOfStream(file), file]);
		expect(joined.bytes).toEqual((await joinFiles('opus', [file, file])).bytes);
	});
});
