/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadableFormat, AudioInfo, Pauses } from '../../nodes/SpeechGateway/audio';
import { inspectorOf, joinAudio, lengthOf } from '../../nodes/SpeechGateway/audio';
import { run } from '../support/readers';

const FIXTURES = join(__dirname, 'fixtures');

/** Names of the fixtures, all of them or of one format. */
export function fixtureNames(format?: ReadableFormat): string[] {
	return readdirSync(FIXTURES)
		.filter((name) => (format ? name.endsWith(`.${format}`) : !name.endsWith('.sh')))
		.sort();
}

export function fixture(name: string): Uint8Array {
	return new Uint8Array(readFileSync(join(FIXTURES, name)));
}

export function formatOf(name: string): ReadableFormat {
	return name.slice(name.lastIndexOf('.') + 1) as ReadableFormat;
}

/** Splits at the given places, which may be in any order. */
export function split(bytes: Uint8Array, places: number[]): Uint8Array[] {
	const sorted = [0, ...places.filter((at) => at < bytes.length), bytes.length].sort(
		(a, b) => a - b,
	);
	return sorted.slice(1).map((at, index) => bytes.subarray(sorted[index], at));
}

/** Pieces of one size. */
export function pieces(bytes: Uint8Array, size: number): Uint8Array[] {
	return split(
		bytes,
		Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => (i + 1) * size),
	);
}

export function inspect(format: ReadableFormat, chunks: Uint8Array | Uint8Array[]): AudioInfo {
	const inspector = inspectorOf(format);
	for (const chunk of Array.isArray(chunks) ? chunks : [chunks]) inspector.feed(chunk);
	return inspector.end();
}

export async function* stream(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* chunks;
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
	const all: Uint8Array[] = [];
	for await (const chunk of chunks) all.push(chunk);
	return new Uint8Array(Buffer.concat(all));
}

/** Joins files held in memory; `cut`: how each is split into chunks. The file is what was said of it beforehand. */
export async function joinFiles(
	format: ReadableFormat,
	files: Uint8Array[],
	pauses: number | number[] | Pauses = 0,
	cut: (bytes: Uint8Array) => Uint8Array[] = (bytes) => [bytes],
	metadataOf?: Parameters<typeof joinAudio>[2],
) {
	const joined = await joinAudio(
		files.map((bytes) => ({ info: inspect(format, bytes), open: () => stream(cut(bytes)) })),
		typeof pauses === 'object' && !Array.isArray(pauses) ? pauses : { between: pauses },
		metadataOf,
	);
	const bytes = await bytesOf(joined.chunks());
	const seen = inspect(format, bytes);
	const { seconds, sampleRate } = seen;
	expect(joined.info).toEqual({ format, seconds, length: lengthOf(seen), sampleRate });
	return { ...joined, bytes };
}

function inFolder<T>(use: (folder: string) => T): T {
	const folder = mkdtempSync(join(tmpdir(), 'audio-test-'));
	try {
		return use(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

export function withFile<T>(name: string, bytes: Uint8Array, use: (path: string) => T): T {
	return inFolder((folder) => {
		writeFileSync(join(folder, name), bytes);
		return use(join(folder, name));
	});
}

export interface Sound {
	format: ReadableFormat;
	/** Of one channel. */
	samples: Float32Array;
	sampleRate: number;
	/** Of ffmpeg's encoder. */
	options: string[];
}

/** What ffmpeg's encoders make of sounds, in one start of ffmpeg: that takes longer than encoding. */
export function encodeAll(sounds: Sound[]): Uint8Array[] {
	return inFolder((folder) => {
		const inputs = sounds.flatMap(({ samples, sampleRate }, index) => {
			const path = join(folder, `${index}.raw`);
			writeFileSync(path, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
			return ['-f', 'f32le', '-ar', String(sampleRate), '-ac', '1', '-i', path];
		});
		const paths = sounds.map(({ format }, index) => join(folder, `${index}.${format}`));
		const outputs = sounds.flatMap(({ options }, index) => [
			'-map',
			`${index}:a`,
			...options,
			paths[index],
		]);
		const { stderr } = run('ffmpeg', ['-nostdin', '-v', 'error', ...inputs, ...outputs]);
		if (stderr) throw new Error(stderr);
		return paths.map((path) => new Uint8Array(readFileSync(path)));
	});
}

/** The same of one sound. */
export const encode = (
	format: ReadableFormat,
	samples: Float32Array,
	sampleRate: number,
	options: string[],
): Uint8Array => encodeAll([{ format, samples, sampleRate, options }])[0];

function inputOptions(format: ReadableFormat): string[] {
	return format === 'pcm' ? ['-f', 's16le', '-ar', '24000', '-ac', '1'] : [];
}

export interface Decoded {
	/** Of the first channel. */
	samples: Float32Array;
	/** Of the last one. */
	right: Float32Array;
	sampleRate: number;
	channels: number;
	/** What ffmpeg says of the file, warnings included. */
	complaints: string;
}

const decoded = new Map<string, Decoded>();

/**
 * What ffmpeg makes of a file. Its own decoder is used unless another is named. A file that is decoded again in the same
 * tests is remembered: starting ffmpeg takes longer than decoding.
 */
export const decode = (format: ReadableFormat, bytes: Uint8Array, decoder?: string): Decoded =>
	decodeAll(format, [bytes], decoder)[0];

/** The same of several files, in one start of ffmpeg. */
export function decodeAll(
	format: ReadableFormat,
	files: Uint8Array[],
	decoder?: string,
): Decoded[] {
	const keyOf = (bytes: Uint8Array) =>
		createHash('sha1').update(`${format} ${decoder} `).update(bytes).digest('hex');
	const keys = files.map(keyOf);
	const unknown = new Map(files.map((bytes, index) => [keys[index], bytes]));
	for (const key of unknown.keys()) if (decoded.has(key)) unknown.delete(key);
	const fresh = decodeNow(format, [...unknown.values()], decoder);
	[...unknown.keys()].forEach((key, index) => decoded.set(key, fresh[index]));
	return keys.map((key) => {
		const known = decoded.get(key)!;
		return { ...known, samples: known.samples.slice() };
	});
}

function decodeNow(format: ReadableFormat, files: Uint8Array[], decoder?: string): Decoded[] {
	if (files.length === 0) return [];
	const { results, stderr } = inFolder((folder) => {
		const choice = decoder ? ['-c:a', decoder] : [];
		const inputs = files.flatMap((bytes, index) => {
			const path = join(folder, `${index}.${format}`);
			writeFileSync(path, bytes);
			// Headers without a channel layout are fine; without the option ffmpeg guesses one and says so.
			return ['-guess_layout_max', '0', ...choice, ...inputOptions(format), '-i', path];
		});
		const paths = files.map((_, index) => join(folder, `${index}.decoded`));
		const outputs = paths.flatMap((path, index) => [
			'-map',
			`${index}:a`,
			'-bitexact',
			'-c:a',
			'pcm_f32le',
			'-f',
			'wav',
			path,
		]);
		const { stderr } = run('ffmpeg', ['-nostdin', '-v', 'warning', ...inputs, ...outputs]);
		const read = (path: string) => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0));
		return { results: paths.map((path) => readWav(read(path))), stderr };
	});
	const complaints = withoutUsual(stderr, format);
	// It is not said of which file, and one that cannot be read stops all.
	if (complaints && files.length > 1)
		return files.flatMap((bytes) => decodeNow(format, [bytes], decoder));
	return results.map(([sampleRate, channels, data]) => {
		const all = new Float32Array(new Uint8Array(data).buffer);
		return {
			samples: channelOf(all, 0, channels),
			right: channelOf(all, channels - 1, channels),
			complaints,
			sampleRate,
			channels,
		};
	});
}

const channelOf = (all: Float32Array, channel: number, channels: number) =>
	channels === 1 ? all : all.filter((_, i) => i % channels === channel);

/** Raw samples have no header, so that much is said of every one. */
const withoutUsual = (complaints: string, format: ReadableFormat) =>
	complaints
		.split('\n')
		.filter((line) => format !== 'pcm' || !line.includes('Estimating duration from bitrate'))
		.join('\n')
		.trim();

/** Of ffmpeg's own file: chunks up to the samples, which go to the end. Empty when nothing was decoded. */
function readWav(file: Buffer): [sampleRate: number, channels: number, data: Buffer] {
	let [sampleRate, channels] = [NaN, 1];
	for (let at = 12; at + 8 <= file.length; at += 8 + file.readUInt32LE(at + 4)) {
		const name = file.toString('latin1', at, at + 4);
		if (name === 'data') return [sampleRate, channels, file.subarray(at + 8)];
		if (name !== 'fmt ') continue;
		channels = file.readUInt16LE(at + 10);
		sampleRate = file.readUInt32LE(at + 12);
	}
	return [sampleRate, channels, Buffer.alloc(0)];
}

/** What ffprobe tells of a file without decoding it: its packets, and the length it claims. */
export function probeAudio(format: ReadableFormat, bytes: Uint8Array) {
	return withFile(`audio.${format}`, bytes, (path) => {
		const { stdout, stderr } = run('ffprobe', [
			'-v',
			'warning',
			'-count_packets',
			'-of',
			'json',
			'-show_streams',
			'-show_format',
			...inputOptions(format),
			path,
		]);
		const { streams = [], format: container } = JSON.parse(stdout.toString()) as {
			streams?: Array<{ codec_type: string; nb_read_packets: string }>;
			format?: { duration: string };
		};
		const audio = streams.find((one) => one.codec_type === 'audio');
		return {
			packets: Number(audio?.nb_read_packets),
			claimedSeconds: Number(container?.duration),
			complaints: withoutUsual(stderr, format),
		};
	});
}

/** Share of the energy of a stretch of sound that lies at one frequency (Goertzel): near 1 for that tone, near 0 else. */
export function toneShare(samples: Float32Array, sampleRate: number, frequency: number): number {
	const turn = 2 * Math.cos((2 * Math.PI * frequency) / sampleRate);
	let before = 0;
	let now = 0;
	let energy = 0;
	for (const sample of samples) {
		[before, now] = [now, sample + turn * now - before];
		energy += sample * sample;
	}
	const power = now * now + before * before - turn * now * before;
	return energy === 0 ? 0 : power / ((energy * samples.length) / 2);
}

/** How much two stretches sound alike: 1 for the same, about 0 for others. */
export function likeness(one: Float32Array, other: Float32Array): number {
	const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i], 0);
	return product(one, other) / Math.max(product(one, one), product(other, other));
}

/** Root mean square between two seconds. */
export function loudness(
	samples: Float32Array,
	sampleRate: number,
	from: number,
	to: number,
): number {
	const stretch = slice(samples, sampleRate, from, to);
	return Math.sqrt(stretch.reduce((sum, sample) => sum + sample * sample, 0) / stretch.length);
}

export function slice(
	samples: Float32Array,
	sampleRate: number,
	from: number,
	to: number,
): Float32Array {
	return samples.subarray(Math.round(from * sampleRate), Math.round(to * sampleRate));
}
