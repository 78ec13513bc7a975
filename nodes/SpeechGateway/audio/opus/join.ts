/** One Ogg Opus file made of several, and the parts of one cut out of it again. */
import { uint16le } from '../bytes';
import type { Part } from '../format';
import type { CutInTwo, CutSlices, Emit, JoinBlocker, Place, PlanJoin } from '../joiner';
import { channelGroup, mustAgree } from '../joiner';
import { opusTags } from './comments';
import type { Page } from './page';
import { FIRST_PAGE, lacingOf, LAST_PAGE, MAX_SEGMENTS, oggPage, PAGE_HEADER_BYTES } from './page';
import { OggOpusReader, type OpusInfo } from './reader';
import { keptOf, paddingOf, planSeams, tallyOf } from './seams';
import { addTally, emptyTally, SAMPLE_RATE } from './tally';

/** Where the OpusHead has its number of channels. */
const CHANNELS_OFFSET = 9;
/** Pages of the joined file hold a second at most, as RFC 7845 recommends for seeking. */
const PAGE_SAMPLES = SAMPLE_RATE;

const sameHead = mustAgree<OpusInfo>({
	'number of channels': channelGroup,
	'output gain': (info) => uint16le(Uint8Array.from(info.head), 16),
});

/** One OpusHead holds for all packets of a stream. */
export const opusBlocker: JoinBlocker<OpusInfo> = (first, other, part) =>
	first.streams > 1 || other.streams > 1
		? `part ${first.streams > 1 ? 1 : part} is several chained Ogg streams`
		: sameHead(first, other, part);

/**
 * Plans one Ogg Opus stream. Packets are taken over unchanged into pages of a second at most. Nothing can be cut finer than a
 * packet, so whole packets are left out at the seams (see `planSeams`), and silent ones reset the decoder there (see
 * `beginAnew`). Pauses are silent packets of 20 ms. All times count what plays: the length claimed is the length decoded.
 */
export const planOpus: PlanJoin<OpusInfo> = (infos, pauses) => {
	const [first] = infos;
	const pauseSamples = pauses.map((milliseconds) =>
		Math.round((milliseconds / 1000) * SAMPLE_RATE),
	);
	const kept = planSeams(infos, pauseSamples);
	const maxPacketSamples = Math.max(
		...infos.map((info) => info.maxPacketSamples),
		...kept.flatMap(({ before, after }) => [...before, ...after].map(({ samples }) => samples)),
	);
	const maxPacketSegments = Math.max(...infos.map((info) => info.maxPacketSegments));
	const packetsPerPage = packetsInPage({ maxPacketSamples, maxPacketSegments });

	const [opening] = kept;
	const openingPackets = tallyOf(opening.before);
	const preSkip = openingPackets.samples + first.preSkip - opening.skip.samples - pauseSamples[0];
	const head = headWith(first.head, preSkip);
	const header = headerOf(head);
	const starts: number[] = [];
	const places: Place[] = [];
	let bytes = header.reduce((sum, chunk) => sum + chunk.length, 0);
	let all = emptyTally();
	infos.forEach((info, index) => {
		const { before, after, skip, drop } = kept[index];
		const lead = tallyOf(before).samples + info.preSkip - skip.samples;
		starts.push((all.samples + lead - preSkip) / SAMPLE_RATE);
		const own = keptOf(info, kept[index]);
		const from = all.packets + before.length;
		places.push({
			from,
			to: from + own.packets,
			delay: info.preSkip - skip.samples,
			padding: paddingOf(info) + info.tail.samples - drop.samples,
			...((info.isExcerpt || skip.packets > 0) && { isExcerpt: true }),
		});
		const made = tallyOf([...before, ...after]);
		const added = addTally(own, made, 1);
		all = addTally(all, added, 1);
		bytes +=
			added.bytes + added.segments + PAGE_HEADER_BYTES * Math.ceil(added.packets / packetsPerPage);
	});
	const last = infos[infos.length - 1];
	const { after } = kept[kept.length - 1];
	const endSample =
		all.samples - tallyOf(after).samples - paddingOf(last) + pauseSamples[infos.length];
	return {
		info: {
			format: 'opus',
			seconds: (endSample - preSkip) / SAMPLE_RATE,
			bytes,
			length: all.packets,
			sampleRate: SAMPLE_RATE,
		},
		starts,
		places,
		steps: () => {
			const writer = new PageWriter(packetsPerPage, all.packets, endSample);
			return {
				header,
				createReader: (emit, part) => {
					const { before, skip, drop } = kept[part];
					for (const { data, samples } of before) writer.add(data, samples, emit);
					const from = skip.packets;
					const to = infos[part].all.packets - drop.packets;
					let index = 0;
					return new OggOpusReader((packet, samples) => {
						if (index >= from && index < to) writer.add(packet, samples, emit);
						index++;
					});
				},
				finishPart: (emit, part) => {
					for (const { data, samples } of kept[part].after) writer.add(data, samples, emit);
					writer.flush(emit);
				},
			};
		},
	};
};

/** Decoders play mono packets of a stereo stream on both channels (RFC 7845, section 5.1.1). */
export function opusInStereo({ info, open }: Part<OpusInfo>): Part<OpusInfo> {
	return { info: { ...info, channels: 2, head: info.head.with(CHANNELS_OFFSET, 2) }, open };
}

/** How many packets a page has room for, whatever their sizes. */
const packetsInPage = ({
	maxPacketSamples,
	maxPacketSegments,
}: Pick<OpusInfo, 'maxPacketSamples' | 'maxPacketSegments'>): number =>
	Math.max(
		1,
		Math.min(
			Math.floor(PAGE_SAMPLES / maxPacketSamples),
			Math.floor(MAX_SEGMENTS / maxPacketSegments),
		),
	);

/** The pages before the audio. */
const headerOf = (head: Uint8Array): Uint8Array[] => [
	page({ number: 0, flags: FIRST_PAGE, position: 0, packets: [head] }),
	page({ number: 1, flags: 0, position: 0, packets: [opusTags([])] }),
];

/** An OpusHead with another pre-skip. */
function headWith(head: number[], preSkip: number): Uint8Array {
	const bytes = Uint8Array.from(head);
	new DataView(bytes.buffer).setUint16(10, preSkip, true);
	return bytes;
}

/** Puts packets into pages, a fixed number in each, so that the size of the file is known beforehand. */
class PageWriter {
	private pending: Uint8Array[] = [];
	private packets = 0;
	private samples = 0;
	private number = 2; // after the two header pages

	constructor(
		private readonly packetsPerPage: number,
		private readonly totalPackets: number,
		private readonly endSample = Infinity,
	) {}

	add(packet: Uint8Array, samples: number, emit: Emit): void {
		this.pending.push(packet);
		this.packets++;
		this.samples += samples;
		if (this.pending.length === this.packetsPerPage) this.flush(emit);
	}

	flush(emit: Emit): void {
		if (this.pending.length === 0) return;
		const isLast = this.packets === this.totalPackets;
		emit(
			page({
				number: this.number++,
				flags: isLast ? LAST_PAGE : 0,
				position: isLast ? Math.min(this.endSample, this.samples) : this.samples,
				packets: this.pending,
			}),
		);
		this.pending = [];
	}
}

/** A page of whole packets. */
function page({ packets, ...place }: Omit<Page, 'lacing' | 'body'> & { packets: Uint8Array[] }) {
	return oggPage({ ...place, lacing: lacingOf(packets), body: packets });
}

/** A reader that emits each part as an Ogg stream of its own. */
export const cutOpus: CutSlices<OpusInfo> = (whole, places, emit) => {
	let packets = 0;
	let slice = 0;
	let writer: PageWriter | undefined;
	const emitPage: Emit = (bytes) => emit(slice, bytes);
	return new OggOpusReader((packet, samples) => {
		const place = places.at(slice);
		const number = packets++;
		if (!place || number < place.from) return;
		if (!writer) {
			headerOf(headWith(whole.head, place.delay ?? 0)).forEach(emitPage);
			writer = new PageWriter(packetsInPage(whole), place.to - place.from);
		}
		writer.add(packet, samples, emitPage);
		if (packets < place.to) return;
		writer.flush(emitPage);
		writer = undefined;
		slice++;
	});
};

export const asOpusSlice = (info: OpusInfo, { padding = 0, isExcerpt }: Place): OpusInfo => ({
	...info,
	endSample: info.all.samples - padding,
	isExcerpt,
});

/** Between packets that are all of one length. */
export const opusInTwo: CutInTwo<OpusInfo> = async (
	{ all, preSkip, endSample, ...info },
	seconds,
) => {
	const length = info.maxPacketSamples;
	const cut = Math.round((seconds * SAMPLE_RATE + preSkip) / length);
	if (all.samples !== all.packets * length || cut < 1 || cut >= all.packets) return undefined;
	return [
		{ from: 0, to: cut, delay: preSkip, padding: 0, isExcerpt: info.isExcerpt },
		{ from: cut, to: all.packets, delay: 0, padding: all.samples - endSample, isExcerpt: true },
	];
};
