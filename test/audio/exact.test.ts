/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * What is read out of files, and every byte of joined ones, as it was when the other tests of this folder, which decode and
 * listen, had found it right. These only compare: they are quick enough to go through everything, and notice the smallest
 * change. When one is wanted, let the others judge it first, then write the table anew:
 * `EXACT=write npx jest test/audio/exact --selectProjects long`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadableFormat, AudioInfo, Pauses } from '../../nodes/SpeechGateway/audio';
import { joinAudio, joinBlocker } from '../../nodes/SpeechGateway/audio';
import {
	frameLevel,
	isMp3FrameHeader,
	mainDataOffset,
	parseHeader,
} from '../../nodes/SpeechGateway/audio/mp3/frame';
import { oggChecksum } from '../../nodes/SpeechGateway/audio/opus/page';
import { opusPacketSamples } from '../../nodes/SpeechGateway/audio/opus/reader';
import type { Metadata } from '../../nodes/SpeechGateway/audio/tags';
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

/** A few letters for each case, in order: enough to notice a change, and to tell where. */
function expectExact(name: string, cases: unknown[]): void {
	found[name] = cases.map((one) => digest(one).slice(0, 4)).join(' ');
	if (!isWriting) expect(`${name}: ${found[name]}`).toBe(`${name}: ${expected[name]}`);
}

/** With keys in one order. Pauses have tests of their own. */
const plain = (key: string, value: unknown) => {
	if (key === 'pauses') return undefined;
	const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
	return isRecord ? Object.fromEntries(Object.entries(value).sort()) : value;
};
const digest = (...values: unknown[]) => {
	const hash = createHash('sha1');
	for (const value of values)
		hash.update(value instanceof Uint8Array ? value : JSON.stringify(value, plain));
	return hash.digest('base64url').slice(0, 12);
};

/** Fixtures, and sound between noise that swells and dies away. */
const QUIET = readdirSync(join(__dirname, 'quiet')).filter((name) => !name.endsWith('.sh'));
const NAMES = [...fixtureNames(), ...QUIET.map((name) => `../quiet/${name}`).sort()];
const FORMATS: ReadableFormat[] = ['mp3', 'opus', 'wav', 'pcm'];
const namesOf = (format: ReadableFormat) => NAMES.filter((name) => formatOf(name) === format);

type Part = { info: AudioInfo; bytes: Uint8Array };
const partOf = (format: ReadableFormat, bytes: Uint8Array): Part => ({
	info: inspect(format, bytes),
	bytes,
});
const part = (name: string) => partOf(formatOf(name), fixture(name));

async function joined(parts: Part[], pauses: Pauses, metadata?: Metadata): Promise<string> {
	const { info, starts, chunks } = await joinAudio(
		parts.map(({ info, bytes }) => ({ info, open: () => stream(pieces(bytes, 1000)) })),
		pauses,
		metadata && (() => metadata),
	);
	const rounded = starts.map((start) => start.toFixed(6));
	return digest(info, rounded, await bytesOf(chunks()));
}

/** Into the side information of a frame. */
function putBits(frame: Uint8Array, from: number, count: number, value: number): void {
	for (let bit = 0; bit < count; bit++) {
		const at = from + bit;
		if ((value >>> (count - 1 - bit)) & 1) frame[4 + (at >>> 3)] |= 128 >>> (at & 7);
	}
}

test('how loud frames of MP3 can be, by the tables of their regions', () => {
	const layouts = [0xfffb9000, 0xfffb90c0, 0xfff38400, 0xfff384c0].map((header) => {
		const { mpeg1, mono, bytes } = parseHeader(header);
		const [blockBits, first] = mpeg1 ? [59, mono ? 18 : 20] : [63, mono ? 9 : 10];
		const levels: string[] = [];
		for (let block = 0; block < (mono ? 1 : 2) * (mpeg1 ? 2 : 1); block++) {
			for (const [isSwitched, region] of [
				[0, 0],
				[0, 2],
				[1, 1],
				[1, 2],
			]) {
				for (let table = 0; table < 32; table++) {
					const at = first + block * blockBits;
					const tables = at + (mpeg1 ? 33 : 38);
					const frame = new Uint8Array(bytes);
					putBits(frame, at, 12, 100);
					putBits(frame, at + 12, 9, table % 5);
					putBits(frame, at + 21, 8, 150 + table);
					putBits(frame, tables, 1, isSwitched);
					putBits(frame, tables + (isSwitched ? 4 : 1) + 5 * region, 5, table);
					levels.push(frameLevel(frame, 0, header).toPrecision(6));
				}
			}
		}
		return levels;
	});
	expectExact('how loud frames of MP3 are', layouts);
});

test('what headers of MP3 and packets of Opus say', () => {
	// Version, layer and checksum; bitrate, sample rate and padding; mono or not, emphasis.
	const headers = Array.from(
		{ length: 2 ** 14 },
		(_, bits) =>
			(0xffe00000 | ((bits >>> 9) << 16) | ((bits & 0x1fe) << 7) | ((bits & 1) * 0xc2)) >>> 0,
	).filter(isMp3FrameHeader);
	const frames = headers.map((header) => [header, parseHeader(header), mainDataOffset(header)]);
	const lengths = Array.from({ length: 2 ** 14 }, (_, bits) =>
		opusPacketSamples(Uint8Array.of(bits >>> 6, bits & 63)),
	);
	expectExact('headers of MP3, packets of Opus', [frames, lengths]);
});

const PAUSES = { between: 210, before: 55, after: 130 };

test.each(FORMATS)('%s: what is read out of a file, and what becomes of it', async (format) => {
	const all = namesOf(format).map(part);
	const infos = all.map(({ info }) => info);
	expectExact(`${format}: read`, infos);
	const cases: string[] = [];
	for (const one of all) {
		// The next file that fits; itself when there is none.
		const fitting = all.filter(({ info }) => joinBlocker(one.info, info) === undefined);
		const two = fitting[(fitting.indexOf(one) + 1) % fitting.length];
		cases.push(await joined([one, one], {}), await joined([one, two, one], PAUSES));
	}
	expectExact(`${format}: joined`, cases);
});

test('a part with more frames than there are points to seek', async () => {
	const cases: string[] = [];
	for (const name of ['mp3-44100-mono-vbr-noxing.mp3', '../quiet/vbr.mp3']) {
		const long = partOf('mp3', new Uint8Array(Buffer.concat(Array(9).fill(fixture(name)))));
		cases.push(await joined([long, part(name), long], PAUSES));
	}
	expectExact('long parts', cases);
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

const OPUS = ['opus-mono-20ms.opus', 'opus-mono-60ms-silk.opus', 'opus-stereo-10ms-1500hz.opus'];
test.each(FORMATS)('%s: what is damage, and what is none', (format) => {
	const outcome = (file: Uint8Array) => {
		try {
			return inspect(format, file);
		} catch (error) {
			const { name: kind, message } = error as Error;
			return [kind, message.match(/\d+/g)];
		}
	};
	const names = format === 'opus' ? OPUS : fixtureNames(format);
	const all = names.map((name) => {
		const files = [...faulty(fixture(name))];
		if (format === 'opus') files.push(...files.map(withChecksums));
		return files.map(outcome);
	});
	expectExact(`${format}: faults`, all);
});

const METADATA: Metadata[] = [
	{
		tags: { title: 'Title', artist: 'Artist', album: 'Album', year: '2026', comment: 'Odd' },
		chapters: [
			{ title: 'One', startSeconds: 0, endSeconds: 0.25 },
			{ title: 'Two', startSeconds: 0.25, endSeconds: 3_725.125 },
		],
	},
	{
		tags: {
			title: '第一章',
			comment: 'こんにちは',
			cover: { mimeType: 'image/png', bytes: Uint8Array.from({ length: 70_001 }, (_, i) => i) },
		},
		chapters: [{ title: '第一章', startSeconds: 0.1, endSeconds: 1 }],
		record: '{"parts":[]}',
	},
	{ tags: { cover: { mimeType: 'image/jpeg', bytes: new Uint8Array(255) } }, chapters: [] },
	// Fills its page of Ogg.
	{ tags: { comment: 'x'.repeat(64_950) }, chapters: [] },
	{
		tags: {},
		chapters: Array.from({ length: 600 }, (_, index) => ({
			title: `Chapter ${index}`,
			startSeconds: index / 3,
			endSeconds: (index + 1) / 3,
		})),
	},
];

test('tags, chapters, covers and records', async () => {
	const cases: string[] = [];
	for (const name of ['mp3-24000-mono-cbr.mp3', 'wav-24000-mono-s16.wav', 'opus-stereo-20ms.opus'])
		for (const metadata of METADATA)
			cases.push(await joined([part(name), part(name)], {}, metadata));
	expectExact('tagged', cases);
});
