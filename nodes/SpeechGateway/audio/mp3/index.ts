/** One MP3 file made of several, and the parts of one cut out of it again. */
import type { Part } from '../format';
import { repeated, uint32be } from '../bytes';
import { type Format, type Halves, type JoinPlan, type Place, slicesOf } from '../joiner';
import { id3Tag } from '../tags/id3';
import { frameBytes, parseHeader, silentFrame } from './frame';
import { EDGE_FRAMES, type Mp3Info, Mp3Reader } from './reader';
import { keepFrames, layOut, planEnd } from './seams';
import { mp3InStereo } from './stereo';
import { cutAtEnd, cutAtStart, DECODER_DELAY, framesBefore, playingTime, xingFrame } from './xing';

/**
 * Plans one Xing header (Info when the bitrate is constant) and the frames of all parts, with silent frames for the pauses.
 * Parts that tell their encoder's delay and padding are joined gapless to within one frame (24 ms at 24 kHz, 26.1 ms at
 * 44.1 kHz); see `planSeams`. When the first frame kept of a part needs bytes of those left out, it is written anew with
 * them, if need be at a higher bitrate; all other frames are unchanged. `starts` and `seconds` say what a decoder plays, to
 * the sample.
 */
function planMp3(infos: Mp3Info[], pauses: number[]): JoinPlan<Mp3Info> {
	const [first] = infos;
	const last = infos[infos.length - 1];
	const template = parseHeader(first.header);
	const silence = silentFrame(first.header);
	const segments = layOut(infos, pauses, silence.length);
	const end = segments[segments.length - 1];
	const pauseAtEnd = planEnd(last.gapless, pauses[infos.length], template.samples);
	const frames = end.frame + end.frames + pauseAtEnd.frames;
	const dataBytes = end.byte + end.bytes + pauseAtEnd.frames * silence.length;

	// Decoders that see a delay also drop their own 529 samples, so write none unless the first part had one.
	const gapless = first.gapless && {
		delay: first.gapless.delay + framesBefore(first.gapless, template.samples) * template.samples,
		padding: pauseAtEnd.padding,
	};
	const starts = segments.map(({ info, frame, skip }) => {
		const silent = cutAtStart(info.gapless) - cutAtStart(gapless);
		const begin = info.gapless ? frame - skip : frame;
		return (begin * template.samples + silent) / template.sampleRate;
	});
	const places = segments.map(
		({ info, byte, bytes, skip, drop }): Place => ({
			from: byte,
			to: byte + bytes,
			...(info.edges && {
				delay: info.edges.delay - skip * template.samples,
				padding: cutAtEnd(info.edges) + DECODER_DELAY - drop * template.samples,
			}),
			...(info.gapless && { isTold: true }),
		}),
	);
	/** Byte at which a frame of the joined audio begins, as exactly as the seek tables say. */
	const position = (frame: number): number => {
		const segment = segments.findLast((one) => one.frame <= frame);
		if (!segment) return frame * silence.length;
		const { info, skip, startBytes, freshBytes } = segment;
		const own = Math.min(frame - segment.frame, segment.frames);
		const inPart = positionInPart(info, skip + own) - startBytes + freshBytes;
		const inPause = (frame - segment.frame - own) * silence.length;
		return segment.byte + (own > 0 ? Math.max(0, inPart) : 0) + inPause;
	};

	const isConstant = segments.every(
		({ info, header, skip }) =>
			info.bitrate === first.bitrate && frameBytes(header) === frameBytes(info.head[skip].header),
	);
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
		starts,
		places,
		taken: segments.map(({ bytes, startBytes, freshBytes, skip, drop }) => ({
			from: startBytes,
			to: startBytes + bytes - freshBytes,
			skipped: skip * template.samples,
			dropped: drop * template.samples,
		})),
		*write(emit, tag) {
			emit(tag);
			emit(header);
			for (const segment of segments) {
				repeated(silence, segment.pauseFrames).forEach(emit);
				yield new Mp3Reader(keepFrames(segment, emit));
			}
			repeated(silence, pauseAtEnd.frames).forEach(emit);
		},
	};
}

/** Byte position of a frame within the audio data of one part. */
function positionInPart(
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

function asMp3Slice(info: Mp3Info, { delay, padding, isTold, lead }: Place): Mp3Info {
	const edges =
		delay === undefined || padding === undefined ? null : { delay, padding, isSlice: true };
	const gapless = isTold ? edges : null;
	// The pauses were found before the delay was known.
	const late = (1000 * cutAtStart(gapless)) / info.sampleRate;
	const pauses = info.pauses?.map((at) => Math.max(0, Math.round(at - late)));
	return { ...info, pauses, gapless, edges, lead };
}

/** The second half also gets the last frames of the first, where its main data may begin; see `Place.lead`. */
async function mp3InTwo(
	info: Mp3Info,
	seconds: number,
	open: Part<Mp3Info>['open'],
): Promise<Halves | undefined> {
	const { samples, sampleRate } = parseHeader(info.header);
	const starts: number[] = [];
	let at = 0;
	const reader = new Mp3Reader((run) => {
		for (let i = 0; i < run.length; i += frameBytes(uint32be(run, i))) starts.push(at + i);
		at += run.length;
	});
	for await (const chunk of await open()) reader.feed(chunk);
	reader.end();
	const cut = Math.round((seconds * sampleRate + cutAtStart(info.gapless)) / samples);
	const lead = Math.min(cut, EDGE_FRAMES - 2);
	if (cut < 1 || cut >= starts.length) return undefined;
	const { delay, padding } = info.edges ?? { delay: 0, padding: 0 };
	const isTold = info.gapless !== null;
	return [
		{ from: 0, to: starts[cut], delay, padding: 0, isTold },
		{ from: starts[cut - lead], to: at, delay: lead * samples, padding, isTold, lead },
	];
}

export const mp3: Format<Mp3Info> = {
	Reader: Mp3Reader,
	inStereo: mp3InStereo,
	plan: planMp3,
	tag: id3Tag,
	slices: {
		/** Emits the frames of each part as they are, without any header. */
		cut: (_whole, places, emit) => new Mp3Reader(slicesOf(places, emit)),
		infoOf: asMp3Slice,
		inTwo: mp3InTwo,
	},
};
