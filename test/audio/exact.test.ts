/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * What is read out of files, and every byte of joined ones, as it was when the other tests of this folder, which decode and
 * listen, had found it right. These only compare: they are quick enough to go through everything, and notice the smallest
 * change. When one is wanted, let the others judge it first, then write the table anew:
 * `EXACT=write npx jest --selectProjects unit --testPathPatterns audio/exact`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AudioFormat, AudioInfo } from '../../nodes/SpeechGateway/audio';
import { joinAudio, joinBlocker } from '../../nodes/SpeechGateway/audio';
import {
	isMp3FrameHeader,
	mainDataOffset,
	parseHeader,
	sideInfoBytes,
} from '../../nodes/SpeechGateway/audio/mp3/frame';
import { frameLevel } from '../../nodes/SpeechGateway/audio/mp3/loudness';
import { oggChecksum } from '../../nodes/SpeechGateway/audio/opus/page';
import { opusPacketSamples } from '../../nodes/SpeechGateway/audio/opus/reader';
import type { Metadata } from '../../nodes/SpeechGateway/audio/tags';
import { withMetadata } from '../../nodes/SpeechGateway/audio/tags';
import { bytesOf, fixture, fixtureNames, formatOf, inspect, pieces, stream } from './support';

const TABLE = join(__dirname, 'exact.json');
const isWriting = process.env.EXACT === 'write';
const expected = (existsSync(TABLE) ? JSON.parse(readFileSync(TABLE, 'utf8')) : {}) as Record<
	string,
	string
>;
const found: Record<string, string> = {};
afterAll(() => {
	if (isWriting) writeFileSync(TABLE, `${JSON.stringify(found, undefined, '\t')}\n`);
});

function expectExact(name: string, value: string): void {
	expect(Object.keys(found)).not.toContain(name);
	found[name] = value;
	if (!isWriting) expect(`${name}: ${value}`).toBe(`${name}: ${expected[name]}`);
}

/** A few letters for each case, in order: enough to notice a change, and to tell where. */
const expectAllExact = (name: string, cases: unknown[]) =>
	expectExact(name, cases.map((one) => digest(one).slice(0, 4)).join(' '));

/** Those have tests of their own. */
const withoutPauses = (key: string, value: unknown) => (key === 'pauses' ? undefined : value);
const digest = (...values: unknown[]) => {
	const hash = createHash('sha1');
	for (const value of values)
		hash.update(value instanceof Uint8Array ? value : JSON.stringify(value, withoutPauses));
	return hash.digest('base64url').slice(0, 12);
};

/** Sound between noise that swells and dies away. */
const QUIET = readdirSync(join(__dirname, 'quiet'))
	.filter((name) => !name.endsWith('.sh'))
	.map((name) => `../quiet/${name}`)
	.sort();

const NAMES = [...fixtureNames(), ...QUIET];
const FORMATS: AudioFormat[] = ['mp3', 'opus', 'wav', 'pcm'];
const namesOf = (format: AudioFormat) => NAMES.filter((name) => formatOf(name) === format);

const parts = new Map<string, { info: AudioInfo; bytes: Uint8Array }>();
/** A fixture, read once. */
function part(name: string) {
	const bytes = fixture(name);
	const known = parts.get(name) ?? { info: inspect(formatOf(name), bytes), bytes };
	parts.set(name, known);
	return known;
}

interface Settings {
	pauses?: { between: number; before: number; after: number };
	metadata?: Metadata;
}

async function joined(
	parts: Array<{ info: AudioInfo; bytes: Uint8Array }>,
	{ pauses, metadata }: Settings,
): Promise<string> {
	const plain = await joinAudio(
		parts.map(({ info, bytes }) => ({ info, open: () => stream(pieces(bytes, 1000)) })),
		pauses,
	);
	const { info, starts, chunks } = metadata ? withMetadata(plain, metadata) : plain;
	const bytes = await bytesOf(chunks());
	const rounded = starts.map((start) => start.toFixed(6));
	return digest(info, rounded, bytes);
}

/** Bits of a frame's side information. */
function putBits(frame: Uint8Array, from: number, count: number, value: number): void {
	for (let bit = 0; bit < count; bit++) {
		const at = from + bit;
		if ((value >>> (count - 1 - bit)) & 1) frame[4 + (at >>> 3)] |= 128 >>> (at & 7);
	}
}

/** First, and in one test: what is made when first used, is made here. */
describe('how loud frames are', () => {
	test('frames of MP3, by table and gain', () => {
		const SHAPES = [
			{ isSwitched: 0, region: 0 },
			{ isSwitched: 0, region: 2 },
			{ isSwitched: 1, region: 1 },
			{ isSwitched: 1, region: 2 },
		];
		const gains: string[] = [];
		for (const header of [0xfffb9000, 0xfffb90c0, 0xfff38400, 0xfff384c0]) {
			const { mpeg1, mono, bytes } = parseHeader(header);
			const [blockBits, first] = mpeg1 ? [59, mono ? 18 : 20] : [63, mono ? 9 : 10];
			const limits: number[] = [];
			for (let block = 0; block < (mono ? 1 : 2) * (mpeg1 ? 2 : 1); block++) {
				for (let table = 0; table < 32; table++) {
					for (const { isSwitched, region } of SHAPES) {
						const at = first + block * blockBits;
						const tables = at + (mpeg1 ? 33 : 38);
						const isQuiet = (gain: number) => {
							const frame = new Uint8Array(bytes);
							putBits(frame, at, 12, 100);
							putBits(frame, at + 12, 9, table % 5);
							putBits(frame, at + 21, 8, gain);
							putBits(frame, tables, 1, isSwitched);
							putBits(frame, tables + (isSwitched ? 4 : 1) + 5 * region, 5, table);
							return frameLevel(frame, 0, header) <= 1 / 500;
						};
						let gain = 100;
						while (gain < 255 && isQuiet(gain)) gain++;
						limits.push(gain);
					}
				}
			}
			gains.push(digest(limits));
		}
		expectAllExact('gains of quiet frames', gains);
	});
});

describe('what headers say', () => {
	test('of MP3', () => {
		const frames: unknown[] = [];
		for (let bits = 0; bits < 2 ** 14; bits++) {
			// Version, layer and checksum; bitrate, sample rate and padding; mono or not, emphasis.
			const header =
				(0xffe00000 | ((bits >>> 9) << 16) | ((bits & 0x1fe) << 7) | ((bits & 1) * 0xc2)) >>> 0;
			if (!isMp3FrameHeader(header)) continue;
			const { blocks, ...frame } = parseHeader(header);
			frames.push([header, frame, mainDataOffset(header)]);
			// They are at the end of the side information.
			expect(blocks.first + blocks.count * blocks.bits).toBe(8 * sideInfoBytes(frame));
		}
		expectExact('headers of MP3', `${frames.length}, ${digest(frames)}`);
	});

	test('of packets of Opus', () => {
		const lengths = Array.from({ length: 2 ** 14 }, (_, bits) =>
			opusPacketSamples(Uint8Array.of(bits >>> 6, bits & 63)),
		);
		expectExact('lengths of Opus packets', digest(lengths));
	});
});

test.each(FORMATS)('%s: what is read out of files', (format) => {
	expectAllExact(
		`${format}: read`,
		namesOf(format).map((name) => part(name).info),
	);
});

/** The next file that can be joined with this one; itself when there is none. */
function partnerOf(name: string): string {
	const fitting = NAMES.filter(
		(other) => joinBlocker(part(name).info, part(other).info) === undefined,
	);
	return fitting[(fitting.indexOf(name) + 1) % fitting.length];
}

const PAUSES = { between: 210, before: 55, after: 130 };

test.each(FORMATS)('%s: what becomes of a file before and behind another', async (format) => {
	const all: string[] = [];
	for (const name of namesOf(format)) {
		const [one, two] = [name, partnerOf(name)].map(part);
		all.push(await joined([one, one], {}), await joined([one, two, one], { pauses: PAUSES }));
	}
	expectAllExact(`${format}: joined`, all);
});

test('a part with more frames than there are points to seek', async () => {
	for (const name of ['mp3-44100-mono-vbr-noxing.mp3', '../quiet/vbr.mp3']) {
		const bytes = new Uint8Array(Buffer.concat(Array(9).fill(fixture(name))));
		const long = { info: inspect('mp3', bytes), bytes };
		expectExact(`nine times ${name}`, await joined([long, part(name), long], { pauses: PAUSES }));
	}
});

const ASCII = Uint8Array.from({ length: 300 }, (_, index) => 32 + (index % 90));
const TRAILERS = ['TAG', 'ID3\x03\0\0\0\0\x01\x10', 'APETAGEX', '\r\n', 'LIST'];

/** Cut short, with single bytes changed, with something before or behind it. */
function* faulty(file: Uint8Array): Generator<Uint8Array> {
	for (let step = 0; step < 16; step++) {
		yield file.subarray(0, Math.floor((file.length * step) / 16));
		yield file.subarray(0, file.length - step - 1);
	}
	for (let step = 0; step < 60; step++) {
		const changed = file.slice();
		changed[step < 48 ? step : Math.floor((file.length * (step - 47)) / 13)] ^= 0x5d;
		yield changed;
	}
	for (const mark of TRAILERS) {
		const trailer = Buffer.concat([Buffer.from(mark, 'latin1'), ASCII]);
		for (const length of [mark.length, 40, 128, 154]) {
			yield Buffer.concat([file, trailer.subarray(0, length)]);
			yield Buffer.concat([trailer.subarray(0, length), file]);
		}
	}
}

/** Faults that Ogg's checksums do not show. */
function withChecksums(file: Uint8Array): Uint8Array {
	const bytes = Buffer.from(file);
	for (let at = 0; at >= 0; ) {
		const next = bytes.indexOf('OggS', at + 1);
		const page = bytes.subarray(at, next < 0 ? bytes.length : next);
		if (page.length >= 27) page.writeUInt32LE(oggChecksum(page), 22);
		at = next;
	}
	return bytes;
}

describe('what is damage, and what is none', () => {
	const outcome = (format: AudioFormat, file: Uint8Array) => {
		try {
			return inspect(format, file);
		} catch (error) {
			const { name: kind, message } = error as Error;
			return [kind, message.match(/\d+/g)];
		}
	};
	const OPUS = ['opus-mono-20ms.opus', 'opus-mono-60ms-silk.opus', 'opus-stereo-10ms-1500hz.opus'];
	test.each(FORMATS)('%s', (format) => {
		const all = fixtureNames(format)
			.filter((name) => format !== 'opus' || OPUS.includes(name))
			.map((name) => {
				const files = [...faulty(fixture(name))];
				if (format === 'opus') files.push(...files.map(withChecksums));
				return files.map((file) => outcome(format, file));
			});
		expectAllExact(`${format}: faults`, all);
	});
});

const METADATA: Record<string, Metadata> = {
	'in ASCII': {
		tags: { title: 'Title', artist: 'Artist', album: 'Album', year: '2026', comment: 'Odd' },
		chapters: [
			{ title: 'One', startSeconds: 0, endSeconds: 0.25 },
			{ title: 'Two', startSeconds: 0.25, endSeconds: 3_725.125 },
		],
	},
	'in Japanese, with a cover': {
		tags: {
			...{ title: '第一章', comment: 'こんにちは' },
			cover: { mimeType: 'image/png', bytes: Uint8Array.from({ length: 70_001 }, (_, i) => i) },
		},
		chapters: [{ title: '第一章', startSeconds: 0.1, endSeconds: 1 }],
	},
	'a cover alone': {
		tags: { cover: { mimeType: 'image/jpeg', bytes: new Uint8Array(255) } },
		chapters: [],
	},
	'a comment that fills its page': {
		tags: { comment: 'x'.repeat(64_950) },
		chapters: [],
	},
	'600 chapters': {
		tags: {},
		chapters: Array.from({ length: 600 }, (_, index) => ({
			title: `Chapter ${index}`,
			startSeconds: index / 3,
			endSeconds: (index + 1) / 3,
		})),
	},
};

test.each(['mp3-24000-mono-cbr.mp3', 'wav-24000-mono-s16.wav', 'opus-stereo-20ms.opus'])(
	'%s: what it says of itself',
	async (name) => {
		const all: string[] = [];
		for (const metadata of Object.values(METADATA))
			all.push(await joined([part(name), part(name)], { metadata }));
		expectAllExact(`${name}: tagged`, all);
	},
);
