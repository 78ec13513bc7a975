/** One MP3 file made of several, and slices of one as files again. */
import { repeated, sum } from '../bytes';
import {
	firstBytes,
	type Format,
	type JoinPlan,
	type Place,
	type Silence,
	sliceBytes,
	soundStart,
	spareIn,
} from '../joiner';
import { quietFrames, planSeams, type SegmentSound } from '../seams';
import { id3Tag } from '../tags/id3';
import { parseHeader, silentFrame } from './frame';
import { type Mp3Info, Mp3Reader } from './reader';
import { mp3InStereo } from './stereo';
import { cutAtEnd, cutAtStart, DECODER_DELAY, type Gapless, playingTime, xingFrame } from './xing';

/** What the joined file takes over of one file. */
interface TakenFrames {
	info: Mp3Info;
	/** Silent frames put before it. */
	silent: number;
	/** Where it begins in the joined audio, behind those. */
	frame: number;
	byte: number;
	/** How much of it is kept, from its first frame on. */
	frames: number;
	bytes: number;
}

/**
 * Plans one Xing header (Info when the bitrate is constant) and the frames of all segments, unchanged, with silent ones between
 * them. `starts` and `seconds` say what a decoder plays, to the sample.
 */
function planMp3(infos: Mp3Info[], silences: Silence[], after: number): JoinPlan<Mp3Info> {
	const [first] = infos;
	const last = infos[infos.length - 1];
	const template = parseHeader(first.header);
	const silence = silentFrame(first.header);
	const segments = layOut(infos, silences, silence.length);
	const end = segments[segments.length - 1];
	const pauseAtEnd = planEnd(last.gapless, after, template.samples);
	const frames = end.frame + end.frames + pauseAtEnd.frames;
	const dataBytes = end.byte + end.bytes + pauseAtEnd.frames * silence.length;

	// Decoders that see a delay also drop their own 529 samples, so write none unless the first segment had one.
	const gapless = first.gapless && { delay: first.gapless.delay, padding: pauseAtEnd.padding };
	const dropped = ({ info, frames }: TakenFrames) => (info.frames - frames) * template.samples;
	/** Byte at which a frame of the joined audio begins, as exactly as the seek tables say. */
	const position = (frame: number): number => {
		const segment = segments.findLast((one) => one.frame <= frame);
		if (!segment) return frame * silence.length;
		const own = Math.min(frame - segment.frame, segment.frames);
		const inPause = (frame - segment.frame - own) * silence.length;
		return segment.byte + positionInFile(segment.info, own) + inPause;
	};
	const isConstant = infos.every(({ bitrate }) => bitrate === first.bitrate);
	const header = xingFrame({
		header: first.header,
		name: isConstant && first.bitrate > 0 ? 'Info' : 'Xing',
		frames,
		dataBytes,
		gapless,
		position,
	});
	return {
		seconds: playingTime(frames, template, gapless),
		length: dataBytes,
		starts: segments.map(({ info, frame }) => {
			const silent = cutAtStart(info.gapless) - cutAtStart(gapless);
			return (frame * template.samples + silent) / template.sampleRate;
		}),
		places: segments.map((segment): Place => {
			const { info, byte, bytes } = segment;
			const { edges } = info;
			return {
				from: byte,
				to: byte + bytes,
				...(edges && {
					delay: edges.delay,
					padding: cutAtEnd(edges) + DECODER_DELAY - dropped(segment),
				}),
				...(info.gapless && { isTold: true }),
			};
		}),
		*write(emit, tag) {
			emit(tag);
			emit(header);
			for (const { silent, bytes } of segments) {
				repeated(silence, silent).forEach(emit);
				yield new Mp3Reader(firstBytes(bytes, emit));
			}
			repeated(silence, pauseAtEnd.frames).forEach(emit);
		},
	};
}

/** Puts the segments one behind the other. */
function layOut(infos: Mp3Info[], silences: Silence[], silentBytes: number): TakenFrames[] {
	const { samples } = parseHeader(infos[0].header);
	const sounds = infos.map(soundOf);
	// Without a header, the encoder's delay plays.
	const begin = cutAtStart(infos[0].edges) - cutAtStart(infos[0].gapless);
	const start = soundStart(silences[0], begin, 0, sounds[0].lead);
	const opening = Math.round((start - begin) / samples);
	const late = opening * samples - (start - begin);
	const seams = planSeams(sounds, silences, samples, { at: start + late, late });
	let frame = 0;
	let byte = 0;
	return infos.map((info, index): TakenFrames => {
		const silent = seams[index - 1]?.silent ?? opening;
		const dropped = seams[index]?.dropped ?? 0;
		const frames = info.frames - dropped;
		const bytes = info.dataBytes - sum(info.tail.slice(info.tail.length - dropped));
		frame += silent + frames;
		byte += silent * silentBytes + bytes;
		return { info, silent, frame: frame - frames, byte: byte - bytes, frames, bytes };
	});
}

/**
 * A file as the planner of seams sees it. The decoder's lag moves 529 of the samples that the encoder added from the
 * end to the start.
 */
function soundOf({
	edges,
	gapless,
	header,
	frames,
	tail,
	lead = 0,
	trail = 0,
}: Mp3Info): SegmentSound {
	const { samples, sampleRate } = parseHeader(header);
	const padding = cutAtEnd(edges) + DECODER_DELAY;
	const unheard = cutAtStart(edges) - cutAtStart(gapless);
	return {
		delay: cutAtStart(edges) - DECODER_DELAY,
		length: frames * samples - cutAtStart(edges) - cutAtEnd(edges),
		padding,
		lead: Math.max(0, lead * sampleRate - unheard),
		spare: spareIn(trail * sampleRate - padding, sampleRate),
		quiet: quietFrames(padding, trail * sampleRate, sampleRate, tail.slice(1).fill(samples)),
	};
}

/**
 * Silent frames after the last segment, and the padding to write, so that decoders play the pause to the sample. The segment's
 * own padding is silence already. A slice without padding needs a frame that pushes its end out of the decoder.
 */
function planEnd(
	gapless: Gapless | null,
	pauseSamples: number,
	frameSamples: number,
): { frames: number; padding: number } {
	const silent = cutAtEnd(gapless);
	const frames = Math.max(0, Math.ceil((pauseSamples - silent) / frameSamples));
	const rest = silent + frames * frameSamples - pauseSamples;
	const isChanged = pauseSamples > 0 || frames > 0;
	const padding = isChanged ? rest + DECODER_DELAY : (gapless?.padding ?? 0);
	return { frames, padding };
}

/** Byte position of a frame within the audio data of one file; between two entries of its seek table, in proportion. */
function positionInFile(
	{ seekPositions, seekInterval, dataBytes, frames }: Mp3Info,
	frame: number,
) {
	if (seekPositions.length === 0) return Math.floor((dataBytes * frame) / frames);
	const index = Math.min(Math.floor(frame / seekInterval), seekPositions.length - 1);
	const [from, to = dataBytes] = seekPositions.slice(index);
	const start = index * seekInterval;
	const end = Math.min(frames, start + seekInterval);
	return Math.floor(from + ((to - from) * (frame - start)) / (end - start));
}

/** What a slice is: what was read of its bare frames, with the delay and padding that are on record, since it has no header. */
function asMp3Slice(info: Mp3Info, { delay, padding, isTold }: Place): Mp3Info {
	const edges =
		delay === undefined || padding === undefined ? null : { delay, padding, isSlice: true };
	const gapless = isTold ? edges : null;
	// Pauses and lead were found before the delay was known.
	const late = cutAtStart(gapless) / info.sampleRate;
	const pauses = info.pauses?.map((at) => Math.max(0, Math.round(at - 1000 * late)));
	const lead = Math.max(0, (info.lead ?? 0) - late);
	return { ...info, pauses, lead, gapless, edges };
}

/** MP3: see `Format`. */
export const mp3: Format<Mp3Info> = {
	Reader: Mp3Reader,
	inStereo: mp3InStereo,
	plan: planMp3,
	tag: id3Tag,
	slices: {
		/** Emits the frames of each slice as they are, without any header. */
		slice: (_whole, places, emit) => new Mp3Reader(sliceBytes(places, emit)),
		infoOf: asMp3Slice,
	},
};
