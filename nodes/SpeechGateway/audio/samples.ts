/** Files of bare samples one behind the other: pauses and cut edges are exact to a sample. */
import type { BaseInfo } from './format';
import type { Place } from './joiner';
import type { QuietBytes } from './quiet';

/**
 * Where parts and pauses are in the joined samples, in bytes; `kept`: the stretch of each part that is taken over.
 * `frameBytes`: size of one sample of all channels; `pauses`: milliseconds before each part, and after the last.
 */
export function layOutSamples(
	infos: Array<BaseInfo & { quiet?: QuietBytes }>,
	frameBytes: number,
	pauses: number[],
	trimSilence: boolean,
) {
	const [{ sampleRate }] = infos;
	const secondsOf = (bytes: number) => bytes / frameBytes / sampleRate;
	const pauseBytes = pauses.map(
		(milliseconds) => Math.round((milliseconds / 1000) * sampleRate) * frameBytes,
	);
	const kept = infos.map(({ dataBytes, isTrimmed, quiet }) =>
		trimSilence && !isTrimmed && quiet
			? { from: quiet.start, to: dataBytes - quiet.end }
			: { from: 0, to: dataBytes },
	);
	let dataBytes = pauseBytes[0];
	const places = kept.map(({ from, to }, part): Place => {
		const start = dataBytes;
		const end = start + to - from;
		dataBytes = end + pauseBytes[part + 1];
		const isTrimmed = trimSilence || infos[part].isTrimmed;
		return { from: start, to: end, ...(isTrimmed && { isTrimmed }) };
	});
	return {
		kept,
		pauseBytes,
		dataBytes,
		starts: places.map(({ from }) => secondsOf(from)),
		trimmed: kept.map(({ from }) => secondsOf(from)),
		places,
	};
}
