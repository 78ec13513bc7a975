/** Files of bare samples one behind the other: pauses are exact to a sample. */
import { filled } from './bytes';
import type { AudioFormat, AudioReader, BaseInfo } from './format';
import type { Emit, JoinPlan, Place } from './joiner';

interface Samples<Info> {
	format: AudioFormat;
	/** Size of one sample of all channels. */
	frameBytes: number;
	/** The byte that is silence. */
	silence: number;
	Reader: new (onAudio: Emit) => AudioReader<Info>;
	/** What the file has before so many bytes of samples, and so many of a tag behind them. */
	headerOf?: (dataBytes: number, tagBytes: number) => Uint8Array;
}

/** Plans a file of samples; see `Format`. */
export function planSamples<Info extends BaseInfo>(
	infos: Info[],
	pauses: number[],
	{ format, frameBytes, silence, Reader, headerOf }: Samples<Info>,
): JoinPlan<Info> {
	const [{ sampleRate }] = infos;
	const secondsOf = (bytes: number) => bytes / frameBytes / sampleRate;
	let length = pauses[0] * frameBytes;
	const places = infos.map((info, part): Place => {
		const from = length;
		const to = from + info.dataBytes;
		length = to + pauses[part + 1] * frameBytes;
		return { from, to };
	});
	return {
		info: { format, seconds: secondsOf(length), length, sampleRate },
		starts: places.map(({ from }) => secondsOf(from)),
		places,
		*write(emit, tag) {
			if (headerOf) emit(headerOf(length, tag.length));
			for (const [seam, pause] of pauses.entries()) {
				filled(pause * frameBytes, silence).forEach(emit);
				if (seam < infos.length) yield new Reader(emit);
			}
			// An odd number of bytes is filled up.
			emit(new Uint8Array(length % 2));
			emit(tag);
		},
	};
}
