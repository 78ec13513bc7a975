/** The pauses in bare samples. */
import { concat } from './bytes';
import { LevelTrack } from './levels';

/** Of so many samples one is enough to tell the level of a moment. */
const LEVEL_STRIDE = 4;

/** How loud the sample at this place is, of full scale. */
export type SampleLevel = (bytes: Uint8Array, at: number) => number;

/** For integers of two bytes and more, little endian, of which the upper two tell enough. */
export function integerLevel(sampleBytes: number): SampleLevel {
	return (bytes, at) => {
		const high = at + sampleBytes - 2;
		const sample = ((bytes[high] | (bytes[high + 1] << 8)) << 16) >> 16;
		return Math.abs(sample) / 32_768;
	};
}

export const level8Bit: SampleLevel = (bytes, at) => Math.abs(bytes[at] - 0x80) / 0x80;

export const muLawLevel: SampleLevel = (bytes, at) => {
	const code = ~bytes[at] & 0x7f;
	return (((2 * (code & 15) + 33) << (code >>> 4)) - 33) / 8159;
};

export const aLawLevel: SampleLevel = (bytes, at) => {
	const code = (bytes[at] ^ 0x55) & 0x7f;
	const exponent = code >>> 4;
	const mantissa = 2 * (code & 15) + 1;
	return (exponent > 0 ? (mantissa + 32) << (exponent - 1) : mantissa) / 4096;
};

export function floatLevel(sampleBytes: number): SampleLevel {
	if (sampleBytes !== 4 && sampleBytes !== 8) return () => 1;
	return (bytes, at) => {
		const view = new DataView(bytes.buffer, bytes.byteOffset + at, sampleBytes);
		const level = Math.abs(sampleBytes === 8 ? view.getFloat64(0, true) : view.getFloat32(0, true));
		return level <= 1 ? level : 1;
	};
}

/** Finds the pauses while the bytes pass by: takes the loudest sample of each 10 ms, wherever chunks end. */
export class SampleTrack {
	private position = 0;
	/** Beginning of a sample that goes on in the next chunk. */
	private partial = new Uint8Array(0);
	private readonly track = new LevelTrack();
	/** Of the 10 ms that are not over yet. */
	private loudest = 0;
	private levelBytes = 0;

	/** `samplesPerSecond`: of all channels together. */
	constructor(
		private readonly sampleBytes: number,
		private readonly samplesPerSecond: number,
		private readonly level: SampleLevel,
	) {}

	/** See `BaseInfo`; to be asked for once, at the end. */
	pauses(): number[] {
		this.endWindow();
		return this.track.pauses();
	}

	feed(chunk: Uint8Array): void {
		const all = this.partial.length > 0 ? concat([this.partial, chunk]) : chunk;
		const whole = all.length - (all.length % this.sampleBytes);
		this.partial = all.slice(whole);
		const bytes = all.subarray(0, whole);
		const { level, samplesPerSecond } = this;
		const step = LEVEL_STRIDE * this.sampleBytes;
		const window = step * Math.max(1, Math.round(samplesPerSecond / 100 / LEVEL_STRIDE));
		for (let at = 0; at < bytes.length; ) {
			const within = (this.position + at) % window;
			const end = Math.min(bytes.length, at + window - within);
			for (let i = at + ((step - (within % step)) % step); i < end; i += step) {
				this.loudest = Math.max(this.loudest, level(bytes, i));
			}
			this.levelBytes = within + end - at;
			if (this.levelBytes === window) this.endWindow();
			at = end;
		}
		this.position += whole;
	}

	private endWindow(): void {
		this.track.add(this.loudest, this.levelBytes / this.sampleBytes / this.samplesPerSecond);
		this.loudest = 0;
		this.levelBytes = 0;
	}
}
