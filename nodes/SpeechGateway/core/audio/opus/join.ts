/** One Ogg Opus file made of several. */
import { putText, uint16le } from '../bytes';
import type { Emit, JoinBlocker, JoinPlan } from '../joiner';
import { Joiner, mustAgree } from '../joiner';
import { oggChecksum } from './checksum';
import type { OpusInfo, Packet, Tally } from './reader';
import {
	addPacket,
	addTally,
	EDGE_PACKETS,
	emptyTally,
	FIRST_PAGE,
	LAST_PAGE,
	OggOpusReader,
	PAGE_HEADER_BYTES,
	SAMPLE_RATE,
	segmentsOf,
} from './reader';

/** Segments in a page, at most. */
const MAX_SEGMENTS = 255;
/** Pages of the joined file hold a second at most, as RFC 7845 recommends for seeking. */
const PAGE_SAMPLES = SAMPLE_RATE;
/** The joined file is one stream of its own, so any number does. */
const SERIAL = 1;
/**
 * A 20 ms fullband CELT frame (TOC 0xF8, stereo 0xFC) whose first coded bit says "silence". It decodes to silence
 * whatever the mode of the packets around it.
 */
const SILENT_PACKET = { mono: [0xf8, 0xff, 0xfe], stereo: [0xfc, 0xff, 0xfe] };
const SILENT_PACKET_SAMPLES = 960;

const sameHead = mustAgree<OpusInfo>({
	'number of channels': (info) => info.channels,
	'output gain': (info) => uint16le(Uint8Array.from(info.head), 16),
	'channel mapping': (info) => info.head.slice(18).join(' '),
});

/** One OpusHead holds for all packets of a stream; silent packets are at hand for one and two channels. */
export const opusBlocker: JoinBlocker<OpusInfo> = (first, other, next) =>
	(first.streams > 1 || other.streams > 1
		? `part ${first.streams > 1 ? 1 : next.part} is several chained Ogg streams`
		: undefined) ??
	sameHead(first, other, next) ??
	(next.pauseMilliseconds > 0 && first.head[18] !== 0
		? 'pauses cannot be put into Opus audio with more than two channels'
		: undefined);

/**
 * Plans one Ogg Opus stream out of several that `opusBlocker` lets through. Packets are taken over
 * unchanged into pages of a second at most. In mid-stream nothing can be cut finer than a packet, so whole packets are left
 * out at the seams: those within the pre-skip of the later part, those behind the end of the earlier one, and of its last
 * packets as many as keep every part's start within one packet of the sum of the playing times and pauses before it,
 * however many parts there are; see `planSeams`. Pauses are silent packets of 20 ms. All times count what plays: the
 * length claimed is the length decoded.
 */
export function planOpus(infos: OpusInfo[], pauseMilliseconds: number): JoinPlan<OpusInfo> {
	const [first] = infos;
	const lastIndex = infos.length - 1;
	const pauseSamples = Math.round((pauseMilliseconds / 1000) * SAMPLE_RATE);
	const silence = Uint8Array.from(first.channels === 1 ? SILENT_PACKET.mono : SILENT_PACKET.stereo);
	const maxPacketSamples = Math.max(
		pauseSamples > 0 && lastIndex > 0 ? SILENT_PACKET_SAMPLES : 0,
		...infos.map((info) => info.maxPacketSamples),
	);
	const maxPacketSegments = Math.max(...infos.map((info) => info.maxPacketSegments));
	const packetsPerPage = Math.max(
		1,
		Math.min(
			Math.floor(PAGE_SAMPLES / maxPacketSamples),
			Math.floor(MAX_SEGMENTS / maxPacketSegments),
		),
	);

	const header = [
		page({ number: 0, flags: FIRST_PAGE, position: 0, packets: [Uint8Array.from(first.head)] }),
		page({ number: 1, flags: 0, position: 0, packets: [opusTags()] }),
	];
	const seams = planSeams(infos, pauseSamples, maxPacketSamples);
	const starts: number[] = [];
	let bytes = header.reduce((sum, chunk) => sum + chunk.length, 0);
	let all = emptyTally();
	infos.forEach((info, index) => {
		const skipped = index === 0 ? info.preSkip : info.preSkip - info.lead.samples;
		starts.push((all.samples + skipped - first.preSkip) / SAMPLE_RATE);
		let kept = addTally(takenOver(info, index > 0), tallyOf(seams[index].dropped), -1);
		kept = addTally(kept, tallyOf(pauseOf(seams[index], silence)), 1);
		all = addTally(all, kept, 1);
		bytes +=
			kept.bytes + kept.segments + PAGE_HEADER_BYTES * Math.ceil(kept.packets / packetsPerPage);
	});
	const last = infos[lastIndex];
	const endSample = all.samples - (last.all.samples - last.tail.samples - last.endSample);
	const info: OpusInfo = {
		format: 'opus',
		streams: 1,
		seconds: (endSample - first.preSkip) / SAMPLE_RATE,
		bytes,
		dataBytes: all.bytes,
		sampleRate: SAMPLE_RATE,
		channels: first.channels,
		head: first.head,
		preSkip: first.preSkip,
		endSample,
		all,
		lead: first.lead,
		tail: emptyTally(),
		last: lastPackets(infos, seams, silence),
		maxPacketSamples,
		maxPacketSegments,
	};
	return {
		info,
		starts,
		createJoiner: () => {
			const writer = new PageWriter(packetsPerPage, all.packets, endSample);
			return new Joiner(infos, {
				header,
				createReader: (emit, part) => {
					const { lead, all: own, tail } = infos[part];
					const from = part === 0 ? 0 : lead.packets;
					const to = own.packets - tail.packets - seams[part].dropped.length;
					let index = 0;
					return new OggOpusReader((packet, samples) => {
						if (index >= from && index < to) writer.add(packet, samples, emit);
						index++;
					});
				},
				finishPart: (emit, part) => {
					for (let i = 0; i < seams[part].pausePackets; i++) {
						writer.add(silence, SILENT_PACKET_SAMPLES, emit);
					}
					writer.flush(emit);
				},
			});
		},
	};
}

/** What happens behind a part. */
interface Seam {
	/** Packets left out at the end of the part. */
	dropped: Packet[];
	pausePackets: number;
}

/** As in MP3: the difference is carried on from seam to seam, and a packet with sound goes only where it must. */
function planSeams(infos: OpusInfo[], pauseSamples: number, packetSamples: number): Seam[] {
	let error = 0; // samples by which the next part starts too late
	return infos.map((before, part): Seam => {
		const after = infos[part + 1];
		let choice = { error, dropped: [] as Packet[], pausePackets: 0 };
		if (!after) return choice;
		const padding = before.all.samples - before.tail.samples - before.endSample;
		const delay = after.preSkip - after.lead.samples;
		const most = Math.min(before.last.length, takenOver(before, part > 0).packets - 1);
		let least = Infinity;
		for (let count = 0; count <= most; count++) {
			const dropped = before.last.slice(before.last.length - count);
			const { samples } = tallyOf(dropped);
			const late = error + padding + delay - samples - pauseSamples;
			const pausePackets =
				pauseSamples > 0 ? Math.max(0, Math.round(-late / SILENT_PACKET_SAMPLES)) : 0;
			const rest = late + pausePackets * SILENT_PACKET_SAMPLES;
			const lost = Math.max(0, samples - padding);
			const cost = lost + rest ** 2 / packetSamples;
			if (cost < least) {
				least = cost;
				choice = { error: rest, dropped, pausePackets };
			}
		}
		({ error } = choice);
		return choice;
	});
}

/** All packets of a part but those that need not play: behind its end and, of a later part, within its pre-skip. */
function takenOver(info: OpusInfo, isLater: boolean): Tally {
	const kept = addTally(info.all, info.tail, -1);
	return isLater ? addTally(kept, info.lead, -1) : kept;
}

function pauseOf(seam: Seam, silence: Uint8Array): Packet[] {
	const packet = { bytes: silence.length, samples: SILENT_PACKET_SAMPLES };
	return Array.from({ length: seam.pausePackets }, () => packet);
}

function tallyOf(packets: Packet[]): Tally {
	const tally = emptyTally();
	for (const { bytes, samples } of packets) addPacket(tally, bytes, samples);
	return tally;
}

/** The last packets of the joined file, as many as are known. */
function lastPackets(infos: OpusInfo[], seams: Seam[], silence: Uint8Array): Packet[] {
	let packets: Packet[] = [];
	for (let part = infos.length - 1; part >= 0 && packets.length < EDGE_PACKETS; part--) {
		const { last } = infos[part];
		const { dropped } = seams[part];
		const kept = takenOver(infos[part], part > 0).packets - dropped.length;
		const known = last.slice(0, last.length - dropped.length).slice(-kept);
		packets = [...known, ...pauseOf(seams[part], silence), ...packets];
		if (known.length < kept) break;
	}
	return packets.slice(-EDGE_PACKETS);
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
		private readonly endSample: number,
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
				position: isLast ? this.endSample : this.samples,
				packets: this.pending,
			}),
		);
		this.pending = [];
	}
}

function page(content: {
	number: number;
	flags: number;
	position: number;
	packets: Uint8Array[];
}): Uint8Array {
	const segments = content.packets.reduce((sum, packet) => sum + segmentsOf(packet.length), 0);
	const body = content.packets.reduce((sum, packet) => sum + packet.length, 0);
	const bytes = new Uint8Array(PAGE_HEADER_BYTES + segments + body);
	const view = new DataView(bytes.buffer);
	putText(bytes, 0, 'OggS');
	bytes[5] = content.flags;
	view.setBigInt64(6, BigInt(content.position), true);
	view.setUint32(14, SERIAL, true);
	view.setUint32(18, content.number, true);
	bytes[26] = segments;
	let lacing = PAGE_HEADER_BYTES;
	let at = PAGE_HEADER_BYTES + segments;
	for (const packet of content.packets) {
		const full = segmentsOf(packet.length) - 1;
		bytes.fill(255, lacing, lacing + full);
		bytes[lacing + full] = packet.length % 255;
		lacing += full + 1;
		bytes.set(packet, at);
		at += packet.length;
	}
	view.setUint32(22, oggChecksum(bytes), true);
	return bytes;
}

/** A comment packet with a vendor and no comments. */
function opusTags(): Uint8Array {
	const vendor = 'speech-gateway';
	const bytes = new Uint8Array(8 + 4 + vendor.length + 4);
	putText(bytes, 0, 'OpusTags');
	bytes[8] = vendor.length;
	putText(bytes, 12, vendor);
	return bytes;
}
