/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
	hasMp3Frames,
	joinAudio,
	joinBlocker,
	sniffAudioFormat,
	sniffForeignFormat,
} from '../../nodes/SpeechGateway/audio';
import { maxAudioBytes } from '../../nodes/SpeechGateway/speech/maxBytes';
import { fixture, fixtureNames, formatOf, inspect } from './support';

describe('a format that is not read', () => {
	it('is told by its first bytes', () => {
		const flac = readFileSync(join(__dirname, 'foreign', 'tone.flac'));
		expect(sniffAudioFormat(flac)).toBeUndefined();
		expect(sniffForeignFormat(flac)).toBe('flac');
		for (const name of fixtureNames()) expect(sniffForeignFormat(fixture(name))).toBeUndefined();
	});

	it('is not random bytes', () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 0, maxLength: 3000 }), (bytes) => {
				expect(sniffForeignFormat(bytes)).toBeUndefined();
				expect(hasMp3Frames(bytes)).toBe(false);
			}),
			{ numRuns: 300 },
		);
	});

	it('cannot be joined, with its like or with another', async () => {
		const flac = { format: 'flac' as const, bytes: 1000 };
		const [name] = fixtureNames('mp3');
		const mp3 = inspect(formatOf(name), fixture(name));
		expect(joinBlocker(flac, flac)).toMatch(/FLAC/);
		expect(joinBlocker(flac, mp3)).toMatch(/flac in part 1 and mp3 in part 2/);
		expect(joinBlocker(mp3, flac)).toMatch(/mp3 in part 1 and flac in part 2/);
		const open = () => Promise.reject(new Error('not to be opened'));
		await expect(joinAudio([{ info: flac, open }])).rejects.toThrow(/FLAC/);
	});
});

it.each(fixtureNames('mp3'))('%s is found behind something else', (name) => {
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

	it.each([
		['a word', 'Hello', 1, 60],
		['a segment of English, slowly read', 'word '.repeat(200), 0.5, 400],
		['a segment of Chinese', '语'.repeat(1000), 1, 300],
		['digits, each spoken as a word', '7'.repeat(1000), 1, 700],
		['a whole job at half speed', '语'.repeat(10_000), 0.5, 4800],
	])('is beyond %s', (_, text, speed, seconds) => {
		expect(maxAudioBytes(text, speed)).toBeGreaterThan(seconds * WIDEST);
	});

	it('is bounded itself', () => {
		expect(maxAudioBytes('')).toBe(64 * 2 ** 20);
		expect(maxAudioBytes('a'.repeat(1_000_000), 0.5)).toBe(2 * 2 ** 30);
	});
});
