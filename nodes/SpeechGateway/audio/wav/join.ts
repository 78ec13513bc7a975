/** One WAV file made of several, and slices of one as files again. */
import { concat, packed, uint32sLe } from '../bytes';
import type { AudioReader, SegmentFile } from '../format';
import { type EmitSlice, type Format, type Place, sliceBytes } from '../joiner';
import { doubler, planSamples } from '../samples';
import { riffChunks } from '../tags/riff';
import type { WavInfo, WavShape } from './reader';
import { bytesPerSampleFrame, CHUNK_HEADER_BYTES, ENCODINGS, WavReader } from './reader';

/** Whole header of the files made here: RIFF, a 16-byte fmt chunk, and the head of the data chunk. */
const HEADER_BYTES = 44;
/** The largest size that the header can tell. */
const MAX_SIZE = 0xffffffff;

/** A mono file as stereo: every sample twice. @throws Error when that would be more than 4 GiB */
function wavInStereo({ info, open }: SegmentFile<WavInfo>): SegmentFile<WavInfo> {
	const dataBytes = 2 * info.dataBytes;
	const stereo = { ...info, channels: 2, dataBytes, bytes: wavFileBytes(dataBytes) };
	return {
		info: stereo,
		async *open() {
			yield wavHeader(stereo, dataBytes);
			let out: Uint8Array[] = [];
			const reader = new WavReader(doubler(info.bitsPerSample / 8, (twice) => out.push(twice)));
			for await (const chunk of await open()) {
				reader.feed(chunk);
				yield concat(out);
				out = [];
			}
			reader.end();
			yield concat(out);
		},
	};
}

/** A reader that emits each slice with a header of its own. */
function sliceWav(whole: WavInfo, places: Place[], emit: EmitSlice): AudioReader<WavInfo> {
	let left = 0; // of the slice that has begun
	return new WavReader(
		sliceBytes(places, (slice, bytes) => {
			const dataBytes = places[slice].to - places[slice].from;
			if (left === 0) {
				left = dataBytes;
				emit(slice, wavHeader(whole, dataBytes));
			}
			emit(slice, bytes);
			left -= bytes.length;
			if (left === 0 && dataBytes % 2 > 0) emit(slice, new Uint8Array(1));
		}),
	);
}

/** Size of a file with so many bytes of samples, and of tags behind them. @throws Error when a WAV file cannot have so many */
function wavFileBytes(dataBytes: number, tagBytes = 0): number {
	const bytes = HEADER_BYTES + dataBytes + (dataBytes % 2) + tagBytes;
	if (bytes - CHUNK_HEADER_BYTES <= MAX_SIZE) return bytes;
	throw new Error(`The joined audio is too long for a WAV file: ${bytes} bytes, at most 4 GiB`);
}

const uint16sLe = (...values: number[]): number[] =>
	values.flatMap((value) => [value & 0xff, value >>> 8]);

/** A plain header. @throws Error when a WAV file cannot have so many bytes */
function wavHeader(shape: WavShape, dataBytes: number, tagBytes = 0): Uint8Array {
	const { encoding, channels, sampleRate, bitsPerSample } = shape;
	const frameBytes = bytesPerSampleFrame(shape);
	const size = wavFileBytes(dataBytes, tagBytes) - CHUNK_HEADER_BYTES;
	return packed(
		'RIFF',
		uint32sLe(size),
		'WAVEfmt ',
		uint32sLe(16),
		uint16sLe(encoding, channels),
		uint32sLe(sampleRate, sampleRate * frameBytes),
		uint16sLe(frameBytes, bitsPerSample),
		'data',
		uint32sLe(dataBytes),
	);
}

/** RIFF WAVE: see `Format`. */
export const wav: Format<WavInfo> = {
	Reader: WavReader,
	sharedBy: ({ encoding, bitsPerSample }) => ({
		codec: ENCODINGS[encoding].name,
		'number of bits per sample': bitsPerSample,
	}),
	inStereo: wavInStereo,
	/** @throws Error beyond 4 GiB */
	plan(infos, silences, after) {
		const [first] = infos;
		const { encoding, bitsPerSample } = first;
		const plan = planSamples(infos, silences, after, {
			frameBytes: bytesPerSampleFrame(first),
			// 8-bit PCM is unsigned: its silence is the middle, not zero.
			silence: encoding === 1 && bitsPerSample === 8 ? 0x80 : ENCODINGS[encoding].silence,
			readerOf: (onAudio) => new WavReader(onAudio),
			headerOf: (dataBytes, tagBytes) => wavHeader(first, dataBytes, tagBytes),
		});
		wavFileBytes(plan.length);
		return plan;
	},
	tag: riffChunks,
	slices: {
		slice: sliceWav,
		infoOf: (info) => info,
	},
};
