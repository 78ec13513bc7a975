/** Files as other programs leave them: odd tags and headers. Whole ones are read; a cut is still seen. */
import fc from 'fast-check';
import { DamagedAudioError } from '../../nodes/SpeechGateway/audio';
import { frameBytes } from '../../nodes/SpeechGateway/audio/mp3/frame';
import type { Mp3Info } from '../../nodes/SpeechGateway/audio/mp3/reader';
import { decode, fixture, inspect, joinFiles, pieces, probeAudio } from './support';

const latin = (value: string) => new Uint8Array(Buffer.from(value, 'latin1'));
const bytesOf = (...all: Array<Uint8Array | string>) =>
	new Uint8Array(Buffer.concat(all.map((one) => (typeof one === 'string' ? latin(one) : one))));
const uint32 = (value: number) => Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);
const uint32be = (value: number) => uint32(value).reverse();
/** Four times seven bits. */
const id3Size = (size: number) =>
	Uint8Array.of(...[21, 14, 7, 0].map((bits) => (size >>> bits) & 0x7f));

const id3v1 = (title: string) => bytesOf('TAG', latin(title.padEnd(125, '\0')));
const enhanced = bytesOf('TAG+', latin('A very long title'.padEnd(223, '\0')));
const lyrics1 = bytesOf('LYRICSBEGIN', 'The first line\r\nof a song \xfe', 'LYRICSEND');
const fields = 'IND0000200' + 'LYR00019[00:02]Let\r\n it be.';
const lyrics2 = bytesOf(
	'LYRICSBEGIN',
	fields,
	String(fields.length + 11).padStart(6, '0'),
	'LYRICS200',
);
/** An APE tag: version 1000 or 2000, with or without a header. */
function ape(version: number, hasHeader: boolean, values: Record<string, string>): Uint8Array {
	const items = Object.entries(values).map(([key, value]) =>
		bytesOf(uint32(value.length), uint32(0), key, '\0', value),
	);
	const size = items.reduce((sum, { length }) => sum + length, 32);
	const mark = (flags: number) =>
		bytesOf(
			'APETAGEX',
			uint32(version),
			uint32(size),
			uint32(items.length),
			uint32(flags),
			new Uint8Array(8),
		);
	const has = hasHeader ? 0x80000000 : 0;
	return bytesOf(
		...(hasHeader ? [mark(has | 0x20000000)] : []),
		...items,
		mark(version === 1000 ? 0 : has),
	);
}
const VALUES = { Title: 'Ein Lied', ARTIST: 'Jemand', REPLAYGAIN_TRACK_GAIN: '-3.2 dB' };
const LONG = { 'Cover Art (Front)': 'x'.repeat(70_000), Year: '2024' };
const TAGS: Record<string, Uint8Array> = {
	'Lyrics3 v1': lyrics1,
	'Lyrics3 v2': lyrics2,
	APEv1: ape(1000, false, VALUES),
	'APEv2 without a header': ape(2000, false, VALUES),
	'APEv2 without a header, with a cover': ape(2000, false, LONG),
	'APEv2 with a header': ape(2000, true, VALUES),
	ID3v1: id3v1('+1 and more'),
	'Enhanced TAG': bytesOf(enhanced, id3v1('A very long')),
};
/** An Enhanced TAG that was cut looks like ID3v1 with zeros behind it. */
const isId3v1 = (tag: Uint8Array) => hasStart(tag, 'TAG') && tag.length >= 128;
const hasStart = (bytes: Uint8Array, text: string) => Buffer.from(bytes).indexOf(text) === 0;
const STRAY = ['x', '\x01', 'Z\x7f\x80', 'end of file\x1a'].map(latin);

const MP3 = [
	'mp3-44100-mono-cbr-noxing.mp3',
	'mp3-44100-mono-vbr.mp3',
	'mp3-24000-mono-cbr.mp3',
	'mp3-44100-stereo-cbr.mp3',
];

describe.each(MP3)('%s', (name) => {
	let file: ReturnType<typeof fixture>;
	let whole: ReturnType<typeof inspect>;
	beforeAll(() => {
		file = fixture(name);
		whole = inspect('mp3', file);
	});
	const withTag = (tag: Uint8Array) => bytesOf(file, tag);

	test.each(Object.entries(TAGS))('with %s is whole, and joins to the same', async (_, tag) => {
		const longer = withTag(tag);
		expect(inspect('mp3', longer)).toEqual({ ...whole, bytes: longer.length });
		const joined = await joinFiles('mp3', [longer, file], 0, (bytes) => pieces(bytes, 1000));
		expect(joined.bytes).toEqual((await joinFiles('mp3', [file, file])).bytes);
	});

	test('with an ID3v2 tag of any version and size before or behind it is whole', () => {
		for (const version of [2, 3, 4])
			for (const size of [30, 5_087, 12_345, 16_383, 70_000]) {
				const tag = bytesOf(
					'ID3',
					Uint8Array.of(version, 0, 0),
					id3Size(size),
					'TIT2',
					uint32be(6),
					new Uint8Array(2),
					'\0Title',
					new Uint8Array(size - 16),
				);
				for (const longer of [bytesOf(tag, file), withTag(tag)])
					expect(inspect('mp3', longer)).toEqual({ ...whole, bytes: longer.length });
			}
	});

	test('with tags in any order, wherever chunks end, is whole; so is one with stray bytes', () => {
		const tags = fc.array(fc.constantFrom(...Object.values(TAGS)), { maxLength: 3 });
		const stray = fc.constantFrom(new Uint8Array(0), ...STRAY);
		fc.assert(
			fc.property(tags, stray, fc.integer({ min: 1, max: 3000 }), (all, end, size) => {
				const longer = bytesOf(file, ...all, end);
				expect(inspect('mp3', pieces(longer, size))).toEqual({ ...whole, bytes: longer.length });
			}),
			{ numRuns: 60 },
		);
		for (const end of STRAY) {
			const longer = bytesOf(file, end, TAGS.ID3v1);
			expect(inspect('mp3', pieces(longer, 700))).toEqual({ ...whole, bytes: longer.length });
		}
	});

	test.each(Object.entries(TAGS))('with %s that was cut is damaged', (_, tag) => {
		// Less is taken for stray bytes: the audio is whole.
		for (const at of [20, tag.length * 0.1, tag.length / 2, tag.length - 1])
			if (at >= 20 && !isId3v1(tag.subarray(0, at)))
				expect(() => inspect('mp3', bytesOf(file, tag.subarray(0, at)))).toThrow(DamagedAudioError);
	});
});

test.each(MP3.slice(1))('%s: a cut within the audio is seen, whatever stands behind it', (name) => {
	const file = fixture(name);
	const rest = fc.constantFrom(new Uint8Array(0), ...STRAY, ...Object.values(TAGS));
	const first = Math.ceil(file.length / 10);
	fc.assert(
		// The last frame's last bytes aside: so few may be made up for by stray ones.
		fc.property(fc.integer({ min: first, max: file.length - 20 }), rest, (at, tag) => {
			const cut = bytesOf(file.subarray(0, at), tag);
			expect(() => inspect('mp3', cut)).toThrow(DamagedAudioError);
			expect(() => inspect('mp3', pieces(cut, 333))).toThrow(DamagedAudioError);
		}),
		{ numRuns: 300 },
	);
});

describe('wav', () => {
	let file: ReturnType<typeof fixture>;
	let whole: ReturnType<typeof inspect>;
	beforeAll(() => {
		file = fixture('wav-24000-mono-s16.wav');
		whole = inspect('wav', file);
	});
	const chunk = (id: string, content: Uint8Array) =>
		bytesOf(id, uint32(content.length), content, new Uint8Array(content.length % 2));
	const withChunks = (...chunks: Uint8Array[]) => {
		const bytes = bytesOf(file, ...chunks);
		new DataView(bytes.buffer).setUint32(4, bytes.length - 8, true);
		return bytes;
	};
	const id3 = bytesOf('ID3', Uint8Array.of(3, 0, 0, 0, 0, 1, 0x2c), 'x'.repeat(172));
	const CHUNKS = ['ID3 ', 'id3 ', 'TAGS', 'TAG ', 'bext', 'iXML', '_PMX', 'APET', 'LYRI'];

	test.each(CHUNKS)('a chunk "%s" behind the samples is whole, whatever it holds', (id) => {
		for (const content of [id3, latin('odd'), new Uint8Array(0), new Uint8Array(4001)]) {
			const bytes = withChunks(chunk(id, content), chunk('LIST', latin('INFO')));
			expect(inspect('wav', bytes)).toEqual({ ...whole, bytes: bytes.length });
			expect(inspect('wav', pieces(bytes, 3))).toEqual({ ...whole, bytes: bytes.length });
			if (content.length > 8)
				expect(() => inspect('wav', bytes.subarray(0, file.length + content.length / 2))).toThrow(
					/cut short/,
				);
		}
	});

	test('a file that is cut within its samples is damaged', () => {
		const bytes = withChunks(chunk('ID3 ', id3));
		for (let at = 60; at < file.length; at += 1009)
			expect(() => inspect('wav', bytes.subarray(0, at))).toThrow(DamagedAudioError);
	});
});

/** Fraunhofer's header, in a frame of its own in front of the others. */
function withVbri(name: string, frames: number): Uint8Array {
	const file = fixture(name);
	const at = file.indexOf(0xff);
	const header = new Uint8Array(frameBytes(Buffer.from(file).readUInt32BE(at)));
	header.set(file.subarray(at, at + 4));
	header.set(
		bytesOf(
			'VBRI',
			Uint8Array.of(0, 1, 0x0d, 0xb1, 0, 0x64),
			uint32be(file.length),
			uint32be(frames),
		),
		36,
	);
	return bytesOf(header, file);
}

test.each(['mp3-44100-mono-cbr-noxing.mp3', 'mp3-44100-mono-vbr-noxing.mp3'])(
	'%s: a VBRI header is no sound',
	async (name) => {
		const { frames, seconds } = inspect('mp3', fixture(name)) as Mp3Info;
		const file = withVbri(name, frames);
		expect(inspect('mp3', file)).toMatchObject({ frames, seconds });
		expect(() => inspect('mp3', withVbri(name, frames + 2))).toThrow(/cut short/);
		const { bytes } = await joinFiles('mp3', [file]);
		expect(Buffer.from(bytes).includes('VBRI')).toBe(false);
		expect(decode('mp3', bytes).samples).toHaveLength(Math.round(seconds * 44_100));
	},
);

test('several mp3 in one, with the header of the first: it is misleading, and rewritten by a join', async () => {
	const [first, other] = ['mp3-44100-mono-vbr.mp3', 'mp3-44100-mono-cbr-noxing.mp3'].map(fixture);
	for (const all of [
		[first, other, other],
		[first, first, first],
		[other, first],
	]) {
		const file = bytesOf(...all);
		const info = inspect('mp3', file) as Mp3Info;
		expect(info.isMisleading).toBe(true);
		const { bytes } = await joinFiles('mp3', [file]);
		expect(inspect('mp3', bytes)).not.toHaveProperty('isMisleading');
		expect(probeAudio('mp3', bytes).claimedSeconds).toBeCloseTo(info.seconds, 1);
		expect(decode('mp3', bytes).samples.length / 44_100).toBeCloseTo(info.seconds, 3);
	}
	for (const name of MP3) expect(inspect('mp3', fixture(name))).not.toHaveProperty('isMisleading');
});
