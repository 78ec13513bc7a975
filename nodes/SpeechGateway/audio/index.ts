/**
 * Audio files of the formats that the gateway sends: what they are, how long they play, whether they are whole, and
 * one file made of several. Nothing is decoded or encoded.
 */
import { keysOf } from '../core/json';
import type { AudioFormat, AudioReader, ForeignInfo, Part } from './format';
import { DamagedAudioError } from './format';
import type { CutInTwo, EmitSlice, JoinPlan, Place } from './joiner';
import { joinedChunks, mustAgree } from './joiner';
import { asMp3Slice, cutMp3, mp3Blocker, mp3InStereo, mp3InTwo, planMp3 } from './mp3';
import { type Mp3Info, Mp3Reader } from './mp3/reader';
import { OggOpusReader, type OpusInfo } from './opus/reader';
import { asOpusSlice, cutOpus, opusBlocker, opusInStereo, opusInTwo, planOpus } from './opus/join';
import { type PcmInfo, PcmReader, planPcm } from './pcm';
import { HEAD_BYTES, looksLikeText, sniffAudioFormat, sniffMarkedFormat } from './sniff';
import { cutWav, planWav, wavBlocker, wavInStereo, wavInTwo } from './wav/join';
import { type WavInfo, WavReader } from './wav/reader';

export type { AudioFormat, ForeignInfo } from './format';
export { wavCodec } from './wav/reader';
export { DamagedAudioError } from './format';
export type { JoinedInfo, Place } from './joiner';
export { audioFormatOf, looksLikeText, SNIFFED_BYTES, sniffAudioFormat } from './sniff';

/** Everything about one complete audio file that joining it needs up front. Plain JSON. */
export type AudioInfo = Mp3Info | WavInfo | OpusInfo | PcmInfo;

interface FormatEntry {
	/** As people call it. */
	name: string;
	Reader: new () => AudioReader<AudioInfo>;
	blocker(first: AudioInfo, other: AudioInfo, part: number): string | undefined;
	/** A mono file as stereo that sounds the same. */
	inStereo(part: Part<AudioInfo>): Part<AudioInfo> | Promise<Part<AudioInfo>>;
	/** See `PlanJoin`. */
	plan(infos: AudioInfo[], pauses: number[]): JoinPlan<AudioInfo>;
	/** Cuts a joined file into its parts; undefined for formats that cannot keep a record of them. */
	slices?: {
		cut(whole: AudioInfo, places: Place[], emit: EmitSlice): AudioReader<AudioInfo>;
		/** What a slice is, from what was read of it and what is on record. */
		infoOf(info: AudioInfo, place: Place): AudioInfo;
		inTwo(...args: Parameters<CutInTwo<AudioInfo>>): ReturnType<CutInTwo<AudioInfo>>;
	};
}

/** The functions of a format are only given infos of that format. */
const FORMATS: Record<AudioFormat, FormatEntry> = {
	mp3: {
		name: 'MP3',
		Reader: Mp3Reader,
		blocker: mp3Blocker,
		inStereo: mp3InStereo,
		plan: planMp3,
		slices: { cut: cutMp3, infoOf: asMp3Slice, inTwo: mp3InTwo },
	},
	wav: {
		name: 'WAV',
		Reader: WavReader,
		blocker: wavBlocker,
		inStereo: wavInStereo,
		plan: planWav,
		slices: { cut: cutWav, infoOf: (info) => info, inTwo: wavInTwo },
	},
	opus: {
		name: 'Opus',
		Reader: OggOpusReader,
		blocker: opusBlocker,
		inStereo: opusInStereo,
		plan: planOpus,
		slices: { cut: cutOpus, infoOf: asOpusSlice, inTwo: opusInTwo },
	},
	pcm: {
		name: 'PCM',
		Reader: PcmReader,
		blocker: () => undefined,
		inStereo: (part) => part, // always mono
		plan: planPcm,
	},
};

/** By format, whose name is also the extension of its files. */
export const MIME_TYPES: Record<AudioFormat | 'flac', string> = {
	mp3: 'audio/mpeg',
	wav: 'audio/wav',
	opus: 'audio/ogg',
	pcm: 'audio/pcm',
	flac: 'audio/flac',
};

/** The names of the formats of which something is true, as in "MP3, WAV or Opus". */
export const formatsThat = (isTrue: (format: AudioFormat) => boolean): string =>
	keysOf(FORMATS)
		.filter(isTrue)
		.map((format) => FORMATS[format].name)
		.join(', ')
		.replace(/, ([^,]*)$/, ' or $1');

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

	/** Names what the file is instead, where the reader would only find no audio. */
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

export type AudioPart = Part<AudioInfo | ForeignInfo>;

export interface JoinedAudio extends Omit<JoinPlan<AudioInfo>, 'steps'> {
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
 * Joins complete files of one format into one well-formed file, streaming; mono and stereo make stereo. In wav and pcm, pauses are
 * exact to a sample. In mp3 and opus, only whole frames can go in or out: a seam takes up to two frames more, saved at the next
 * silence. `starts` says where parts really are.
 *
 * @throws Error with the reason of `joinBlocker`
 */
export async function joinAudio(parts: AudioPart[], pauses: Pauses = {}): Promise<JoinedAudio> {
	if (parts.length === 0) throw new Error('There is no audio to join');
	const alike = await withEqualChannels(readableParts(parts));
	const infos = alike.map(({ info }) => info);
	const { plan } = FORMATS[infos[0].format];
	const { steps, ...planned } = plan(infos, pausesOf(pauses, parts.length));
	return { ...planned, chunks: () => joinedChunks(alike, steps()) };
}

const pausesOf = ({ between = 0, before = 0, after = 0 }: Pauses, parts: number): number[] => {
	const seams = Array.from({ length: parts - 1 }, (_, seam) =>
		typeof between === 'number' ? between : (between[seam] ?? 0),
	);
	return [before, ...seams, after];
};

/** @throws Error when they cannot become one file */
function readableParts(parts: AudioPart[]): Array<Part<AudioInfo>> {
	return parts.map(({ info, open }, index) => {
		const blocker = joinBlocker(parts[0].info, info, index + 1);
		if (blocker) throw new Error(`Audio parts cannot be joined: ${blocker}`);
		return { info: info as AudioInfo, open };
	});
}

async function withEqualChannels(parts: Array<Part<AudioInfo>>): Promise<Array<Part<AudioInfo>>> {
	const most = Math.max(...parts.map(({ info }) => info.channels));
	const alike: Array<Part<AudioInfo>> = [];
	for (const part of parts) {
		const { channels, format } = part.info;
		alike.push(channels < most ? await FORMATS[format].inStereo(part) : part);
	}
	return alike;
}

const sameFormat = mustAgree<AudioInfo | ForeignInfo>({ format: (info) => info.format });

/** Why two files cannot be parts of one, in words; undefined when they can. */
export function joinBlocker(
	first: AudioInfo | ForeignInfo,
	other: AudioInfo | ForeignInfo,
	part = 2,
): string | undefined {
	const different = sameFormat(first, other, part);
	if (different) return different;
	if (first.format === 'flac') return 'FLAC audio would have to be encoded anew';
	if (other.format === 'flac') return undefined;
	return FORMATS[first.format].blocker(first, other, part);
}

/** What the places of parts count in a file: bytes of audio, in Opus packets. */
export const lengthOf = (info: AudioInfo): number =>
	info.format === 'opus' ? info.all.packets : info.dataBytes;

/** Whether parts can be cut out of files of this format again. */
export const canBeCut = (format: AudioFormat): boolean => FORMATS[format].slices !== undefined;

/**
 * A reader of a joined file that emits parts of it as files of their own. `places` ascend and lie within the file.
 *
 * @throws Error when the format has no record of its parts
 */
export function cutSlices(
	whole: AudioInfo,
	places: Place[],
	emit: EmitSlice,
): AudioReader<AudioInfo> {
	return slicesIn(whole).cut(whole, places, emit);
}

/** Where the halves of a file are: see `CutInTwo`. */
export const cutInTwo: CutInTwo<AudioInfo> = async (info, seconds, open) =>
	await FORMATS[info.format].slices?.inTwo(info, seconds, open);

/** What a slice is, once its file has been inspected. */
export const sliceInfo = (info: AudioInfo, place: Place): AudioInfo =>
	slicesIn(info).infoOf(info, place);

function slicesIn({ format }: AudioInfo) {
	const { slices } = FORMATS[format];
	if (!slices) throw new Error(`Parts of ${format} files cannot be told apart`);
	return slices;
}
