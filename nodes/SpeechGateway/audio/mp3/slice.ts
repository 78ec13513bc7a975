/** Parts cut out of a joined MP3 file: its frames as they are, without any header. */
import type { CutSlices, Place } from '../joiner';
import { slicesOf } from '../slices';
import { type Mp3Info, Mp3Reader } from './reader';
import { cutAtStart } from './xing';

export const cutMp3: CutSlices<Mp3Info> = (_whole, places, emit) =>
	new Mp3Reader(slicesOf(places, emit));

export function asMp3Slice(info: Mp3Info, { delay, padding, isTold }: Place): Mp3Info {
	const edges =
		delay === undefined || padding === undefined ? null : { delay, padding, isSlice: true };
	const gapless = isTold ? edges : null;
	// They were told without the delay that is known only now.
	const late = (1000 * cutAtStart(gapless)) / info.sampleRate;
	const pauses = info.pauses?.map((at) => Math.max(0, Math.round(at - late)));
	return { ...info, pauses, gapless, edges };
}
