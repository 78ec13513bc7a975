/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
/** Judges audio by ear: decodes it with ffmpeg and tells which notes are heard, and so which text was spoken. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { melodyOf, NOTE_SECONDS, TONES } from './simulator/audio/melody';
import { PCM_SAMPLE_RATE } from './simulator/audio/sound';

export { melodyOf, NOTE_SECONDS, PCM_SAMPLE_RATE, TONES };

/** A tone is judged in windows of this length, one after the other every half of it. */
const WINDOW_SECONDS = 0.02;
const WINDOW = WINDOW_SECONDS * PCM_SAMPLE_RATE;

/** Mean square below which a window is silent; the tones' is 0.045. */
const SILENCE = 0.0005;

/** The share of a window's energy that one tone must have to be heard; a clean tone has all of it. */
const CLEAR_SHARE = 0.6;

/** Time around a change of notes, in seconds, in which codecs mix both. */
const BLUR_SECONDS = 0.03;

type Audio = Buffer | string;

/** Runs a program and gives its output. Throws with its messages when it fails, and clearly when it is missing. */
async function run(program: 'ffmpeg' | 'ffprobe', args: string[]) {
	const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
	const out: Buffer[] = [];
	const err: Buffer[] = [];
	child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
	child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
	const code = await new Promise<number | null>((resolve, reject) => {
		child.once('error', () => reject(new Error(`${program} is not installed (Debian: ffmpeg)`)));
		child.once('close', resolve);
	});
	const messages = Buffer.concat(err).toString('utf8').trim();
	return { code, messages, output: Buffer.concat(out) };
}

/** Gives a file's path to `use`; a buffer becomes a file for that time, as ffmpeg tells more of files than of pipes. */
async function withFile<T>(audio: Audio, use: (path: string) => Promise<T>): Promise<T> {
	if (typeof audio === 'string') return await use(audio);
	const path = join(tmpdir(), `listen-${randomUUID()}`);
	await writeFile(path, audio);
	try {
		return await use(path);
	} finally {
		await rm(path);
	}
}

const rawInput = (format?: string) =>
	format === 'pcm' ? ['-f', 's16le', '-ar', String(PCM_SAMPLE_RATE), '-ac', '1'] : [];

/** Samples (mono, 24 kHz, -1 to 1) of an audio file. `format` is needed for `pcm` only. Throws when ffmpeg cannot decode. */
export async function decode(audio: Audio, format?: string): Promise<Float32Array> {
	return await withFile(audio, async (path) => {
		const { code, messages, output } = await run('ffmpeg', [
			...['-v', 'error', ...rawInput(format), '-i', path],
			...['-f', 'f32le', '-ac', '1', '-ar', String(PCM_SAMPLE_RATE), '-'],
		]);
		if (code !== 0) throw new Error(`ffmpeg could not decode: ${messages}`);
		return new Float32Array(new Uint8Array(output).buffer);
	});
}

/** Everything that ffmpeg warns of when it decodes a file; empty when the file is sound. */
export async function decoderMessages(audio: Audio, format?: string): Promise<string> {
	return await withFile(audio, async (path) => {
		const args = ['-v', 'warning', ...rawInput(format), '-i', path, '-f', 'null', '-'];
		const { messages } = await run('ffmpeg', args);
		// Said of every mono file that names no layout (such as WAV), and of every raw file.
		const harmless = [
			'Guessed Channel Layout',
			'detected only with low score', // a file of very few frames
			...(format === 'pcm' ? ['Estimating duration from bitrate'] : []),
		];
		const lines = messages.split('\n');
		return lines.filter((line) => !harmless.some((text) => line.includes(text))).join('\n');
	});
}

/** What a file says about itself. `seconds` is what its container claims; Ogg's includes the pre-skip (6.5 ms), MP3's the padding. */
export async function ffprobe(audio: Audio) {
	return await withFile(audio, async (path) => {
		const args = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path];
		const { code, messages, output } = await run('ffprobe', args);
		if (code !== 0) throw new Error(`ffprobe: ${messages}`);
		const { format, streams } = JSON.parse(output.toString('utf8')) as {
			format: { format_name: string; duration?: string; size: string; bit_rate?: string };
			streams: Array<{ codec_name: string; sample_rate?: string; channels?: number }>;
		};
		return {
			format: format.format_name,
			codec: streams[0].codec_name,
			seconds: Number(format.duration ?? NaN),
			bytes: Number(format.size),
			sampleRate: Number(streams[0].sample_rate),
			channels: streams[0].channels,
			streams: streams.length,
		};
	});
}

/** The share (0 to 1) of a window's energy that a frequency has, by Goertzel's algorithm. */
function share(pcm: Float32Array, start: number, energy: number, hertz: number): number {
	const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / PCM_SAMPLE_RATE);
	let one = 0;
	let two = 0;
	for (let i = start; i < start + WINDOW; i++) {
		const next = pcm[i] + coefficient * one - two;
		two = one;
		one = next;
	}
	const power = one * one + two * two - coefficient * one * two;
	return power / ((energy * WINDOW) / 2);
}

/** The tone (index into TONES) of the window that starts at a sample; 'silence', or 'unclear'. */
function toneAt(pcm: Float32Array, start: number): number | 'silence' | 'unclear' {
	let energy = 0;
	for (let i = start; i < start + WINDOW; i++) energy += pcm[i] * pcm[i];
	if (energy / WINDOW < SILENCE) return 'silence';
	let best = 0;
	let found = 0;
	TONES.forEach((hertz, tone) => {
		const part = share(pcm, start, energy, hertz);
		if (part > best) [best, found] = [part, tone];
	});
	return best >= CLEAR_SHARE ? found : 'unclear';
}

export interface Heard {
	/** Index into TONES. */
	tone: number | 'silence';
	/** Seconds from the beginning. */
	start: number;
	seconds: number;
}

/** The notes and silences heard, in order. What is unclear (changes of notes, clicks) is shared out between its neighbours. */
export function hear(pcm: Float32Array): Heard[] {
	const step = WINDOW / 2;
	const runs: Array<{ tone: number | 'silence'; from: number; to: number }> = [];
	for (let start = 0; start + WINDOW <= pcm.length; start += step) {
		const tone = toneAt(pcm, start);
		const at = (start + WINDOW / 2) / PCM_SAMPLE_RATE;
		const last = runs[runs.length - 1];
		if (tone === 'unclear') continue;
		if (last?.tone === tone) last.to = at;
		else runs.push({ tone, from: at, to: at });
	}
	const end = pcm.length / PCM_SAMPLE_RATE;
	return runs.map(({ tone, from, to }, i) => {
		const before = runs[i - 1];
		const after = runs[i + 1];
		const start = before ? (before.to + from) / 2 : 0;
		return { tone, start, seconds: (after ? (to + after.from) / 2 : end) - start };
	});
}

/**
 * How much of a stretch of audio (seconds) sounds as the text does: 1 all, 0 nothing; chance alone gives about 1/16.
 * Windows at changes of notes are not counted.
 */
export function likeness(
	pcm: Float32Array,
	text: string,
	start = 0,
	seconds = pcm.length / PCM_SAMPLE_RATE - start,
): number {
	const melody = melodyOf(text);
	let right = 0;
	let counted = 0;
	for (let at = 0; at + WINDOW_SECONDS <= seconds; at += WINDOW_SECONDS / 2) {
		const note = Math.floor((at + WINDOW_SECONDS / 2) / NOTE_SECONDS);
		const intoNote = at - note * NOTE_SECONDS;
		if (intoNote < BLUR_SECONDS || intoNote + WINDOW_SECONDS > NOTE_SECONDS - BLUR_SECONDS)
			continue;
		const sample = Math.round((start + at) * PCM_SAMPLE_RATE);
		if (sample + WINDOW > pcm.length) break;
		counted++;
		if (toneAt(pcm, sample) === melody[note % melody.length]) right++;
	}
	return counted === 0 ? 0 : right / counted;
}

/** The index of the text that a stretch of audio sounds most like, or -1 when it sounds like none of them. */
export function whichText(
	pcm: Float32Array,
	texts: string[],
	start?: number,
	seconds?: number,
): number {
	const scores = texts.map((text) => likeness(pcm, text, start, seconds));
	const best = Math.max(...scores);
	return best > 0.8 ? scores.indexOf(best) : -1;
}
