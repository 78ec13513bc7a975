/** Bare samples: files of them one behind the other, where pauses are exact to a sample, and the pauses that are in them. */
import { concat, repeated } from './bytes';
import type { AudioReader, BaseInfo } from './format';
import {
	type Emit,
	firstBytes,
	type JoinPlan,
	type Place,
	type Silence,
	soundStart,
	spareIn,
} from './joiner';
import { LevelTrack } from './levels';

interface Samples<Info> {
	/** Size of one sample of all channels. */
	frameBytes: number;
	/** The byte that is silence. */
	silence: number;
	readerOf: (onAudio: Emit) => AudioReader<Info>;
	/** The header of a file with so many bytes of samples and of tags. */
	headerOf?: (dataBytes: number, tagBytes: number) => Uint8Array;
}

/** Plans a file of samples; see `Format`. */
export function planSamples<Info extends BaseInfo>(
	infos: Info[],
	silences: Silence[],
	after: number,
	{ frameBytes, silence, readerOf, headerOf }: Samples<Info>,
): JoinPlan<Info> {
	const [{ sampleRate }] = infos;
	const secondsOf = (bytes: number) => bytes / frameBytes / sampleRate;
	let end = 0;
	let spare = 0;
	const segments = infos.map(({ dataBytes, lead = 0, trail = 0 }, index) => {
		const start = soundStart(silences[index], end, spare, lead * sampleRate);
		const silent = start - end;
		const samples = dataBytes / frameBytes;
		end = start + samples;
		spare = spareIn(trail * sampleRate, sampleRate);
		return { start, silent, samples };
	});
	// Silence of less than nothing: quiet samples of the segment before are left out.
	for (const [index, { silent }] of segments.entries())
		if (silent < 0) segments[index - 1].samples += silent;
	const length = (end + after) * frameBytes;
	const places = segments.map(
		({ start, samples }): Place => ({
			from: start * frameBytes,
			to: (start + samples) * frameBytes,
		}),
	);
	return {
		seconds: secondsOf(length),
		length,
		starts: places.map(({ from }) => secondsOf(from)),
		places,
		*write(emit, tag) {
			if (headerOf) emit(headerOf(length, tag.length));
			const silentFrame = new Uint8Array(frameBytes).fill(silence);
			for (const { silent, samples } of segments) {
				repeated(silentFrame, silent).forEach(emit);
				yield readerOf(firstBytes(samples * frameBytes, emit));
			}
			repeated(silentFrame, after).forEach(emit);
			// An odd number of bytes is filled up.
			emit(new Uint8Array(length % 2));
			emit(tag);
		},
	};
}

/** Takes samples, however they are divided, and emits each of them twice. */
export function doubler(sampleBytes: number, emit: Emit): Emit {
	let rest = new Uint8Array(0);
	return (bytes) => {
		const samples = concat([rest, bytes]);
		const whole = samples.length - (samples.length % sampleBytes);
		const twice = new Uint8Array(2 * whole);
		for (let at = 0; at < whole; at++) {
			const to = at + sampleBytes * Math.floor(at / sampleBytes);
			twice[to] = twice[to + sampleBytes] = samples[at];
		}
		rest = samples.slice(whole);
		emit(twice);
	};
}

/** A soft consonant may begin so much before the level tells; seconds. */
const SOFT_BEGINNING = 0.02;

/** Of so many samples one is enough to tell the level of a moment. */
const LEVEL_STRIDE = 4;

/** How loud the sample at this place is, of full scale (0 to 1). Its upper two bytes tell enough. */
function levelAt(bytes: Uint8Array, at: number, sampleBytes: number): number {
	const high = at + sampleBytes - 2;
	const sample = ((bytes[high] | (bytes[high + 1] << 8)) << 16) >> 16;
	return Math.abs(sample) / 32_768;
}

/** Finds the pauses between integers, little endian, as they pass by: takes the loudest of each 10 ms, wherever chunks end. */
export class SampleTrack {
	/** Beginning of a sample that goes on in the next chunk. */
	private partial = new Uint8Array(0);
	private readonly track = new LevelTrack();
	/** Of the 10 ms that are not over yet, and how much there is of them. */
	private loudest = 0;
	private levelBytes = 0;

	/** `sampleBytes`: two or more; `samplesPerSecond`: of all channels together. */
	constructor(
		private readonly sampleBytes: number,
		private readonly samplesPerSecond: number,
	) {}

	/** The pauses of all that was fed; see `BaseInfo`. To be asked for once, at the end. */
	heard(): Pick<BaseInfo, 'pauses' | 'lead' | 'trail'> {
		this.endWindow();
		const { track } = this;
		const lead = Math.max(0, track.lead() - SOFT_BEGINNING);
		return { pauses: track.pauses(), lead, trail: track.trail() };
	}

	/** Takes the next bytes; chunks may end within a sample. */
	feed(chunk: Uint8Array): void {
		const all = this.partial.length > 0 ? concat([this.partial, chunk]) : chunk;
		const whole = all.length - (all.length % this.sampleBytes);
		this.partial = all.slice(whole);
		const bytes = all.subarray(0, whole);
		const { sampleBytes, samplesPerSecond } = this;
		const step = LEVEL_STRIDE * sampleBytes;
		const window = step * Math.max(1, Math.round(samplesPerSecond / 100 / LEVEL_STRIDE));
		for (let at = 0; at < bytes.length; ) {
			const end = Math.min(bytes.length, at + window - this.levelBytes);
			for (let i = at + ((step - (this.levelBytes % step)) % step); i < end; i += step) {
				this.loudest = Math.max(this.loudest, levelAt(bytes, i, sampleBytes));
			}
			this.levelBytes += end - at;
			if (this.levelBytes === window) this.endWindow();
			at = end;
		}
	}

	/** Hands the loudest sample of 10 ms, or of what is left at the end, to the track. */
	private endWindow(): void {
		this.track.add(this.loudest, this.levelBytes / this.sampleBytes / this.samplesPerSecond);
		this.loudest = 0;
		this.levelBytes = 0;
	}
}
