/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- runs outside n8n */
/**
 * What is heard where two parts meet that have sound up to their edges. Sound of three kinds is cut into pieces in mid-sound;
 * each is encoded on its own, all are joined, and the joined file is decoded: once as ffmpeg copies the pieces one behind the
 * other, once as the node joins them. Needs ffmpeg with libmp3lame and libopus, and espeak-ng.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AudioFormat } from '../../nodes/SpeechGateway/audio';
import type { Mp3Info } from '../../nodes/SpeechGateway/audio/mp3/reader';
import type { OpusInfo } from '../../nodes/SpeechGateway/audio/opus/reader';
import { decode, encode, inspect, joinFiles } from '../audio/support';

/** Stretch on both sides of a seam, in seconds, that is looked at. */
const NEAR = 0.06;
/** In dB: a pause of the speaker that falls on a seam says nothing of it. */
const SILENT = -40;
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
	opus('voip 32k (hybrid)', '-b:a 32k -application voip'),
	opus('audio 64k (CELT)', '-b:a 64k'),
	opus('audio 96k stereo', '-b:a 96k -ac 2'),
	mp3('64k, 24 kHz', 24_000, '-b:a 64k'),
	mp3('VBR, 24 kHz', 24_000, '-q:a 4'),
	mp3('128k, 44.1 kHz', 44_100, '-b:a 128k'),
	mp3('128k, 44.1 kHz stereo', 44_100, '-b:a 128k -ac 2'),
];
const DECODERS: Record<string, string> = { opus: 'libopus', mp3: 'mp3float' };

const peak = (sound: Sound): number => sound.reduce((most, s) => Math.max(most, Math.abs(s)), 0);
const level = (sound: Sound): number =>
	10 * Math.log10(sound.reduce((sum, s) => sum + s * s, 1e-9) / Math.max(1, sound.length));
const around = (sound: Sound, middle: number, half: number): Sound =>
	sound.subarray(Math.max(0, Math.round(middle - half)), Math.round(middle + half));

interface Joined {
	samples: Sound;
	/** Second at which each part starts. */
	starts: number[];
}

/** Frames or packets copied one behind the other, as ffmpeg's concat does. */
function copied({ format, rate }: Codec, files: Uint8Array[]): Joined {
	const folder = mkdtempSync(join(tmpdir(), 'seams-'));
	try {
		const paths = files.map((bytes, index) => {
			const path = join(folder, `${index}.${format}`);
			writeFileSync(path, bytes);
			return path;
		});
		writeFileSync(join(folder, 'list'), paths.map((path) => `file '${path}'\n`).join(''));
		const out = join(folder, `all.${format}`);
		const { stderr } = spawnSync('ffmpeg', [
			...'-v error -f concat -safe 0'.split(' '),
			...['-i', join(folder, 'list'), '-c', 'copy', out],
		]);
		if (stderr.length > 0) throw new Error(String(stderr));
		const { samples } = decode(format, new Uint8Array(readFileSync(out)), DECODERS[format]);
		const infos = files.map((file) => inspect(format, file));
		const secondsOf = (info: (typeof infos)[number]) =>
			format === 'opus'
				? (info as OpusInfo).all.samples / 48_000
				: ((info as Mp3Info).frames * (rate > 32_000 ? 1152 : 576)) / rate;
		let at = 0;
		const starts = infos.map((info) => {
			at += secondsOf(info);
			return at - secondsOf(info);
		});
		return { samples, starts };
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function judge({ rate }: Codec, own: Sound[], { samples, starts }: Joined) {
	const near = NEAR * rate;
	const ratios: number[] = [];
	const levels: number[] = [];
	starts.slice(1).forEach((start, index) => {
		const [before, after] = [own[index], own[index + 1]];
		// A seam may shift by a packet, so a little more of the pieces counts as their edges.
		const edges = [before.subarray(-2 * near), after.subarray(0, 2 * near)];
		const there = around(samples, start * rate, near);
		ratios.push(peak(there) / Math.max(1e-3, ...edges.map(peak)));
		const alone = level(Float32Array.from([...before.subarray(-near), ...after.subarray(0, near)]));
		if (alone > SILENT) levels.push(level(there) - alone);
	});
	return {
		blasts: ratios.filter((ratio) => ratio > BLAST).length,
		worst: Math.max(...ratios),
		quietest: Math.min(...levels),
		loudest: Math.max(...levels),
	};
}

const cells = ({ blasts, worst, quietest, loudest }: ReturnType<typeof judge>) => [
	blasts,
	worst.toFixed(2),
	`${quietest.toFixed(1)} to ${loudest.toFixed(1)}`,
];

/** Rows: codec, sound, seams, then blasts, worst peak ratio and level near the seam (dB), copied and joined. */
export async function seams(log: (line: string) => void): Promise<Array<Array<string | number>>> {
	const sounds = { tones, speech, music };
	const rows: Array<Array<string | number>> = [];
	for (const codec of CODECS) {
		for (const [name, make] of Object.entries(sounds)) {
			const { format, rate, options } = codec;
			const files = make(rate).map((sound) => encode(format, sound, rate, options));
			const own = files.map((file) => decode(format, file, DECODERS[format]).samples);
			const { bytes, starts } = await joinFiles(format, files);
			const joined = { starts, samples: decode(format, bytes, DECODERS[format]).samples };
			const before = cells(judge(codec, own, copied(codec, files)));
			const after = cells(judge(codec, own, joined));
			rows.push([codec.name, name, files.length - 1, ...before, ...after]);
			log(rows[rows.length - 1].join(' | '));
		}
	}
	return rows;
}
