/**
 * One file made of several of one format, without decoding or encoding. A format plans first, from what its reader said of
 * each file: where each segment's sound starts, how much of the file is kept, how long the result plays. So the header, the
 * chapters and the record of the segments are known before the first byte is written. Then every file is read once more, from
 * the store to the store, and its reader emits what is kept: no more than a chunk is held in memory. Samples (WAV, PCM) fit
 * to the sample; frames of MP3 and packets of Opus fit as near as `seams.ts` can. What is on record of a segment, its `Place`,
 * is enough to slice it out of the joined file again, byte by byte, when a later version of the text is joined.
 */
import type { AudioReader, BaseInfo, SegmentFile } from './format';
import { DamagedAudioError } from './format';
import type { Metadata } from './tags/metadata';

/** Takes bytes of the joined file. */
export type Emit = (bytes: Uint8Array) => void;

/** Takes bytes of one of several slices of a file. */
export type EmitSlice = (slice: number, bytes: Uint8Array) => void;

/** Where a segment is in a joined file, and what must be known to slice it out again. Plain JSON. */
export interface Place {
	/** Bytes of audio data; in Opus, packets. `to` is exclusive. */
	from: number;
	to: number;
	/** Encoder delay and padding still present, in samples; negative if the join cut into the sound. */
	delay?: number;
	padding?: number;
	/** The header of the segment's own file had both (MP3). */
	isTold?: boolean;
	/** Its first packet was predicted from one that was left out (Opus). */
	isExcerpt?: boolean;
}

/**
 * Silence before a segment, in samples. Else the segment is heard `at` a sample of the joined file, with `atLeast` so
 * many before it; where this is 0, quiet samples at the end of the segment before give way to one that is late.
 */
export type Silence = number | { at: number; atLeast: number };

/** Quiet that stays behind a segment when the next one is late; seconds. */
const KEPT_TRAIL = 0.15;

/** Samples at the end of a file that may give way. `silent`: those that are quiet. */
export const spareIn = (silent: number, sampleRate: number): number =>
	Math.max(0, Math.floor(silent - KEPT_TRAIL * sampleRate));

/**
 * The sample of the joined file at which a segment should begin. Its first `lead` samples are silent,
 * so it begins that much before it is to be heard. `end`: where the segment before ends; `spare`: how
 * many of the last samples of that may give way.
 */
export const soundStart = (silence: Silence, end: number, spare: number, lead: number): number =>
	typeof silence === 'number'
		? end + silence
		: Math.max(Math.round(silence.at - lead), end + (silence.atLeast || -spare));

/** What a joined file will be, and how it is written. */
export interface JoinPlan<Info> {
	/** Playing time as decoded. */
	seconds: number;
	/** Of its audio, in what places count. */
	length: number;
	/** Second at which each segment starts. */
	starts: number[];
	places: Place[];
	/**
	 * Emits the file: header, segment 1, silence, segment 2, …, trailer. Hands out a reader for each segment in turn, which emits
	 * what the joined file keeps of it. `tag`: see `Format`.
	 */
	write(emit: Emit, tag: Uint8Array): Iterable<AudioReader<Info>>;
}

/** All that depends on the format. */
export interface Format<Info extends BaseInfo> {
	Reader: new () => AudioReader<Info>;
	/** What one file has only once, besides sample rate and channels: all segments must agree in it. */
	sharedBy?(info: Info): Record<string, unknown>;
	/** A mono file as stereo that sounds the same. */
	inStereo?(segment: SegmentFile<Info>): SegmentFile<Info> | Promise<SegmentFile<Info>>;
	/**
	 * Plans one file out of several that fit together, all with as many channels. `silences`: before each segment; `after`:
	 * samples of silence behind the last.
	 */
	plan(infos: Info[], silences: Silence[], after: number): JoinPlan<Info>;
	/** The bytes that hold tags, chapters and record; undefined for formats that have no place for them. */
	tag?(metadata: Metadata, sampleRate: number): Uint8Array;
	/** Undefined for formats that cannot keep a record of their segments. */
	slices?: Slices<Info>;
}

/** How segments are taken out of a joined file again. */
export interface Slices<Info> {
	/** A reader of a joined file that emits slices of it as files of their own, one after the other. `places` ascend. */
	slice(whole: Info, places: Place[], emit: EmitSlice): AudioReader<Info>;
	/** What a slice is, from what was read of it and what is on record. */
	infoOf(info: Info, place: Place): Info;
}

/** The bytes of a joined file. @throws DamagedAudioError when a segment is not the file that its info was made from */
export async function* joinedChunks<Info extends BaseInfo>(
	segments: Array<SegmentFile<Info>>,
	write: (emit: Emit) => Iterable<AudioReader<Info>>,
): AsyncGenerator<Uint8Array> {
	const out: Uint8Array[] = [];
	const emit: Emit = (bytes) => {
		if (bytes.length > 0) out.push(bytes);
	};
	let index = 0;
	for (const reader of write(emit)) {
		const { info: before, open } = segments[index++];
		for await (const chunk of await open()) {
			reader.feed(chunk);
			yield* out.splice(0);
		}
		const now = reader.end();
		if (
			before.bytes !== now.bytes ||
			before.dataBytes !== now.dataBytes ||
			before.seconds !== now.seconds
		) {
			throw new DamagedAudioError(
				`Segment ${index} has changed since it was inspected: ${before.bytes} bytes and ${before.seconds} s then, ${now.bytes} bytes and ${now.seconds} s now`,
			);
		}
	}
	yield* out;
}

/** Takes all bytes of audio, in order, and emits the first so many. */
export function firstBytes(count: number, emit: Emit): Emit {
	let left = count;
	return (bytes) => {
		const own = bytes.subarray(0, left);
		left -= own.length;
		if (own.length > 0) emit(own);
	};
}

/** Takes all bytes of audio, in order, and emits those of each slice. `places` ascend. */
export function sliceBytes(places: Place[], emit: EmitSlice): Emit {
	let at = 0;
	let slice = 0;
	return (bytes) => {
		const end = at + bytes.length;
		for (; slice < places.length && places[slice].from < end; slice++) {
			const { from, to } = places[slice];
			const own = bytes.subarray(Math.max(0, from - at), to - at);
			if (own.length > 0) emit(slice, own);
			if (to > end) break;
		}
		at = end;
	};
}
