/** Counting Opus packets: their number, length, size, and what their lacing takes. */

/** Opus counts all times at this rate, whatever was recorded. */
export const SAMPLE_RATE = 48_000;

/** Size of a packet, and its length at 48 kHz. */
export interface Packet {
	bytes: number;
	samples: number;
}

/** What a number of packets amounts to. `segments` is the length of their lacing in the segment tables. */
export interface Tally {
	packets: number;
	samples: number;
	bytes: number;
	segments: number;
}

export function emptyTally(): Tally {
	return { packets: 0, samples: 0, bytes: 0, segments: 0 };
}

export function addPacket(tally: Tally, { bytes, samples }: Packet): void {
	tally.packets++;
	tally.samples += samples;
	tally.bytes += bytes;
	tally.segments += segmentsOf(bytes);
}

export function addTally(a: Tally, b: Tally, sign: 1 | -1): Tally {
	return {
		packets: a.packets + sign * b.packets,
		samples: a.samples + sign * b.samples,
		bytes: a.bytes + sign * b.bytes,
		segments: a.segments + sign * b.segments,
	};
}

/** A packet is laced in segments of 255 bytes, the last one shorter (possibly empty). */
export function segmentsOf(bytes: number): number {
	return Math.floor(bytes / 255) + 1;
}
