import type { AudioFormat, AudioReader, BaseInfo, Part } from './format';
import { DamagedAudioError } from './format';

/** Takes bytes of the joined file. */
export type Emit = (bytes: Uint8Array) => void;

/** Takes bytes of one of several slices of a file. */
export type EmitSlice = (slice: number, bytes: Uint8Array) => void;

/** A reader of a joined file that emits parts of it as files of their own, one after the other. `places` ascend. */
export type CutSlices<Info> = (whole: Info, places: Place[], emit: EmitSlice) => AudioReader<Info>;

/** What a format adds to the order of a joined file: header, audio of part 1, pause, audio of part 2, …, trailer. */
export interface JoinSteps<Info> {
	header: Uint8Array[];
	/** A reader of one part that emits what the joined file keeps of it. */
	createReader(emit: Emit, part: number): AudioReader<Info>;
	/** Emits the pause that follows a part, and after the last one whatever else ends the file. */
	finishPart(emit: Emit, part: number): void;
}

/** Where a part is in a joined file, and what must be known to cut it out again. Plain JSON. */
export interface Place {
	/** Bytes of the file's audio data, in Opus packets; `to` is exclusive. */
	from: number;
	to: number;
	/** Samples before and after the sound that the encoder added and that are still there. Negative: sound was left out. */
	delay?: number;
	padding?: number;
	/** The part's own file told decoders of both (MP3). */
	isTold?: boolean;
	/** Its first packet was predicted from one that was left out (Opus). */
	isExcerpt?: boolean;
	/** Frames at its start that play nothing: they only bring data of the next (MP3). */
	lead?: number;
}

/** Where the two halves of a file are that is cut at a second; undefined: it cannot be cut there. `open`: reads it. */
export type CutInTwo<Info> = (
	info: Info,
	seconds: number,
	open: () => Promise<AsyncIterable<Uint8Array>>,
) => Promise<[Place, Place] | undefined>;

/** What is known of a joined file before its first byte. */
export interface JoinedInfo {
	format: AudioFormat;
	/** Playing time as decoded. */
	seconds: number;
	/** Size of the file. */
	bytes: number;
	/** Of its audio, in what places count. */
	length: number;
	sampleRate: number;
}

export interface JoinPlan<Info extends BaseInfo> {
	info: JoinedInfo;
	/** Second at which each part starts. */
	starts: number[];
	places: Place[];
	/** New steps for each reading of the joined file. */
	steps(): JoinSteps<Info>;
}

/**
 * Plans one file out of several that the format's blocker lets through, all with as many channels. `pauses`: milliseconds of
 * silence before each part, and after the last.
 */
export type PlanJoin<Info extends BaseInfo> = (infos: Info[], pauses: number[]) => JoinPlan<Info>;

/** The bytes of a joined file. @throws DamagedAudioError when a part is not the file that its info was made from */
export async function* joinedChunks<Info extends BaseInfo>(
	parts: Array<Part<Info>>,
	{ header, createReader, finishPart }: JoinSteps<Info>,
): AsyncGenerator<Uint8Array> {
	yield* header;
	for (const [index, { info: before, open }] of parts.entries()) {
		const out: Uint8Array[] = [];
		const emit: Emit = (bytes) => void out.push(bytes);
		const reader = createReader(emit, index);
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
				`Part ${index + 1} has changed since it was inspected: ${before.bytes} bytes and ${before.seconds} s then, ${now.bytes} bytes and ${now.seconds} s now`,
			);
		}
		finishPart(emit, index);
		yield* out;
	}
}

/** Why two files cannot become one, in words; undefined when they can. `part`: the other's number among the parts. */
export type JoinBlocker<Info> = (first: Info, other: Info, part: number) => string | undefined;

/** Mono can become stereo; other numbers of channels must agree. */
export const channelGroup = ({ channels }: Pick<BaseInfo, 'channels'>): unknown =>
	channels <= 2 ? '1 or 2' : channels;

/** Parts must agree in whatever one file can have only once: `properties` by name. The reason names both values. */
export function mustAgree<Info>(
	properties: Record<string, (info: Info) => unknown>,
): JoinBlocker<Info> {
	return (first, other, part) => {
		for (const [name, read] of Object.entries(properties)) {
			const [one, two] = [read(first), read(other)];
			if (one !== two)
				return `the ${name} is ${String(one)} in part 1 and ${String(two)} in part ${part}`;
		}
		return undefined;
	};
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
