/** Which packets of Opus parts are left out where two parts meet, and which are put there. Written after RFC 6716. */
import { EDGE_PACKETS, type OpusInfo } from './reader';
import { addPacket, addTally, emptyTally, type Packet, type Tally } from './tally';

/** A packet made here. All are mono, which plays on both channels of a stereo stream. */
interface Made extends Packet {
	data: Uint8Array;
}

const made = (samples: number, ...bytes: number[]): Made => ({
	data: Uint8Array.from(bytes),
	bytes: bytes.length,
	samples,
});

/** A CELT frame of 20 ms, fullband (TOC 0xF8), whose first coded bit says "silence". */
const PAUSE = made(960, 0xf8, 0xff, 0xfe);
/** The same in 2.5 ms (TOC 0xE0): the spectrum that CELT predicts from is then that of silence. */
const SILENCE = made(120, 0xe0, 0xff, 0xfe);
/** The same in narrowband (TOC 0x80): bands that are not coded, such as those of hybrid frames, are set to their start. */
const END_OF_SILK = made(120, 0x80, 0xff, 0xfe);
/**
 * A SILK frame of 10 ms, narrowband (TOC 0x00), that plays at -90 dB: of all with two bytes the quietest. A frame of one
 * byte would be taken for a lost one.
 */
const END_OF_CELT = made(480, 0x00, 0x00, 0x0d);

/** A pre-skip beyond a packet is no encoder's delay: the file is an excerpt, and its first packets only prepare the decoder. */
const MAX_ENCODER_DELAY = 960;

/** What the joined file takes over of one part. */
export interface Kept {
	/** Packets put in front of it. */
	before: Made[];
	/** Packets put behind it: of the last part only. */
	after: Made[];
	/** Packets left out at its start. */
	skip: Tally;
	/** Packets left out at its end: those behind its end, and of those before as many as time demands. */
	drop: Tally;
}

/**
 * As in MP3, each part starts within one packet of where it should: the difference is carried on from seam to seam, and a
 * packet with sound goes only where it must, at the end of a part. `pauseSamples`: before each part, and behind the last;
 * of the pauses at both ends of the file, what is too much is not played.
 */
export function planSeams(
	infos: OpusInfo[],
	pauseSamples: number[],
	packetSamples: number,
): Kept[] {
	const kept = infos.map((info, part): Kept => {
		const isPreceded = part > 0 || pauseSamples[0] > 0;
		const isExcerpt = isPreceded && info.preSkip > MAX_ENCODER_DELAY;
		const skip = isExcerpt ? info.lead : emptyTally();
		return { before: [], after: [], skip, drop: info.tail };
	});
	const [opening, closing] = [kept[0], kept[kept.length - 1]];
	if (opening.skip.packets > 0 || infos[0].isExcerpt || pauseSamples[0] > 0) {
		const anew = beginAnew(infos[0], opening.skip);
		const delay = samplesOf(anew) + infos[0].preSkip - opening.skip.samples;
		opening.before = [...pausesOf(pauseSamples[0] - delay), ...anew];
	}
	closing.after = pausesOf(pauseSamples[infos.length] - paddingOf(infos[infos.length - 1]));
	let error = 0; // samples by which the part starts too late
	for (let part = 1; part < infos.length; part++) {
		const [before, after] = [infos[part - 1], infos[part]];
		const pause = pauseSamples[part];
		const anew = beginAnew(after, kept[part].skip);
		const padding = paddingOf(before);
		const delay = after.preSkip - kept[part].skip.samples;
		const most = Math.min(before.last.length, keptOf(before, kept[part - 1]).packets - 1);
		// In place of sound that is missing from a slice there is silence, or a file would get shorter with each version.
		const mayPause = pause > 0 || padding < 0;
		const fixed = error + padding + delay + samplesOf(anew) - pause;
		let least = Infinity;
		let choice = { rest: error, dropped: before.last.slice(0, 0), pauses: 0 };
		for (let count = 0; count <= most; count++) {
			const dropped = before.last.slice(before.last.length - count);
			const samples = samplesOf(dropped);
			const late = fixed - samples;
			const pauses = mayPause ? Math.max(0, Math.round(-late / PAUSE.samples)) : 0;
			const rest = late + pauses * PAUSE.samples;
			const lost = Math.max(0, samples - padding);
			const cost = lost + rest ** 2 / packetSamples;
			if (cost < least) {
				least = cost;
				choice = { rest, dropped, pauses };
			}
		}
		error = choice.rest;
		kept[part - 1].drop = addTally(before.tail, tallyOf(choice.dropped), 1);
		kept[part].before = [...Array.from({ length: choice.pauses }, () => PAUSE), ...anew];
	}
	return kept;
}

/** Packets of silence for so many samples at least. */
const pausesOf = (samples: number): Made[] =>
	Array.from({ length: Math.max(0, Math.ceil(samples / PAUSE.samples)) }, () => PAUSE);

/** Samples of the last packet that are not played. */
export const paddingOf = ({ all, tail, endSample }: OpusInfo): number =>
	all.samples - tail.samples - endSample;

/**
 * Packets that reset the decoder before a part. It predicts from what it played last, so after another part the first packets
 * would be far too loud. A CELT packet resets its SILK state, and a SILK packet, of 10 ms at least, its CELT state; silence
 * resets neither. The first kept packet of an excerpt was predicted from one that is left out; after silence it fades in.
 */
function beginAnew(info: OpusInfo, skip: Tally): Made[] {
	// Packets of more than two channels hold several streams; none are made here.
	if (info.head[18] !== 0) return [];
	if (skip.packets > 0 || info.isExcerpt) return [SILENCE];
	return info.startsWithCelt ? [END_OF_SILK, END_OF_CELT] : [END_OF_SILK];
}

/** Packets of a part that are taken over. */
export function keptOf(info: OpusInfo, { skip, drop }: Pick<Kept, 'skip' | 'drop'>): Tally {
	return addTally(addTally(info.all, skip, -1), drop, -1);
}

export function tallyOf(packets: Packet[]): Tally {
	const tally = emptyTally();
	for (const packet of packets) addPacket(tally, packet);
	return tally;
}

/** The packets at the beginning of a file that are not played. */
export function leadOf(packets: Made[], preSkip: number): Tally {
	let samples = 0;
	return tallyOf(packets.filter((packet) => (samples += packet.samples) <= preSkip));
}

function samplesOf(packets: Packet[]): number {
	return packets.reduce((sum, { samples }) => sum + samples, 0);
}

/** Without its data: what is known of a file is plain JSON. */
const packetOf = ({ bytes, samples }: Made): Packet => ({ bytes, samples });

/** The last packets of the joined file, as many as are known. */
export function lastPackets(infos: OpusInfo[], kept: Kept[]): Packet[] {
	let packets: Packet[] = [];
	for (let part = infos.length - 1; part >= 0 && packets.length < EDGE_PACKETS; part--) {
		const { last, tail } = infos[part];
		const { before, after, drop } = kept[part];
		packets = [...after.map(packetOf), ...packets];
		const count = keptOf(infos[part], kept[part]).packets;
		const known = last.slice(0, last.length - (drop.packets - tail.packets)).slice(-count);
		packets = [...known, ...packets];
		if (known.length < count) break;
		packets = [...before.map(packetOf), ...packets];
	}
	return packets.slice(-EDGE_PACKETS);
}
