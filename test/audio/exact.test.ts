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
import { CeltLevel } from '../../nodes/SpeechGateway/audio/opus/celtLevel';
import { oggChecksum } from '../../nodes/SpeechGateway/audio/opus/checksum';
import { PacketLevels } from '../../nodes/SpeechGateway/audio/opus/loudness';
import { opusPacketSamples } from '../../nodes/SpeechGateway/audio/opus/reader';
import type { Metadata } from '../../nodes/SpeechGateway/audio/tags';
import { withMetadata } from '../../nodes/SpeechGateway/audio/tags';
import { packetsOf } from './ogg';
import { fixture, fixtureNames, formatOf, inspect, pieces } from './support';

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

const parts = new Map<string, { info: AudioInfo; bytes: Uint8Array }>();
/** A fixture, read once. */
function part(name: string) {
	const bytes = fixture(name);
	const known = parts.get(name) ?? { info: inspect(formatOf(name), bytes), bytes };
	parts.set(name, known);
	return known;
}

async function* stream(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* chunks;
}

interface Settings {
	pauses?: { between: number; before: number; after: number };
	trimSilence?: boolean;
	metadata?: Metadata;
}

async function joined(
	parts: Array<{ info: AudioInfo; bytes: Uint8Array }>,
	{ pauses, trimSilence, metadata }: Settings,
): Promise<string> {
	const plain = await joinAudio(
		parts.map(({ info, bytes }) => ({ info, open: () => stream(pieces(bytes, 1000)) })),
		{ pauses, trimSilence },
	);
	const { info, starts, chunks } = metadata ? withMetadata(plain, metadata) : plain;
	const all: Uint8Array[] = [];
	for await (const chunk of chunks()) all.push(chunk);
	const bytes = new Uint8Array(Buffer.concat(all));
	expect(bytes).toHaveLength(info.bytes);
	const rounded = starts.map((start) => start.toFixed(6));
	return `${info.seconds.toFixed(6)} s, ${info.bytes} bytes, ${digest(info, rounded, bytes)}`;
}

/** Bits of a frame's side information. */
function putBits(frame: Uint8Array, from: number, count: number, value: number): void {
	for (let bit = 0; bit < count; bit++) {
		const at = from + bit;
		if ((value >>> (count - 1 - bit)) & 1) frame[4 + (at >>> 3)] |= 128 >>> (at & 7);
	}
}

/** First, and in one test: what is made when first used, is made here. */
describe('how loud packets and frames are', () => {
	test('packets of CELT that hold one frame', () => {
		for (const name of NAMES.filter((one) => one.endsWith('.opus'))) {
			const celt = new CeltLevel();
			const levels = packetsOf(fixture(name))
				.slice(2)
				.filter((packet) => packet[0] >= 0x80 && (packet[0] & 3) === 0)
				.map((packet) => 20 * Math.log10(celt.read(packet[0], packet, 1, packet.length) + 1e-9));
			expectExact(`levels of ${name}`, digest(levels.map((level) => level.toFixed(1))));
		}
	});

	test('packets of SILK, by all that their first bytes can be', () => {
		for (const toc of [0x00, 0x08, 0x10, 0x18, 0x60, 0x0c]) {
			const levels = new PacketLevels();
			let quiet = '';
			for (let first = 0; first < 128; first++)
				for (let second = 0; second < 256; second += 3)
					quiet += levels.read(Uint8Array.of(toc, first, second, 0x55)) <= 1 / 250 ? first : '.';
			expectExact(`quiet packets of ${toc}`, digest(quiet));
		}
	});

	test('packets of any bytes, of up to four frames', () => {
		let state = 1;
		const random = (below: number) => {
			state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
			return (state >>> 8) % below;
		};
		const levels = new PacketLevels();
		const outcomes = Array.from({ length: 3000 }, () => {
			const packet = Uint8Array.from({ length: 1 + random(random(8) ? 12 : 700) }, () =>
				random(64),
			);
			packet[0] = 8 * random(20) + random(4);
			if (random(2))
				packet[1] = (packet[0] & 3) === 3 ? 64 * random(4) + random(5) : 250 + random(6);
			return levels.read(packet) <= 1 / 250;
		});
		expect(outcomes.filter(Boolean).length).toBeGreaterThan(300);
		expectExact('packets of any bytes', digest(outcomes));
	});

	test('frames of MP3, by table and gain', () => {
		const SHAPES = [
			{ isSwitched: 0, region: 0 },
			{ isSwitched: 0, region: 2 },
			{ isSwitched: 1, region: 1 },
			{ isSwitched: 1, region: 2 },
		];
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
			expectExact(`gains of quiet frames, ${header.toString(16)}`, digest(limits));
		}
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

describe('what is read out of a file', () => {
	test.each(NAMES)('%s', (name) => {
		const { info, bytes } = part(name);
		expectExact(`read ${name}`, `${info.seconds.toFixed(6)} s, ${digest(info)}`);
		for (const size of [611, 5003]) {
			expect(inspect(formatOf(name), pieces(bytes, size))).toEqual(info);
		}
	});
});

/** The next file that can be joined with this one; itself when there is none. */
function partnerOf(name: string): string {
	const fitting = NAMES.filter(
		(other) => joinBlocker(part(name).info, part(other).info) === undefined,
	);
	return fitting[(fitting.indexOf(name) + 1) % fitting.length];
}

const PAUSES = { between: 210, before: 55, after: 130 };

describe('what becomes of it before and behind another', () => {
	test.each(NAMES)('%s', async (name) => {
		const other = partnerOf(name);
		const [one, two] = [name, other].map(part);
		for (const trimSilence of [false, true]) {
			const how = trimSilence ? ', trimmed' : '';
			const twice = await joined([one, one], { trimSilence });
			expectExact(`${name} twice${how}`, twice);
			const paused = await joined([one, two, one], { trimSilence, pauses: PAUSES });
			expectExact(`${name}, ${other}, ${name}, pauses${how}`, paused);
		}
	});
});

/** A WAV file of one channel: silence, samples that grow step by step, and the same backwards. */
function ramp(encoding: number, bits: number, sampleAt: (step: number) => number): Uint8Array {
	const steps = [...Array(1500).fill(0), ...Array(120).keys()] as number[];
	const all = [...steps, ...steps.map((step) => -step).reverse()];
	const bytes = new Uint8Array(44 + (all.length * bits) / 8);
	const view = new DataView(bytes.buffer);
	bytes.set(Buffer.from('RIFF'), 0);
	bytes.set(Buffer.from('WAVEfmt '), 8);
	bytes.set(Buffer.from('data'), 36);
	view.setUint32(4, bytes.length - 8, true);
	view.setUint32(16, 16, true);
	view.setUint16(20, encoding, true);
	view.setUint16(22, 1, true);
	view.setUint32(24, 8000, true);
	view.setUint32(28, 1000 * bits, true);
	view.setUint16(32, bits / 8, true);
	view.setUint16(34, bits, true);
	view.setUint32(40, bytes.length - 44, true);
	all.forEach((step, index) => {
		const at = 44 + (index * bits) / 8;
		const value = sampleAt(step);
		if (encoding === 3 && bits === 32) view.setFloat32(at, value, true);
		else if (encoding === 3) view.setFloat64(at, value, true);
		else for (let i = 0; i < bits / 8; i++) bytes[at + i] = Math.floor(value / 2 ** (8 * i));
	});
	return bytes;
}

test('a part with more frames than there are points to seek', async () => {
	for (const name of ['mp3-44100-mono-vbr-noxing.mp3', '../quiet/vbr.mp3']) {
		const bytes = new Uint8Array(Buffer.concat(Array(9).fill(fixture(name))));
		const long = { info: inspect('mp3', bytes), bytes };
		expectExact(`nine times ${name}`, await joined([long, part(name), long], { pauses: PAUSES }));
	}
});

test('quiet frames of MP3: so many in front, between, and behind', async () => {
	const frame = (gain: number, mainDataBegin: number) => {
		const bytes = new Uint8Array(96);
		bytes.set([0xff, 0xf3, 0x44, 0xc0]); // 32 kbit/s at 24 kHz
		putBits(bytes, 0, 8, mainDataBegin);
		putBits(bytes, 9, 12, 600);
		putBits(bytes, 21, 9, 100);
		putBits(bytes, 30, 8, gain);
		return bytes;
	};
	const found: string[] = [];
	for (let count = 0; count < 40; count++) {
		for (const mainDataBegin of [0, 9, 60, 200]) {
			const loud = Array(3).fill(frame(255, mainDataBegin)) as Uint8Array[];
			const quiet = Array(count).fill(frame(0, 0)) as Uint8Array[];
			for (const frames of [
				[...quiet, ...loud, ...loud, ...loud, ...loud],
				[...loud, ...quiet, ...loud, ...quiet],
			]) {
				const bytes = new Uint8Array(Buffer.concat(frames));
				const info = inspect('mp3', bytes);
				const whole = { info, bytes };
				found.push(digest(info), await joined([whole, whole], { trimSilence: true }));
			}
		}
	}
	expectExact('quiet frames, counted', digest(found));
});

describe('which samples are quiet', () => {
	test.each([
		['8 bits', ramp(1, 8, (step) => 128 + step)],
		['16 bits', ramp(1, 16, (step) => 3 * step)],
		['24 bits', ramp(1, 24, (step) => 700 * step)],
		['32 bits', ramp(1, 32, (step) => 180_000 * step)],
		['float', ramp(3, 32, (step) => step / 11_000)],
		['double', ramp(3, 64, (step) => step / 11_000)],
		['A-law', ramp(6, 8, (step) => (Math.abs(step) | (step < 0 ? 0 : 0x80)) ^ 0x55)],
		['mu-law', ramp(7, 8, (step) => (Math.abs(step) | (step < 0 ? 0 : 0x80)) ^ 0x7f)],
	])('%s', async (name, file) => {
		const ramped = { info: inspect('wav', file), bytes: file };
		const trimmed = await joined([ramped, ramped], { trimSilence: true, pauses: PAUSES });
		expectExact(`quiet samples in ${name}`, trimmed);
	});
});

const ASCII = Uint8Array.from({ length: 300 }, (_, index) => 32 + (index % 90));
const TRAILERS = [
	'TAG',
	'TAG+',
	'ID3\x03\0\0\0\0\x01\x10',
	'LYRICSBEGIN',
	'APETAGEX',
	'\r\n',
	'LIST',
];

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
	test.each([
		...fixtureNames().filter((name) => !name.endsWith('.opus')),
		...['opus-mono-20ms.opus', 'opus-mono-60ms-silk.opus', 'opus-stereo-10ms-1500hz.opus'],
	])('%s', (name) => {
		const format = formatOf(name);
		const files = [...faulty(fixture(name))];
		if (format === 'opus') files.push(...files.map(withChecksums));
		const outcomes = files.map((file) => outcome(format, file));
		const damaged = outcomes.filter((one) => Array.isArray(one)).length;
		expectExact(`faults of ${name}`, `${damaged} of ${outcomes.length}, ${digest(outcomes)}`);
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

describe('what a file says of itself', () => {
	test.each(
		['mp3-24000-mono-cbr.mp3', 'wav-24000-mono-s16.wav', 'opus-stereo-20ms.opus'].flatMap((name) =>
			Object.keys(METADATA).map((which) => [which, name]),
		),
	)('%s: %s', async (which, name) => {
		const metadata = METADATA[which];
		expectExact(`${name}, ${which}`, await joined([part(name), part(name)], { metadata }));
	});
});
