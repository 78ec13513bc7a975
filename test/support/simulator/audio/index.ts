import { mp3 } from './mp3';
import { opus } from './opus';
import { sing } from './sing';
import type { AudioFormat, Content, Sound } from './sound';
import { pcm, wav, type WavHeader } from './wav';

export type { AudioFormat, Content } from './sound';
export type { WavHeader } from './wav';

export const MIME_TYPES: Record<AudioFormat, string> = {
	mp3: 'audio/mpeg',
	wav: 'audio/wav',
	opus: 'audio/ogg',
	pcm: 'audio/pcm',
};

/** What a text sounds like. */
export interface Audio {
	seconds: number;
	file: Content;
}

/** The file of a sound that was made in this format. */
export function audioFile(sound: Sound, format: AudioFormat, wavHeader: WavHeader): Content {
	return { mp3, wav, opus, pcm }[format](sound, wavHeader);
}

/** The melody of a text as a file, always the same bytes for the same arguments; decodes to `seconds`, rounded to a sample. */
export function renderAudio(
	text: string,
	seconds: number,
	format: AudioFormat,
	wavHeader: WavHeader = 'list',
): Content {
	return audioFile(sing(text, seconds, format), format, wavHeader);
}
