import { between, filled, putText } from '../bytes';
import type { JoinBlocker, JoinPlan } from '../joiner';
import { Joiner, mustAgree } from '../joiner';
import { keptBytes } from '../quiet';
import type { WavInfo } from './reader';
import { bytesPerSampleFrame, CHUNK_HEADER_BYTES, ENCODINGS, wavInfo, WavReader } from './reader';

/** Whole header of the files made here: RIFF, a 16-byte fmt chunk, and the head of the data chunk. */
const HEADER_BYTES = 44;
/** The largest size that the header can tell. */
const MAX_SIZE = 0xffffffff;

/** One header holds for all samples of a WAV file. */
export const wavBlocker: JoinBlocker<WavInfo> = mustAgree({
	'sample rate': (info) => info.sampleRate,
	'number of channels': (info) => info.channels,
	codec: (info) => ENCODINGS[info.encoding].name,
	'number of bits per sample': (info) => info.bitsPerSample,
});

/**
 * Plans one WAV file with a plain 44-byte header out of several that `wavBlocker` lets through; pauses and cut edges
 * are exact to a sample.
 *
 * @throws Error beyond 4 GiB
 */
export function planWav(
	infos: WavInfo[],
	pauses: number[],
	trimSilence = false,
): JoinPlan<WavInfo> {
	const [first] = infos;
	const frameBytes = bytesPerSampleFrame(first);
	const pauseBytes = pauses.map(
		(milliseconds) => Math.round((milliseconds / 1000) * first.sampleRate) * frameBytes,
	);
	const starts: number[] = [];
	let dataBytes = pauseBytes[0];
	const kept = infos.map((info) => keptBytes(info.dataBytes, trimSilence && info.quiet));
	kept.forEach(({ from, to }, index) => {
		starts.push(dataBytes / frameBytes / first.sampleRate);
		dataBytes += to - from + pauseBytes[index + 1];
	});
	const padBytes = dataBytes & 1;
	const bytes = HEADER_BYTES + dataBytes + padBytes;
	checkWavBytes(bytes);
	const { sampleRate, channels, bitsPerSample, encoding } = first;
	const info = wavInfo({ sampleRate, channels, bitsPerSample, encoding }, dataBytes, bytes);
	// 8-bit PCM is unsigned: its silence is the middle, not zero.
	const silence = encoding === 1 && bitsPerSample === 8 ? 0x80 : ENCODINGS[encoding].silence;
	return {
		info,
		starts,
		createJoiner: () =>
			new Joiner(infos, {
				header: [header(info), ...filled(pauseBytes[0], silence)],
				createReader: (emit, part) => new WavReader(between(kept[part].from, kept[part].to, emit)),
				finishPart: (emit, part) => {
					filled(pauseBytes[part + 1], silence).forEach(emit);
					if (part === infos.length - 1) filled(padBytes, 0).forEach(emit);
				},
			}),
	};
}

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

function header(info: WavInfo): Uint8Array {
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
