/** One Ogg Opus file made of several, and the parts of one cut out of it again. */
import { uint16le } from '../bytes';
import type { AudioReader, Part } from '../format';
import type { EmitSlice, Format, Halves, JoinPlan, Place } from '../joiner';
import { NO_METADATA } from '../tags/metadata';
import { opusTags } from '../tags/vorbis';
import { OpusWriter, SAMPLE_RATE } from './page';
import { OggOpusReader, type OpusInfo } from './reader';
import { paddingOf, planSeams, samplesOf } from './seams';

/** Where the OpusHead has its number of channels. */
const CHANNELS_OFFSET = 9;

/**
 * Plans one Ogg Opus stream. Packets are taken over unchanged. Nothing can be cut finer than a packet, so whole packets are left
 * out at the seams (see `planSeams`), and silent ones reset the decoder there (see `beginAnew`). Pauses are silent packets of
 * 20 ms. All times are of what plays, so the length claimed is the length decoded.
 */
function planOpus(infos: OpusInfo[], pauses: number[]): JoinPlan<OpusInfo> {
	const [first] = infos;
	const kept = planSeams(infos, pauses);
	const [opening] = kept;
	const preSkip = samplesOf(opening.before) + first.preSkip - opening.skip.samples - pauses[0];
	const starts: number[] = [];
	const places: Place[] = [];
	let packets = 0;
	let samples = 0;
	let endSample = 0;
	for (const [index, info] of infos.entries()) {
		const { before, after, skip, drop } = kept[index];
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
		endSample = samples - paddingOf(info) + pauses[index + 1];
		packets += after.length;
		samples += samplesOf(after);
	}
	return {
		seconds: (endSample - preSkip) / SAMPLE_RATE,
		length: packets,
		starts,
		places,
		taken: kept.map(({ skip, drop }, part) => ({
			from: skip.packets,
			to: infos[part].all.packets - drop.packets,
			skipped: skip.samples,
			dropped: drop.samples,
		})),
		*write(emit, comments) {
			const writer = new OpusWriter(emit, headWith(first.head, preSkip), comments);
			for (const [part, { before, after, skip, drop }] of kept.entries()) {
				for (const { data, samples } of before) writer.add(data, samples);
				const to = infos[part].all.packets - drop.packets;
				let index = 0;
				yield new OggOpusReader((packet, length) => {
					if (index >= skip.packets && index < to) writer.add(packet, length);
					index++;
				});
				for (const { data, samples } of after) writer.add(data, samples);
			}
			writer.end(endSample);
		},
	};
}

/** An OpusHead with another pre-skip. */
function headWith(head: number[], preSkip: number): Uint8Array {
	const bytes = Uint8Array.from(head);
	new DataView(bytes.buffer).setUint16(10, preSkip, true);
	return bytes;
}

/** A reader that emits each part as an Ogg stream of its own. */
function cutOpus(whole: OpusInfo, places: Place[], emit: EmitSlice): AudioReader<OpusInfo> {
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

/** Between packets that are all of one length. */
async function opusInTwo(info: OpusInfo, seconds: number): Promise<Halves | undefined> {
	const { all, preSkip, endSample, isExcerpt, maxPacketSamples: length } = info;
	const cut = Math.round((seconds * SAMPLE_RATE + preSkip) / length);
	if (all.samples !== all.packets * length || cut < 1 || cut >= all.packets) return undefined;
	return [
		{ from: 0, to: cut, delay: preSkip, padding: 0, isExcerpt },
		{ from: cut, to: all.packets, delay: 0, padding: all.samples - endSample, isExcerpt: true },
	];
}

export const opus: Format<OpusInfo> = {
	Reader: OggOpusReader,
	// One OpusHead holds for all packets of a stream.
	sharedBy: ({ head }) => ({ 'output gain': uint16le(Uint8Array.from(head), 16) }),
	/** Decoders play mono packets of a stereo stream on both channels (RFC 7845, section 5.1.1). */
	inStereo: ({ info, open }: Part<OpusInfo>): Part<OpusInfo> => ({
		info: { ...info, channels: 2, head: info.head.with(CHANNELS_OFFSET, 2) },
		open,
	}),
	plan: planOpus,
	tag: opusTags,
	slices: {
		cut: cutOpus,
		infoOf: (info, { padding = 0, isExcerpt }) => ({
			...info,
			endSample: info.all.samples - padding,
			isExcerpt,
		}),
		inTwo: opusInTwo,
	},
};
