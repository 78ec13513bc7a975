/** Quiet edges of an Opus file, in whole packets. */
import { KEPT_QUIET_SECONDS } from '../quiet';
import type { OpusInfo } from './reader';
import type { Packet, Tally } from './tally';
import { addPacket, emptyTally, SAMPLE_RATE } from './tally';

const KEPT_SAMPLES = KEPT_QUIET_SECONDS * SAMPLE_RATE;

/** Packets that may be cut off the ends, and the last ones before those at the end. Plain JSON. */
export interface QuietPackets {
	start?: Tally;
	end?: Tally & { last: Packet[] };
}

/** Takes packet by packet, knows what may be cut off. Memory stays at a few packets. */
export class QuietEdges {
	private isLoud = false;
	private start = emptyTally();
	/** Quiet packets at the start that stay. */
	private recent: Packet[] = [];
	private recentSamples = 0;
	/** Samples of quiet packets since the last loud one, and those of them that may be cut off. */
	private run = 0;
	private cut = emptyTally();
	private cutPackets: Packet[] = [];
	/** The last packets before those. */
	private last: Packet[] = [];

	constructor(private readonly edgePackets: number) {}

	add(packet: Packet, isQuiet: boolean): void {
		const { samples } = packet;
		if (!isQuiet) this.goOn();
		else if (!this.isLoud) this.addToStart(packet);
		if (this.run < KEPT_SAMPLES) {
			this.last = [...this.last, packet].slice(-this.edgePackets);
		} else {
			addPacket(this.cut, packet.bytes, samples);
			this.cutPackets = [...this.cutPackets, packet].slice(-this.edgePackets);
		}
		if (isQuiet) this.run += samples;
	}

	/** What was quiet was no end. */
	private goOn(): void {
		this.isLoud = true;
		this.run = 0;
		this.last = [...this.last, ...this.cutPackets].slice(-this.edgePackets);
		this.cut = emptyTally();
		this.cutPackets = [];
	}

	private addToStart(packet: Packet): void {
		this.recent.push(packet);
		this.recentSamples += packet.samples;
		while (this.recentSamples - this.recent[0].samples >= KEPT_SAMPLES) {
			const { bytes, samples } = this.recent.shift()!;
			this.recentSamples -= samples;
			addPacket(this.start, bytes, samples);
		}
	}

	end(): QuietPackets {
		const { start, cut, last } = this;
		return {
			...(this.isLoud && start.packets > 0 ? { start } : {}),
			...(cut.packets > 0 ? { end: { ...cut, last } } : {}),
		};
	}
}

/** The file described as the excerpt that is left of it: with a longer pre-skip and an earlier end. */
export function withoutQuietEdges(info: OpusInfo): OpusInfo {
	const { start, end } = info.quiet ?? {};
	const isShorter = end && info.all.samples - end.samples < info.endSample;
	return {
		...info,
		...(start && start.samples > info.preSkip ? { lead: start, preSkip: start.samples } : {}),
		...(isShorter ? { tail: end, last: end.last, endSample: info.all.samples - end.samples } : {}),
	};
}
