/** How loud Opus packets are, estimated from the start of each frame. Written after RFC 6716, section 4. */
import { CeltLevel } from './celtLevel';
import { RangeDecoder } from './rangeDecoder';

/** A packet of up to this many bytes holds nothing: the encoder had nothing to send. */
const EMPTY_PACKET_BYTES = 2;
/** The first byte of packets in CELT. */
const FIRST_CELT_TOC = 0x80;
const STEREO_BIT = 4;

/** About `QUIET_RMS` as the gain of SILK's first subframe, in steps of 1.37 dB: measured on noise. */
const QUIET_GAIN = 28;
/** Probabilities: whether the excitation of a frame without speech is soft; the upper three bits of a gain, and the lower. */
const OFFSET_TYPES = [230, 0];
const GAIN_HIGH = [224, 112, 44, 15, 3, 2, 1, 0];
const GAIN_LOW = [224, 192, 160, 128, 96, 64, 32, 0];

/** Takes packet by packet, in order. */
export class PacketLevels {
	private readonly celt = new CeltLevel();

	/** About how loud a packet is, of full scale; of SILK, only whether it is quiet for sure. */
	read(packet: Uint8Array): number {
		let level = 0;
		if (packet.length <= EMPTY_PACKET_BYTES) return level;
		const toc = packet[0];
		// All frames are read, since each in CELT is told from the one before it.
		for (const [start, end] of framesOf(packet)) {
			if (toc >= FIRST_CELT_TOC) {
				level = Math.max(level, this.celt.read(toc, packet, start, end));
			} else if (end - start > 1 && !isQuietSilk(toc, packet, start, end)) {
				level = 1;
			}
		}
		return level;
	}
}

/**
 * Where the frames of a packet begin and end. The lower two bits of its first byte: 0 one frame, 1 two of a size, 2 two, 3 any
 * number, which the next byte tells: v variable sizes, p padding, M frames.
 *
 *     v p MMMMMM · sizes of paddings (255: 254 bytes and more) · sizes of all frames but the last (from 252: two bytes)
 */
function framesOf(packet: Uint8Array): Array<[number, number]> {
	const code = packet[0] & 3;
	let at = 1;
	let end = packet.length;
	let count = code === 0 ? 1 : 2;
	let isVariable = code === 2;
	if (code === 3) {
		const head = packet[at++];
		count = head & 63;
		isVariable = (head & 128) !== 0;
		for (let more = (head & 64) !== 0; more; ) {
			const byte = packet[at++];
			more = byte === 255;
			end -= more ? 254 : byte;
		}
	}
	const sizes: number[] = [];
	for (let frame = 1; isVariable && frame < count; frame++) {
		const first = packet[at++];
		sizes.push(first < 252 ? first : first + 4 * packet[at++]);
	}
	const equal = Math.floor((end - at) / count);
	return Array.from({ length: count }, (_, frame) => {
		const start = Math.min(at, end);
		at += isVariable ? (sizes[frame] ?? end - at) : equal;
		return [start, Math.max(start, Math.min(at, end))];
	});
}

/** A frame of SILK begins with a bit of voice activity for each 20 ms, one for redundancy, and in the first part its gain. */
function isQuietSilk(toc: number, packet: Uint8Array, start: number, end: number): boolean {
	if ((toc & STEREO_BIT) !== 0) return false;
	const configuration = toc >>> 3;
	const parts = configuration < 12 ? Math.max(1, configuration & 3) : 1;
	const decoder = new RangeDecoder(packet, start, end);
	for (let part = 0; part < parts; part++) if (decoder.bit(1)) return false;
	if (decoder.bit(1)) return false;
	decoder.symbol(OFFSET_TYPES, 8);
	const gain = 8 * decoder.symbol(GAIN_HIGH, 8) + decoder.symbol(GAIN_LOW, 8);
	return gain <= QUIET_GAIN;
}
