/** Small rules of audio files, each where the others do not hide it. */
import {
	audioFormatOf,
	joinAudio,
	joinBlocker,
	sniffAudioFormat,
} from '../../nodes/SpeechGateway/audio';
import { hasMp3Frames } from '../../nodes/SpeechGateway/audio/sniff';
import { maxAudioBytes } from '../../nodes/SpeechGateway/speech/price';
import { sniffCover } from '../../nodes/SpeechGateway/audio/tags';
import { remux } from './ogg';
import { fixture, fixtureNames, formatOf, inspect } from './support';

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

test('Opus of more than two channels is refused', () => {
	const surround = remux(fixture('opus-mono-20ms.opus'), { channels: 3 });
	expect(() => inspect('opus', surround)).toThrow('neither one nor two channels');
});

describe('FLAC, which is not read', () => {
	const flac = { format: 'flac' as const, bytes: 1000 };

	test('is told by its first bytes, which no other file has', () => {
		for (const isPcm of [true, false]) {
			expect(audioFormatOf(Buffer.from('fLaC'.padEnd(40)), isPcm)).toBe('flac');
			for (const name of fixtureNames())
				expect(audioFormatOf(fixture(name), isPcm || formatOf(name) === 'pcm')).toBe(
					formatOf(name),
				);
		}
	});

	test('cannot be joined, with its like or with another', async () => {
		const mp3 = inspect('mp3', fixture('mp3-44100-mono-cbr.mp3'));
		expect(joinBlocker(flac, flac)).toMatch(/FLAC/);
		expect(joinBlocker(flac, mp3)).toMatch(/flac in segment 1 and mp3 in segment 2/);
		expect(joinBlocker(mp3, flac)).toMatch(/mp3 in segment 1 and flac in segment 2/);
		const open = () => Promise.reject(new Error('not to be opened'));
		await expect(joinAudio([{ info: flac, open }])).rejects.toThrow(/FLAC/);
	});
});

test.each([
	'{"error":{"message":"余额不足"}}',
	'<!DOCTYPE html><html></html>',
	'[{"a":1}]',
	' {\n "a": 1}',
])('text is no audio, even where PCM is expected: %s', (body) => {
	for (const isPcm of [true, false])
		expect(audioFormatOf(Buffer.from(body), isPcm)).toBeUndefined();
});

test.each(fixtureNames('mp3'))('%s is found behind something else', (name) => {
	const file = fixture(name);
	const info = inspect('mp3', file);
	if (info.format !== 'mp3' || info.frames < 3 || /id3v2/.test(name)) return;
	const behind = new Uint8Array([...new Array<number>(3000).fill(0xc1), ...file]);
	expect(hasMp3Frames(behind)).toBe(true);
	expect(inspect('mp3', behind).seconds).toBe(info.seconds);
});

describe('the bound of what a text can be as audio', () => {
	/** Bytes a second of the widest sound that any service sends. */
	const WIDEST = 48_000 * 2 * 3;

	test.each([
		['a word', 'Hello', 1, 60],
		['a segment of English, slowly read', 'word '.repeat(200), 0.5, 400],
		['a segment of Chinese', '语'.repeat(1000), 1, 300],
		['digits, each spoken as a word', '7'.repeat(1000), 1, 700],
		['a whole job at half speed', '语'.repeat(10_000), 0.5, 4800],
	])('is beyond %s', (_, text, speed, seconds) => {
		expect(maxAudioBytes(text, speed)).toBeGreaterThan(seconds * WIDEST);
	});

	test('is forty minutes of it for a text of ten, and bounded itself', () => {
		expect(maxAudioBytes('a'.repeat(2500))).toBe(40 * 60 * WIDEST);
		expect(maxAudioBytes('')).toBe(64 * 2 ** 20);
		expect(maxAudioBytes('a'.repeat(1_000_000), 0.5)).toBe(2 * 2 ** 30);
	});
});
