/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import OpusScript from 'opusscript';
import { createMp3Encoder } from 'wasm-media-encoders';

import { FRAME_BYTES } from './mp3';
import { packetsOf } from './opus';
import { type AudioFormat, PCM_PIECE_SAMPLES, PCM_SAMPLE_RATE, type Sound } from './sound';

const MP3_KBITS = 64;
const OPUS_PACKET_SAMPLES = 480; // 20 ms

/** Words a minute at speed 1. */
const WORDS_PER_MINUTE = 165;

/** Silence after each text, so that joined parts sound like sentences of one speaker. */
const PAUSE_SECONDS = 0.25;

/** Languages that are known by their letters or by frequent words; anything else is read as English. */
const LANGUAGES: Array<[voice: string, sign: RegExp]> = [
	['cmn', /\p{Script=Han}/u],
	['ru', /\p{Script=Cyrillic}/u],
	['de', /[äöüß]|\b(?:der|und|ist|nicht|im|dieser)\b/i],
];

/** What follows the language in the name of an espeak-ng voice. */
const DEFAULT_VARIANT = 'f2';
const VARIANTS = ['m1', 'f4', 'm3', 'm7', 'f5', 'm5', 'f1', 'f3'];

/** Words in parentheses set the tone and are not read out. */
const TONE_TAG = /\([^()]*\)/g;

/**
 * A text as a synthesizer speaks it. `voice`: the title of a cloned voice, which always sounds the same; the default voice
 * without one.
 */
export async function speak(
	text: string,
	{
		voice,
		speed,
		format,
		edges = false,
	}: { voice?: string; speed: number; format: AudioFormat; edges?: boolean },
): Promise<Sound> {
	const [language] = LANGUAGES.find(([, sign]) => sign.test(text)) ?? ['en'];
	const spoken = await inTurn({
		text: text.replace(TONE_TAG, ' '),
		rate: Math.round(WORDS_PER_MINUTE * speed),
		...timbre(language, voice),
	});
	const samples = resample(spoken, edges ? edgesOf(text) : { before: 0, behind: PAUSE_SECONDS });
	return { samples: samples.length, piece: await encode(samples, format) };
}

/** Seconds of silence, always the same for a text. */
function edgesOf(text: string): { before: number; behind: number } {
	const [before, behind] = createHash('sha256').update(text).digest();
	return { before: (0.26 * before) / 255, behind: 0.3 + (0.8 * behind) / 255 };
}

function timbre(language: string, title?: string): { voice: string; pitch: number } {
	if (title === undefined) return { voice: `${language}+${DEFAULT_VARIANT}`, pitch: 50 };
	const [variant, pitch] = createHash('sha256').update(title).digest();
	return {
		voice: `${language}+${VARIANTS[variant % VARIANTS.length]}`,
		pitch: 35 + (pitch % 30),
	};
}

interface Spoken {
	samples: Int16Array;
	sampleRate: number;
}

let speaker: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/** One text after the other: the speaker's answers do not say to which message they belong. */
async function inTurn(message: object): Promise<Spoken> {
	const spoken = last.then(async () => {
		speaker ??= startSpeaker();
		speaker.postMessage(message);
		return ((await once(speaker, 'message')) as [Spoken])[0];
	});
	last = spoken.catch(() => {});
	return await spoken;
}

function startSpeaker(): Worker {
	const worker = new Worker(join(__dirname, 'speaker.mjs'));
	worker.unref();
	worker.once('error', () => (speaker = undefined));
	return worker;
}

/** The samples at the service's rate, by linear interpolation, between seconds of silence. */
function resample(
	{ samples: source, sampleRate }: Spoken,
	{ before, behind }: { before: number; behind: number },
): Int16Array {
	const step = sampleRate / PCM_SAMPLE_RATE;
	const length = Math.floor(source.length / step);
	const [start, rest] = [before, behind].map((one) => Math.round(one * PCM_SAMPLE_RATE));
	const samples = new Int16Array(start + length + rest);
	for (let i = 0; i < length; i++) {
		const at = Math.floor(i * step);
		const next = source[Math.min(at + 1, source.length - 1)];
		samples[start + i] = source[at] + (next - source[at]) * (i * step - at);
	}
	return samples;
}

/** The pieces of samples in a format. */
async function encode(samples: Int16Array, format: AudioFormat): Promise<Sound['piece']> {
	if (format === 'mp3') return await mp3Frames(samples);
	if (format === 'opus') return opusPackets(samples);
	return (i) => bytes(samples.subarray(i * PCM_PIECE_SAMPLES, (i + 1) * PCM_PIECE_SAMPLES));
}

const bytes = ({ buffer, byteOffset, byteLength }: Int16Array) =>
	Buffer.from(buffer, byteOffset, byteLength);

async function mp3Frames(samples: Int16Array): Promise<Sound['piece']> {
	const encoder = await createMp3Encoder();
	encoder.configure({ channels: 1, sampleRate: PCM_SAMPLE_RATE, bitrate: MP3_KBITS });
	const floats = Float32Array.from(samples, (sample) => sample / 32768);
	// The encoder hands out views of its own memory: copied at once.
	const frames = Buffer.concat([
		Uint8Array.from(encoder.encode([floats])),
		Uint8Array.from(encoder.finalize()),
	]);
	return (i) => frames.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES);
}

function opusPackets(samples: Int16Array): Sound['piece'] {
	const encoder = new OpusScript(PCM_SAMPLE_RATE, 1, OpusScript.Application.AUDIO);
	const packets = Array.from({ length: packetsOf(samples.length) }, (_, i) => {
		const packet = Buffer.alloc(OPUS_PACKET_SAMPLES * 2); // the last ones are silent
		const from = i * OPUS_PACKET_SAMPLES;
		bytes(samples.subarray(from, from + OPUS_PACKET_SAMPLES)).copy(packet);
		return encoder.encode(packet, OPUS_PACKET_SAMPLES);
	});
	encoder.delete();
	return (i) => packets[i];
}
