export type AudioFormat = 'mp3' | 'wav' | 'opus' | 'pcm';

/** Samples a second of all formats before encoding. */
export const PCM_SAMPLE_RATE = 24_000;

/** Samples of one piece of raw audio. */
export const PCM_PIECE_SAMPLES = 2880; // 120 ms

/** Audio in one format, cut into pieces: raw samples of 120 ms, MP3 frames or Opus packets. */
export interface Sound {
	/** Mono samples in all. */
	samples: number;
	/** Makes a piece when it is read, so that audio of any length costs no memory. */
	piece(index: number): Buffer;
}

export const pieces = ({ piece }: Sound, from: number, count: number): Buffer[] =>
	Array.from({ length: count }, (_, i) => piece(from + i));

/** Bytes of known number, generated as they are read. */
export interface Content {
	length: number;
	chunks(): Iterable<Buffer>;
}
