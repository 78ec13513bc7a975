import type { AudioReader, BaseInfo, Part } from './format';
import { DamagedAudioError } from './format';
import type { Metadata } from './tags/metadata';

/** Takes bytes of the joined file. */
export type Emit = (bytes: Uint8Array) => void;

/** Takes bytes of one of several slices of a file. */
export type EmitSlice = (slice: number, bytes: Uint8Array) => void;

/** Where a part is in a joined file, and what must be known to cut it out again. Plain JSON. */
export interface Place {
	/** Bytes of the file's audio data, in Opus packets; `to` is exclusive. */
	from: number;
	to: number;
	/** Samples of the encoder that are still there before and after the sound; negative when the joined file left out sound. */
	delay?: number;
	padding?: number;
	/** The header of the part's own file had both (MP3). */
	isTold?: boolean;
	/** Its first packet was predicted from one that was left out (Opus). */
	isExcerpt?: boolean;
	/** Frames at its start that play nothing and only carry data of the next ones (MP3). */
	lead?: number;
}

/** The places of what is before and behind a cut. */
export type Halves = [Place, Place];

/** What a joined file takes over of a part, in what its own places count, and how many samples it leaves out before and after. */
export interface Taken {
	from: number;
	to: number;
	skipped: number;
	dropped: number;
}

export interface JoinPlan<Info> {
	/** Playing time as decoded. */
	seconds: number;
	/** Of its audio, in what places count. */
	length: number;
	/** Second at which each part starts. */
	starts: number[];
	places: Place[];
	taken: Taken[];
	/**
	 * Emits the file: header, part 1, pause, part 2, …, trailer. Hands out a reader for each part in turn, which emits what the
	 * joined file keeps of it. `tag`: see `Format`.
	 */
	write(emit: Emit, tag: Uint8Array): Iterable<AudioReader<Info>>;
}

/** What is known of a format, and done with its files. */
export interface Format<Info extends BaseInfo> {
	Reader: new () => AudioReader<Info>;
	/** What one file has only once, besides sample rate and channels: parts must agree in it. */
	sharedBy?(info: Info): Record<string, unknown>;
	/** A mono file as stereo that sounds the same. */
	inStereo?(part: Part<Info>): Part<Info> | Promise<Part<Info>>;
	/**
	 * Plans one file out of several that fit together, all with as many channels. `pauses`: samples of silence before each part,
	 * and after the last.
	 */
	plan(infos: Info[], pauses: number[]): JoinPlan<Info>;
	/** The bytes that hold tags, chapters and record; undefined for formats that have no place for them. */
	tag?(metadata: Metadata, sampleRate: number): Uint8Array;
	/** Undefined for formats that cannot keep a record of their parts. */
	slices?: Slices<Info>;
}

export interface Slices<Info> {
	/** A reader of a joined file that emits parts of it as files of their own, one after the other. `places` ascend. */
	cut(whole: Info, places: Place[], emit: EmitSlice): AudioReader<Info>;
	/** What a slice is, from what was read of it and what is on record. */
	infoOf(info: Info, place: Place): Info;
	/** Where the two halves of a file are that is cut at a second; undefined: it cannot be cut there. `open`: reads it. */
	inTwo(info: Info, seconds: number, open: Part<Info>['open']): Promise<Halves | undefined>;
}

/**
 * Where something within a part of this length is in the joined file, whose place for the part is `file`. What reaches to an end of
 * the part loses what was left out there; undefined when the cut is inside it.
 */
export function moved(
	place: Place,
	length: number,
	file: Place,
	{ from, to, skipped, dropped }: Taken,
): Place | undefined {
	const isFirst = place.from < from;
	const isLast = place.to > to;
	const shift = file.to - to;
	const start = isFirst ? file.from : place.from + shift;
	const end = isLast ? file.to : place.to + shift;
	if ((isFirst && place.from > 0) || (isLast && place.to < length) || end <= start)
		return undefined;
	const { delay, padding } = place;
	return {
		...place,
		from: start,
		to: end,
		...(isFirst && delay !== undefined && { delay: delay - skipped }),
		...(isLast && padding !== undefined && { padding: padding - dropped }),
		...(isFirst && file.isExcerpt && { isExcerpt: true }),
	};
}

/** The bytes of a joined file. @throws DamagedAudioError when a part is not the file that its info was made from */
export async function* joinedChunks<Info extends BaseInfo>(
	parts: Array<Part<Info>>,
	write: (emit: Emit) => Iterable<AudioReader<Info>>,
): AsyncGenerator<Uint8Array> {
	const out: Uint8Array[] = [];
	const emit: Emit = (bytes) => {
		if (bytes.length > 0) out.push(bytes);
	};
	let index = 0;
	for (const reader of write(emit)) {
		const { info: before, open } = parts[index++];
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
				`Part ${index} has changed since it was inspected: ${before.bytes} bytes and ${before.seconds} s then, ${now.bytes} bytes and ${now.seconds} s now`,
			);
		}
	}
	yield* out;
}

/** Takes all bytes of audio, in order, and hands on those of each slice. `places` ascend. */
export function slicesOf(places: Place[], emit: EmitSlice): Emit {
	let at = 0;
	let slice = 0;
	return (bytes) => {
		const end = at + bytes.length;
		for (; slice < places.length && places[slice].from < end; slice++) {
			const { from, to } = places[slice];
			const part = bytes.subarray(Math.max(0, from - at), to - at);
			if (part.length > 0) emit(slice, part);
			if (to > end) break;
		}
		at = end;
	};
}
