/** Packets that are put between segments of Opus, made by hand since nothing is encoded. Written after RFC 6716. */
import { sum } from '../bytes';

/** A packet made here. All are mono, which plays on both channels of a stereo stream. */
export interface MadePacket {
	data: Uint8Array;
	samples: number;
}

const made = (samples: number, ...bytes: number[]): MadePacket => ({
	data: Uint8Array.from(bytes),
	samples,
});

/** A CELT frame of 20 ms, fullband (TOC 0xF8), whose first coded bit says "silence". */
export const PAUSE = made(960, 0xf8, 0xff, 0xfe);
/** The same in 2.5 ms (TOC 0xE0): the spectrum that CELT predicts from is then that of silence. */
const SILENCE = made(120, 0xe0, 0xff, 0xfe);
/** The same in narrowband (TOC 0x80): bands that are not coded, such as those of hybrid frames, are set to their start. */
const END_OF_SILK = made(120, 0x80, 0xff, 0xfe);
/** A SILK frame of 10 ms, narrowband (TOC 0x00), at -90 dB: the quietest that a decoder does not take for a lost one. */
const END_OF_CELT = made(480, 0x00, 0x00, 0x0d);

/** Packets of silence for so many samples at least. */
export const packetsOfSilence = (samples: number): MadePacket[] =>
	pauses(Math.ceil(samples / PAUSE.samples));

/** So many packets of silence. */
export const pauses = (count: number): MadePacket[] =>
	Array.from({ length: Math.max(0, count) }, () => PAUSE);

/**
 * Packets that reset the decoder before a segment: it predicts from what it played last, so the first packets after another one
 * would be far too loud. A CELT packet resets SILK, and a SILK packet of at least 10 ms resets CELT; silence resets neither. An
 * excerpt's first packet was predicted from one that is gone, so it fades in after silence.
 */
export function beginAnew(startsWithCelt: boolean, isExcerpt: boolean): MadePacket[] {
	if (isExcerpt) return [SILENCE];
	return startsWithCelt ? [END_OF_SILK, END_OF_CELT] : [END_OF_SILK];
}

/** Samples in packets, at the rate that all Opus times count in. */
export const samplesOf = (packets: MadePacket[]): number =>
	sum(packets.map(({ samples }) => samples));
