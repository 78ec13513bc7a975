/** Judges audio by ear: decodes it with ffmpeg and tells which notes are heard, and so which text was spoken. */
import { run, withFile } from './readers';
import { melodyOf, NOTE_SECONDS, TONES } from './simulator/audio/melody';
import { PCM_SAMPLE_RATE } from './simulator/audio/sound';

export { PCM_SAMPLE_RATE };

/** A tone is judged in windows of this length, one after the other every half of it. */
const WINDOW_SECONDS = 0.02;
const WINDOW = WINDOW_SECONDS * PCM_SAMPLE_RATE;

/** Mean square below which a window is silent; the tones' is 0.045. */
const SILENCE = 0.0005;

/** The share of a window's energy that one tone must have to be heard; a clean tone has all of it. */
const CLEAR_SHARE = 0.6;

/** Time around a change of notes, in seconds, in which codecs mix both. */
const BLUR_SECONDS = 0.03;

const rawInput = (format?: string) =>
	format === 'pcm' ? ['-f', 's16le', '-ar', String(PCM_SAMPLE_RATE), '-ac', '1'] : [];

/** Samples (mono, 24 kHz, -1 to 1) of an audio file. `format` is needed for `pcm` only. Throws when ffmpeg cannot decode. */
export async function decode(audio: Buffer | string, format?: string): Promise<Float32Array> {
	const output = ['-f', 'f32le', '-ac', '1', '-ar', String(PCM_SAMPLE_RATE), '-'];
	const { status, stderr, stdout } = withFile(audio, (path) =>
		run('ffmpeg', ['-v', 'error', ...rawInput(format), '-i', path, ...output]),
	);
	if (status !== 0) throw new Error(`ffmpeg could not decode: ${stderr}`);
	return new Float32Array(new Uint8Array(stdout).buffer);
}

/** Everything that ffmpeg warns of when it decodes a file; empty when the file is sound. */
export async function decoderMessages(audio: Buffer | string, format?: string): Promise<string> {
	const { stderr } = withFile(audio, (path) =>
		run('ffmpeg', ['-v', 'warning', ...rawInput(format), '-i', path, '-f', 'null', '-']),
	);
	// Said of every mono file that names no layout (such as WAV), and of every raw file.
	const harmless = [
		'Guessed Channel Layout',
		'detected only with low score', // a file of very few frames
		...(format === 'pcm' ? ['Estimating duration from bitrate'] : []),
	];
	const lines = stderr.trim().split('\n');
	return lines.filter((line) => !harmless.some((text) => line.includes(text))).join('\n');
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

/** The tone (index into TONES) of the window that starts at a sample; undefined where it is silent or unclear. */
function toneAt(pcm: Float32Array, start: number): number | undefined {
	let energy = 0;
	for (let i = start; i < start + WINDOW; i++) energy += pcm[i] * pcm[i];
	if (energy / WINDOW < SILENCE) return undefined;
	let best = 0;
	let found = 0;
	TONES.forEach((hertz, tone) => {
		const part = share(pcm, start, energy, hertz);
		if (part > best) [best, found] = [part, tone];
	});
	return best >= CLEAR_SHARE ? found : undefined;
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
