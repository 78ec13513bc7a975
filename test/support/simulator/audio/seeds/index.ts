/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const bytes = (text: string) => Buffer.from(text, 'base64');
const tones = JSON.parse(readFileSync(join(__dirname, 'tones.json'), 'utf8')) as {
	mp3: string[];
	opus: string[][];
};

/** One MP3 frame and six Opus packets for each tone, and a small film (see make.ts). */
export const seeds = {
	mp3: tones.mp3.map(bytes),
	opus: tones.opus.map((note) => note.map(bytes)),
	video: readFileSync(join(__dirname, 'video.mp4')),
};
