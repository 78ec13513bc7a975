import { concat, filled, putText } from '../bytes';
import type { Part } from '../format';
import { channelGroup, type Emit, type JoinBlocker, mustAgree, type PlanJoin } from '../joiner';
import { layOutSamples } from '../samples';
import type { WavInfo } from './reader';
import {
	bytesPerSampleFrame,
	CHUNK_HEADER_BYTES,
	ENCODINGS,
	shapeOf,
	wavInfo,
	WavReader,
} from './reader';

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
	const bytes = checkWavBytes(HEADER_BYTES + 2 * info.dataBytes);
	const stereo = wavInfo({ ...shapeOf(info), channels: 2 }, 2 * info.dataBytes, bytes);
	return {
		info: stereo,
		async *open() {
			yield wavHeader(stereo);
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
	const layout = layOutSamples(infos, bytesPerSampleFrame(first), pauses);
	const { pauseBytes, dataBytes, ...planned } = layout;
	const bytes = checkWavBytes(wavFileBytes(dataBytes));
	const info = wavInfo(shapeOf(first), dataBytes, bytes);
	const { encoding, bitsPerSample } = first;
	// 8-bit PCM is unsigned: its silence is the middle, not zero.
	const silence = encoding === 1 && bitsPerSample === 8 ? 0x80 : ENCODINGS[encoding].silence;
	return {
		...planned,
		info,
		steps: () => ({
			header: [wavHeader(info), ...filled(pauseBytes[0], silence)],
			createReader: (emit) => new WavReader(emit),
			finishPart: (emit, part) => {
				filled(pauseBytes[part + 1], silence).forEach(emit);
				if (part === infos.length - 1) filled(dataBytes & 1, 0).forEach(emit);
			},
		}),
	};
};

/** Size of a file with so many bytes of samples and nothing else. */
export const wavFileBytes = (dataBytes: number): number =>
	HEADER_BYTES + dataBytes + (dataBytes & 1);

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

export function wavHeader(info: WavInfo): Uint8Array {
	const bytes = new Uint8Array(HEADER_BYTES);
	const view = new DataView(bytes.buffer);
	const frameBytes = bytesPerSampleFrame(info);
	putText(bytes, 0, 'RIFF');
	view.setUint32(4, info.bytes - CHUNK_HEADER_BYTES, true);
	putText(bytes, 8, 'WAVEfmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, info.encoding, true);
	view.setUint16(22, info.channels, true);
	view.setUint32(24, info.sampleRate, true);
	view.setUint32(28, info.sampleRate * frameBytes, true);
	view.setUint16(32, frameBytes, true);
	view.setUint16(34, info.bitsPerSample, true);
	putText(bytes, 36, 'data');
	view.setUint32(40, info.dataBytes, true);
	return bytes;
}
