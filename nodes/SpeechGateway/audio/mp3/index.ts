/** One MP3 file made of several. */
import type { Part } from '../format';
import { channelGroup, type JoinBlocker, mustAgree, type Place, type PlanJoin } from '../joiner';
import { parseHeader, repeated, silentFrame } from './frame';
import { joinedEdges, keepFrames, layOut, type Mp3Segment } from './segment';
import { MAX_SEEK_POINTS, type Mp3Info, Mp3Reader } from './reader';
import { frameBytes } from './reservoir';
import { planEnd, planSeams } from './seams';
import { stereoMp3 } from './stereo';
import type { Gapless } from './xing';
import { cutAtEnd, cutAtStart, DECODER_DELAY, framesBefore, playingTime, xingFrame } from './xing';

/** Decoders take both from the first frame. The sample rate tells the MPEG version too. */
export const mp3Blocker: JoinBlocker<Mp3Info> = mustAgree<Mp3Info>({
	'sample rate': (info) => info.sampleRate,
	'number of channels': channelGroup,
});

/** What it becomes depends on every frame, so all of it is read once to know its size. */
export async function mp3InStereo({ info, open }: Part<Mp3Info>): Promise<Part<Mp3Info>> {
	const openStereo = async () => stereoMp3(info, await open());
	const reader = new Mp3Reader();
	for await (const chunk of await openStereo()) reader.feed(chunk);
	return { info: { ...reader.end(), edges: info.edges }, open: openStereo };
}

/**
 * Plans one Xing header (Info when the bitrate is constant) and the frames of all parts, with silent frames for the pauses.
 * Parts that tell their encoder's delay and padding are joined gapless to within one frame (24 ms at 24 kHz, 26.1 ms at
 * 44.1 kHz); see `planSeams`. When the first frame kept of a part needs bytes of those left out, it is written anew with
 * them, if need be at a higher bitrate; all other frames are unchanged. `starts` and `seconds` say what a decoder plays, to
 * the sample.
 */
export const planMp3: PlanJoin<Mp3Info> = (infos, pauses) => {
	const [first] = infos;
	const last = infos[infos.length - 1];
	const template = parseHeader(first.header);
	const silence = silentFrame(first.header);
	const pauseSamples = pauses.map((milliseconds) =>
		Math.round((milliseconds / 1000) * template.sampleRate),
	);
	const segments = layOut(infos, planSeams(infos, pauseSamples), silence.length);
	const end = segments[segments.length - 1];
	const pauseAtEnd = planEnd(last.gapless, pauseSamples[infos.length], template.samples);
	const frames = end.frame + end.frames + pauseAtEnd.frames;
	const dataBytes = end.byte + end.bytes + pauseAtEnd.frames * silence.length;

	const shift = framesBefore(first.gapless, template.samples);
	const joinedGapless = (start: Gapless | null, padding: number): Gapless | null =>
		start && { delay: start.delay + shift * template.samples, padding };
	// A decoder that is told of a delay cuts off its own too, so without the first part's nothing is said.
	const gapless = joinedGapless(first.gapless, pauseAtEnd.padding);
	const edgesAtEnd = pauseAtEnd.frames > 0 ? null : last.edges;
	const edges = gapless ?? (edgesAtEnd && joinedGapless(first.edges, edgesAtEnd.padding));
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
		if (frame < segments[0].frame) return frame * silence.length;
		let index = segments.length - 1;
		while (segments[index].frame > frame) index--;
		const segment = segments[index];
		const inPause = Math.max(0, frame - segment.frame - segment.frames);
		return (
			segment.byte +
			positionInSegment(segment, frame - segment.frame - inPause) +
			inPause * silence.length
		);
	};

	const isConstant = segments.every(
		({ info, header, skip }) =>
			info.bitrate === first.bitrate && frameBytes({ header }) === frameBytes(info.head[skip]),
	);
	const bitrate = isConstant ? first.bitrate : 0;
	const header = xingFrame({
		header: first.header,
		name: bitrate > 0 ? 'Info' : 'Xing',
		frames,
		dataBytes,
		gapless,
		position,
	});
	const seekInterval = Math.ceil(frames / MAX_SEEK_POINTS);
	const edgeFrames = joinedEdges(segments, silence, pauseAtEnd.frames);
	const info: Mp3Info = {
		format: 'mp3',
		seconds: playingTime(frames, template, gapless),
		bytes: header.length + dataBytes,
		dataBytes,
		sampleRate: first.sampleRate,
		channels: first.channels,
		frames,
		header: edgeFrames.head[0].header,
		bitrate,
		seekPositions:
			bitrate > 0
				? []
				: Array.from({ length: Math.ceil(frames / seekInterval) }, (_, index) =>
						position(index * seekInterval),
					),
		seekInterval,
		gapless,
		edges,
		...edgeFrames,
	};
	return {
		info,
		starts,
		places,
		steps: () => ({
			header: [header, ...repeated(silence, segments[0].pauseFrames)],
			createReader: (emit, part) => new Mp3Reader(keepFrames(segments[part], emit)),
			finishPart: (emit, part) => {
				const next = segments[part + 1]?.pauseFrames ?? pauseAtEnd.frames;
				repeated(silence, next).forEach(emit);
			},
		}),
	};
};

/** Byte position of a frame within what is kept of one part. */
function positionInSegment(segment: Mp3Segment, frame: number): number {
	if (frame === 0) return 0;
	const { info, skip, startBytes, freshBytes } = segment;
	return Math.max(0, positionInPart(info, skip + frame) - startBytes + freshBytes);
}

/** Byte position of a frame within the audio data of one part. */
function positionInPart(info: Mp3Info, frame: number): number {
	if (info.seekPositions.length === 0) return Math.floor((info.dataBytes * frame) / info.frames);
	const index = Math.min(Math.floor(frame / info.seekInterval), info.seekPositions.length - 1);
	const isLast = index === info.seekPositions.length - 1;
	const from = info.seekPositions[index];
	const to = isLast ? info.dataBytes : info.seekPositions[index + 1];
	const start = index * info.seekInterval;
	const end = isLast ? info.frames : start + info.seekInterval;
	return Math.floor(from + ((to - from) * (frame - start)) / (end - start));
}
