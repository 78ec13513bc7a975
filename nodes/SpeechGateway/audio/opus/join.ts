/** One Ogg Opus file made of several, and slices of one as files again. */
import { sum, uint16le } from '../bytes';
import type { AudioReader, SegmentFile } from '../format';
import {
	type EmitSlice,
	type Format,
	type JoinPlan,
	type Place,
	type Silence,
	soundStart,
	spareIn,
} from '../joiner';
import { quietFrames, planSeams, type SegmentSound } from '../seams';
import { NO_METADATA } from '../tags/metadata';
import { opusTags } from '../tags/vorbis';
import { OpusWriter, SAMPLE_RATE } from './page';
import { OggOpusReader, type OpusInfo, type PacketRun } from './reader';
import { beginAnew, type MadePacket, PAUSE, pauses, packetsOfSilence, samplesOf } from './silence';

/** Where the OpusHead has its number of channels. */
const CHANNELS_OFFSET = 9;
/**
 * No encoder delays by more than a packet. A longer pre-skip marks an excerpt, whose first packets only prepare the
 * decoder.
 */
const MAX_ENCODER_DELAY = 960;
/** What the joined file takes over of one file. */
interface TakenPackets {
	info: OpusInfo;
	/** Packets put before it. */
	before: MadePacket[];
	/** What is left out at its start: packets of an excerpt that only prepare the decoder. */
	skip: PacketRun;
	/** What is left out at its end: packets past the end, and quiet ones to save time. */
	drop: PacketRun;
}

/**
 * Plans one Ogg Opus stream. Packets are taken over unchanged; at the seams, silent ones reset the decoder (see
 * `beginAnew`), and pauses are silent packets of 20 ms. The pre-skip and the end position tell decoders to play only
 * some of the first and of the last packet, so that silence at both ends of the file is exact to a sample.
 */
function planOpus(infos: OpusInfo[], silences: Silence[], after: number): JoinPlan<OpusInfo> {
	const [first] = infos;
	const start = soundStart(silences[0], 0, 0, (first.lead ?? 0) * SAMPLE_RATE);
	const segments = layOut(infos, silences, start);
	const preSkip = samplesOf(segments[0].before) + first.preSkip - segments[0].skip.samples - start;
	const closing = packetsOfSilence(after - paddingOf(infos[infos.length - 1]));
	const starts: number[] = [];
	const places: Place[] = [];
	let packets = 0;
	let samples = 0;
	let endSample = 0;
	for (const { info, before, skip, drop } of segments) {
		const delay = info.preSkip - skip.samples;
		packets += before.length;
		samples += samplesOf(before);
		starts.push((samples + delay - preSkip) / SAMPLE_RATE);
		const from = packets;
		packets += info.all.packets - skip.packets - drop.packets;
		samples += info.all.samples - skip.samples - drop.samples;
		places.push({
			from,
			to: packets,
			delay,
			padding: paddingOf(info) + info.tail.samples - drop.samples,
			...((info.isExcerpt || skip.packets > 0) && { isExcerpt: true }),
		});
		endSample = samples - paddingOf(info) + after;
	}
	return {
		seconds: (endSample - preSkip) / SAMPLE_RATE,
		length: packets + closing.length,
		starts,
		places,
		*write(emit, comments) {
			const writer = new OpusWriter(emit, headWith(first.head, preSkip), comments);
			for (const { info, before, skip, drop } of segments) {
				for (const { data, samples } of before) writer.add(data, samples);
				const to = info.all.packets - drop.packets;
				let index = 0;
				yield new OggOpusReader((packet, length) => {
					if (index >= skip.packets && index < to) writer.add(packet, length);
					index++;
				});
			}
			for (const { data, samples } of closing) writer.add(data, samples);
			writer.end(endSample);
		},
	};
}

/** What is taken of each file, and put before it. `start`: the sample of the joined file at which the first sound begins. */
function layOut(infos: OpusInfo[], silences: Silence[], start: number): TakenPackets[] {
	const segments = infos.map((info, index) => {
		const isPreceded = index > 0 || start > 0;
		const isExcerpt = isPreceded && info.preSkip > MAX_ENCODER_DELAY;
		const skip = isExcerpt ? info.preroll : { packets: 0, samples: 0 };
		const isCutOff = skip.packets > 0 || info.isExcerpt === true;
		const reset = isPreceded || isCutOff ? beginAnew(info.startsWithCelt, isCutOff) : [];
		const delay = samplesOf(reset) + info.preSkip - skip.samples;
		return { info, skip, reset, sound: soundOf(info, delay, skip) };
	});
	const sounds = segments.map(({ sound }) => sound);
	const seams = planSeams(sounds, silences, PAUSE.samples, { at: start, late: 0 });
	return segments.map(({ info, skip, reset, sound: { delay, quiet } }, index) => {
		const silent =
			index === 0
				? reset.length > 0
					? packetsOfSilence(start - delay)
					: []
				: pauses(seams[index - 1].silent);
		const dropped = seams[index]?.dropped ?? 0;
		const drop = {
			packets: info.tail.packets + dropped,
			samples: info.tail.samples + sum(quiet.slice(0, dropped)),
		};
		return { info, before: [...silent, ...reset], skip, drop };
	});
}

/** A file as the planner of seams sees it; the packets past its end are left out anyway. At least one packet stays. */
function soundOf(info: OpusInfo, delay: number, skip: PacketRun): SegmentSound {
	const { all, tail, last, preSkip, endSample, lead = 0, trail = 0 } = info;
	const padding = paddingOf(info);
	const silent = trail * SAMPLE_RATE - tail.samples;
	const most = Math.max(0, all.packets - skip.packets - tail.packets - 1);
	return {
		delay,
		padding,
		length: endSample - preSkip,
		lead: lead * SAMPLE_RATE,
		spare: spareIn(silent - padding, SAMPLE_RATE),
		quiet: quietFrames(padding, silent, SAMPLE_RATE, last.toReversed()).slice(0, most),
	};
}

/** Samples of the last packet that are not played. */
const paddingOf = ({ all, tail, endSample }: OpusInfo): number =>
	all.samples - tail.samples - endSample;

/** An OpusHead with another pre-skip. */
function headWith(head: number[], preSkip: number): Uint8Array {
	const bytes = Uint8Array.from(head);
	new DataView(bytes.buffer).setUint16(10, preSkip, true);
	return bytes;
}

/** A reader that emits each slice as an Ogg stream of its own. */
function sliceOpus(whole: OpusInfo, places: Place[], emit: EmitSlice): AudioReader<OpusInfo> {
	let packets = 0;
	let slice = 0;
	let writer: OpusWriter | undefined;
	return new OggOpusReader((packet, samples) => {
		const place = places.at(slice);
		const number = packets++;
		if (!place || number < place.from) return;
		writer ??= new OpusWriter(
			(bytes) => emit(slice, bytes),
			headWith(whole.head, place.delay ?? 0),
			opusTags(NO_METADATA),
		);
		writer.add(packet, samples);
		if (packets < place.to) return;
		writer.end();
		writer = undefined;
		slice++;
	});
}

/** Opus in Ogg: see `Format`. */
export const opus: Format<OpusInfo> = {
	Reader: OggOpusReader,
	// One OpusHead holds for all packets of a stream.
	sharedBy: ({ head }) => ({ 'output gain': uint16le(Uint8Array.from(head), 16) }),
	/** Decoders play mono packets of a stereo stream on both channels (RFC 7845, section 5.1.1). */
	inStereo: ({ info, open }: SegmentFile<OpusInfo>): SegmentFile<OpusInfo> => ({
		info: { ...info, channels: 2, head: info.head.with(CHANNELS_OFFSET, 2) },
		open,
	}),
	plan: planOpus,
	tag: opusTags,
	slices: {
		slice: sliceOpus,
		infoOf: (info, { padding = 0, isExcerpt }) => ({
			...info,
			endSample: info.all.samples - padding,
			isExcerpt,
		}),
	},
};
