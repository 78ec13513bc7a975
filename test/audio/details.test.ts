/** Small rules of audio files, each where the others do not hide it. */
import type { AudioInfo } from '../../nodes/SpeechGateway/audio';
import {
	DamagedAudioError,
	FOREIGN_FORMATS,
	hasMp3Frames,
	joinAudio,
	joinBlocker,
	sniffAudioFormat,
} from '../../nodes/SpeechGateway/audio';
import { maxAudioBytes } from '../../nodes/SpeechGateway/speech/maxBytes';
import { oddSegments } from '../../nodes/SpeechGateway/speech/oddSegments';
import { sniffCover } from '../../nodes/SpeechGateway/audio/tags';
import { remux } from './ogg';
import { fixture, formatOf, inspect } from './support';

test('a text of ten minutes may become forty minutes of the widest sound', () => {
	expect(maxAudioBytes('a'.repeat(2500))).toBe(40 * 60 * 48_000 * 3 * 2);
});

test('audio that is passed on has its MIME type and extension', () => {
	const types = Object.values(FOREIGN_FORMATS).map((one) => `${one.mimeType} ${one.extension}`);
	expect(types).toEqual(['audio/flac flac']);
});

test('a RIFF file of something else is no WAV, nor is a word at its eighth byte', () => {
	expect(sniffAudioFormat(Buffer.from('RIFF\0\0\0\0AVI LIST'))).toBeUndefined();
	expect(sniffAudioFormat(Buffer.from('RIFX\0\0\0\0WAVEfmt '))).toBeUndefined();
});

test('samples that look like frames of MP3 by chance are samples', () => {
	const bytes = fixture('mp3-44100-mono-cbr-noxing.mp3');
	expect(inspect('pcm', bytes.subarray(0, 4000)).seconds).toBe(4000 / 48_000);
});

test('frames of MP3 are found behind anything, three in a row, the last by its header', () => {
	const frame = new Uint8Array(96);
	frame.set([0xff, 0xf3, 0x44, 0xc0]); // 32 kbit/s at 24 kHz
	const frames = Buffer.concat([Uint8Array.of(0xff, 0, 0xff), frame, frame, frame]);
	expect(hasMp3Frames(frames)).toBe(true);
	expect(hasMp3Frames(frames.subarray(0, 3 + 2 * 96 + 4))).toBe(true);
	expect(hasMp3Frames(frames.subarray(0, 3 + 2 * 96 + 3))).toBe(false);
});

test('a cover is told by its first bytes', () => {
	expect(sniffCover(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toBe('image/jpeg');
	expect(sniffCover(Uint8Array.of(0xff, 0xd8, 0xfe))).toBeUndefined();
	expect(sniffCover(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))).toBe('image/png');
	expect(sniffCover(Buffer.from('\x89PNG\r\n\x1a ', 'latin1'))).toBeUndefined();
});

test('a WAV file that ends before its samples says so', () => {
	const file = fixture('wav-24000-mono-s16.wav');
	expect(() => inspect('wav', file.subarray(0, 36))).toThrow('it has no data chunk');
	expect(() => inspect('wav', file.subarray(0, 12))).toThrow('it has no fmt chunk');
});

describe('a part that was changed after it was looked at', () => {
	const names = ['mp3-44100-mono-cbr.mp3', 'wav-24000-mono-s16.wav', 'opus-mono-20ms.opus'];
	const joining = async (name: string, changed: Uint8Array) => {
		const bytes = fixture(name);
		const info = inspect(formatOf(name), bytes);
		const part = (content: Uint8Array) => ({
			info,
			open: async function* () {
				yield await Promise.resolve(content);
			},
		});
		for await (const chunk of (await joinAudio([part(bytes), part(changed)])).chunks()) void chunk;
	};
	test.each(names)('%s is damaged, also by a line break behind it', async (name) => {
		await joining(name, fixture(name));
		const longer = Buffer.concat([fixture(name), Buffer.from('\n')]);
		await expect(joining(name, longer)).rejects.toThrow('Part 2 has changed since');
		await expect(joining(name, longer)).rejects.toThrow(DamagedAudioError);
	});

	test('is damaged when only its sample rate is another', async () => {
		const name = 'wav-24000-mono-s16.wav';
		const slower = Buffer.from(fixture(name));
		slower.writeUInt32LE(12_000, 24);
		slower.writeUInt32LE(24_000, 28);
		await expect(joining(name, slower)).rejects.toThrow('Part 2 has changed since');
	});
});

describe('parts of Opus that cannot be joined', () => {
	const mono = inspect('opus', fixture('opus-mono-20ms.opus'));
	const surround = {
		...mono,
		head: mono.format === 'opus' ? mono.head.with(18, 1) : [],
	} as AudioInfo;
	const chain = { ...mono, streams: 2 } as AudioInfo;
	const next = { part: 3, pauseMilliseconds: 0 };

	test('by another mapping of channels, or a pause between more than two', async () => {
		expect(joinBlocker(mono, surround, next)).toBe(
			'the channel mapping is 0 in part 1 and 1 in part 3',
		);
		expect(joinBlocker(surround, surround, next)).toBeUndefined();
		const open = async function* () {};
		const parts = [surround, surround].map((info) => ({ info, open }));
		for (const pauses of [{ before: 1 }, { between: 1 }, { after: 1 }])
			await expect(joinAudio(parts, pauses)).rejects.toThrow('more than two channels');
	});
	test('by several streams in a row, of one part or the other', () => {
		expect(joinBlocker(chain, mono, next)).toBe('part 1 is several chained Ogg streams');
		expect(joinBlocker(mono, chain, next)).toBe('part 3 is several chained Ogg streams');
	});
});

test('a recording of a live stream may begin at any sample', () => {
	const file = fixture('opus-mono-20ms.opus');
	const expected = inspect('opus', remux(file, {})).seconds;
	expect(inspect('opus', remux(file, { startGranule: 2 ** 32 - 5000 })).seconds).toBe(expected);
});

describe('VBRI, the header of other encoders', () => {
	const tagged = fixture('mp3-44100-mono-vbr-noxing.mp3');
	const audio = tagged.subarray(tagged.indexOf(0xff));
	const plain = inspect('mp3', audio);
	const withHeader = (frames: number) => {
		const header = new Uint8Array(417);
		header.set(audio.subarray(0, 4));
		header[2] = 0x90; // 128 kbit/s
		header.set(Buffer.from('VBRI'), 36);
		const view = new DataView(header.buffer);
		view.setUint32(46, audio.length + header.length);
		view.setUint32(50, frames);
		return new Uint8Array(Buffer.concat([header, audio]));
	};
	const frames = plain.format === 'mp3' ? plain.frames : 0;

	test('is no audio', () => {
		const file = withHeader(frames);
		expect(inspect('mp3', file)).toEqual({ ...plain, bytes: file.length });
	});
	test('tells when frames are missing', () => {
		expect(() => inspect('mp3', withHeader(frames + 5))).toThrow(
			`it has ${frames} of ${frames + 5} frames`,
		);
	});
});

describe('segments far from what their text suggests', () => {
	const odd = (letters: number, seconds: number) =>
		oddSegments([{ text: 'a'.repeat(letters), seconds }]);
	test('two letters a second and 5 s on top are slow, more are not', () => {
		expect(odd(26, 18)).toEqual([]);
		expect(odd(26, 18.1)).toHaveLength(1);
	});
	test('two seconds of text may not be gone, less may', () => {
		expect(odd(26, 0.4)).toHaveLength(1);
		expect(odd(25, 0.4)).toEqual([]);
	});
	test('of two, the number is said', () => {
		const [said] = oddSegments([
			{ text: 'a'.repeat(26), seconds: 2 },
			{ text: 'a'.repeat(26), seconds: 30 },
		]);
		expect(said.words).toMatch(/^Segment 2 is 30 s/);
		expect(odd(26, 30)[0].words).toMatch(/^The speech is 30 s/);
	});
});
