/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- runs outside n8n */
/**
 * What is heard where two parts meet that have sound up to their edges. Sound of three kinds is cut into pieces in mid-sound;
 * each is encoded on its own, all are joined, and the joined file is decoded by every decoder there is.
 *
 *     npx tsx test/bench/seams.ts
 *
 * Needs ffmpeg with libmp3lame and libopus, and espeak-ng.
 */
import { spawnSync } from 'node:child_process';
import type { AudioFormat } from '../../nodes/SpeechGateway/core/audio';
import { decode, encode, joinFiles } from '../core/audio/support';

/** Stretch on both sides of a seam, in seconds, that is looked at. */
const NEAR = 0.06;
/** What is louder than this many times the pieces' own peaks at their edges is heard as a blast. */
const BLAST = 1.5;

type Sound = Float32Array;

const at = (rate: number, seconds: number, sound: (t: number, i: number) => number): Sound =>
	Float32Array.from({ length: Math.round(rate * seconds) }, (_, i) => sound(i / rate, i));

/** Steady tones of full loudness, one a piece, of no whole number of periods. */
function tones(rate: number): Sound[] {
	return Array.from({ length: 30 }, (_, n) => {
		const hertz = 110 * 2 ** (n / 6);
		return at(rate, 0.41 + 0.013 * n, (t) => 0.5 * Math.sin(2 * Math.PI * hertz * t + n));
	});
}

function cutUp(whole: Sound, rate: number): Sound[] {
	const pieces: Sound[] = [];
	for (let from = 0, n = 0; from < whole.length; n++) {
		const to = from + Math.round(rate * (0.6 + 0.037 * (n % 11)));
		pieces.push(whole.slice(from, to));
		from = to;
	}
	return pieces.filter((piece) => piece.length > rate / 4);
}

const TEXT =
	'All morning we were running along the lower river while our neighbour was ringing a bell. ' +
	'Nobody knew why he was ringing it, and everybody was wondering whether anyone would ever answer. ' +
	'In the end a woman in a long yellow raincoat walked over the bridge, looked around, and began to sing.';

/** Continuous speech, cut wherever it falls. */
function speech(rate: number): Sound[] {
	const wav = spawnSync('espeak-ng', ['-v', 'en', '-s', '150', '--stdout', TEXT], {
		maxBuffer: 1 << 28,
	});
	if (wav.error) throw new Error('Needs espeak-ng (Debian: apt install espeak-ng)');
	const { stdout } = spawnSync(
		'ffmpeg',
		[...'-v error -i - -ac 1 -f f32le -ar'.split(' '), String(rate), '-'],
		{ input: wav.stdout, maxBuffer: 1 << 28 },
	);
	return cutUp(new Float32Array(new Uint8Array(stdout).buffer), rate);
}

/** Chords of plucked strings over a drum, cut wherever it falls. */
function music(rate: number): Sound[] {
	let noise = 1;
	const chords = [
		[220, 277, 330],
		[196, 247, 294],
		[175, 220, 262],
		[165, 208, 247],
	];
	const whole = at(rate, 18, (t) => {
		const chord = chords[Math.floor(t) % chords.length];
		const pluck = t % 1;
		const beat = t % 0.25;
		noise = (noise * 48_271) % 0x7fffffff;
		let sum = 0;
		for (const hertz of chord) {
			for (let n = 1; n < 9; n++) {
				sum += (Math.sin(2 * Math.PI * hertz * n * t) * Math.exp(-pluck * n * 0.5)) / n;
			}
		}
		return 0.12 * sum + 0.3 * (noise / 0x3fffffff - 1) * Math.exp(-beat * 40);
	});
	return cutUp(whole, rate);
}

interface Codec {
	name: string;
	format: AudioFormat;
	rate: number;
	options: string[];
}

const opus = (name: string, options: string): Codec => ({
	name: `opus ${name}`,
	format: 'opus',
	rate: 48_000,
	options: ['-c:a', 'libopus', ...options.split(' ')],
});
const mp3 = (name: string, rate: number, options: string): Codec => ({
	name: `mp3 ${name}`,
	format: 'mp3',
	rate,
	options: ['-c:a', 'libmp3lame', ...options.split(' ')],
});

const CODECS: Codec[] = [
	opus('voip 12k (SILK)', '-b:a 12k -application voip'),
	opus('voip 24k 60 ms', '-b:a 24k -application voip -frame_duration 60'),
	opus('voip 32k (hybrid)', '-b:a 32k -application voip'),
	opus('audio 32k', '-b:a 32k'),
	opus('audio 64k (CELT)', '-b:a 64k'),
	opus('audio 64k, 10 ms', '-b:a 64k -frame_duration 10'),
	opus('audio 96k stereo', '-b:a 96k -ac 2'),
	mp3('64k, 24 kHz', 24_000, '-b:a 64k'),
	mp3('128k, 44.1 kHz', 44_100, '-b:a 128k'),
	mp3('VBR, 24 kHz', 24_000, '-q:a 4'),
	mp3('128k, 44.1 kHz stereo', 44_100, '-b:a 128k -ac 2'),
];

const peak = (sound: Sound): number => sound.reduce((most, s) => Math.max(most, Math.abs(s)), 0);
const level = (sound: Sound): number =>
	10 * Math.log10(sound.reduce((sum, s) => sum + s * s, 1e-9) / Math.max(1, sound.length));
const around = (sound: Sound, middle: number, half: number): Sound =>
	sound.subarray(Math.max(0, Math.round(middle - half)), Math.round(middle + half));
const median = (values: number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function measure(codec: Codec, sounds: Sound[], pause: number) {
	const { format, rate, options } = codec;
	const files = sounds.map((sound) => encode(format, sound, rate, options));
	const joined = await joinFiles(format, files, pause);
	const decoders = format === 'opus' ? ['libopus', 'opus'] : ['mp3float', 'mp3'];
	return decoders.map((decoder) => {
		const own = files.map((file) => decode(format, file, decoder).samples);
		const whole = decode(format, joined.bytes, decoder).samples;
		const near = NEAR * rate;
		const ratios: number[] = [];
		const levels: number[] = [];
		joined.starts.slice(1).forEach((start, index) => {
			const [before, after] = [own[index], own[index + 1]];
			// A seam may shift by a packet, so a little more of the pieces counts as their edges.
			const edges = [before.subarray(-2 * near), after.subarray(0, 2 * near)];
			const seam = around(whole, start * rate, near + (pause / 1000) * rate);
			ratios.push(peak(seam) / Math.max(1e-3, ...edges.map(peak)));
			const there = around(whole, start * rate, near);
			const alone = [...before.subarray(-near), ...after.subarray(0, near)];
			levels.push(level(there) - level(Float32Array.from(alone)));
		});
		return {
			decoder,
			seams: ratios.length,
			blasts: ratios.filter((ratio) => ratio > BLAST).length,
			worst: Math.max(...ratios),
			median: median(ratios),
			quietest: Math.min(...levels),
			loudest: Math.max(...levels),
		};
	});
}

async function main(): Promise<void> {
	const only = process.argv[2] ?? '';
	const pause = Number(process.argv[3] ?? 0);
	const sounds = { tones, speech, music };
	console.log(
		'| codec | sound | decoder | seams | blasts | worst peak ratio | median | level near the seam, dB |',
	);
	console.log('|---|---|---|---|---|---|---|---|');
	for (const codec of CODECS.filter(({ name }) => name.includes(only))) {
		for (const [name, make] of Object.entries(sounds)) {
			for (const row of await measure(codec, make(codec.rate), pause)) {
				const numbers = [row.worst, row.median].map((value) => value.toFixed(2));
				const levels = `${row.quietest.toFixed(1)} to ${row.loudest.toFixed(1)}`;
				console.log(
					`| ${[codec.name, name, row.decoder, row.seams, row.blasts, ...numbers, levels].join(' | ')} |`,
				);
			}
		}
	}
}

void main();
