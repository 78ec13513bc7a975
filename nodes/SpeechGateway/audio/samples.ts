/** Files of bare samples one behind the other: pauses are exact to a sample. */
import type { BaseInfo } from './format';
import type { Place } from './joiner';

/**
 * Where parts and pauses are in the joined samples, in bytes. `frameBytes`: size of one sample of all channels; `pauses`:
 * milliseconds before each part, and after the last.
 */
export function layOutSamples(infos: BaseInfo[], frameBytes: number, pauses: number[]) {
	const [{ sampleRate }] = infos;
	const secondsOf = (bytes: number) => bytes / frameBytes / sampleRate;
	const pauseBytes = pauses.map(
		(milliseconds) => Math.round((milliseconds / 1000) * sampleRate) * frameBytes,
	);
	let dataBytes = pauseBytes[0];
	const places = infos.map((info, part): Place => {
		const from = dataBytes;
		const to = from + info.dataBytes;
		dataBytes = to + pauseBytes[part + 1];
		return { from, to };
	});
	return {
		pauseBytes,
		dataBytes,
		starts: places.map(({ from }) => secondsOf(from)),
		places,
	};
}
