/** Shared by all audio formats: the shape of an info and of a reader, and the error for bad files. */

/** The formats that the gateway speaks in. `pcm`: bare samples without a header, 24 kHz, mono, 16 bits. */
export type AudioFormat = 'mp3' | 'wav' | 'opus' | 'pcm';

/** A file that is cut short, empty, or not audio of the expected kind; the message says which. */
export class DamagedAudioError extends Error {
	override name = 'DamagedAudioError';
}

/** What the reader of every format says of a whole file. Plain JSON. */
export interface BaseInfo {
	/**
	 * Playing time as decoded: counted from the frames or samples, less what decoders cut off the ends; never taken from
	 * a header.
	 */
	seconds: number;
	/** Size of the file. */
	bytes: number;
	/** Size of the audio alone: without headers, tags and padding. */
	dataBytes: number;
	sampleRate: number;
	channels: number;
	/** Start and end of each pause in turn, in milliseconds of playing time. Left out of joined files. */
	pauses?: number[];
	/** Seconds of silence before anything is heard, and certain silence at the end. Left out of joined files. */
	lead?: number;
	trail?: number;
}

/** One whole file that is to be joined with others: what its reader said of it, and how to read it again. */
export interface SegmentFile<Info> {
	info: Info;
	open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}

/** Reads one file chunk by chunk, however it is divided. Chunks must not be overwritten later by the caller. */
export interface AudioReader<Info> {
	/** @throws DamagedAudioError as soon as more bytes cannot mend the file */
	feed(chunk: Uint8Array): void;
	/** To be called once, behind the last chunk. @throws DamagedAudioError when the file is not whole */
	end(): Info;
}

/** FLAC is recognised, but not read: servers of fish-speech send it, whatever is asked for. How long it plays is not known. */
export interface ForeignInfo {
	format: 'flac';
	bytes: number;
	seconds?: undefined;
}
