/**
 * Audio files of the four formats that the gateway sends: what they are, how long they play, whether they are whole, and
 * one file made of several. Nothing is decoded or encoded.
 */
import type { ForeignInfo } from './foreign';
import { FOREIGN_FORMATS } from './foreign';
import type { AudioFormat, AudioReader } from './format';
import { DamagedAudioError } from './format';
import type { JoinPlan, Neighbour } from './joiner';
import { mustAgree } from './joiner';
import { mp3Blocker, planMp3 } from './mp3';
import type { Mp3Info } from './mp3/reader';
import { Mp3Reader } from './mp3/reader';
import type { OpusInfo } from './opus/reader';
import { OggOpusReader } from './opus/reader';
import { opusBlocker, planOpus } from './opus/join';
import type { PcmInfo } from './pcm';
import { PcmReader, planPcm } from './pcm';
import { HEAD_BYTES, looksLikeText, sniffAudioFormat, sniffMarkedFormat } from './sniff';
import { planWav, wavBlocker } from './wav/join';
import type { WavInfo } from './wav/reader';
import { WavReader } from './wav/reader';

export type { ForeignFormat, ForeignInfo } from './foreign';
export { FOREIGN_FORMATS, sniffForeignFormat } from './foreign';
export type { AudioFormat } from './format';
export { DamagedAudioError } from './format';
export { hasMp3Frames, looksLikeText, SNIFFED_BYTES, sniffAudioFormat } from './sniff';

/** Everything about one complete audio file that joining it needs up front. Plain JSON. */
export type AudioInfo = Mp3Info | WavInfo | OpusInfo | PcmInfo;

interface FormatEntry {
	mimeType: string;
	extension: string;
	Reader: new () => AudioReader<AudioInfo>;
	blocker(first: AudioInfo, other: AudioInfo, next: Neighbour): string | undefined;
	/** For infos that `blocker` lets through. `pauses`: milliseconds of silence before each part, and behind the last. */
	plan(infos: AudioInfo[], pauses: number[], trimSilence?: boolean): JoinPlan<AudioInfo>;
}

/** All that is known of each format; its `blocker` and `plan` get infos of its own format only. */
const FORMATS: Record<AudioFormat, FormatEntry> = {
	mp3: {
		mimeType: 'audio/mpeg',
		extension: 'mp3',
		Reader: Mp3Reader,
		blocker: mp3Blocker,
		plan: planMp3,
	},
	wav: {
		mimeType: 'audio/wav',
		extension: 'wav',
		Reader: WavReader,
		blocker: wavBlocker,
		plan: planWav,
	},
	opus: {
		mimeType: 'audio/ogg',
		extension: 'opus',
		Reader: OggOpusReader,
		blocker: opusBlocker,
		plan: planOpus,
	},
	pcm: {
		mimeType: 'audio/pcm',
		extension: 'pcm',
		Reader: PcmReader,
		blocker: () => undefined,
		plan: planPcm,
	},
};

/** MIME type and file extension of each format. */
export const AUDIO_FORMATS: Record<AudioFormat, { mimeType: string; extension: string }> = FORMATS;

/** Reads one file chunk by chunk and keeps no audio. Chunks must not be overwritten by the caller before `end`. */
export class AudioInspector {
	private readonly reader: AudioReader<AudioInfo>;
	private readonly head = new Uint8Array(HEAD_BYTES);
	private headBytes = 0;

	constructor(private readonly format: AudioFormat) {
		this.reader = new FORMATS[format].Reader();
	}

	/** @throws DamagedAudioError as soon as the file is seen to be damaged or not audio of this format */
	feed(chunk: Uint8Array): void {
		let rest = chunk;
		if (this.headBytes < HEAD_BYTES) {
			const more = chunk.subarray(0, HEAD_BYTES - this.headBytes);
			this.head.set(more, this.headBytes);
			this.headBytes += more.length;
			if (this.headBytes < HEAD_BYTES) return;
			this.readHead();
			rest = chunk.subarray(more.length);
		}
		this.reader.feed(rest);
	}

	/** @throws DamagedAudioError when the file is cut short, empty, damaged, or not audio of this format */
	end(): AudioInfo {
		if (this.headBytes < HEAD_BYTES) this.readHead();
		return this.reader.end();
	}

	/** Looks at the first bytes before the reader does, for a better message than that it found no audio. */
	private readHead(): void {
		const head = this.head.subarray(0, this.headBytes);
		const seen = this.format === 'pcm' ? sniffMarkedFormat(head) : sniffAudioFormat(head);
		if (seen && seen !== this.format) {
			throw new DamagedAudioError(`The file is ${seen} audio, not ${this.format}`);
		}
		if (looksLikeText(head)) {
			throw new DamagedAudioError(`The file is text (JSON or HTML), not ${this.format} audio`);
		}
		this.reader.feed(head);
	}
}

/** One complete file: what the inspector said of it, and how to read it (again). */
export interface AudioPart {
	info: AudioInfo | ForeignInfo;
	open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}

export interface JoinedAudio {
	/** What the joined file will be, known before its first byte. */
	info: AudioInfo;
	/** Second at which each part starts in the joined file. */
	starts: number[];
	/** The joined file. Can be called again; each time all parts are opened, one after the other. */
	chunks: () => AsyncGenerator<Uint8Array>;
}

/** Silence in a joined file, in milliseconds. */
export interface Pauses {
	/** Between the parts: one number for all, or one for each seam, in order. */
	between?: number | number[];
	/** Before the first part. */
	before?: number;
	/** After the last part. */
	after?: number;
}

/**
 * Joins complete files of one format into one well-formed file, streaming. In wav and pcm pauses are exact to a sample. In
 * mp3 and opus, where nothing but whole frames can be left out or put in, no part starts more than one frame (24 or 26 ms;
 * a packet, mostly 20 ms) off its time, however many there are.
 *
 * @throws Error with the reason of `joinBlocker`
 */
export function joinAudio(
	parts: AudioPart[],
	{ pauses = {}, trimSilence }: { pauses?: Pauses; trimSilence?: boolean } = {},
): JoinedAudio {
	if (parts.length === 0) throw new Error('There is no audio to join');
	const { info, starts, createJoiner } = planJoin(
		parts.map((part) => part.info),
		pauses,
		trimSilence,
	);
	return {
		info,
		starts,
		async *chunks() {
			const joiner = createJoiner();
			yield* joiner.begin();
			for (const part of parts) {
				for await (const chunk of await part.open()) yield* joiner.feed(chunk);
				yield* joiner.endPart();
			}
		},
	};
}

/** Sizes, times and the joiner itself, without any input or output. */
function planJoin(
	infos: Array<AudioInfo | ForeignInfo>,
	{ between = 0, before = 0, after = 0 }: Pauses,
	trimSilence = false,
): JoinPlan<AudioInfo> {
	const seams = infos.slice(1).map((_, seam) => pauseAt(between, seam));
	const pauses = [before, ...seams, after];
	const longest = Math.max(...pauses);
	infos.forEach((info, index) => {
		const next = { part: index + 1, pauseMilliseconds: longest };
		const blocker = joinBlocker(infos[0], info, next);
		if (blocker) throw new Error(`Audio parts cannot be joined: ${blocker}`);
	});
	const readable = infos.filter((info) => !isForeign(info));
	return FORMATS[readable[0].format].plan(readable, pauses, trimSilence);
}

const pauseAt = (pauses: number | number[], seam: number): number =>
	typeof pauses === 'number' ? pauses : (pauses[seam] ?? 0);

const sameFormat = mustAgree<AudioInfo | ForeignInfo>({ format: (info) => info.format });

/** Why two files cannot be parts of one, in words; undefined when they can. */
export function joinBlocker(
	first: AudioInfo | ForeignInfo,
	other: AudioInfo | ForeignInfo,
	next: Neighbour = { part: 2, pauseMilliseconds: 0 },
): string | undefined {
	const different = sameFormat(first, other, next);
	if (different) return different;
	if (isForeign(first)) {
		return `${FOREIGN_FORMATS[first.format].name} audio would have to be encoded anew`;
	}
	if (isForeign(other)) return undefined;
	return FORMATS[first.format].blocker(first, other, next);
}

/** Whether a file is of a container that is passed on without being read. */
const isForeign = (info: AudioInfo | ForeignInfo): info is ForeignInfo =>
	info.format in FOREIGN_FORMATS;
