/** How loud frames of CELT are, told from the coarse energies of their bands. Written after RFC 6716, section 4.3. */
import { RangeDecoder } from './rangeDecoder';
import { SAMPLE_RATE } from './tally';

const BANDS = 21;
/** Bands that each bandwidth codes: narrow, wide, super-wide, full. */
const CODED_BANDS = [13, 17, 19, 21];
/** How much of a band's energy in the last frame, and in the band below, is expected; for frames of 2.5, 5, 10 and 20 ms. */
const FROM_LAST = [29_440, 26_112, 21_248, 16_384].map((part) => part / 32_768);
const FROM_BELOW = [30_147, 22_282, 12_124, 6_554].map((part) => part / 32_768);
const FROM_BELOW_INTRA = 4_915 / 32_768;
/** What energies are counted from, in steps of 6 dB. */
const MEAN_ENERGY = [
	...[6.4375, 6.25, 5.75, 5.3125, 5.0625, 4.8125, 4.5, 4.375, 4.875, 4.6875, 4.5625],
	...[4.4375, 4.875, 4.625, 4.3125, 4.5, 4.375, 4.625, 4.75, 4.4375, 3.75],
];
/**
 * For each band, how often nothing is added to what is expected (of 256) and how fast larger differences get rarer (of 256),
 * two hex digits each; predicted and intra frames of 2.5 ms, of 5 ms, of 10 ms, of 20 ms.
 */
const DISTRIBUTIONS: Uint8Array[] = [
	'487f41814280418040803e80408040805c4e5c4f5c4e5a4f742973287228841a841a9111a10cb00ab10b',
	'18b3308a3687368435863885378437843d7246604a584b58574a59425b43643b6c3278287a25612b4e32',
	'534e5451584b564a57475a495d4a5d4a6d287224752275228f1191129213a20ca50ab207bd06be08b109',
	'17b236733f66426245634a59475b495b4e5956505c425d40663b673c683c75347b2c8a23851f61264d2d',
	'3d5a5d3c692a6b296e2d7426712670267c1a841b88138c149b0e9f109e12aa0db10abb08c006af099f0a',
	'15b23b6e47564b5554535b42584957485c4b6248693a6b367334723770388133842896218c1d62234d2a',
	'2a7960426c2b6f28752c7b20782477217f2186228b15931798149e199a1aa615ad10b80db80a960d8b0f',
	'16b23f724a5254535c52673e6048604365496b48713776347d3476347537873189279d20911d61214d28',
].map((hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)));

/** Probabilities of three values, for bands for which few bits are left. */
const SMALL = [2, 1, 0];
/** What stands in place of the energy of a silent band. */
const NOTHING = -28;
/** What full scale is in steps of 6 dB, found on noise: errs by 3 dB to the loud side. */
const FULL_SCALE = 15;
/** A frame with a pitch filter sounds louder than its bands say. */
const WITH_PITCH = 2;

/** Where bands begin, in Hz / 200, and the end of the last one. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 34, 40, 48, 60, 78, 100];
const EDGE_HERTZ = 200;
/** Encoders weaken low sound by a filter of one coefficient, which decoders undo. */
const PRE_EMPHASIS = 0.85;

/** By how much decoders raise the power of each band. */
const DE_EMPHASIS = EDGES.slice(1).map((edge, band) => {
	const hertz = (EDGE_HERTZ * (EDGES[band] + edge)) / 2;
	const cosine = Math.cos((2 * Math.PI * hertz) / SAMPLE_RATE);
	return 1 / (1 + PRE_EMPHASIS ** 2 - 2 * PRE_EMPHASIS * cosine);
});

/** Energies are told as differences to those of the last frame, so all frames of a stream must pass through here. */
export class CeltLevel {
	/** The energies of each channel's bands, in steps of 6 dB. Fine steps, less than half of one, are not read. */
	private energies = [new Float64Array(BANDS), new Float64Array(BANDS)];

	/** About the root mean square of the frame between two offsets, of full scale. `toc`: the first byte of its packet. */
	read(toc: number, bytes: Uint8Array, start: number, end: number): number {
		const channels = (toc & 4) === 0 ? 1 : 2;
		const size = (toc >>> 3) & 3;
		const bands = CODED_BANDS[(toc >>> 5) & 3];
		const bits = 8 * (end - start);
		const decoder = new RangeDecoder(bytes, start, end);
		const fits = (more: number) => decoder.bitsUsed + more <= bits;
		if (channels === 1) this.mixDown();
		if (!fits(1) || decoder.bit(15)) {
			this.energies.forEach((one) => one.fill(NOTHING));
			return 0;
		}
		const hasPitch = fits(16) && decoder.bit(1);
		if (hasPitch) {
			decoder.skipRaw(4 + decoder.uniform(6) + 3);
			if (fits(2)) decoder.symbol(SMALL, 2);
		}
		if (size > 0 && fits(3)) decoder.bit(3); // transient
		const isIntra = fits(3) && decoder.bit(3);
		const distribution = DISTRIBUTIONS[2 * size + (isIntra ? 1 : 0)];
		const fromLast = isIntra ? 0 : FROM_LAST[size];
		const fromBelow = isIntra ? FROM_BELOW_INTRA : FROM_BELOW[size];
		const below = [0, 0];
		let power = 0;
		for (let band = 0; band < bands; band++) {
			for (let channel = 0; channel < channels; channel++) {
				const last = Math.max(-9, this.energies[channel][band]);
				const more = difference(decoder, bits - decoder.bitsUsed, distribution, band);
				const energy = fromLast * last + below[channel] + more;
				this.energies[channel][band] = energy;
				below[channel] += more - fromBelow * more;
				const own = 4 ** (energy + MEAN_ENERGY[band] - FULL_SCALE);
				power += (own * DE_EMPHASIS[band]) / channels;
			}
		}
		for (const one of this.energies) one.fill(0, bands);
		if (channels === 1) this.energies[1].set(this.energies[0]);
		return Math.sqrt(power) * (hasPitch ? WITH_PITCH : 1);
	}

	private mixDown(): void {
		const [left, right] = this.energies;
		left.forEach((energy, band) => (left[band] = Math.max(energy, right[band])));
	}
}

function difference(
	decoder: RangeDecoder,
	bitsLeft: number,
	distribution: Uint8Array,
	band: number,
): number {
	if (bitsLeft >= 15) {
		return decoder.laplace(distribution[2 * band] * 128, distribution[2 * band + 1] * 64);
	}
	if (bitsLeft >= 2) {
		const symbol = decoder.symbol(SMALL, 2);
		return symbol === 2 ? 1 : -symbol; // 0, -1, 1
	}
	if (bitsLeft >= 1) return decoder.bit(1) ? -1 : 0;
	return -1;
}
