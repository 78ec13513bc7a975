/**
 * Audio files of the formats that the gateway sends: what they are, how long they play, whether they are whole, and
 * one file made of several. Nothing is decoded or encoded.
 */
import { keysOf } from '../core/json';
import type { AudioReader, ForeignInfo, KnownFormat, ReadableFormat, SegmentFile } from './format';
import type { Format, JoinPlan, Silence, Slices } from './joiner';
import { joinedChunks } from './joiner';
import { mp3 } from './mp3/join';
import type { Mp3Info } from './mp3/reader';
import { opus } from './opus/join';
import type { OpusInfo } from './opus/reader';
import { pcm, type PcmInfo, pcmReader, pcmType } from './pcm';
import { type Metadata, NO_METADATA } from './tags/metadata';
import { wav } from './wav/join';
import type { WavInfo } from './wav/reader';

export type {
	AudioReader,
	ForeignInfo,
	KnownFormat,
	ReadableFormat,
	RequestedFormat,
} from './format';
export { wavCodec } from './wav/reader';
export { DamagedAudioError, UnreadAudioError } from './format';
export type { Place } from './joiner';
export { isPcmType, pcmTypeOf } from './pcm';
export { audioFormatOf, looksLikeText, SNIFFED_BYTES, sniffAudioFormat } from './sniff';

/** Everything about one complete audio file that joining it needs up front. Plain JSON. */
export type AudioInfo = Mp3Info | WavInfo | OpusInfo | PcmInfo;

/** The functions of a format are only given infos of that format. */
const FORMATS: Record<ReadableFormat, Format<AudioInfo>> = { mp3, wav, opus, pcm };

/**
 * Whether files of this format can become one. Nothing else has to be asked of a format that is not read here: such a
 * file is passed on as it is.
 */
export const canBeJoined = (format: KnownFormat): format is ReadableFormat =>
	Object.hasOwn(FORMATS, format);

const isRead = (info: AudioInfo | ForeignInfo): info is AudioInfo => canBeJoined(info.format);

/** As messages and the editor call them. */
export const FORMAT_NAMES: Record<KnownFormat, string> = {
	mp3: 'MP3',
	wav: 'WAV',
	opus: 'Opus',
	pcm: 'PCM',
	flac: 'FLAC',
};

/** Messengers take Opus for a voice message only if its codec is told. */
export const MIME_TYPES: Record<KnownFormat, string> = {
	mp3: 'audio/mpeg',
	wav: 'audio/wav',
	opus: 'audio/ogg; codecs=opus',
	pcm: 'audio/pcm',
	flac: 'audio/flac',
};

/** The type of a file; that of bare samples says their rate and channels. */
export const mimeTypeOf = (info: Pick<AudioInfo, 'format' | 'sampleRate' | 'channels'>): string =>
	info.format === 'pcm' ? pcmType(info) : MIME_TYPES[info.format];

/** Extensions of the files of each format; the first is the usual one. */
export const EXTENSIONS: Record<KnownFormat, [string, ...string[]]> = {
	mp3: ['mp3'],
	wav: ['wav'],
	opus: ['ogg', 'oga', 'opus'],
	pcm: ['pcm', 'raw'],
	flac: ['flac'],
};

/** The formats with headers, in words: they can be told by their first bytes, and have a place for tags and records. */
export const WITH_HEADERS = 'MP3, WAV or Opus';

/**
 * Reads one file of a format that was sniffed, and keeps no audio. Throws DamagedAudioError as soon as it is seen to be
 * damaged. `type`: that of bare samples, which says their rate and channels.
 */
export const inspectorOf = (format: ReadableFormat, type = ''): AudioReader<AudioInfo> =>
	format === 'pcm' ? pcmReader(type) : new FORMATS[format].Reader();

/** A file to be joined, and what its reader has said of it. */
export type AudioSegment = SegmentFile<AudioInfo | ForeignInfo>;

/** What a joined file will be, before its first byte. */
export interface PlannedAudio extends Pick<JoinPlan<AudioInfo>, 'starts' | 'places'> {
	info: { format: ReadableFormat; seconds: number; length: number; sampleRate: number };
	channels: number;
	/** Second at which each segment ends. */
	ends: number[];
}

/** A joined file that is ready to be written. */
export interface JoinedAudio extends PlannedAudio {
	/** The joined file. Can be called again; each time all segments are opened, one after the other. */
	chunks: () => AsyncGenerator<Uint8Array>;
}

/**
 * Silence before a segment. A number: milliseconds. Else the segment is heard `at` a second of the joined file or, if
 * the one before is not over by then, `atLeast` so many milliseconds after that; where this is 0 or left out, the
 * silence with which the one before ends gives way, all but 0.15 s.
 */
export type PauseBefore = number | { at: number; atLeast?: number };

/** Silence in a joined file. */
export interface Pauses {
	/** Between the segments: one for all, or one for each seam, in order. */
	between?: number | PauseBefore[];
	/** Before the first segment. */
	before?: PauseBefore;
	/** After the last segment, in milliseconds. */
	after?: number;
}

/**
 * Joins whole files of one format into one well-formed file, streaming; mono and stereo make stereo. In wav and pcm, pauses are
 * exact to a sample. In mp3 and opus, only whole frames can go in or out: a seam takes up to two frames more, saved at the next
 * silence. `starts` says where segments really are. `metadataOf`: what to write into it, of formats that have a place for that.
 *
 * @throws Error with the reason of `joinBlocker`, or when the file has no room for its segments or chapters
 */
export async function joinAudio(
	segments: AudioSegment[],
	{ before = 0, between = 0, after = 0 }: Pauses = {},
	metadataOf?: (planned: PlannedAudio) => Metadata,
): Promise<JoinedAudio> {
	if (segments.length === 0) throw new Error('There is no audio to join');
	const readable = segments.map(({ info, open }, index) => {
		const blocker = joinBlocker(segments[0].info, info, index + 1);
		if (blocker) throw new Error(`Audio segments cannot be joined: ${blocker}`);
		return { info: info as AudioInfo, open };
	});
	const alike = await withEqualChannels(readable);
	const infos = alike.map(({ info }) => info);
	const [{ format, sampleRate, channels }] = infos;
	const { plan, tag } = FORMATS[format];
	const seams = infos.slice(1).map((_, seam) => (Array.isArray(between) ? between[seam] : between));
	const silences = [before, ...seams].map((pause) => silenceOf(pause, sampleRate));
	const { write, seconds, length, starts, places } = plan(
		infos,
		silences,
		samplesIn(after, sampleRate),
	);
	const ends = [...seams, after].map((pause = 0, index) => {
		const next = starts[index + 1] ?? seconds;
		return typeof pause === 'number'
			? next - pause / 1000
			: Math.min(starts[index] + infos[index].seconds, next);
	});
	const planned: PlannedAudio = {
		info: { format, seconds, length, sampleRate },
		channels,
		starts,
		ends,
		places,
	};
	const bytes = tag?.(metadataOf?.(planned) ?? NO_METADATA, sampleRate) ?? new Uint8Array(0);
	return { ...planned, chunks: () => joinedChunks(alike, (emit) => write(emit, bytes)) };
}

const samplesIn = (milliseconds: number, sampleRate: number): number =>
	Math.round((milliseconds / 1000) * sampleRate);

const silenceOf = (pause: PauseBefore = 0, sampleRate: number): Silence =>
	typeof pause === 'number'
		? samplesIn(pause, sampleRate)
		: { at: pause.at * sampleRate, atLeast: samplesIn(pause.atLeast ?? 0, sampleRate) };

/** Mono files as stereo ones, if any of the others is stereo. */
async function withEqualChannels(
	segments: Array<SegmentFile<AudioInfo>>,
): Promise<Array<SegmentFile<AudioInfo>>> {
	const most = Math.max(...segments.map(({ info }) => info.channels));
	const alike: Array<SegmentFile<AudioInfo>> = [];
	for (const segment of segments) {
		const { channels, format } = segment.info;
		const stereo = channels < most ? await FORMATS[format].inStereo?.(segment) : undefined;
		alike.push(stereo ?? segment);
	}
	return alike;
}

/** Why two files cannot be joined into one, in words; undefined when they can. `number`: the other's among the segments. */
export function joinBlocker(
	first: AudioInfo | ForeignInfo,
	other: AudioInfo | ForeignInfo,
	number = 2,
): string | undefined {
	const chained = (nth: number) => `segment ${nth} is several chained Ogg streams`;
	const different = (name: string, one: unknown, two: unknown) =>
		`the ${name} is ${String(one)} in segment 1 and ${String(two)} in segment ${number}`;
	if (first.format !== other.format) return different('format', first.format, other.format);
	if (!isRead(first) || !isRead(other))
		return `${first.format.toUpperCase()} audio would have to be encoded anew`;
	if (isChained(first)) return chained(1);
	if (isChained(other)) return chained(number);
	const [one, two] = [first, other].map((info) => ({
		'sample rate': info.sampleRate,
		// Mono can become stereo.
		'number of channels': info.channels <= 2 ? '1 or 2' : info.channels,
		...FORMATS[info.format].sharedBy?.(info),
	}));
	const name = keysOf(one).find((property) => one[property] !== two[property]);
	return name && different(name, one[name], two[name]);
}

/** Whether a file is several Ogg streams, one behind the other, which cannot be joined with others. */
export const isChained = (info: AudioInfo | ForeignInfo): boolean =>
	info.format === 'opus' && info.streams > 1;

/** How long a file is in what places count: bytes of audio; in Opus, packets. */
export const lengthOf = (info: AudioInfo): number =>
	info.format === 'opus' ? info.all.packets : info.dataBytes;

/**
 * Whether files of this format have a place for tags, chapters and the record of their segments, by which these are
 * sliced out again: bare samples and unread containers have none.
 */
export const canBeTagged = (format: KnownFormat): boolean =>
	canBeJoined(format) && FORMATS[format].tag !== undefined;

/** How a file of this format is sliced. @throws Error when the format keeps no record of its segments */
export function slicesIn({ format }: AudioInfo): Slices<AudioInfo> {
	const { slices } = FORMATS[format];
	if (!slices) throw new Error(`Segments of ${format} files cannot be told apart`);
	return slices;
}
