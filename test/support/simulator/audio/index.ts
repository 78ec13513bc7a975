import { melodyOf, PCM_SAMPLE_RATE } from './melody';
import { mp3 } from './mp3';
import { opus } from './opus';
import { pcm } from './pcm';
import { wav, type WavHeader } from './wav';

export type AudioFormat = 'mp3' | 'wav' | 'opus' | 'pcm';

export const MIME_TYPES: Record<AudioFormat, string> = {
	mp3: 'audio/mpeg',
	wav: 'audio/wav',
	opus: 'audio/ogg',
	pcm: 'audio/pcm',
};

/** Bytes of known number, generated as they are read: a file of any size costs no memory. */
export interface Content {
	length: number;
	chunks(): Iterable<Buffer>;
}

/** The audio file of a text, always the same bytes for the same arguments; decodes to `seconds`, rounded to a sample. */
export function renderAudio(
	text: string,
	seconds: number,
	format: AudioFormat,
	wavHeader: WavHeader = 'list',
): Content {
	const melody = melodyOf(text);
	const samples = Math.max(1, Math.round(seconds * PCM_SAMPLE_RATE));
	switch (format) {
		case 'mp3':
			return mp3(melody, samples);
		case 'wav':
			return wav(melody, samples, wavHeader);
		case 'opus':
			return opus(melody, samples);
		case 'pcm':
			return pcm(melody, samples);
	}
}
