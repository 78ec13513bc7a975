/** Quiet edges of audio: speech models put up to a second of silence before and after what is said. */
import { concat } from './bytes';

/** What stays of a quiet edge, so that no sound begins or ends abruptly. */
export const KEPT_QUIET_SECONDS = 0.12;

/** Samples of up to this much of full scale (-46 dB) are quiet: above the noise of a silent recording, below any speech. */
const QUIET_LEVEL = 1 / 200;
/** The same of 16-bit samples, and in the steps of mu-law and A-law, which are finer the quieter it is. */
const QUIET_16_BIT = Math.floor(QUIET_LEVEL * 32_768);
const QUIET_MU_LAW = 17;
const QUIET_A_LAW = 9;

/** Bytes of audio data that may be cut off. */
export interface QuietBytes {
	start: number;
	end: number;
}

/** The bytes that stay. */
export function keptBytes(
	dataBytes: number,
	quiet: QuietBytes | false | undefined,
): { from: number; to: number } {
	return quiet ? { from: quiet.start, to: dataBytes - quiet.end } : { from: 0, to: dataBytes };
}

/** Whether the sample at this place is louder than quiet. */
export type IsLoud = (bytes: Uint8Array, at: number) => boolean;

/** For integers of two bytes and more, little endian, of which the upper two tell enough. */
export function isLoudInteger(sampleBytes: number): IsLoud {
	return (bytes, at) => {
		const high = at + sampleBytes - 2;
		const sample = ((bytes[high] | (bytes[high + 1] << 8)) << 16) >> 16;
		return Math.abs(sample) > QUIET_16_BIT;
	};
}

/** A single step of 8-bit PCM is above the limit. */
export const isLoud8Bit: IsLoud = (bytes, at) => bytes[at] !== 0x80;

export const isLoudMuLaw: IsLoud = (bytes, at) => (~bytes[at] & 0x7f) > QUIET_MU_LAW;

export const isLoudALaw: IsLoud = (bytes, at) => ((bytes[at] ^ 0x55) & 0x7f) > QUIET_A_LAW;

export function isLoudFloat(sampleBytes: number): IsLoud {
	if (sampleBytes !== 4 && sampleBytes !== 8) return () => true;
	return (bytes, at) => {
		const view = new DataView(bytes.buffer, bytes.byteOffset + at, sampleBytes);
		const sample = sampleBytes === 8 ? view.getFloat64(0, true) : view.getFloat32(0, true);
		return !(Math.abs(sample) <= QUIET_LEVEL);
	};
}

/** Finds the first and the last loud sample while the bytes pass by. Looks only at what lies outside of them. */
export class QuietEdges {
	private position = 0;
	/** Beginning of a sample that goes on in the next chunk. */
	private partial = new Uint8Array(0);
	private firstLoud?: number;
	/** Byte behind the last loud sample. */
	private loudEnd = 0;

	constructor(
		private readonly sampleBytes: number,
		private readonly isLoud: IsLoud,
	) {}

	feed(chunk: Uint8Array): void {
		const bytes = this.partial.length > 0 ? concat([this.partial, chunk]) : chunk;
		const { sampleBytes, position, isLoud } = this;
		const whole = bytes.length - (bytes.length % sampleBytes);
		for (let at = whole - sampleBytes; at >= 0; at -= sampleBytes) {
			if (!isLoud(bytes, at)) continue;
			this.loudEnd = position + at + sampleBytes;
			break;
		}
		if (this.firstLoud === undefined && this.loudEnd > 0) {
			let at = 0;
			while (!isLoud(bytes, at)) at += sampleBytes;
			this.firstLoud = position + at;
		}
		this.position += whole;
		this.partial = bytes.slice(whole);
	}

	/**
	 * What may be cut off each end, in whole blocks of all channels. Of audio without any sound, as much stays as of an edge.
	 *
	 * @param blockBytes size of one sample of all channels
	 */
	end(blockBytes: number, sampleRate: number): QuietBytes {
		const kept = Math.round(KEPT_QUIET_SECONDS * sampleRate) * blockBytes;
		const first = this.firstLoud ?? 0;
		const start = first - (first % blockBytes) - kept;
		const loudEnd = Math.ceil(this.loudEnd / blockBytes) * blockBytes;
		return { start: Math.max(0, start), end: Math.max(0, this.position - loudEnd - kept) };
	}
}
