/** Shared by all audio formats: the shape of an info and of a reader, and the error for bad files. */

/**
 * The formats that are read here: how long a file plays, whether it is whole, and how it becomes one with others. `pcm`:
 * bare samples of 16 bits, without a header.
 */
export type ReadableFormat = 'mp3' | 'wav' | 'opus' | 'pcm';

/** The formats that may be asked for. One that is not read here is passed on as it comes, in one request. */
export type RequestedFormat = 'mp3' | 'wav' | 'opus' | 'pcm';

/** The formats that are told by their first bytes. */
export type KnownFormat = ReadableFormat | RequestedFormat | ForeignInfo['format'];

/** A file that is cut short, empty, or not audio of the expected kind; the message says which. */
export class DamagedAudioError extends Error {
	override name = 'DamagedAudioError';

	constructor(
		message: string,
		/** There is no sound in it at all: no byte, a header alone, or a text. */
		readonly isNothing = false,
	) {
		super(message);
	}
}

/** A whole file in a form of its format that is not read here; the message says which. */
export class UnreadAudioError extends DamagedAudioError {
	override name = 'UnreadAudioError';
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

/**
 * A file that is recognised, but not read: it is passed on as it is, and how long it plays is not known. Servers of
 * fish-speech send FLAC, whatever is asked for.
 */
export interface ForeignInfo {
	format: 'flac';
	bytes: number;
	seconds?: undefined;
}
