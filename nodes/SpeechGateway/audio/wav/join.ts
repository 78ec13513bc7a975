/** One WAV file made of several, and the parts of one cut out of it again. */
import { concat, putText } from '../bytes';
import type { Part } from '../format';
import type { CutInTwo, CutSlices, Emit, JoinBlocker, PlanJoin } from '../joiner';
import { channelGroup, mustAgree, slicesOf } from '../joiner';
import { planSamples } from '../samples';
import type { WavInfo, WavShape } from './reader';
import { bytesPerSampleFrame, CHUNK_HEADER_BYTES, ENCODINGS, WavReader } from './reader';

/** Whole header of the files made here: RIFF, a 16-byte fmt chunk, and the head of the data chunk. */
const HEADER_BYTES = 44;
/** The largest size that the header can tell. */
const MAX_SIZE = 0xffffffff;

/** One header holds for all samples of a WAV file. */
export const wavBlocker: JoinBlocker<WavInfo> = mustAgree<WavInfo>({
	'sample rate': (info) => info.sampleRate,
	'number of channels': channelGroup,
	codec: (info) => ENCODINGS[info.encoding].name,
	'number of bits per sample': (info) => info.bitsPerSample,
});

/** Every sample twice. @throws Error when that would be more than 4 GiB */
export function wavInStereo({ info, open }: Part<WavInfo>): Part<WavInfo> {
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

/** Takes samples in any pieces and emits each of them twice. */
function doubler(sampleBytes: number, emit: Emit): Emit {
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

/** Plans one WAV file with a plain 44-byte header out of several that `wavBlocker` lets through. @throws Error beyond 4 GiB */
export const planWav: PlanJoin<WavInfo> = (infos, pauses) => {
	const [first] = infos;
	const { encoding, bitsPerSample } = first;
	return planSamples(infos, pauses, {
		format: 'wav',
		frameBytes: bytesPerSampleFrame(first),
		// 8-bit PCM is unsigned: its silence is the middle, not zero.
		silence: encoding === 1 && bitsPerSample === 8 ? 0x80 : ENCODINGS[encoding].silence,
		Reader: WavReader,
		around: (dataBytes) => ({ before: wavHeader(first, dataBytes), after: padOf(dataBytes) }),
	});
};

/** A reader that emits each part with a header of its own. */
export const cutWav: CutSlices<WavInfo> = (whole, places, emit) => {
	let begun = -1;
	let left = 0;
	return new WavReader(
		slicesOf(places, (slice, bytes) => {
			const dataBytes = places[slice].to - places[slice].from;
			if (slice !== begun) {
				begun = slice;
				left = dataBytes;
				emit(slice, wavHeader(whole, dataBytes));
			}
			emit(slice, bytes);
			left -= bytes.length;
			if (left === 0 && dataBytes % 2 > 0) emit(slice, padOf(dataBytes));
		}),
	);
};

/** The byte that fills up an odd number of bytes. */
const padOf = (dataBytes: number): Uint8Array => new Uint8Array(dataBytes & 1);

/** Size of a file with so many bytes of samples and nothing else. */
const wavFileBytes = (dataBytes: number): number =>
	checkWavBytes(HEADER_BYTES + dataBytes + (dataBytes & 1));

/** @throws Error when a WAV file cannot have so many bytes */
export function checkWavBytes(bytes: number): number {
	if (bytes - CHUNK_HEADER_BYTES <= MAX_SIZE) return bytes;
	throw new Error(`The joined audio is too long for a WAV file: ${bytes} bytes, at most 4 GiB`);
}

/** The header of a file that has so many bytes in all. */
export function withRiffBytes(header: Uint8Array, bytes: number): Uint8Array {
	const changed = header.slice();
	new DataView(changed.buffer).setUint32(4, bytes - CHUNK_HEADER_BYTES, true);
	return changed;
}

/** @throws Error when a WAV file cannot have so many bytes of samples */
function wavHeader(shape: WavShape, dataBytes: number): Uint8Array {
	const bytes = new Uint8Array(HEADER_BYTES);
	const view = new DataView(bytes.buffer);
	const frameBytes = bytesPerSampleFrame(shape);
	putText(bytes, 0, 'RIFF');
	view.setUint32(4, wavFileBytes(dataBytes) - CHUNK_HEADER_BYTES, true);
	putText(bytes, 8, 'WAVEfmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, shape.encoding, true);
	view.setUint16(22, shape.channels, true);
	view.setUint32(24, shape.sampleRate, true);
	view.setUint32(28, shape.sampleRate * frameBytes, true);
	view.setUint16(32, frameBytes, true);
	view.setUint16(34, shape.bitsPerSample, true);
	putText(bytes, 36, 'data');
	view.setUint32(40, dataBytes, true);
	return bytes;
}

export const wavInTwo: CutInTwo<WavInfo> = async (info, seconds) => {
	const cut = Math.round(seconds * info.sampleRate) * bytesPerSampleFrame(info);
	return cut > 0 && cut < info.dataBytes
		? [
				{ from: 0, to: cut },
				{ from: cut, to: info.dataBytes },
			]
		: undefined;
};
