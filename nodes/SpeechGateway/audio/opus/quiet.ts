/** Quiet edges of an Opus file, in whole packets. */
import { KEPT_QUIET_SECONDS } from '../quiet';
import { addPacket, emptyTally, type Packet, SAMPLE_RATE, type Tally } from './tally';

/** Loudest average of a quiet packet: noise of this level has peaks of -42 dB. */
const QUIET_RMS = 1 / 250;
const KEPT_SAMPLES = KEPT_QUIET_SECONDS * SAMPLE_RATE;

/** Packets that may be cut off the ends, and the last ones before those at the end. Plain JSON. */
export interface QuietPackets {
	start?: Tally;
	end?: Tally & { last: Packet[] };
}

/** Finds the quiet edges, packet by packet. Memory stays at a few packets. */
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

	add(packet: Packet, level: number): void {
		const isQuiet = level <= QUIET_RMS;
		if (!isQuiet) this.goOn();
		else if (!this.isLoud) this.addToStart(packet);
		if (this.run < KEPT_SAMPLES) {
			this.last = [...this.last, packet].slice(-this.edgePackets);
		} else {
			addPacket(this.cut, packet);
			this.cutPackets = [...this.cutPackets, packet].slice(-this.edgePackets);
		}
		if (isQuiet) this.run += packet.samples;
	}

	/** The quiet packets were a pause, not the end. */
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
			const [first] = this.recent.splice(0, 1);
			this.recentSamples -= first.samples;
			addPacket(this.start, first);
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
