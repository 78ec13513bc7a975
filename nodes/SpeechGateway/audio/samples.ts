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
	/** What the file has before and behind so many bytes of samples. */
	around?: (dataBytes: number) => { before: Uint8Array; after: Uint8Array };
}

/** Plans a file of samples. `pauses`: milliseconds before each part, and after the last. */
export function planSamples<Info extends BaseInfo>(
	infos: Info[],
	pauses: number[],
	{ format, frameBytes, silence, Reader, around }: Samples<Info>,
): JoinPlan<Info> {
	const [{ sampleRate }] = infos;
	const secondsOf = (bytes: number) => bytes / frameBytes / sampleRate;
	const pauseBytes = pauses.map(
		(milliseconds) => Math.round((milliseconds / 1000) * sampleRate) * frameBytes,
	);
	let length = pauseBytes[0];
	const places = infos.map((info, part): Place => {
		const from = length;
		const to = from + info.dataBytes;
		length = to + pauseBytes[part + 1];
		return { from, to };
	});
	const { before, after } = around?.(length) ?? {};
	const bytes = (before?.length ?? 0) + length + (after?.length ?? 0);
	return {
		info: { format, seconds: secondsOf(length), bytes, length, sampleRate },
		starts: places.map(({ from }) => secondsOf(from)),
		places,
		steps: () => ({
			header: [...(before ? [before] : []), ...filled(pauseBytes[0], silence)],
			createReader: (emit) => new Reader(emit),
			finishPart: (emit, part) => {
				filled(pauseBytes[part + 1], silence).forEach(emit);
				if (part === infos.length - 1 && after?.length) emit(after);
			},
		}),
	};
}
