/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * Makes the seeds next to this file (`npx tsx make.ts`; needs ffmpeg with lame, libopus and x264).
 *
 * - `tones.json`: one MP3 frame and six Opus packets (a note) for each tone, base64. A tone is a whole number of cycles in
 *   an MP3 frame (24 ms) and in an Opus packet (20 ms), so pieces from the middle of a steady tone can be repeated and
 *   put in any order. MP3 without bit reservoir and Opus in its low-delay (CELT) mode keep pieces independent.
 * - `video.mp4`: half a second of test picture.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { TONES } from '../melody';
import { PCM_SAMPLE_RATE } from '../sound';

const MP3_FRAME_BYTES = 192; // 72 * 64 kbit/s / 24 kHz
const folder = mkdtempSync(join(tmpdir(), 'seeds-'));

function encode(hertz: number, name: string, args: string[]): Buffer {
	const file = join(folder, name);
	const source = `aevalsrc=0.3*sin(2*PI*${hertz}*t):s=${PCM_SAMPLE_RATE}:d=2`;
	execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...args, file]);
	return readFileSync(file);
}

function mp3Frame(hertz: number): string {
	const mp3 = encode(hertz, 'tone.mp3', [
		'-c:a',
		'libmp3lame',
		'-b:a',
		'64k',
		'-reservoir',
		'0',
		'-ac',
		'1',
		'-id3v2_version',
		'0',
		'-write_xing',
		'0',
	]);
	const at = 40 * MP3_FRAME_BYTES; // far from the start: a steady tone
	if (mp3.readUInt16BE(at) >> 4 !== 0xfff) throw new Error(`no MP3 frame at ${at}`);
	return mp3.subarray(at, at + MP3_FRAME_BYTES).toString('base64');
}

/** The packets of an Ogg file, headers included (none of ours continues over a page). */
function packetsOf(ogg: Buffer): Buffer[] {
	const packets: Buffer[] = [];
	for (let page = 0; page < ogg.length; ) {
		const segments = ogg[page + 26];
		let body = page + 27 + segments;
		let start = body;
		for (let i = 0; i < segments; i++) {
			const lacing = ogg[page + 27 + i];
			body += lacing;
			if (lacing < 255) {
				packets.push(ogg.subarray(start, body));
				start = body;
			}
		}
		page = body;
	}
	return packets;
}

/** Opus predicts loudness from the packet before, but not at the beginning of a stream: a note is the beginning of one. */
function opusNote(hertz: number): string[] {
	const ogg = encode(hertz, 'tone.opus', [
		'-c:a',
		'libopus',
		'-b:a',
		'32k',
		'-application',
		'lowdelay',
		'-frame_duration',
		'20',
	]);
	return packetsOf(ogg)
		.slice(2, 2 + 6) // behind the two headers
		.map((packet) => packet.toString('base64'));
}

writeFileSync(
	join(__dirname, 'tones.json'),
	JSON.stringify({ mp3: TONES.map(mp3Frame), opus: TONES.map(opusNote) }, null, '\t') + '\n',
);
execFileSync('ffmpeg', [
	'-v',
	'error',
	'-y',
	'-f',
	'lavfi',
	'-i',
	'testsrc=size=64x64:rate=10:duration=0.5',
	'-c:v',
	'libx264',
	'-pix_fmt',
	'yuv420p',
	'-movflags',
	'+faststart',
	'-bitexact',
	join(__dirname, 'video.mp4'),
]);
rmSync(folder, { recursive: true });
