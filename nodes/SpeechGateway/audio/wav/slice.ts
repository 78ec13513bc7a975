/** Parts cut out of a joined WAV file, each with a header of its own. */
import { filled } from '../bytes';
import type { CutSlices } from '../joiner';
import { slicesOf } from '../slices';
import { wavHeader, wavFileBytes } from './join';
import { shapeOf, type WavInfo, wavInfo, WavReader } from './reader';

export const cutWav: CutSlices<WavInfo> = (whole, places, emit) => {
	let begun = -1;
	let left = 0;
	return new WavReader(
		slicesOf(places, (slice, bytes) => {
			const dataBytes = places[slice].to - places[slice].from;
			if (slice !== begun) {
				begun = slice;
				left = dataBytes;
				emit(slice, wavHeader(wavInfo(shapeOf(whole), dataBytes, wavFileBytes(dataBytes))));
			}
			emit(slice, bytes);
			left -= bytes.length;
			if (left === 0) for (const pad of filled(dataBytes & 1, 0)) emit(slice, pad);
		}),
	);
};
